"""The database opened by a command itself, and how it ends when that is interrupted."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from app.commands.ask.data_directory import own_when_free
from app.commands.ask.open_here import open_here
from app.core.database.store import Store
from app.core.database.upkeep import Upkeep
from app.core.process.background_tasks import Tasks
from app.settings import Settings
from app.tools.mcp.connections import McpConnections
from tests.support.command_line import done


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt, which is ignored in what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    done("init", "--user", "ann", data=tmp_path)
    return Settings(data=tmp_path, durability="normal")


def interrupting(real: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """Let Ctrl-C come as something begins."""

    async def interrupted(*args: object) -> object:
        signal.raise_signal(signal.SIGINT)
        return await real(*args)

    return interrupted


def is_left_in_order(data: Path) -> bool:
    """Say whether nothing is left of a command that was interrupted."""
    threads = [one for one in threading.enumerate() if "_connection_worker" in one.name]
    for thread in threads:
        thread.join(5)
    with own_when_free(data) as ownership:
        return not (
            ownership.unclean
            or any(thread.is_alive() for thread in threads)
            or list(data.glob("*-wal"))
        )


@pytest.mark.parametrize(
    ("part", "step"),
    [
        (Store, "open"),
        (Upkeep, "make_room"),
        (Tasks, "close"),
        (McpConnections, "close"),
        (Store, "close"),
        (Upkeep, "finish"),
        (Upkeep, "fold_at_last"),
    ],
)
def test_an_interrupt_leaves_the_database_in_order(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, part: type, step: str
) -> None:
    monkeypatch.setattr(part, step, interrupting(getattr(part, step)))
    with pytest.raises(KeyboardInterrupt), open_here(settings, tmp_path, anew=False) as here:
        here.ask(None, "list_users", {})
    assert is_left_in_order(tmp_path)


def test_who_does_not_wait_for_a_turn_ends_it_before_the_database_closes(
    tmp_path: Path, settings: Settings
) -> None:
    leaving, ended = asyncio.Event(), []

    async def work() -> None:
        try:
            await leaving.wait()
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            ended.append(here._parts.quick(lambda tx: tx.value("SELECT 1")))

    async def begin() -> None:
        here._parts.tasks.start(work())

    with contextlib.ExitStack() as stack:
        here = stack.enter_context(open_here(settings, tmp_path, anew=False))
        here._runner.run(begin())
        leaving.set()
        with pytest.raises(KeyboardInterrupt):
            stack.close()
    assert ended == [1]
    assert is_left_in_order(tmp_path)
