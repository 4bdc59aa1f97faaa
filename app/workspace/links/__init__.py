"""What leads from note to note: links, backlinks, mentions, related notes.

May import search, notes, folders, index. Begin with `links`.
"""

CATEGORY = "notes"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
