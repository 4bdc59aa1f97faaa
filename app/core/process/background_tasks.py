"""Work that goes on whether or not whoever asked for it still waits."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from app.errors import AppError

R = TypeVar("R")


class Tasks:
    """Running tasks, each held until it is done.

    The server waits a moment for them when it ends.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self.is_closing = False

    def start(self, work: Coroutine[Any, Any, R]) -> "asyncio.Task[R]":
        """Start `work` at once and give its task; nothing but the end of the server cancels it."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._forget)
        return task

    async def close(self, seconds: float) -> None:
        """Wait so long for what runs, then cancel the rest and wait for its end.

        Whoever is cancelled meanwhile waits no longer for what runs, but for its end.
        """
        self.is_closing = True
        try:
            if self._running:
                await asyncio.wait(self._running, timeout=seconds)
        finally:
            # waited for as well, so that none still uses the store when that closes
            if rest := list(self._running):
                for task in rest:
                    task.cancel()
                await completed(asyncio.wait(rest))

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        report_failure(task)


class FewAtOnce:
    """Work of many, each by its number, a few at once; nobody waits for it.

    One that takes long takes one place, and all others go on.
    """

    def __init__(self, tasks: Tasks, most: int) -> None:
        self._tasks = tasks
        self._places = asyncio.Semaphore(most)
        self._begun: set[int] = set()

    def start(self, number: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do work as soon as there is a place, unless the last of that number has not ended."""
        if number not in self._begun:
            self._begun.add(number)
            self._tasks.start(self._do(number, work))

    async def _do(self, number: int, work: Callable[[], Awaitable[None]]) -> None:
        try:
            async with self._places:
                if not self._tasks.is_closing:
                    await work()
        finally:
            self._begun.discard(number)


async def shielded(work: "asyncio.Future[R]") -> R:
    """Wait for work that goes on when whoever waits is cancelled.

    What becomes of it then is told to the log unless it is a refusal.
    """
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        work.add_done_callback(report_failure)
        raise


async def completed(work: Coroutine[Any, Any, R]) -> R:
    """Wait for work to its end, also when whoever waits is cancelled: they are told afterwards."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def report_failure(done: "asyncio.Future[Any]") -> None:
    """Tell the loop of a failure that nobody waits for; a refusal is news for its asker alone."""
    if done.cancelled() or (error := done.exception()) is None:
        return
    if not isinstance(error, AppError) or error.status >= 500:
        done.get_loop().call_exception_handler(
            {"message": "a background task failed", "exception": error}
        )
