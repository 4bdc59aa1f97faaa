"""Notes: listing, reading, editing, moving and deleting them, and their snapshots.

May import folders, attachments and index. Begin with `notes`; `note_rows` and `snapshot_rows` are
the only writers of their tables.
"""

CATEGORY = "notes"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
