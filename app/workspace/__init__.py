"""What someone has: folders, notes, todos, attachments, the trash, and finding all of it.

May import core and account. Begin with `notes/notes`; `accumulate` writes many things at once.
"""

CATEGORY = "workspace"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
