"""What the heartbeat keeps: its schedule, instructions, runs and actions, and what a tier allows.

Begin with `run_rows`.
"""

CATEGORY = "heartbeat"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
