"""The heartbeat: whether and when it runs, what it looks after, what it did and why.

Begin with `heartbeat_page`.
"""
