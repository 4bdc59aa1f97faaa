"""Calendars that are read: connected files and addresses, and their events.

Begin with `integrations`.
"""

CATEGORY = "tools"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
