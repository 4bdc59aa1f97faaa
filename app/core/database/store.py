"""The database: one SQLite file, one connection that writes, a few that read.

A write is a plain function that is run whole, on the writer's thread, inside one transaction.
All writes that wait at the same moment share one commit, and each is answered only when that
commit is on disk. Nothing else in the program says BEGIN, COMMIT or ROLLBACK.
"""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from app.core.database import integrity, sqlite_setup
from app.core.database.batch import Job, commit
from app.core.database.disk_reserve import FULL, Room, is_freeing
from app.core.database.events import Events
from app.core.database.file_watch import FileWatch
from app.core.database.health import Health, seen_by_callers
from app.core.database.snapshot_read import read_on
from app.core.database.sqlite_setup import (
    Durability,
    Sealed,
    bytes_of,
    connect,
    failure_of,
    fold,
    trim,
)
from app.core.database.sqlite_thread import Connection, report_failure
from app.core.database.tx import Clock, Forward, Tx, utc_now
from app.core.process import background_tasks
from app.errors import StorageFull, Unavailable

P = ParamSpec("P")
R = TypeVar("R")

BATCH = 256
READERS = 3
IDLE_SECONDS = 0.05
CLOSING_SECONDS = 2.0
FOLD_AGAIN_SECONDS = 1.0
CHECKPOINT_BYTES = 1 << 20
RESTART_BYTES = sqlite_setup.RESTART_BYTES


class Store:
    """The open database. Use `open_store`; `write`, `read` and `quick` are its three ways in."""

    def __init__(
        self,
        path: Path,
        *,
        durability: Durability,
        clock: Clock,
        events: Events,
        sealed: Sealed = "",
        checkpoints: bool = True,
    ) -> None:
        self.path = path
        self._checkpoints = checkpoints
        self.clock = clock
        self.ends = Forward(clock)  # by which credentials end
        self.events = events
        self.health = Health(sealed=sealed)
        self.watch = FileWatch(path, self.health, self.forget_reads)
        self.room = Room(path.parent)
        self._sealed = sealed
        self._wal = path.with_name(path.name + "-wal")
        self._writer = Connection(lambda: connect(path, writes=True, durability=durability), 64)
        self._examining: threading.Event | None = None
        self._local: sqlite3.Connection | None = None
        self._readers: list[Connection] = []
        self._idle: list[Connection] = []
        self._opening: set[asyncio.Task[Connection]] = set()
        self._reading = asyncio.Semaphore(READERS)
        self._waiting: deque[Job] = deque()
        self._busy = False
        self.commits = 0
        """How many batches were committed.

        What was read at one count still holds while the count is the same.
        """
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
        """Open the writer and the loop's own connection.

        Readers come when they are first needed. Idle work that was left over goes on.
        """
        if not self._sealed:
            await self._writer
            self.watch.begin()
            if (
                self.room.tight and self._checkpoints
            ):  # before what is deleted needs the room that this takes
                with contextlib.suppress(sqlite3.Error):  # the next write tells of it
                    await self._writer.start(
                        lambda connection: fold(connection, "TRUNCATE", room=self.room.free())
                    )
        self._local = connect(self.path, writes=False, sealed=self._sealed)
        if self.idle_work and not self._sealed:
            self._rest()

    async def close(self) -> None:
        """Finish every write and what idle work can be done soon, then close.

        The last connection folds the WAL, unless others do that.
        """
        if self._local is None:
            return
        if self._examining is not None:
            self._examining.set()
        self._closing = asyncio.get_running_loop().create_future()
        self._close_by = time.monotonic() + CLOSING_SECONDS
        if not self._busy and not self._waiting:
            self._rest()
        await self._closing
        local, self._local = self._local, None
        await asyncio.gather(*self._opening, return_exceptions=True)
        for reader in self._readers:
            await reader.close()
        if not self._sealed:
            await self._close_writer(local)
        local.close()

    async def _close_writer(self, local: sqlite3.Connection) -> None:
        """Fold the WAL into the file and close.

        Closing alone would do it too, and keep quiet when that fails.

        Where nothing may be folded, the loop's connection stays open longer: it only reads, so
        as the last one it leaves all files as they are.
        """
        self.watch.is_lost(self._writer)
        await self.watch.saved()
        if self._checkpoints and self.health.state == "writable":
            folding = self._writer.start(lambda connection: fold(connection, "TRUNCATE"))
            await asyncio.wait((folding,))
            self._failed(folding, "folding the journal into the database failed")
            local.close()
        else:
            with contextlib.suppress(sqlite3.DatabaseError):
                local.execute(
                    "SELECT count(*) FROM sqlite_schema"
                ).fetchone()  # only a connection that has read holds the file
        await self._writer.close()

    def require_file(self) -> None:
        """Raise Unavailable when the database's path leads to another file than the open one.

        For what opens it by its path.
        """
        if self.watch.is_lost(self._writer):
            self.health.require()

    async def examine(self, kind: Literal["quick", "full"]) -> integrity.Check | None:
        """Look through the whole database beside everything else, and keep what was found.

        None when the store is closed meanwhile.

        Damage ends all writing.
        """
        self._opened()
        self.require_file()
        stopped = self._examining = threading.Event()
        try:
            found = await asyncio.to_thread(
                integrity.examine, self.path, kind, stopped=stopped.is_set
            )
        except integrity.Stopped:
            return None
        finally:
            self._examining = None
        integrity.keep(self.path, found)
        self.health.check = found
        self.commits += 1  # so that the status is told anew
        if found.damaged:
            self.health.stop("damaged", "; ".join(found.findings[:3]))
        return found

    async def write(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `function(tx, …)` in a transaction and give its result once that is committed.

        It may be run twice (see `Tx.savepoint`), so it must touch nothing but `tx`. It is
        finished even if the asker is cancelled meanwhile.
        """
        self._opened()
        self.health.require()
        self.room.require()
        asker: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append(
            Job(lambda tx: function(tx, *args, **kwargs), asker, frees=is_freeing())
        )
        if not self._busy:
            self._start_soon()
        return await asker

    async def read(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `function(tx, …)` on a reader's thread, on one consistent state.

        A write in it fails in SQLite.
        """
        await self._reading.acquire()
        try:
            self._opened()
            reader = self._idle.pop() if self._idle else await self._open_reader()
        except (
            asyncio.CancelledError
        ):  # the reader that is being opened gives the turn back once it is there
            raise
        except BaseException:
            self._reading.release()
            raise
        moment = self.clock()
        work = reader.start(
            lambda connection: read_on(connection, moment, function, *args, **kwargs)
        )
        work.add_done_callback(lambda _: self._give_back(reader))
        try:
            return await background_tasks.undisturbed(work)
        except sqlite3.DatabaseError as error:
            self._require_sound(error)
            raise

    def quick(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run a read of some tens of microseconds right here, without a thread.

        Never for what grows with the workspace.
        """
        try:
            return read_on(self._opened(), self.clock(), function, *args, **kwargs)
        except sqlite3.DatabaseError as error:
            self._require_sound(error)
            raise

    def glance(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Do what `quick` does without a transaction.

        For a read of one statement, each further one would see its own state.
        """
        try:
            return function(Tx(self._opened(), self.clock()), *args, **kwargs)
        except sqlite3.DatabaseError as error:
            self._require_sound(error)
            raise

    def forget_reads(self) -> None:
        """Let nothing that was read before count as current any more.

        Something that answers tell of has changed beside the database.
        """
        self.commits += 1

    def _opened(self) -> sqlite3.Connection:
        """Give the loop's own connection.

        It is there exactly while the store is open, so it says so for every way in.
        """
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
        opening = Connection(lambda: connect(self.path, writes=False, sealed=self._sealed), 64)
        reader = await self.watch.opened(opening, self._writer)
        if reader is not self._writer:
            self._readers.append(reader)
        return reader

    def _give_back(self, reader: Connection) -> None:
        self._idle.append(reader)
        self._reading.release()

    def _start_soon(self) -> None:
        """Start a batch in the loop's next turn, so that the writes of all requests that are
        read in this one share a commit.
        """
        if not self._starting:
            self._starting = True
            asyncio.get_running_loop().call_soon(self._start_batch)

    def _start_batch(self) -> None:
        """Hand everything that waits to the writer's thread.

        Those whose asker has already gone are dropped unstarted.
        """
        self._starting = False
        if self._busy:
            return
        jobs: list[Job] = []
        while self._waiting and len(jobs) < BATCH:
            job = self._waiting.popleft()
            if (
                self.room.tight and not job.frees and not job.asker.done()
            ):  # it came before the disk was full
                job.asker.set_exception(StorageFull(FULL))
            elif not job.asker.done():
                jobs.append(job)
        self.watch.glance(self._writer)
        if (
            jobs and self.health.state != "writable"
        ):  # they came before the disk failed or the file was lost
            for job in jobs:
                job.asker.set_exception(
                    Unavailable(self.health.message, database=self.health.state)
                )
            self._go_on()
        elif jobs:
            self._unworked = True
            self._run_batch(jobs)
        else:
            self._rest()

    def _run_batch(self, jobs: list[Job]) -> None:
        self._busy, self._folded, self._untrimmed = True, False, True
        moment, most = self.clock(), self.room.most_bytes(bytes_of(self.path))
        done = self._writer.start(lambda connection: commit(connection, jobs, moment, most=most))
        done.add_done_callback(lambda done: self._finish_batch(done, jobs))

    def _finish_batch(self, done: "asyncio.Future[None]", jobs: Sequence[Job]) -> None:
        failure = done.exception()
        self.commits += 1
        self._busy = False
        short = False
        for job in jobs:
            error = failure or job.error
            if error is None:
                for name, payload in job.events:
                    self.events.publish(name, payload)
            else:
                short = self._note(error) == "full" or short
            if job.asker.done() or (error is not None and short and self._again(job)):
                continue
            if error is not None:
                job.asker.set_exception(seen_by_callers(error, self.health))
            else:
                job.asker.set_result(job.result)
        self._fold_or_go_on(short=short)

    def _fold_or_go_on(self, *, short: bool = False) -> None:
        """Fold a WAL that is large, or large for the room there is, before anything else is
        written.
        """
        size = bytes_of(self._wal)
        tight = short or self.room.is_short_for(size)
        if self._checkpoints and (
            short or ((tight or size > RESTART_BYTES) and time.monotonic() > self._fold_again_at)
        ):
            self._checkpoint("TRUNCATE" if tight else "RESTART")
        else:
            self._go_on()

    def _again(self, job: Job) -> bool:
        """Let a write that makes room have another try, now that the reserve is given back.

        Say whether it has one.
        """
        if job.tried or not job.frees:
            return False
        job.tried = True
        self._waiting.appendleft(job)
        return True

    def _note(self, error: BaseException) -> str:
        """Draw the consequences of what an error says of the disk or the file, and give what
        that is.
        """
        kind = failure_of(error)
        if kind == "full":
            self.room.give()
        elif kind == "failing" or kind == "damaged":
            self.health.stop(kind, error)
        if kind:
            self.commits += 1  # so that the status is told anew
        return kind

    def _require_sound(self, error: sqlite3.DatabaseError) -> None:
        """Raise Unavailable when a read failed since the file is damaged, which ends all
        writing, or the disk cannot give it.
        """
        if (kind := failure_of(error)) == "damaged":
            self._note(error)
        if kind:
            raise seen_by_callers(error, self.health) from error

    def _go_on(self) -> None:
        """Write what waits, or rest."""
        if self._waiting:
            self._start_soon()
        else:
            self._rest()

    def _rest(self) -> None:
        """Do the idle work when nobody has written for a moment.

        A store that closes does it at once, then lets go whoever closes it.
        """
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
        if self._busy or self._waiting or self.health.state != "writable":
            return
        if (tight := self.room.tight) is False and self._unworked:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            done.add_done_callback(lambda done: report_failure(done, "the idle work failed"))
            self._run_batch([Job(self._idle_step, done)])
        elif self._untrimmed:
            self._busy = True
            self._writer.start(
                lambda connection: trim(connection, room=self.room.free())
            ).add_done_callback(self._trimmed)
        elif (
            self._checkpoints
            and bytes_of(self._wal) > (0 if tight else CHECKPOINT_BYTES)
            and not self._folded
        ):
            self._checkpoint("TRUNCATE" if tight else "PASSIVE")

    def _trimmed(self, done: "asyncio.Future[bool]") -> None:
        self._untrimmed = not self._failed(done, "giving pages back failed") and done.result()
        self._folded = self._folded and not self._untrimmed  # only folding makes the file smaller
        self._busy = False
        self._fold_or_go_on(short=self.room.tight and self._untrimmed)

    def _idle_step(self, tx: Tx) -> None:
        self._unworked = (
            False  # what fails now is tried again after the next write, not at once and for ever
        )
        more = [work(tx) for work in self.idle_work]
        self._unworked = any(more)

    def _checkpoint(self, mode: Literal["PASSIVE", "RESTART", "TRUNCATE"]) -> None:
        self._busy, self._folded = True, True
        room = (
            self.room.free() if self.room.tight else None
        )  # one that cannot be finished would use up what deleting needs
        self._writer.start(lambda connection: fold(connection, mode, room=room)).add_done_callback(
            self._checkpointed
        )

    def _checkpointed(self, done: "asyncio.Future[bool]") -> None:
        if not self._failed(done, "a checkpoint failed") and not done.result():
            self._fold_again_at = time.monotonic() + FOLD_AGAIN_SECONDS
        self._busy = False
        self._go_on()

    def _failed(self, done: "asyncio.Future[Any]", message: str) -> bool:
        """Say whether what nobody waits for has failed, tell the loop, and draw the
        consequences.
        """
        if (error := done.exception()) is None:
            return False
        if not self._note(error):  # what it notes it tells itself
            report_failure(done, message)
        return True


@contextlib.asynccontextmanager
async def open_store(
    path: Path,
    *,
    durability: Durability = "full",
    clock: Clock = utc_now,
    events: Events | None = None,
    sealed: Sealed = "",
) -> AsyncIterator[Store]:
    """Open the migrated database at `path` for as long as the block runs."""
    store = Store(
        path, durability=durability, clock=clock, events=events or Events(), sealed=sealed
    )
    await store.open()
    try:
        yield store
    finally:
        await store.close()
