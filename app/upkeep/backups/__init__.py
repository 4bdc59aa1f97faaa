"""Making, proving, listing and restoring backups.

Begin with `backups`; their files are in `backup_files`.
"""

CATEGORY = "upkeep"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
