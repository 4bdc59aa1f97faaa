"""Search by meaning: passages, their vectors, and comparing them with a query's.

May import notes, folders, index. Begin with `vector_maker`.
"""
