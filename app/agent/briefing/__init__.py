"""Briefings, strategies and the Eisenhower matrix.

May import priorities, calendar, models. Begin with `briefing`.
"""

CATEGORY = "agent"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
