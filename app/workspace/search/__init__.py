"""Finding notes: `search` is the endpoint; how it ranks is in `ranking`.

May import notes, todos, folders, index and its own subfolders.
"""
