"""`hearth chat`.

Begin with `chat`.
"""
