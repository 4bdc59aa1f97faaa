"""The clock of the background work: it runs each operation that declares `every`.

It enters by the same door as everyone. What is due is read from the tables by the operations
themselves, so a restart loses nothing.
"""

import asyncio
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app.core.app import App
from app.core.caller import OPERATOR
from app.core.operation import Operation
from app.errors import StorageFull

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

FIRST_TICK_SECONDS = 3.0
log = logging.getLogger("hearth")


class Schedule:
    """Background jobs on APScheduler, which is imported only after the port is open."""

    def __init__(self, parts: App) -> None:
        self._parts = parts
        self._timer: asyncio.TimerHandle | None = None
        self._scheduler: AsyncIOScheduler | None = None

    def start(self) -> None:
        """Begin ticking a moment from now."""
        self._timer = asyncio.get_running_loop().call_later(FIRST_TICK_SECONDS, self.begin)

    def stop(self) -> None:
        """Tick no more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)

    def begin(self) -> None:
        """Begin ticking now."""
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._scheduler = AsyncIOScheduler(timezone="UTC")
        for job in self._jobs():
            self._scheduler.add_job(
                self.run,
                "interval",
                args=(job,),
                seconds=job.every,
                # a machine that slept runs a job once when it wakes, however often it was due, …
                coalesce=True,
                max_instances=1,
                # … and however late it is
                misfire_grace_time=None,
                id=job.name,
            )
        self._scheduler.start()

    async def run(self, job: Operation[..., Any]) -> None:
        """Run one job; a failure is logged, and the job comes again at its time."""
        if self._parts.store.health.state != "writable":
            return  # the log has said why
        try:
            await self._parts.call(OPERATOR, job.name, {})
        except StorageFull:
            return  # the same
        except Exception:
            log.exception("the background job %s failed", job.name)

    def _jobs(self) -> Iterator[Operation[..., Any]]:
        return (one for one in self._parts.catalog.operations.values() if one.every is not None)
