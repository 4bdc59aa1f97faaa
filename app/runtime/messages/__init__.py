"""What one runtime sends another under a grant, and how far it has got.

May import grants and what they may. Begin with `delivery_states`, the state table, and `messages`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
