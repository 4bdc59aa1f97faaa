"""Readers of what other programs export; `formats` lists them.

May import content, archives, exports. A new format is a module here and a line in `formats`.
"""
