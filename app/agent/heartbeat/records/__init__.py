"""What the heartbeat keeps: its schedule, instructions, runs and actions, and what a tier allows.

Begin with `run_rows`.
"""
