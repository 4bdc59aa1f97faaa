"""How agents on people's own machines work for each other, under grants.

May import network and all layers below. Begin with `devices/endpoints` and `realtime/stream`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
