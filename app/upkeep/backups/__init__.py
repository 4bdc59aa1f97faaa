"""Making, proving, listing and restoring backups.

Begin with `backups`; their files are in `backup_files`.
"""
