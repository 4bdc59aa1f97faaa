"""What an agent may do: policy, escalations and their decision, the audit, the stop switch.

May import `tools.registry`. Begin with `tool_gate`.
"""
