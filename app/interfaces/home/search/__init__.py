"""Searching the notes: by words and meaning, by pattern, and replacing.

Begin with `search_page`.
"""
