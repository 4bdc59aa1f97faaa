"""What an agent may do: policy, escalations and their decision, the audit, the stop switch.

May import `tools.registry`. Begin with `tool_gate`.
"""

CATEGORY = "escalations"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
