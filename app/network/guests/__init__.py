"""Share links, what they open, and the guests who come by them.

May import contacts and messages. Begin with `shares`.
"""
