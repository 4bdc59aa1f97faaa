"""Reads that see one state of the database, whatever is written meanwhile."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from app.core.database.sqlite_setup import connect
from app.core.database.tx import Clock, Tx, read_snapshot
from app.settings import Settings

R = TypeVar("R")


def read_on_connection(
    connection: sqlite3.Connection,
    moment: datetime,
    settings: Settings,
    function: Callable[..., R],
    *args: Any,
    **kwargs: Any,
) -> R:
    """Run `function(tx, …)` within one read transaction of a connection and give its result."""
    with read_snapshot(connection):
        return function(Tx(connection, moment, settings), *args, **kwargs)


@contextlib.contextmanager
def open_snapshot(path: Path, settings: Settings, clock: Clock) -> Iterator[Tx]:
    """Give a read on a connection of its own that sees one state of the database for as long as the
    block runs, however long; for a thread.

    The writer goes on meanwhile; only the WAL is not begun anew until the block has ended.
    """
    with contextlib.closing(connect(path, writes=False)) as connection, read_snapshot(connection):
        yield Tx(connection, clock(), settings)
