"""Put a backup in the place of the database, which must not be in use.

What was there is kept, and at no moment is there nothing.
"""

import contextlib
import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from app.core.database import integrity
from app.core.database.data_dir import DAMAGED, DATABASE
from app.upkeep.backups import backup_digests, backup_files, encryption
from app.upkeep.backups.backup_files import BackupFailed
from app.upkeep.backups.check_file import STEP_NAMES, check, demand_known, troubles
from app.upkeep.open_read_only import looking

BESIDE = ("-wal", "-shm")


class Restored(NamedTuple):
    """What a restore came to: where what was there before lies now (None when there was nothing),
    and how many steps a start will run.

    `compared`: it is known that every byte of the backup is as it was, from the digest beside it
    or from its encryption.
    """

    aside: Path | None
    pending: int
    compared: bool


def put_back(file: Path, data: Path, *, moment: datetime, passphrase: str = "") -> Restored:
    """Make the backup `file` the database of `data`, which the caller must own.

    Raise BackupFailed or NewerFile with nothing changed.

    A process that is killed at any moment leaves either the database that was there or the
    restored one, and doing it again ends well.
    """
    demand_readable(file, data, passphrase)
    place = backup_files.prepared(data)
    backup_files.sweep(data)
    backup_files.sweep(place)
    part = data / f".{DATABASE}{backup_files.PART}"
    try:
        _fetch(file, part, passphrase)
        check(part)
        pending = len(STEP_NAMES) - len(_steps(part))
        aside = _set_aside(data, moment)
        integrity.forget(data / DATABASE)
        compared = backup_files.is_sealed(file) or backup_digests.path_of(file).exists()
        backup_files.settle(part, data / DATABASE)
        _finish_aside(data, aside)
        return Restored(aside, pending, compared)
    except OSError as error:
        raise BackupFailed(
            f"The backup could not be put back: {error.strerror or error}."
        ) from None
    finally:
        backup_files.discard(part)


def demand_readable(file: Path, data: Path, passphrase: str) -> None:
    """Raise BackupFailed unless a file can be a backup.

    There, not a database in use, and with a passphrase if it is encrypted.
    """
    if not file.is_file():
        raise BackupFailed(f"There is no file {file}.")
    current = data / DATABASE
    if current.exists() and file.samefile(current):
        raise BackupFailed(f"{file} is the database itself, not a backup of it.")
    if any(file.with_name(file.name + suffix).exists() for suffix in BESIDE):
        raise BackupFailed(
            f"{file} is a database in use, or one that was not closed: part of it lies in "
            "the files beside it. Back it up first."
        )
    if backup_files.is_sealed(file) and not passphrase:
        raise BackupFailed(f"{file} is encrypted; its passphrase is needed.")


def _fetch(file: Path, part: Path, passphrase: str) -> None:
    if backup_files.is_sealed(file):
        _demand_unchanged(file, file)
        encryption.unseal(file, part, passphrase)
    else:
        backup_files.demand_room(part.parent, file.stat().st_size)
        backup_files.copy(file, part)
        _demand_unchanged(file, part)


def _demand_unchanged(file: Path, content: Path) -> None:
    """Raise BackupFailed unless what was read of a backup is what its digest was made of.

    An older one has none.
    """
    if trouble := backup_digests.trouble_of(file, content=content):
        way = (
            "`hearth backup --list` names others. If you know that this one is good, "
            f"delete {backup_digests.path_of(file)} and restore again."
        )
        raise BackupFailed(f"{file} is damaged: {trouble}. {way}")


def _finish_aside(data: Path, aside: Path | None) -> None:
    """Give what was set aside its digest, now that nothing else has its bytes, and let go what
    it outlives; the restore itself is done.
    """
    with contextlib.suppress(OSError):
        if aside is not None and aside.parent == backup_files.folder(data):
            backup_digests.keep(aside, aside)
        backup_files.drop_outlived(data, ["restore"])


def _steps(path: Path) -> list[str]:
    with looking(path) as connection:
        return demand_known(connection, path)


def _set_aside(data: Path, moment: datetime) -> Path | None:
    """Keep what is there under a name of its own, and leave it in its place too, alone and
    without a log of its own.
    """
    current = data / DATABASE
    if not current.exists():
        _drop_beside(current)
        return None
    if _fold(current):
        aside = backup_files.next_path(data, "restore", moment)
        _keep_as(current, aside)
    else:
        place = data / f"{DAMAGED}{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        place.mkdir(mode=0o700, exist_ok=True)
        for name in (DATABASE, *(DATABASE + suffix for suffix in BESIDE)):
            if (data / name).exists():
                _keep_as(data / name, place / name)
        aside = place / DATABASE
    backup_files.sync_folder(aside.parent)
    _drop_beside(current)
    backup_files.sync_folder(data)
    return aside


def _fold(current: Path) -> bool:
    """Bring the log of a whole database into it, so that it is one file.

    Say whether it is whole.
    """
    try:
        with looking(current) as connection:
            if troubles(connection):
                return False
        with contextlib.closing(sqlite3.connect(current, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")
        return not (current.with_name(current.name + "-wal")).exists()
    except sqlite3.DatabaseError:
        return False


def _keep_as(path: Path, aside: Path) -> None:
    """Give a file a second name; where the disk knows no such thing, a copy."""
    aside.unlink(missing_ok=True)
    try:
        os.link(path, aside)
    except OSError:
        with backup_files.made_whole(aside) as part:
            backup_files.demand_room(aside.parent, path.stat().st_size)
            backup_files.copy(path, part)


def _drop_beside(current: Path) -> None:
    """Delete the log of a database that is replaced: it would be read as that of the new one."""
    for suffix in BESIDE:
        current.with_name(current.name + suffix).unlink(missing_ok=True)
