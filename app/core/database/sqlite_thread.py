"""A connection with a thread of its own, which runs what the store hands to it."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

import aiosqlite

from app.errors import StorageFull

R = TypeVar("R")


class Connection(aiosqlite.Connection):
    """An aiosqlite connection that runs whole functions on its thread.

    Aiosqlite 0.22 has no public way to ask for that.
    """

    def start(self, function: Callable[[sqlite3.Connection], R]) -> "asyncio.Future[R]":
        """Queue `function` for the thread at once; the future is its result."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        # `_tx` is aiosqlite's queue of calls, not a transaction
        self._tx.put_nowait((future, lambda: function(self._conn)))
        return future


def report_failure(done: "asyncio.Future[Any]", message: str) -> bool:
    """Tell the loop of a failure that nobody waits for; say whether there was one."""
    # of a full disk the next write tells
    if (error := done.exception()) is not None and not isinstance(error, StorageFull):
        asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})
    return error is not None
