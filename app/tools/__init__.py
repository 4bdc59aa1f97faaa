"""What agents can use: tools, and the gate that each call passes.

May import core, account, workspace. Begin with `tool_endpoints`.
"""

CATEGORY = "tools"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
