"""The tree that notes lie in, who may do what in it, and what is shared.

May import `workspace.index`. Begin with `folders`; rights are in `access`.
"""

CATEGORY = "folders"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
