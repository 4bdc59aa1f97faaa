"""Notes: listing, reading, writing, moving them, and their snapshots.

May import folders and index. Begin with `notes`; `note_rows` is the only writer of the table.
"""

CATEGORY = "notes"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
