"""Save what an open connection holds after its file was deleted or replaced: there is no other way to it any more."""

import sqlite3
from datetime import datetime
from pathlib import Path

from app.upkeep import copying, files, sealing
from app.upkeep.checking import check
from app.upkeep.opening import size_of


def save(connection: sqlite3.Connection, data: Path, moment: datetime, passphrase: str | None) -> Path:
    """Make a backup of what the connection holds and give it; raise BackupFailed where that cannot be."""
    files.prepared(data)
    target = files.next_path(data, "rescue", moment, sealed=bool(passphrase))
    if not passphrase:
        _copy(connection, target)
        return target
    plain = target.with_name(f".{target.stem}.plain{files.PART}")
    try:
        _copy(connection, plain)
        sealing.seal(plain, target, passphrase)
    finally:
        files.discard(plain)
    return target


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    with files.made_whole(target) as part:
        try:
            files.demand_room(part.parent, size_of(connection))
            part.touch(0o600)
            connection.execute("VACUUM INTO ?", (str(part),))
        except sqlite3.DatabaseError as error:
            raise copying.failure(error, part.parent) from None
        check(part)
