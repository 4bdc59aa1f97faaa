"""The running server as MCP's own clients reach it."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

import pytest
import uvicorn

from app.interfaces.wire.http_connection import Connection
from app.interfaces.wire.open_connections import OpenConnections
from tests.conftest import Served

ASGI = Callable[[Any, Any, Any], Awaitable[None]]


def with_key(app: ASGI, key: str) -> ASGI:
    """Give the application for clients that know no credential: each request is given one."""

    async def wrapped(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        sent = [*scope["headers"], (b"authorization", b"Bearer " + key.encode())]
        await app({**scope, "headers": sent}, receive, send)

    return wrapped


@contextlib.asynccontextmanager
async def listening(app: ASGI) -> AsyncIterator[str]:
    """Serve on a port while the block runs, and give its origin."""
    made: Any = functools.partial(Connection, crowd=OpenConnections(400))
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, http=made, ws="none", lifespan="off", log_config=None)
    )
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    serving = asyncio.ensure_future(server.serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        await serving


@pytest.fixture(scope="module")
async def shared_key(shared: Served) -> str:
    """The key of somebody on the shared server."""
    await shared.command("add_user", username="walter")
    await shared.command("init_user", username="walter")
    return await shared.key("walter")


@pytest.fixture(scope="module")
async def shared_origin(shared: Served, shared_key: str) -> AsyncIterator[str]:
    """The shared server for clients that know no credential."""
    async with listening(with_key(shared.asgi, shared_key)) as origin:
        yield origin


@pytest.fixture
async def origin(served: Served) -> AsyncIterator[str]:
    """A server of this test alone, on a port."""
    async with listening(served.asgi) as found:
        yield found
