"""A paired device, and the server that it speaks to."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.commands.bridge import client, deliveries, run_bridge
from app.commands.bridge.deliveries import Runtime
from app.commands.bridge.home import Device, Home
from app.commands.bridge.run_bridge import Bridge
from tests.support.fake_hearth import ENDPOINT, ME, FakeHearth


@pytest.fixture
def hearth(monkeypatch: pytest.MonkeyPatch) -> FakeHearth:
    """A server, with all waiting made short."""
    server = FakeHearth()
    monkeypatch.setattr(client.Client, "transport", server)
    monkeypatch.setattr(client, "LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(client, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(deliveries, "ASK_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(run_bridge, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(run_bridge, "DRAIN_SECONDS", 2.0)
    return server


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The folder of a paired device."""
    found = Home(tmp_path / "bridge")
    found.save(
        Device(
            "http://hearth",
            "laptop-1",
            "laptop",
            token="token-1",
            endpoint_id=ENDPOINT,
            user_id=ME,
            username="bob",
        )
    )
    return found


@contextlib.asynccontextmanager
async def at_work(
    home: Home, runtime: Runtime | None, said: list[str] | None = None
) -> AsyncIterator[Bridge]:
    """Run a bridge while the block runs, and end it in order."""
    bridge = Bridge(home, runtime, "/tmp", (said if said is not None else []).append)
    running = asyncio.create_task(bridge.run())
    try:
        yield bridge
        bridge.stop()
        await running
    finally:
        running.cancel()
        await asyncio.wait([running])


async def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - what is waited for knows nothing of it
            await asyncio.sleep(0.002)
