"""What was deleted: listing, restoring and purging it.

May import notes, todos, folders. Begin with `trash_lists`.
"""

CATEGORY = "workspace"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
