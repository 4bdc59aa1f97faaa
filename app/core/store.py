"""The database: one SQLite file, one connection that writes, a few that read.

A write is a plain function that is run whole, on the writer's thread, inside one transaction. All writes that wait at the same moment share
one commit, and each is answered only when that commit is on disk. Nothing else in the program says BEGIN, COMMIT or ROLLBACK.
"""

import asyncio
import contextlib
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import aiosqlite

from app.core.batch import Job, commit
from app.core.events import Events
from app.core.tx import Clock, Tx, utc_now
from app.errors import StorageFull, Unavailable

P = ParamSpec("P")
R = TypeVar("R")
Durability = Literal["full", "normal"]

BATCH = 256
READERS = 3
IDLE_SECONDS = 0.05
CLOSING_SECONDS = 2.0
FOLD_AGAIN_SECONDS = 1.0
TRIM_PAGES = 64
CHECKPOINT_BYTES = 1 << 20
RESTART_BYTES = 64 << 20


class Connection(aiosqlite.Connection):
    """An aiosqlite connection that runs whole functions on its thread; aiosqlite 0.22 has no public way to ask for that."""

    def start(self, function: Callable[[sqlite3.Connection], R]) -> "asyncio.Future[R]":
        """Queue `function` for the thread at once; the future is its result."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((future, lambda: function(self._conn)))
        return future


class Store:
    """The open database. Use `open_store`; `write`, `read` and `quick` are its three ways in."""

    def __init__(self, path: Path, *, durability: Durability, clock: Clock, events: Events) -> None:
        self.path = path
        self.clock = clock
        self.events = events
        self._wal = path.with_name(path.name + "-wal")
        self._writer = Connection(lambda: _connect(path, writes=True, durability=durability), 64)
        self._local: sqlite3.Connection | None = None
        self._readers: list[Connection] = []
        self._idle: list[Connection] = []
        self._opening: set[asyncio.Task[Connection]] = set()
        self._reading = asyncio.Semaphore(READERS)
        self._waiting: deque[Job] = deque()
        self._busy = False
        self.commits = 0
        """How many batches were committed: what was read at one count still holds while the count is the same."""
        self._starting = False
        self._folded = False
        self._untrimmed = False
        self._fold_again_at = 0.0
        self.idle_work: list[Callable[[Tx], bool]] = []
        self._unworked = True
        self._idle_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Future[None] | None = None
        self._close_by = 0.0

    async def open(self) -> None:
        """Open the writer and the loop's own connection; readers come when they are first needed. Idle work that was left over goes on."""
        await self._writer
        self._local = _connect(self.path, writes=False)
        if self.idle_work:
            self._rest()

    async def close(self) -> None:
        """Finish every write that was asked for and what idle work can be done soon, then close all connections.

        The last one folds the WAL into the file.
        """
        self._closing = asyncio.get_running_loop().create_future()
        self._close_by = time.monotonic() + CLOSING_SECONDS
        if not self._busy and not self._waiting:
            self._rest()
        await self._closing
        local, self._local = self._local, None
        await asyncio.gather(*self._opening, return_exceptions=True)
        for reader in self._readers:
            await reader.close()
        if local is not None:
            local.close()
        await self._writer.close()

    async def write(self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `function(tx, …)` in a transaction and give its result once that is committed.

        It may be run twice (see `Tx.savepoint`), so it must touch nothing but `tx`. It is finished even if the asker is cancelled meanwhile.
        """
        self._opened()
        asker: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append(Job(lambda tx: function(tx, *args, **kwargs), asker))
        if not self._busy:
            self._start_soon()
        return await asker

    async def read(self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `function(tx, …)` on a reader's thread, on one consistent state; a write in it fails in SQLite."""
        await self._reading.acquire()
        try:
            self._opened()
            reader = self._idle.pop() if self._idle else await self._open_reader()
        except asyncio.CancelledError:  # the reader that is being opened gives the turn back once it is there
            raise
        except BaseException:
            self._reading.release()
            raise
        moment = self.clock()
        work = reader.start(lambda connection: _read(connection, moment, function, *args, **kwargs))
        work.add_done_callback(lambda _: self._give_back(reader))
        return await asyncio.shield(work)

    def quick(self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a read of some tens of microseconds right here, without a thread. Never for what grows with the workspace."""
        return _read(self._opened(), self.clock(), function, *args, **kwargs)

    def glance(self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Do what `quick` does without a transaction: for a read of one statement, each further one would see its own state."""
        return function(Tx(self._opened(), self.clock()), *args, **kwargs)

    def _opened(self) -> sqlite3.Connection:
        """Give the loop's own connection; it is there exactly while the store is open, so it says so for every way in."""
        if self._local is None:
            raise Unavailable("The database is closed; the server is starting or stopping.")
        return self._local

    async def _open_reader(self) -> Connection:
        """Open one more reader; when whoever asked leaves meanwhile it is there for the next."""
        opening = asyncio.ensure_future(self._connect_reader())
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._keep_opened)
            raise

    def _keep_opened(self, opening: "asyncio.Task[Connection]") -> None:
        if opening.cancelled() or opening.exception() is not None:
            self._reading.release()
        else:
            self._give_back(opening.result())

    async def _connect_reader(self) -> Connection:
        reader = Connection(lambda: _connect(self.path, writes=False), 64)
        await reader
        self._readers.append(reader)
        return reader

    def _give_back(self, reader: Connection) -> None:
        self._idle.append(reader)
        self._reading.release()

    def _start_soon(self) -> None:
        """Start a batch in the loop's next turn, so that the writes of all requests that are read in this one share a commit."""
        if not self._starting:
            self._starting = True
            asyncio.get_running_loop().call_soon(self._start_batch)

    def _start_batch(self) -> None:
        """Hand everything that waits to the writer's thread; those whose asker has already gone are dropped unstarted."""
        self._starting = False
        if self._busy:
            return
        jobs: list[Job] = []
        while self._waiting and len(jobs) < BATCH:
            job = self._waiting.popleft()
            if not job.asker.done():
                jobs.append(job)
        if jobs:
            self._unworked = True
            self._run_batch(jobs)
        else:
            self._rest()

    def _run_batch(self, jobs: list[Job]) -> None:
        self._busy, self._folded, self._untrimmed = True, False, True
        moment = self.clock()
        self._writer.start(lambda connection: commit(connection, jobs, moment)).add_done_callback(lambda done: self._finish_batch(done, jobs))

    def _finish_batch(self, done: "asyncio.Future[None]", jobs: Sequence[Job]) -> None:
        failure = done.exception()
        self.commits += 1
        self._busy = False
        for job in jobs:
            error = failure or job.error
            if error is None:
                for name, payload in job.events:
                    self.events.publish(name, payload)
            if job.asker.done():
                continue
            if error is not None:
                job.asker.set_exception(_seen_by_callers(error))
            else:
                job.asker.set_result(job.result)
        if _size(self._wal) > RESTART_BYTES and time.monotonic() > self._fold_again_at:
            self._checkpoint("RESTART")
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Write what waits, or rest."""
        if self._waiting:
            self._start_soon()
        else:
            self._rest()

    def _rest(self) -> None:
        """Do the idle work when nobody has written for a moment; a store that closes does it at once, then lets go whoever closes it."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._closing is None:
            self._idle_timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._work_idly)
            return
        if self.commits and time.monotonic() < self._close_by:
            self._work_idly()
        if not self._busy and not self._closing.done():
            self._closing.set_result(None)

    def _work_idly(self) -> None:
        if self._busy or self._waiting:
            return
        if self._unworked:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            done.add_done_callback(lambda done: _report(done, "the idle work failed"))
            self._run_batch([Job(self._idle_step, done)])
        elif self._untrimmed:
            self._busy = True
            self._writer.start(_trim).add_done_callback(self._trimmed)
        elif _size(self._wal) > CHECKPOINT_BYTES and not self._folded:
            self._checkpoint("PASSIVE")

    def _trimmed(self, done: "asyncio.Future[bool]") -> None:
        self._untrimmed = not _report(done, "giving pages back failed") and done.result()
        self._busy = False
        self._go_on()

    def _idle_step(self, tx: Tx) -> None:
        self._unworked = False  # what fails now is tried again after the next write, not at once and for ever
        more = [work(tx) for work in self.idle_work]
        self._unworked = any(more)

    def _checkpoint(self, mode: Literal["PASSIVE", "RESTART"]) -> None:
        self._busy, self._folded = True, True
        self._writer.start(lambda connection: _fold(connection, mode)).add_done_callback(self._checkpointed)

    def _checkpointed(self, done: "asyncio.Future[bool]") -> None:
        if not _report(done, "a checkpoint failed") and not done.result():
            self._fold_again_at = time.monotonic() + FOLD_AGAIN_SECONDS
        self._busy = False
        self._go_on()


@contextlib.asynccontextmanager
async def open_store(path: Path, *, durability: Durability = "full", clock: Clock = utc_now, events: Events | None = None) -> AsyncIterator[Store]:
    """Open the migrated database at `path` for as long as the block runs."""
    store = Store(path, durability=durability, clock=clock, events=events or Events())
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def _connect(path: Path, *, writes: bool, durability: Durability = "full") -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=512)
    connection.row_factory = sqlite3.Row
    pragmas = ["busy_timeout=5000", "foreign_keys=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "wal_autocheckpoint=0"]
    if writes:
        pragmas += ["journal_mode=WAL", f"synchronous={durability.upper()}", f"journal_size_limit={RESTART_BYTES}", "cache_size=-8000"]
        pragmas += ["fullfsync=ON", "checkpoint_fullfsync=ON", "temp_store=MEMORY"]
    else:
        pragmas += ["query_only=ON", "cache_size=-4000"]
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _read(connection: sqlite3.Connection, moment: datetime, function: Callable[..., R], *args: Any, **kwargs: Any) -> R:
    connection.execute("BEGIN")
    try:
        return function(Tx(connection, moment), *args, **kwargs)
    finally:
        connection.execute("ROLLBACK")


def _fold(connection: sqlite3.Connection, mode: str) -> bool:
    """Checkpoint and say whether all of it could be done; a reader that is still in the old WAL is not waited for long."""
    connection.execute("PRAGMA busy_timeout=200")
    try:
        busy, written, folded = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    finally:
        connection.execute("PRAGMA busy_timeout=5000")
    return not busy and written == folded


def _report(done: "asyncio.Future[Any]", message: str) -> bool:
    """Tell the loop of a failure that nobody waits for; say whether there was one."""
    if (error := done.exception()) is not None:
        asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})
    return error is not None


def _trim(connection: sqlite3.Connection) -> bool:
    """Give pages that nothing uses any more back to the disk, some at a time, once they are a fiftieth of the file; say whether it did."""
    free, pages = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
    if free <= max(TRIM_PAGES, pages // 50):
        return False
    connection.executescript(f"PRAGMA incremental_vacuum({16 * TRIM_PAGES})")  # `execute` would take one step of it: one page
    return True


def _seen_by_callers(error: BaseException) -> BaseException:
    """Translate what SQLite says of a full or failing disk; everything else stays what it is."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StorageFull("The disk is full, so nothing was stored. Make room and try again; reading goes on.")
    if code == sqlite3.SQLITE_IOERR:
        return Unavailable("The disk does not take writes just now, so nothing was stored.")
    return error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@contextlib.contextmanager
def one_state(path: Path, clock: Clock = utc_now) -> Iterator[Tx]:
    """Give a read on a connection of its own that sees one state of the database for as long as the block runs, however long; for a thread.

    The writer goes on meanwhile; only the WAL is not begun anew until the block has ended.
    """
    with contextlib.closing(_connect(path, writes=False)) as connection:
        connection.execute("BEGIN")
        try:
            yield Tx(connection, clock())
        finally:
            connection.execute("ROLLBACK")
