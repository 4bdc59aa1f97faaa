"""What `hearth doctor` looks for, and what it can repair.

Begin with `doctor`, then `examine`.
"""

CATEGORY = "upkeep"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
