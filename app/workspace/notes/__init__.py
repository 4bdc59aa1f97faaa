"""Notes: listing, reading, writing, moving them, and their snapshots.

May import folders and index. Begin with `notes`; `note_rows` is the only writer of the table.
"""
