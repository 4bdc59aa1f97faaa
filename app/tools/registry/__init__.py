"""Which tools there are, as agents see them, and which are switched on.

Begin with `registry`.
"""
