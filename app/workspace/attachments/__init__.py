"""Files that a user keeps: storing them, and reading the text in them.

May import folders. Begin with `attachments`.
"""

CATEGORY = "workspace"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
