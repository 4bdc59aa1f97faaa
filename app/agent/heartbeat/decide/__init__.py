"""Stage B: proposals, by rules or by a model that may look but not touch.

May import records and look. Begin with `decide_by_rules`.
"""
