"""`hearth webhook`: where events are sent.

Begin with `webhook`.
"""
