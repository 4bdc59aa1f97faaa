"""What was deleted: listing, restoring and purging it.

May import notes, todos, folders. Begin with `trash`.
"""
