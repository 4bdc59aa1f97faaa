"""Route-frozen grants: who may send to which session of whom, until when.

May import devices and realtime. Begin with `grant_states`, the state table, and `grants`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
