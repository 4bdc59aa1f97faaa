"""Exact text and regular expressions: grep, replacing, and searching snapshots.

May import notes, folders, index. Begin with `grep`.
"""
