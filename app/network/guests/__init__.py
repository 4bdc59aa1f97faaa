"""Share links, what they open, and the guests who come by them.

May import contacts and messages. Begin with `shares`.
"""

CATEGORY = "sharing"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
