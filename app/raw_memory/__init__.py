"""Raw memory: records that devices encrypt, stored here by a server that cannot read them.

May import vault, for the form of a record. Begin with `upload_records`.
"""

CATEGORY = "rawMemory"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
