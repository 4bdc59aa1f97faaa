"""The connection that writes: what waits is run in batches, each with one commit."""

import asyncio
import functools
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

from app.core.database.batch import Job, commit
from app.core.database.disk_reserve import FULL, is_freeing
from app.core.database.events import Events
from app.core.database.file_state import FileState
from app.core.database.health import translate_database_error
from app.core.database.small_files import file_size
from app.core.database.sqlite_setup import connect
from app.core.database.sqlite_thread import Connection
from app.core.database.tx import Clock, Tx, stamp
from app.errors import StorageFull, Unavailable

P = ParamSpec("P")
R = TypeVar("R")
# bounds how long those at the end of the queue wait for a commit
BATCH = 256


class Writer:
    """Queues writes and commits all that wait at the same moment together."""

    def __init__(self, file: FileState, *, clock: Clock, events: Events) -> None:
        self.connection = Connection(
            lambda: connect(file.path, writes=True, durability=file.settings.durability), 64
        )
        self.busy = False
        """Whether a batch or a piece of upkeep runs on the connection's thread."""
        self.requested = 0
        """How many batches of writes that somebody asked for were begun."""
        self.after_batch: Callable[[bool], None] = lambda short: self.go_on()
        """Called when a batch is done, with whether the disk was full; must `go_on` at last."""
        self.when_idle: Callable[[], None] = lambda: None
        """Called when nothing waits."""
        self._file = file
        self._clock = clock
        self._events = events
        self._waiting: deque[Job] = deque()
        self._starting = False

    @property
    def idle(self) -> bool:
        """Whether nothing is being written and nothing waits."""
        return not self.busy and not self._waiting

    async def write(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `function(tx, …)` in a transaction; see `Store.write`."""
        self._file.health.require()
        self._file.room.require()
        asker: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append(
            Job(lambda tx: function(tx, *args, **kwargs), asker, frees=is_freeing())
        )
        if not self.busy:
            self._start_soon()
        return await asker

    def run_batch(self, jobs: list[Job]) -> None:
        """Run these jobs as one batch, while no other runs."""
        self.busy = True
        moment, most = self._clock(), self._file.room.most_bytes(file_size(self._file.path))
        begun = functools.partial(
            Tx,
            moment=moment,
            settings=self._file.settings,
            now=stamp(moment),
            within=self._events.within,
        )
        done = self.connection.start(lambda connection: commit(connection, jobs, begun, most=most))
        done.add_done_callback(lambda done: self._finish_batch(done, jobs))

    def run_alone(
        self,
        function: Callable[[sqlite3.Connection], R],
        then: "Callable[[asyncio.Future[R]], None]",
    ) -> None:
        """Run a piece of upkeep, while no batch runs; `then` must `go_on` at last."""
        self.busy = True

        def finish(done: "asyncio.Future[R]") -> None:
            self.busy = False
            then(done)

        self.connection.start(function).add_done_callback(finish)

    def go_on(self) -> None:
        """Write what waits, or rest."""
        if self._waiting:
            self._start_soon()
        else:
            self.when_idle()

    def _start_soon(self) -> None:
        """Start a batch in the loop's next turn.

        So the writes of all requests that are read in this one share a commit.
        """
        if not self._starting:
            self._starting = True
            asyncio.get_running_loop().call_soon(self._start_batch)

    def _start_batch(self) -> None:
        """Hand everything that waits to the connection's thread, unless its asker has left."""
        self._starting = False
        if self.busy:
            return
        jobs = self._next_jobs()
        self._file.watch.glance(self.connection)
        health = self._file.health
        if jobs and health.state != "writable":
            # they came before the disk failed or the file was lost
            for job in jobs:
                job.asker.set_exception(Unavailable(health.message, database=health.state))
            self.go_on()
        elif jobs:
            self.requested += 1
            self.run_batch(jobs)
        else:
            self.when_idle()

    def _next_jobs(self) -> list[Job]:
        """Take the next batch from the queue."""
        jobs: list[Job] = []
        while self._waiting and len(jobs) < BATCH:
            job = self._waiting.popleft()
            if job.asker.done():
                continue
            if self._file.room.tight and not job.frees:  # it came before the disk was full
                job.asker.set_exception(StorageFull(FULL))
            else:
                jobs.append(job)
        return jobs

    def _finish_batch(self, done: "asyncio.Future[None]", jobs: Sequence[Job]) -> None:
        failure = done.exception()
        self._file.commits += 1
        self.busy = False
        short = False
        for job in jobs:
            error = failure or job.error
            if error is None:
                # before the answer: whoever gets it must not meet a memory that the change should
                # empty
                for name, payload in job.events:
                    self._events.publish(name, payload)
            else:
                short = self._file.note_failure(error) == "full" or short
            if job.asker.done() or (error is not None and short and self._try_again(job)):
                continue
            if error is not None:
                job.asker.set_exception(translate_database_error(error, self._file.health))
            else:
                job.asker.set_result(job.result)
        self.after_batch(short)

    def _try_again(self, job: Job) -> bool:
        """Queue once more a write that makes room, now that the reserve is given back.

        Return whether it was queued: each has one more try.
        """
        if job.tried or not job.frees:
            return False
        job.tried = True
        self._waiting.appendleft(job)
        return True
