"""Save what an open connection holds after its file was deleted or replaced.

There is no other way to it any more.
"""

import sqlite3
from datetime import datetime
from pathlib import Path

from app.upkeep.backups import backup_files, copy_database, encryption
from app.upkeep.backups.check_file import check
from app.upkeep.open_read_only import size_of


def save(
    connection: sqlite3.Connection, data: Path, moment: datetime, passphrase: str | None
) -> Path:
    """Make a backup of what the connection holds and give it.

    Raise BackupFailed where that cannot be.
    """
    backup_files.prepared(data)
    target = backup_files.next_path(data, "rescue", moment, sealed=bool(passphrase))
    if not passphrase:
        _copy(connection, target)
        return target
    plain = target.with_name(f".{target.stem}.plain{backup_files.PART}")
    try:
        _copy(connection, plain)
        encryption.seal(plain, target, passphrase)
    finally:
        backup_files.discard(plain)
    return target


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    with backup_files.made_whole(target) as part:
        try:
            backup_files.demand_room(part.parent, size_of(connection))
            part.touch(0o600)
            connection.execute("VACUUM INTO ?", (str(part),))
        except sqlite3.DatabaseError as error:
            raise copy_database.failure(error, part.parent) from None
        check(part)
