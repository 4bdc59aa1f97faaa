"""Briefings, strategies and the Eisenhower matrix.

May import priorities, calendar, models. Begin with `briefing`.
"""
