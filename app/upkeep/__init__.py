"""The database file as a whole: backups, restoring, the doctor, what takes room.

May import core, account, workspace, migrations. Begin with `backups` and `doctor`.
"""

CATEGORY = "upkeep"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
