"""Joplin's archive and folder.

Begin with `joplin`.
"""
