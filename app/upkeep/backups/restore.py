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
from app.core.database.small_files import sync_folder
from app.upkeep.backups import backup_digests, backup_files, encryption
from app.upkeep.backups.backup_files import BackupFailed
from app.upkeep.backups.check_file import STEP_NAMES, check_copy, find_troubles, require_known_steps
from app.upkeep.backups.copy_database import Tell, tell_nobody
from app.upkeep.open_read_only import open_read_only

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


def restore_backup(
    file: Path, data: Path, *, moment: datetime, passphrase: str = "", tell: Tell = tell_nobody
) -> Restored:
    """Make the backup `file` the database of `data`, which the caller must own; `tell` hears how
    far it is.

    Raise BackupFailed or NewerFile with nothing changed.

    A process that is killed at any moment leaves either the database that was there or the
    restored one, and doing it again ends well.
    """
    require_readable(file, data, passphrase)
    place = backup_files.make_folder(data)
    backup_files.delete_leftovers(data)
    backup_files.delete_leftovers(place)
    part = data / f".{DATABASE}{backup_files.PART}"
    try:
        _copy_plain(file, part, passphrase, tell)
        tell("check", 0, None)
        check_copy(part)
        pending = len(STEP_NAMES) - len(_applied_steps(part))
        aside = _set_aside(data, moment)
        integrity.forget_records(data / DATABASE)
        compared = backup_files.is_sealed(file) or backup_digests.digest_path(file).exists()
        # one rename: before it the old database is in its place, after it the new one
        backup_files.finish_file(part, data / DATABASE)
        _finish_aside(data, aside)
        return Restored(aside, pending, compared)
    except OSError as error:
        raise BackupFailed(
            f"The backup could not be put back: {error.strerror or error}."
        ) from None
    finally:
        backup_files.delete_part(part)


def require_readable(file: Path, data: Path, passphrase: str) -> None:
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


def _copy_plain(file: Path, part: Path, passphrase: str, tell: Tell) -> None:
    if backup_files.is_sealed(file):
        tell("decrypt", 0, None)
        _require_unchanged(file, file)
        encryption.unseal(file, part, passphrase)
    else:
        size = file.stat().st_size
        backup_files.require_room(part.parent, size)
        backup_files.copy_blocks(file, part, lambda done: tell("copy", done, size))
        _require_unchanged(file, part)


def _require_unchanged(file: Path, content: Path) -> None:
    """Raise BackupFailed unless what was read of a backup is what its digest was made of.

    An older one has none.
    """
    if trouble := backup_digests.find_mismatch(file, content=content):
        way = (
            "`hearth backup --list` names others. If you know that this one is good, "
            f"delete {backup_digests.digest_path(file)} and restore again."
        )
        raise BackupFailed(f"{file} is damaged: {trouble}. {way}")


def _finish_aside(data: Path, aside: Path | None) -> None:
    """Give what was set aside its digest, now that nothing else has its bytes, and let go what
    it outlives; the restore itself is done.
    """
    with contextlib.suppress(OSError):
        if aside is not None and aside.parent == backup_files.backups_folder(data):
            backup_digests.write_digest(aside, aside)
        backup_files.drop_outlived(data, ["restore"])


def _applied_steps(path: Path) -> list[str]:
    with open_read_only(path) as connection:
        return require_known_steps(connection, path)


def _set_aside(data: Path, moment: datetime) -> Path | None:
    """Keep what is there under a name of its own, and leave it in its place too, alone and
    without a log of its own.
    """
    current = data / DATABASE
    if not current.exists():
        _delete_log(current)
        return None
    if _fold_log(current):
        aside = backup_files.next_path(data, "restore", moment)
        _link_or_copy(current, aside)
    else:
        place = data / f"{DAMAGED}{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        place.mkdir(mode=0o700, exist_ok=True)
        for name in (DATABASE, *(DATABASE + suffix for suffix in BESIDE)):
            if (data / name).exists():
                _link_or_copy(data / name, place / name)
        aside = place / DATABASE
    sync_folder(aside.parent)
    _delete_log(current)
    sync_folder(data)
    return aside


def _fold_log(current: Path) -> bool:
    """Bring the log of a whole database into it, so that it is one file.

    Say whether it is whole.
    """
    try:
        with open_read_only(current) as connection:
            if find_troubles(connection):
                return False
        with contextlib.closing(sqlite3.connect(current, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # so that what is kept is one file, without a log beside it
            connection.execute("PRAGMA journal_mode=DELETE")
        return not (current.with_name(current.name + "-wal")).exists()
    except sqlite3.DatabaseError:
        return False


def _link_or_copy(path: Path, aside: Path) -> None:
    """Give a file a second name; where the disk knows no such thing, a copy."""
    aside.unlink(missing_ok=True)
    try:
        os.link(path, aside)
    except OSError:
        with backup_files.write_whole_file(aside) as part:
            backup_files.require_room(aside.parent, path.stat().st_size)
            backup_files.copy_blocks(path, part)


def _delete_log(current: Path) -> None:
    """Delete the log of a database that is replaced: it would be read as that of the new one."""
    for suffix in BESIDE:
        current.with_name(current.name + suffix).unlink(missing_ok=True)
