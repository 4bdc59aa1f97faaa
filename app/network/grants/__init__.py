"""What one user grants another's agent or the holder of a link, and the caller it makes.

Begin with `permission_object`; `grant_rows` and `share_rows` are the tables.
"""
