"""Whether the database file is sound.

The check after an unclean stop, the nightly one, and what the last owner left.

`check.json` beside the database says what the last check found and how the last owner in order
left the file. It must lie outside the database: a damaged one is never written to.
"""

import contextlib
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import structs

from app.core.database.small_files import replace_file
from app.core.database.sqlite_setup import Sealed, connect, quote_name
from app.core.database.tx import stamp, utc_now
from app.core.process.counted import counted

RECORD = "check.json"
MOST_FINDINGS = 20
DIGEST_BYTES = 256 << 20
# steps of SQLite's machine between two questions whether to stop
STEPS = 20_000
NOT_OF_THE_FILE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_AUTH,
)
"""Errors that come from around the file.

Every other one that a look can end with comes from what is in it.
"""
NIGHTLY, OVERDUE = timedelta(hours=20), timedelta(hours=48)
NIGHT = range(2, 6)
Kind = Literal["quick", "full"]


ALTERED = (
    "its bytes are not those that Hearth left (`hearth serve --accept-changes` "
    "takes them, if you changed them yourself)"
)


class Stopped(Exception):
    """The check was told to end before it had looked at everything."""


class Check(msgspec.Struct, frozen=True):
    """What a look through the database found; `damaged`: the file contradicts itself, and not only
    rows each other.
    """

    at: str
    kind: Kind
    findings: tuple[str, ...]
    damaged: bool
    seconds: float


class Fingerprint(msgspec.Struct, frozen=True):
    """How an owner left the file.

    Its size, its time of change in nanoseconds and, where it is not very large, a digest.
    """

    size: int
    modified: int
    digest: str


class _Record(msgspec.Struct, frozen=True):
    check: Check | None = None
    left: Fingerprint | None = None


def check_database(file: Path, kind: Kind, *, stopped: Callable[[], bool] = lambda: False) -> Check:
    """Look through the database on a connection of its own that cannot write.

    `full` compares indexes and foreign keys too.

    Raises Stopped when `stopped` says so meanwhile, and sqlite3.OperationalError when the file
    cannot be read at all.
    """
    began, at = time.monotonic(), stamp(utc_now())
    findings: list[str] = []
    damaged = False
    try:
        # without a log even a look would leave an empty one behind
        sealed: Sealed = "ro" if _has_log(file) else "immutable"
        with contextlib.closing(connect(file, writes=False, sealed=sealed)) as connection:
            connection.set_progress_handler(lambda: int(stopped()), STEPS)
            check = "quick_check" if kind == "quick" else "integrity_check"
            findings += [
                str(row[0])[:500]
                for row in connection.execute(f"PRAGMA {check}({MOST_FINDINGS})")
                if row[0] != "ok"
            ]
            damaged = bool(findings)
            if kind == "full" and not damaged:
                rows = connection.execute("PRAGMA foreign_key_check").fetchmany(MOST_FINDINGS)
                findings += [
                    f"{table}: row {row} names a row of {other} that is not there"
                    for table, row, other, _ in rows
                ]
                findings += itertools.islice(broken_constraints(connection), MOST_FINDINGS)
    except sqlite3.DatabaseError as error:
        # the low byte is the kind of error, the others tell more of it
        code = error.sqlite_errorcode & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise Stopped from None
        if code in NOT_OF_THE_FILE:
            raise
        findings, damaged = [*findings, str(error)], True
    except UnicodeDecodeError:
        findings, damaged = (
            [*findings, "what SQLite says of it holds bytes of the file that are no text"],
            True,
        )
    return Check(at, kind, tuple(findings), damaged, round(time.monotonic() - began, 3))


def broken_constraints(connection: sqlite3.Connection) -> Iterator[str]:
    """Look for rows that a CHECK would refuse.

    SQLite's own look leaves those out on a connection that only reads.
    """
    tables = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK (%'"
    ).fetchall()
    for table, sql in tables:
        # the schema is our own: no text or comment in it holds these words
        for part in sql.split("CHECK (")[1:]:
            demanded = part[: _end(part)]
            number = connection.execute(
                f"SELECT count(*) FROM {quote_name(table)} WHERE NOT ({demanded})"
            ).fetchone()[0]
            if number:
                yield (
                    f"{table}: the rule {' '.join(demanded.split())} is broken in "
                    f"{counted(number, 'row')}"
                )


def _end(part: str) -> int:
    """Return where the parenthesis closes that was open before."""
    depth = 1
    for at, mark in enumerate(part):
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if depth == 0:
            return at
    return len(part)


def check_before_use(file: Path, *, unclean: bool, accept: bool = False) -> Check | None:
    """Look whether the file may be written to.

    Give the check that had to be made, None where nothing asked for one.

    After an unclean stop, which a journal tells too, it is quick; it is full where the last
    check found damage, and where the file is not as it was left. A file of the same size that
    differs and yet fits together was changed by no database: that is damage too, unless `accept`
    says that a person did it.
    """
    if not file.exists():
        return None
    unclean = unclean or _has_log(file)
    record = _read_record(file)
    was_damaged = _was_damaged(record)
    changed = _detect_change(file, record, unclean=unclean)
    if not (unclean or changed or was_damaged):
        return None
    found = check_database(file, "full" if changed or was_damaged else "quick")
    if changed == "altered" and not accept and not found.damaged:
        found = structs.replace(found, damaged=True, findings=(ALTERED,))
    # only of a damaged one, which nobody writes to, it still holds how it was left
    _write_record(file, _Record(found, record.left if found.damaged else None))
    return found


def was_left(file: Path) -> bool:
    """Return whether a database was once left at this place."""
    return _read_record(file) != _Record()


def is_altered(file: Path, *, unclean: bool) -> bool:
    """Return whether the file is as large as its last owner left it and yet another one.

    Only when no connection of this process is open.
    """
    unclean = unclean or _has_log(file)
    return _detect_change(file, _read_record(file), unclean=unclean) == "altered"


def is_due(check: Check | None, now: datetime) -> bool:
    """Return whether it is time for a full check.

    At night when the last one is about a day old, at any hour when it is two.
    """
    if check is None or check.kind != "full":
        return True
    try:
        # without its sign, so that a clock that went back does not put it off for long
        age = abs(now - datetime.fromisoformat(check.at))
    except ValueError:
        return True
    return age > OVERDUE or (age > NIGHTLY and now.astimezone().hour in NIGHT)


def last_check(file: Path) -> Check | None:
    """Return what the last check of the database found."""
    return _read_record(file).check


def record_check(file: Path, check: Check) -> None:
    """Keep what a check found of a file in use; how it was left before does not count any more."""
    _write_record(file, _Record(check))


def record_file_state(file: Path) -> bool:
    """Note how the file is left; return whether the record is true of it now.

    Only for its owner, and only when no connection of this process is open: closing the file
    would drop its locks.
    """
    record = _read_record(file)
    try:
        seen = file.stat()
        left = record.left
        if left is not None and (left.size, left.modified) == (seen.st_size, seen.st_mtime_ns):
            return True
        # with a log somebody else is still in it, so this is not how it stays
        left = (
            None
            if _has_log(file)
            else Fingerprint(seen.st_size, seen.st_mtime_ns, _digest(file, seen.st_size))
        )
    except OSError:
        return False
    return _write_record(file, _Record(record.check, left))


def forget_records(file: Path) -> None:
    """Forget how the file was left and what a check found: another one is put in its place."""
    with contextlib.suppress(OSError):
        file.with_name(RECORD).unlink()


def _has_log(file: Path) -> bool:
    return file.with_name(file.name + "-wal").exists()


def _was_damaged(record: _Record) -> bool:
    return record.check is not None and record.check.damaged


def _detect_change(
    file: Path, record: _Record, *, unclean: bool
) -> Literal["", "resized", "altered"]:
    """Return how the file differs from the one that its last owner left in order.

    Empty where it does not or nobody can tell.
    """
    # to a damaged one nobody has written since, however its owner ended
    left = None if unclean and not _was_damaged(record) else record.left
    if left is None or _is_as_left(file, left):
        return ""
    return "altered" if file.stat().st_size == left.size else "resized"


def _is_as_left(file: Path, left: Fingerprint) -> bool:
    """Return whether the file is as it was left; one that was only copied is."""
    seen = file.stat()
    if (seen.st_size, seen.st_mtime_ns) == (left.size, left.modified):
        return True
    return (
        seen.st_size == left.size
        and left.digest != ""
        and _digest(file, seen.st_size) == left.digest
    )


def _digest(file: Path, size: int) -> str:
    if size > DIGEST_BYTES:
        return ""
    import hashlib  # a few milliseconds that most starts do without

    with file.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _read_record(file: Path) -> _Record:
    try:
        return msgspec.json.decode(file.with_name(RECORD).read_bytes(), type=_Record)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return _Record()


def _write_record(file: Path, record: _Record) -> bool:
    """Put the record in place of the one before; return whether that could be done.

    Where it cannot be written, the next start checks once too often or too seldom, no worse.
    """
    try:
        replace_file(file.with_name(RECORD), msgspec.json.encode(record))
    except OSError:
        return False
    return True
