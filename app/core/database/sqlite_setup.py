"""How the database is opened, folded and trimmed, and what SQLite's failures come to.

The one place that knows its pragmas.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

Durability = Literal["full", "normal"]
Sealed = Literal["", "ro", "immutable"]
"""How a database is opened that nobody may change.

Beside others that may, or where not even SQLite's own files can be made.
"""

RESTART_BYTES = 64 << 20
CACHE_KB = 4_000
"""What a connection that reads keeps of the file in memory."""
TRIM_PAGES = 64
# how a full disk shows where the log's index should grow
IOERR_SHMSIZE = sqlite3.SQLITE_IOERR_SHMSIZE
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
CORRUPT_VTAB = sqlite3.SQLITE_CORRUPT_VTAB


def connect(
    path: Path,
    *,
    writes: bool,
    durability: Durability = "full",
    sealed: Sealed = "",
    cache: int = CACHE_KB,
) -> sqlite3.Connection:
    """Open the database, as the one connection that writes or as one that reads.

    Where there is no file none is made. `cache`: the kB of the file that it may keep in memory.
    """
    mode = "immutable=1" if sealed == "immutable" else "mode=rw" if writes else "mode=ro"
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{mode}",
        uri=True,
        # Python begins no transaction by itself; `batch` and `tx` do
        isolation_level=None,
        # opened on one thread and used on another, never on two at once
        check_same_thread=False,
        # so that none is parsed twice: Python's 128 are fewer than the program has
        cached_statements=512,
    )
    connection.row_factory = sqlite3.Row
    pragmas = [
        "busy_timeout=5000",
        "foreign_keys=ON",
        # what a foreign file has in its schema runs no functions
        "trusted_schema=OFF",
        # finds damage where it is first read
        "cell_size_check=ON",
        # through a mapping a failing disk would end the process instead of one read
        "mmap_size=0",
        # `upkeep` folds the log when nobody waits for a write
        "wal_autocheckpoint=0",
    ]
    if writes:
        pragmas += [
            "journal_mode=WAL",
            f"synchronous={durability.upper()}",
            f"journal_size_limit={RESTART_BYTES}",
            "cache_size=-8000",
            # what is deleted is overwritten, as some builds of SQLite do by themselves
            "secure_delete=ON",
        ]
        # on macOS a plain fsync does not reach the disk
        pragmas += ["fullfsync=ON", "checkpoint_fullfsync=ON", "temp_store=MEMORY"]
    else:
        pragmas += ["query_only=ON", f"cache_size=-{cache}"]
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def limit_growth(connection: sqlite3.Connection, most: int) -> Iterator[None]:
    """Let what would make the file larger than so many bytes find the disk full while the block
    runs; it never becomes smaller by that.
    """
    before, size = read_pragmas(connection, "max_page_count", "page_size")
    connection.execute(f"PRAGMA max_page_count={min(before, most // size)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA max_page_count={before}")


@contextlib.contextmanager
def free_unwritten(connection: sqlite3.Connection) -> Iterator[None]:
    """Free pages without overwriting what they hold while the block runs: to delete a large note
    then needs hardly any room in the log, instead of as much as the note has.

    `vacuum_free_pages` gives them back to the disk.
    """
    connection.execute("PRAGMA secure_delete=FAST")
    try:
        yield
    finally:
        connection.execute("PRAGMA secure_delete=ON")


def checkpoint_log(connection: sqlite3.Connection, mode: str, *, room: int | None = None) -> bool:
    """Checkpoint and say whether all of it could be done.

    A reader that is still in the old WAL is not waited for long.

    With `room`, nothing is done where the file would become larger by more than these bytes.
    """
    if room is not None and _fold_growth(connection) > room:
        return False
    connection.execute("PRAGMA busy_timeout=200")
    try:
        busy, written, folded = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    finally:
        connection.execute("PRAGMA busy_timeout=5000")
    return not busy and written == folded


def vacuum_free_pages(connection: sqlite3.Connection, *, room: int) -> bool:
    """Give pages that nothing uses any more back to the disk, some at a time, once they are a
    fiftieth of the file; say whether it did.

    Others are moved to their place through the log, which may take a quarter of the `room`.
    """
    free, pages, size = read_pragmas(connection, "freelist_count", "page_count", "page_size")
    if free <= max(TRIM_PAGES, pages // 50):
        return False
    most = max(TRIM_PAGES, min(16 * TRIM_PAGES, room // 4 // size))
    # `execute` would take one step of it, and so one page
    connection.executescript(f"PRAGMA incremental_vacuum({most})")
    return True


def read_pragmas(connection: sqlite3.Connection, *names: str) -> list[int]:
    """Return the numbers that some pragmas tell."""
    return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]


def quote_name(name: str) -> str:
    """Return a table's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _fold_growth(connection: sqlite3.Connection) -> int:
    """Return the bytes by which folding the log would make the file larger."""
    pages, size = read_pragmas(connection, "page_count", "page_size")
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    return pages * size - Path(path).stat().st_size


def classify_failure(error: BaseException | None) -> Literal["", "full", "failing", "damaged"]:
    """Return what an error tells of the disk or the file.

    Nothing, that there is no room, that it fails, that the file is damaged.
    """
    code = getattr(error, "sqlite_errorcode", 0)
    # 0: not SQLite's; a virtual table that contradicts itself is an index that can be made anew
    if code in (0, CORRUPT_VTAB):
        return ""
    if code & 0xFF == sqlite3.SQLITE_FULL or code == IOERR_SHMSIZE:
        return "full"
    if code & 0xFF == sqlite3.SQLITE_IOERR:
        return "failing"
    return "damaged" if code & 0xFF in DAMAGE else ""
