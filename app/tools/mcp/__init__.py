"""Servers of the Model Context Protocol whose tools a user's agents may use.

Begin with `servers`.
"""

CATEGORY = "tools"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
