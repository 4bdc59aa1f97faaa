"""A note, folder, tag or todo by a few letters of its name.

May import folders, index. Begin with `quick_open`.
"""

CATEGORY = "workspace"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
