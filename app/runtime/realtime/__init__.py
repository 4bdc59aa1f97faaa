"""What endpoints are told while they listen, and what they have missed.

May import devices. Begin with `event_rows`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
