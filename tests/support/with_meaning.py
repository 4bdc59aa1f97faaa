"""Servers that have an embedder, and waiting for what they do in the background."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from app.main import create_app
from app.settings import Settings
from app.workspace.search.vectors import vector_maker
from app.workspace.search.vectors.vector_maker import VectorMaker
from tests.conftest import MovableClock, Served
from tests.support.fake_embedder import FakeEmbedder

Start = Callable[..., Any]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_maker, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(vector_maker, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(vector_maker, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(vector_maker, "LONGEST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(vector_maker, "FIRST_WAIT_SECONDS", 0.01)


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def start(data: Path, settings: Settings, clock: MovableClock) -> Start:
    """Start a server over the test's database with an embedder, as often as wanted."""

    @contextlib.asynccontextmanager
    async def started(
        embedder: FakeEmbedder, former: dict[str, FakeEmbedder] | None = None
    ) -> AsyncIterator[Served]:
        asgi = create_app(settings, data, clock=clock, embedder=embedder)
        asgi.state.parts.part(VectorMaker)._former = (former or {}).get
        async with asgi.router.lifespan_context(asgi):
            yield Served(asgi, asgi.state.parts)

    return started


@pytest.fixture
async def served(start: Start, embedder: FakeEmbedder) -> AsyncIterator[Served]:
    async with start(embedder) as server:
        yield server


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what is waited for is of many kinds
            await asyncio.sleep(0.002)


async def settled(served: Served) -> None:
    """Wait until every note has its vectors."""
    await until(lambda: served.parts.part(VectorMaker).state[0] == "ready")
