"""The running server as MCP's own clients reach it."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

import pytest

from tests.conftest import Served
from tests.support.listening import listening

ASGI = Callable[[Any, Any, Any], Awaitable[None]]


def with_key(app: ASGI, key: str) -> ASGI:
    """Give the application for clients that know no credential: each request is given one."""

    async def wrapped(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        sent = [*scope["headers"], (b"authorization", b"Bearer " + key.encode())]
        await app({**scope, "headers": sent}, receive, send)

    return wrapped


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
