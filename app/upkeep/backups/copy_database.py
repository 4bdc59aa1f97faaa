"""Make a copy of a database that is in use.

Whole, checked against what it was copied from, and on the disk before it has its name.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.core.database.sqlite_setup import read_pragmas
from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_files import BackupFailed, NoRoom
from app.upkeep.backups.check_file import Contents, check_copy, read_contents
from app.upkeep.open_read_only import open_read_only, rest_in_between, used_bytes

Tell = Callable[[str, int, int | None], None]
TELL_SECONDS = 0.3


class Copied(NamedTuple):
    """A finished copy: its bytes and how many rows it holds."""

    size: int
    rows: int


def tell_nobody(step: str, done: int = 0, total: int | None = None) -> None:
    """Tell nobody how far the copy is."""


def make_backup(
    source: Path, target: Path, *, gently: bool = False, tell: Tell = tell_nobody
) -> Copied:
    """Make the backup `target` of the database `source`, which may be in use, with its digest
    beside it.

    Raises BackupFailed where that cannot be or the copy is not what it should be. `gently`
    leaves time to others between small parts of the work; `tell` then hears how far it is.
    """
    with backup_files.write_backup(target) as part:
        return copy_and_check(source, part, gently=gently, tell=tell)


def copy_and_check(
    source: Path, part: Path, *, gently: bool = False, tell: Tell = tell_nobody
) -> Copied:
    """Copy the database `source` to `part`, which is no backup yet, and check it.

    Raise BackupFailed as `make` does, and leave what there is.
    """
    found = _copy_database(source, part, gently=gently, tell=tell)
    tell("check", 0, None)
    check_copy(part, gently=gently)
    with (
        open_read_only(part) as copied,
        rest_in_between(copied) if gently else contextlib.nullcontext(),
    ):
        found.compare(read_contents(copied))
    return Copied(part.stat().st_size, sum(found.before.rows.values()))


class _SourceStates(NamedTuple):
    """What was known of the source before and after the copy was made."""

    before: Contents
    after: Contents
    still: bool

    def compare(self, copy: Contents) -> None:
        """Raise BackupFailed unless the copy can be a state that the source had meanwhile.

        Exactly the same one where nothing was written.
        """
        if self.still and (trouble := self.before.difference(copy)):
            raise BackupFailed(f"The copy is not what the database holds: {trouble}.")
        # rows come and go while it is copied; the numbers that were given only grow
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


def _copy_database(source: Path, part: Path, *, gently: bool, tell: Tell) -> _SourceStates:
    try:
        with open_read_only(source) as live:
            size = used_bytes(live)
            backup_files.require_room(part.parent, size)
            part.touch(0o600)
            # another number after others have committed something
            version, before = read_pragmas(live, "data_version"), read_contents(live)
            with (
                rest_in_between(live, ends=_telling_end(part, size, tell))
                if gently
                else contextlib.nullcontext()
            ):
                live.execute("VACUUM INTO ?", (str(part),))
            return _SourceStates(
                before, read_contents(live), read_pragmas(live, "data_version") == version
            )
    except sqlite3.DatabaseError as error:
        raise backup_failure(error, part.parent) from None


def _telling_end(part: Path, size: int, tell: Tell) -> Callable[[], bool]:
    """Return what is asked now and then whether the copy shall end, and tells how far it is."""
    told = 0.0

    def ends() -> bool:
        nonlocal told
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            tell("copy", min(part.stat().st_size, size), size)
        return backup_files.is_short_of_room(part.parent)

    return ends


def backup_failure(error: sqlite3.DatabaseError, place: Path) -> BackupFailed:
    """Return what SQLite says as a sentence of ours."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
    ):
        return NoRoom(f"The disk of {place} became full while the copy was made; make room first.")
    return BackupFailed(f"The database could not be copied: {error}.")
