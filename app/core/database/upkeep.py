"""Upkeep of the database file between writes: idle work, trimming, folding the WAL, checks."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from app.core.database import integrity
from app.core.database.batch import Job
from app.core.database.file_state import FileState
from app.core.database.small_files import file_size
from app.core.database.sqlite_setup import RESTART_BYTES, checkpoint_log, vacuum_free_pages
from app.core.database.sqlite_thread import report_failure
from app.core.database.tx import Tx
from app.core.database.writer import Writer

IDLE_SECONDS = 0.05
CLOSING_SECONDS = 2.0
FOLD_AGAIN_SECONDS = 1.0
CHECKPOINT_BYTES = 1 << 20
NEVER = -1


class Upkeep:
    """Uses the writer's connection whenever nothing is written."""

    def __init__(self, file: FileState, writer: Writer) -> None:
        self.idle_work: list[Callable[[Tx], bool]] = []
        """Steps of work on what was written; each returns whether there is more to do."""
        self._file = file
        self._writer = writer
        self._checkpoints = not file.settings.external_checkpoints
        """Whether it folds the WAL; else another program does."""
        self._worked_at = NEVER
        """The writer's count of batches up to which the idle work is done."""
        self._folded = False
        self._untrimmed = False
        self._fold_again_at = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Future[None] | None = None
        self._close_by = 0.0
        self._examining: threading.Event | None = None
        writer.after_batch = self._after_batch
        writer.when_idle = self._start_idle_work

    async def make_room(self) -> None:
        """Fold the WAL where the disk is nearly full, before deleting needs its room."""
        if self._file.room.tight and self._checkpoints:
            with contextlib.suppress(sqlite3.Error):  # the next write tells of it
                await self._writer.connection.start(
                    lambda connection: checkpoint_log(
                        connection, "TRUNCATE", room=self._file.room.free()
                    )
                )

    def begin(self) -> None:
        """Go on with idle work that was left over."""
        if self.idle_work:
            self._start_idle_work()

    async def finish(self) -> None:
        """Return once every write and what idle work can be done soon are done."""
        if self._examining is not None:
            self._examining.set()
        self._closing = asyncio.get_running_loop().create_future()
        self._close_by = time.monotonic() + CLOSING_SECONDS
        if self._writer.idle:
            self._start_idle_work()
        await self._closing

    async def fold_at_last(self) -> bool:
        """Fold the WAL into the file, and return whether this was to be done.

        Closing the last connection would do it too, and keep quiet when that fails.
        """
        if not self._checkpoints or self._file.health.state != "writable":
            return False
        folding = self._writer.connection.start(
            lambda connection: checkpoint_log(connection, "TRUNCATE")
        )
        await asyncio.wait((folding,))
        self._note_failure(folding, "folding the journal into the database failed")
        return True

    async def examine(self, kind: Literal["quick", "full"]) -> integrity.Check | None:
        """Check the whole database on a thread; see `Store.examine`."""
        stopped = self._examining = threading.Event()
        try:
            found = await asyncio.to_thread(
                integrity.check_database, self._file.path, kind, stopped=stopped.is_set
            )
        except integrity.Stopped:
            return None
        finally:
            self._examining = None
        integrity.record_check(self._file.path, found)
        self._file.health.check = found
        self._file.forget_reads()  # so that the status is told anew
        if found.damaged:
            self._file.health.stop("damaged", "; ".join(found.findings[:3]))
        return found

    def _after_batch(self, short: bool) -> None:
        self._folded, self._untrimmed = False, True
        self._fold_or_go_on(short=short)

    def _fold_or_go_on(self, *, short: bool) -> None:
        """Fold a WAL that is large, or large for the room there is, before the next write."""
        size = file_size(self._file.wal)
        tight = short or self._file.room.is_short_for(size)
        if self._checkpoints and (
            short or ((tight or size > RESTART_BYTES) and time.monotonic() > self._fold_again_at)
        ):
            # RESTART lets the log begin anew in its room; TRUNCATE gives that back to a full disk
            self._checkpoint("TRUNCATE" if tight else "RESTART")
        else:
            self._writer.go_on()

    def _start_idle_work(self) -> None:
        """Do the idle work when nobody has written for a moment.

        A store that closes does it at once, then lets go whoever closes it.
        """
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._closing is None:
            self._idle_timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._work_idly)
            return
        if self._file.commits and time.monotonic() < self._close_by:
            self._work_idly()
        if not self._writer.busy and not self._closing.done():
            self._closing.set_result(None)

    def _work_idly(self) -> None:
        if not self._writer.idle or self._file.health.state != "writable":
            return
        tight = self._file.room.tight
        # in this order, as each makes work for the next: indexes free pages, pages go by the log
        if not tight and self._worked_at != self._writer.requested:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            done.add_done_callback(lambda done: report_failure(done, "the idle work failed"))
            self._writer.run_batch([Job(self._idle_step, done)])
        elif self._untrimmed:
            self._writer.run_alone(
                lambda connection: vacuum_free_pages(connection, room=self._file.room.free()),
                self._after_vacuum,
            )
        elif (
            self._checkpoints
            and file_size(self._file.wal) > (0 if tight else CHECKPOINT_BYTES)
            and not self._folded
        ):
            # PASSIVE waits for no reader
            self._checkpoint("TRUNCATE" if tight else "PASSIVE")

    def _idle_step(self, tx: Tx) -> None:
        # what fails now is tried again after the next write, not at once and for ever
        self._worked_at = self._writer.requested
        more = [work(tx) for work in self.idle_work]
        if any(more):
            self._worked_at = NEVER

    def _after_vacuum(self, done: "asyncio.Future[bool]") -> None:
        self._untrimmed = not self._note_failure(done, "giving pages back failed") and done.result()
        self._folded = self._folded and not self._untrimmed  # only folding makes the file smaller
        self._fold_or_go_on(short=self._file.room.tight and self._untrimmed)

    def _checkpoint(self, mode: Literal["PASSIVE", "RESTART", "TRUNCATE"]) -> None:
        self._folded = True
        # one that cannot be finished would use up what deleting needs
        room = self._file.room.free() if self._file.room.tight else None
        self._writer.run_alone(
            lambda connection: checkpoint_log(connection, mode, room=room), self._after_checkpoint
        )

    def _after_checkpoint(self, done: "asyncio.Future[bool]") -> None:
        if not self._note_failure(done, "a checkpoint failed") and not done.result():
            self._fold_again_at = time.monotonic() + FOLD_AGAIN_SECONDS
        self._writer.go_on()

    def _note_failure(self, done: "asyncio.Future[Any]", message: str) -> bool:
        """Act on the failure of upkeep that nobody waits for; return whether there was one."""
        if (error := done.exception()) is None:
            return False
        if not self._file.note_failure(error):  # what it notes it tells itself
            report_failure(done, message)
        return True
