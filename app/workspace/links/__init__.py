"""What leads from note to note: links, backlinks, mentions, related notes.

May import search, notes, folders, index. Begin with `links`.
"""
