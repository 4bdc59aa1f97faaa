"""Exact text and regular expressions: grep, replacing, and searching snapshots.

May import notes, folders, index. Begin with `grep`.
"""

CATEGORY = "notes"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
