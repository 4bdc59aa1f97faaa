"""What the agent knows: its owner's files, what was said and done, and finding it again.

Begin with `memory` (the endpoints) and `recall`.
"""

CATEGORY = "memory"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
