"""A batch: the writes that wait at one moment, run in one transaction and committed once."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from app.core.database.sqlite_setup import free_unwritten, limit_growth
from app.core.database.tx import NeedsSavepoints, Tx, sqlite_savepoint

Begun = Callable[..., Tx]


class Job:
    """A write that waits for its turn.

    The function with its arguments, and the future of whoever asked.

    `frees`: it makes room, so it may have a second try (`tried`) when the disk was full at its
    first.
    """

    __slots__ = ("asker", "error", "events", "frees", "function", "result", "tried")

    def __init__(
        self, function: Callable[[Tx], Any], asker: "asyncio.Future[Any]", *, frees: bool = False
    ) -> None:
        self.function = function
        self.asker = asker
        self.frees = frees
        self.tried = False
        self.clear()

    def clear(self) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self.events: list[tuple[str, dict[str, Any]]] = []


def commit(
    connection: sqlite3.Connection, jobs: Sequence[Job], begun: Begun, *, most: int | None
) -> None:
    """Run a batch in one transaction.

    First without savepoints, and only if that cannot be, again with one for each job.

    `begun` gives each job its `Tx`. What would make the file larger than `most` bytes finds the
    disk full.
    """
    if most is None:
        _commit(connection, jobs, begun)
        return
    with limit_growth(connection, most):
        _commit(connection, jobs, begun)


def _commit(connection: sqlite3.Connection, jobs: Sequence[Job], begun: Begun) -> None:
    try:
        _run(connection, jobs, begun, careful=False)
    except NeedsSavepoints:
        _run(connection, jobs, begun, careful=True)


def _run(
    connection: sqlite3.Connection, jobs: Sequence[Job], begun: Begun, *, careful: bool
) -> None:
    # the write lock at once: to ask for it at the first change could fail in the middle of a job
    connection.execute("BEGIN IMMEDIATE")
    try:
        for job in jobs:
            _run_job(connection, job, begun(connection, careful=careful))
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself when the disk is full
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _run_job(connection: sqlite3.Connection, job: Job, tx: Tx) -> None:
    """Run one job; its error is its own unless the whole transaction went with it (SQLite ends
    it itself when the disk is full).
    """
    job.clear()
    before = connection.total_changes
    try:
        with contextlib.ExitStack() as around:
            if job.tried:  # the disk was full
                around.enter_context(free_unwritten(connection))
            if tx.careful:
                around.enter_context(sqlite_savepoint(connection))
            job.result = job.function(tx)
        job.events = tx.events
    except NeedsSavepoints:
        raise
    except Exception as error:
        if not connection.in_transaction:
            raise
        # without a savepoint its changes cannot be taken back alone
        if not tx.careful and connection.total_changes != before:
            raise NeedsSavepoints from error
        job.error = error
