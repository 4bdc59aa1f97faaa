"""What a runtime may do for another person: asked for each call, or allowed for longer.

May import grants and what they may. Begin with `tool_approvals` and `trusted_policies`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
