"""What someone has: folders, notes, todos, attachments, the trash, and finding all of it.

May import core and account. Begin with `notes/notes`. What concerns a workspace as a
whole stands here: `init_workspace`, `os_status`, `os_index`, `accumulate`, `delete_user`.
"""

CATEGORY = "workspace"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
