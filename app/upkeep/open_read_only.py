"""Connections that only look at a database.

What they cannot do is written in how they are opened.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from app.core.database.sqlite_setup import Sealed, connect, read_pragmas

STEP = 500
"""How many steps of SQLite's machine lie between two looks at the time."""
WORK_SECONDS, PAUSE_SECONDS = 0.002, 0.004


@contextlib.contextmanager
def open_read_only(path: Path, *, alone: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a database for reading alone while the block runs.

    Such a connection writes nothing and never checkpoints, also as the last one.

    `alone`: nobody else can open it meanwhile. Then one without a log is read without making
    one, so that not even a file comes to be.
    """
    still = alone and not path.with_name(path.name + "-wal").exists()
    sealed: Sealed = "immutable" if still else "ro"
    with contextlib.closing(connect(path.absolute(), writes=False, sealed=sealed)) as connection:
        # VACUUM INTO counts as writing, though to another file
        connection.execute("PRAGMA query_only=OFF")
        yield connection


def used_bytes(connection: sqlite3.Connection) -> int:
    """Return the bytes of the pages that a database uses."""
    pages, free, size = read_pragmas(connection, "page_count", "freelist_count", "page_size")
    return (pages - free) * size


def list_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the names of all tables that hold rows of their own, those of the indexes for search
    included.
    """
    rows = connection.execute(
        "SELECT name FROM sqlite_schema "
        "WHERE type = 'table' AND rootpage > 0 "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return [row[0] for row in rows]


@contextlib.contextmanager
def rest_in_between(
    connection: sqlite3.Connection, *, ends: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Let the connection rest about twice as long as it works, a few thousandths of a second at a
    time, while the block runs.

    What it does is interrupted when `ends`, which is asked after each rest, says so.
    """
    since = time.monotonic()

    def rest() -> int:
        nonlocal since
        if time.monotonic() - since <= WORK_SECONDS:
            return 0
        time.sleep(PAUSE_SECONDS)
        since = time.monotonic()
        return int(ends())

    connection.set_progress_handler(rest, STEP)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
