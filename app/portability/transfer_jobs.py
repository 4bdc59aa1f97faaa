"""Imports and exports as jobs.

Begun by a request, gone on with whoever asked for them present or not, read and cancelled by
their number.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, Literal

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.database import disk_reserve
from app.core.database.disk_reserve import freeing, is_disk_full
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.schema import Record, encode, json_column
from app.core.temp_files import delete_leftovers
from app.errors import AlreadyRunning, AppError, NotFound, StorageFull, Unavailable

Kind = Literal["import", "export"]
Status = Literal["running", "completed", "failed", "cancelled", "interrupted"]
MOST_AT_ONCE = 2
KEPT = 20
"""How many jobs of a kind a user has; older ones are deleted."""
TOLD_SECONDS = 0.25
FULL = {
    "import": "The disk is full, so the import was stopped. What it has stored stays; make "
    "room and import the same again: it goes on from there.",
    "export": "The disk is full, so nothing of the export was kept. Make room, or name a "
    "place on another disk, and try again.",
}
COUNTING = frozenset(
    {
        "os.notes:read",
        "os.notes:write",
        "os.todos:read",
        "os.todos:write",
        "os.snapshots:read",
        "os.snapshots:write",
        "agent.chat:read",
        "agent.chat:run",
        "account:manage",
    }
)
"""The scopes that decide what an import or export carries."""
_REPORT = {"type": ["object", "null"]}
Tell = Callable[[int, int | None], None]
Work = Callable[[Tell], Awaitable[Record]]


class Job(Record):
    """An import or export; `total` is null where it is not known.

    `interrupted`: the server ended meanwhile; begin it again, it goes on.
    """

    id: int
    kind: Kind
    name: str
    status: Status
    done: int
    total: int | None
    report: json_column(_REPORT)  # type: ignore[valid-type]
    error: str | None
    started_at: str
    ended_at: str | None


class JobAnswer(Record):
    job: Job


class Progress:
    """How far a piece of work is, told from any thread.

    Once it is cancelled, whoever tells next is stopped.
    """

    def __init__(self) -> None:
        self.done = 0
        self.total: int | None = None
        self.cancelled = False

    def tell(self, done: int, total: int | None) -> None:
        """Take down how far the work is; raise Cancelled when it shall end."""
        if self.cancelled:
            raise Cancelled
        self.done, self.total = done, total


class Cancelled(Exception):
    """Ends work that somebody has cancelled."""


class Transfers:
    """The jobs that run."""

    def __init__(self) -> None:
        self._running: dict[int, tuple[Progress, asyncio.Task[None]]] = {}
        self._untold: dict[int, tuple[Status, str | None]] = {}
        """How those ended of which the database could not take it down."""
        self._beginning = asyncio.Lock()
        self._turn = asyncio.Semaphore(MOST_AT_ONCE)

    def clean(self, app: App) -> None:
        """Delete the files of jobs that an earlier server did not come to the end of."""
        delete_leftovers(app.store.path.parent, app.clock())

    async def begin(
        self, app: App, me: Caller, kind: Kind, name: str, work: Callable[[int], Work]
    ) -> Job:
        """Start and return a job; raise AlreadyRunning while the user has one of that kind."""
        async with self._beginning:
            row = app.quick(_newest_job, me, kind)
            if row is not None and row["id"] in self._running:
                raise AlreadyRunning(
                    f"An {kind} is running already; wait until it ends, or cancel it.",
                    jobId=row["id"],
                )
            job = await app.write(_insert_job, me, kind, name)
            progress = Progress()
            self._running[job] = (
                progress,
                app.tasks.start(self._run(app, me, kind, job, progress, work(job))),
            )
        return self.of(app, me, kind, job)

    def running(self, app: App, me: Caller, kind: Kind) -> Job | None:
        """Return the job of that kind that runs for the caller's user, if one does."""
        row = app.quick(_newest_job, me, kind)
        return (
            self._shown(row)
            if row is not None
            and row["status"] == "running"
            and row["id"] in self._running
            and _may_see(me, row)
            else None
        )

    def of(self, app: App, me: Caller, kind: Kind, job: int) -> Job:
        """Return a job of the caller's user; raise NotFound for any other."""
        return self._shown(app.quick(_require_job, me, kind, job))

    async def cancel(self, app: App, me: Caller, kind: Kind, job: int) -> Job:
        """End a job that runs; one that does not stays as it is."""
        found = app.quick(_require_job, me, kind, job)
        if found["id"] in self._running:
            progress, task = self._running[found["id"]]
            progress.cancelled = True
            await asyncio.wait({task})
        return self.of(app, me, kind, job)

    def _shown(self, row: sqlite3.Row) -> Job:
        progress = self._running[row["id"]][0] if row["id"] in self._running else None
        status, error = row["status"], row["error"]
        # A row that says running without a task here was left by a server that ended.
        if status == "running" and progress is None:
            status, error = self._untold.get(row["id"], ("interrupted", None))
        done, total = (progress.done, progress.total) if progress is not None else (0, None)
        report = msgspec.Raw(row["result"].encode() if row["result"] else b"null")
        return copy_fields(
            Job, row, status=status, done=done, total=total, report=report, error=error
        )

    async def _run(
        self, app: App, me: Caller, kind: Kind, job: int, progress: Progress, work: Work
    ) -> None:
        status: Status = "interrupted"
        report, error = None, None
        try:
            async with self._turn:
                report = await work(progress.tell)
            status = "completed"
        except Cancelled:
            status = "cancelled"
        except (AppError, OSError) as failure:
            status, error = "failed", failure_sentence(failure, kind)
        except asyncio.CancelledError:
            progress.cancelled = True  # stops the thread that does the work too
            raise
        except BaseException:
            status, error = "failed", "Something went wrong inside the server; its log tells more."
            raise
        finally:
            try:
                if status != "interrupted":  # the server ends: the row says running, see `_shown`
                    await self._end(app, me, job, status, report, error)
            finally:
                del self._running[job]

    async def _end(
        self,
        app: App,
        me: Caller,
        job: int,
        status: Status,
        report: Record | None,
        error: str | None,
    ) -> None:
        """Take down how a job ended.

        Where there is no room even for that, it is known until the server ends.
        """
        try:
            with freeing():  # may use the space that is held back: "the disk is full" must be told
                await app.write(
                    _note_end,
                    me,
                    job,
                    status,
                    None if report is None else encode(report).decode(),
                    error,
                )
        except (StorageFull, Unavailable):
            self._untold[job] = status, error


def failure_sentence(failure: AppError | OSError, kind: Kind) -> str:
    """Return what ended a job."""
    if (
        is_disk_full(failure)
        if isinstance(failure, OSError)
        else failure.message == disk_reserve.FULL
    ):
        return FULL[kind]
    if isinstance(failure, AppError):
        return failure.message
    return f"A file could not be read or written: {failure.strerror or failure}."


async def report_progress(work: Work, kind: Kind) -> AsyncGenerator[Mapping[str, Any], None]:
    """Yield how far a piece of work is, again and again, and at last its report or why it failed.

    When nobody listens any more, the work is stopped.
    """
    progress = Progress()
    task = asyncio.ensure_future(work(progress.tell))
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=TOLD_SECONDS)
            yield {"type": "progress", "done": progress.done, "total": progress.total}
        try:
            yield {"type": "report", "report": msgspec.Raw(encode(task.result()))}
        except (AppError, OSError) as failure:
            yield {"type": "error", "message": failure_sentence(failure, kind)}
    finally:
        progress.cancelled = True
        with contextlib.suppress(Cancelled, AppError, OSError):
            await task


def _insert_job(tx: Tx, me: Caller, kind: Kind, name: str) -> int:
    tx.run(
        """DELETE FROM transfers WHERE user_id = :me AND kind = :kind AND id NOT IN (
               SELECT id FROM transfers WHERE user_id = :me AND kind = :kind ORDER BY id DESC
                 LIMIT :kept)""",
        me=me.user,
        kind=kind,
        kept=KEPT - 1,
    )
    return tx.insert(
        "transfers",
        user_id=me.user,
        kind=kind,
        name=name,
        status="running",
        scopes=" ".join(sorted(COUNTING & me.rights)),
        started_at=tx.now,
    )


def _note_end(
    tx: Tx, me: Caller, job: int, status: str, result: str | None, error: str | None
) -> None:
    tx.update(
        "transfers",
        {"id": job, "user_id": me.user},
        status=status,
        result=result,
        error=error,
        ended_at=tx.now,
    )


def _require_job(tx: Tx, me: Caller, kind: Kind, job: int) -> sqlite3.Row:
    row = tx.one(
        "SELECT * FROM transfers WHERE id = :id AND user_id = :me AND kind = :kind",
        id=job,
        me=me.user,
        kind=kind,
    )
    if row is None or not _may_see(me, row):
        raise NotFound(f"There is no such {kind}.")
    return row


def _may_see(me: Caller, row: sqlite3.Row) -> bool:
    """Return whether a caller may do all that the one could who began a job.

    Its report and archive hold what that one could read.
    """
    return me.reach is None and set(row["scopes"].split()) <= me.rights


def _newest_job(tx: Tx, me: Caller, kind: Kind) -> sqlite3.Row | None:
    return tx.one(
        "SELECT * FROM transfers WHERE user_id = :me AND kind = :kind ORDER BY id DESC LIMIT 1",
        me=me.user,
        kind=kind,
    )
