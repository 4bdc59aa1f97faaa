"""Finding notes: `search` is the endpoint; how it ranks is in `ranking`.

May import notes, todos, folders, index and its own subfolders.
"""

CATEGORY = "notes"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
