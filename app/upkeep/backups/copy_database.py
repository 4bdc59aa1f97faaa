"""Make a copy of a database that is in use.

Whole, checked against what it was copied from, and on the disk before it has its name.
"""

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_files import BackupFailed, NoRoom
from app.upkeep.backups.check_file import Known, check, known
from app.upkeep.open_read_only import looking, paced, size_of


class Copied(NamedTuple):
    """A finished copy: its bytes and how many rows it holds."""

    size: int
    rows: int


def make(source: Path, target: Path, *, gently: bool = False) -> Copied:
    """Make the backup `target` of the database `source`, which may be in use, with its digest
    beside it.

    Raises BackupFailed where that cannot be or the copy is not what it should be. `gently`
    leaves time to others between small parts of the work.
    """
    with backup_files.made_backup(target) as part:
        return copy(source, part, gently=gently)


def copy(source: Path, part: Path, *, gently: bool = False) -> Copied:
    """Copy the database `source` to `part`, which is no backup yet, and check it.

    Raise BackupFailed as `make` does, and leave what there is.
    """
    found = _copy(source, part, gently=gently)
    check(part, gently=gently)
    with looking(part) as copied, paced(copied) if gently else contextlib.nullcontext():
        found.compare(known(copied))
    return Copied(part.stat().st_size, sum(found.before.rows.values()))


class _Seen(NamedTuple):
    """What was known of the source before and after the copy was made."""

    before: Known
    after: Known
    still: bool

    def compare(self, copy: Known) -> None:
        """Raise BackupFailed unless the copy can be a state that the source had meanwhile.

        Exactly the same one where nothing was written.
        """
        if self.still and (trouble := self.before.difference(copy)):
            raise BackupFailed(f"The copy is not what the database holds: {trouble}.")
        for table, number in copy.sequences.items():
            if (
                not self.before.sequences.get(table, 0)
                <= number
                <= self.after.sequences.get(table, number)
            ):
                raise BackupFailed(
                    "The copy is of no moment between its beginning and its end: the last row of "
                    f"{table} is {number}."
                )


def _copy(source: Path, part: Path, *, gently: bool) -> _Seen:
    try:
        with looking(source) as live:
            backup_files.demand_room(part.parent, size_of(live))
            part.touch(0o600)
            version, before = _version(live), known(live)
            with (
                paced(live, ends=lambda: backup_files.is_short_of_room(part.parent))
                if gently
                else contextlib.nullcontext()
            ):
                live.execute("VACUUM INTO ?", (str(part),))
            return _Seen(before, known(live), _version(live) == version)
    except sqlite3.DatabaseError as error:
        raise failure(error, part.parent) from None


def failure(error: sqlite3.DatabaseError, place: Path) -> BackupFailed:
    """Give what SQLite says as a sentence of ours."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
    ):
        return NoRoom(f"The disk of {place} became full while the copy was made; make room first.")
    return BackupFailed(f"The database could not be copied: {error}.")


def _version(live: sqlite3.Connection) -> int:
    """Give a number that is another one after others have committed something."""
    return int(live.execute("PRAGMA data_version").fetchone()[0])
