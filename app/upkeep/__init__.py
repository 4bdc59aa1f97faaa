"""The database file as a whole: backups, restoring, the doctor, what takes room.

May import core, account, workspace, migrations. Begin with `backups` and `doctor`.
"""
