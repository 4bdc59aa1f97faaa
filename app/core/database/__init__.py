"""The database file: the store with its one writer, transactions, integrity, the data directory.

May import `core.process`. Begin with `store`, then `tx`.
"""
