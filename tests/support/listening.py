"""A port of this machine behind which an application answers, in the loop of the test."""

import asyncio
import contextlib
import functools
import socket
from collections.abc import AsyncIterator
from typing import Any

import uvicorn

from app.interfaces.wire.http_connection import Connection
from app.interfaces.wire.open_connections import OpenConnections


@contextlib.asynccontextmanager
async def listening(
    asgi: Any, port: int = 0, *, sock: socket.socket | None = None, lifespan: Any = "off"
) -> AsyncIterator[str]:
    """Let a port answer while the block runs, and give its origin."""
    http: Any = functools.partial(Connection, crowd=OpenConnections(400))
    server = uvicorn.Server(
        uvicorn.Config(asgi, port=port, http=http, ws="none", lifespan=lifespan, log_config=None)
    )
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    task = asyncio.ensure_future(server.serve(sockets=None if sock is None else [sock]))
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        await task
        # it leaves those to which it is still answering
        for connection in server.server_state.connections:
            connection.transport.abort()
        await asyncio.sleep(0)
