"""Which tools there are, as agents see them, and which are switched on.

Begin with `registry`.
"""

CATEGORY = "tools"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
