"""Save what an open connection holds after its file was deleted or replaced.

There is no other way to it any more.
"""

import sqlite3
from datetime import datetime
from pathlib import Path

from app.upkeep.backups import backup_files, copy_database, encryption
from app.upkeep.backups.check_file import check_copy
from app.upkeep.open_read_only import used_bytes


def save_rescue_backup(
    connection: sqlite3.Connection, data: Path, moment: datetime, passphrase: str | None
) -> Path:
    """Make a backup of what the connection holds and give it.

    Raise BackupFailed where that cannot be.
    """
    backup_files.make_folder(data)
    target = backup_files.next_path(data, "rescue", moment, sealed=bool(passphrase))
    if not passphrase:
        _copy_connection(connection, target)
        return target
    plain = target.with_name(f".{target.stem}.plain{backup_files.PART}")
    try:
        _copy_connection(connection, plain)
        encryption.seal(plain, target, passphrase)
    finally:
        backup_files.delete_part(plain)
    return target


def _copy_connection(connection: sqlite3.Connection, target: Path) -> None:
    with backup_files.write_whole_file(target) as part:
        try:
            backup_files.require_room(part.parent, used_bytes(connection))
            part.touch(0o600)
            connection.execute("VACUUM INTO ?", (str(part),))
        except sqlite3.DatabaseError as error:
            raise copy_database.backup_failure(error, part.parent) from None
        check_copy(part)
