"""What takes place when, and when there is time.

May import priorities. Begin with `calendar_search`.
"""

CATEGORY = "calendar"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
