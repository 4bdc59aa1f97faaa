"""Files that a user keeps: storing them, and reading the text in them.

May import folders. Begin with `attachments`.
"""
