"""Markdown to HTML and back, reading its blocks, and edits of large texts.

May import its own subfolders and `core.process`. Begin with `convert` and `blocks`.
"""
