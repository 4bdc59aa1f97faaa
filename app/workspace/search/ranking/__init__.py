"""From a query to the notes that fit best, in order.

May import vectors, todos, folders, index. Begin with `rank_by_words` and `rank_by_meaning`.
"""
