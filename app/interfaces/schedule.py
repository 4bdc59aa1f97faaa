"""The clock of the background work.

It ticks, and what is due is asked for by the same door as everything else.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from app.account import token_reservations
from app.account.active_devices import Devices
from app.account.key_ring import KeyRing
from app.account.sessions import Sessions
from app.core import idempotency
from app.core.app import App
from app.core.caller import OPERATOR
from app.core.database import integrity
from app.errors import StorageFull

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

FIRST_TICK_SECONDS = 3.0
log = logging.getLogger("hearth")


class Schedule:
    """Background jobs on APScheduler, which is imported only after the port is open."""

    def __init__(self, parts: App, ring: KeyRing) -> None:
        self._parts = parts
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None
        self._scheduler: AsyncIOScheduler | None = None

    def start(self) -> None:
        """Begin ticking a moment from now."""
        self._timer = asyncio.get_running_loop().call_later(FIRST_TICK_SECONDS, self._begin)

    def stop(self) -> None:
        """Tick no more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)

    async def sweep(self) -> None:
        """Delete for good what has been in the trash for its time, uploads cut off, surplus
        snapshots, old replies and runs of the heartbeat.

        Close forgotten calls.
        """
        await self._parts.call(OPERATOR, "purge_expired_trash", {})
        await self._parts.call(OPERATOR, "purge_stale_attachments", {})
        await self._parts.call(OPERATOR, "prune_snapshots", {})
        await self._parts.call(OPERATOR, "sweep_sessions", {})
        await self._parts.call(OPERATOR, "prune_heartbeat_runs", {})
        await self._parts.write(idempotency.sweep)
        await self._parts.write(token_reservations.settle_forgotten)

    async def check(self) -> None:
        """Look through the whole database at night, or when that has not been done for long."""
        last = self._parts.store.health.check
        if integrity.is_due(last, self._parts.clock()):
            await self._parts.store.examine("full")

    async def expire(self) -> None:
        """End what waits for a person and whose time is over."""
        await self._parts.call(OPERATOR, "expire_escalations", {})

    async def refresh(self) -> None:
        """Read again the calendars whose time has come."""
        await self._parts.call(OPERATOR, "refresh_calendars", {})

    async def beat(self) -> None:
        """Carry out the heartbeats' runs that are due."""
        await self._parts.call(OPERATOR, "run_due_heartbeats", {})

    async def answer(self) -> None:
        """Answer the messages that waited for an agent which can answer now."""
        await self._parts.call(OPERATOR, "answer_waiting_messages", {})

    async def look_after(self) -> None:
        """Make and prove the backups that are due."""
        await self._parts.call(OPERATOR, "look_after_backups", {})

    def _begin(self) -> None:
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._scheduler = AsyncIOScheduler(timezone="UTC")
        devices, sessions = self._parts.part(Devices), self._parts.part(Sessions)
        minutely = (
            self._ring.flush,
            devices.flush_seen,
            sessions.flush_renewed,
            self.expire,
            self.refresh,
            self.answer,
            self.look_after,
        )
        for seconds, job in (
            *((60, job) for job in minutely),
            (30, self.beat),
            (3600, self.sweep),
            (3600, self.check),
        ):
            self._scheduler.add_job(
                self._guarded(job),
                "interval",
                seconds=seconds,
                coalesce=True,
                max_instances=1,
                misfire_grace_time=None,
                id=job.__name__,
            )
        self._scheduler.start()

    def _guarded(self, job: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            if self._parts.store.health.state != "writable":
                return  # the log has said why
            try:
                await job()
            except StorageFull:
                return  # the same
            except Exception:
                log.exception("the background job %s failed", getattr(job, "__name__", job))

        return run
