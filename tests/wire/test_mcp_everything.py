"""MCP's own server that tries everything, as a program and over HTTP."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.conftest import Client, Served
from tests.tools.mcp.conftest import add, use
from wire import places

COMMAND = places.mcp_everything() or []
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not COMMAND, reason="needs MCP's server-everything"),
]


@pytest.fixture
async def over_http() -> AsyncIterator[str]:
    """The address of the server over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "streamableHttp",
        env={**os.environ, "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            await asyncio.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


async def try_out(alice: Client, names: list[str]) -> None:
    """Call what a server without a model and a person can do."""
    assert {"everything__echo", "everything__get-sum"} <= set(names), names
    echoed = await use(alice, "everything__echo", message="hello")
    assert "hello" in echoed["content"][0]["text"]
    summed = await use(alice, "everything__get-sum", a=2, b=3)
    assert "5" in summed["content"][0]["text"]
    structured = await use(alice, "everything__get-structured-content", location="New York")
    assert structured["structuredContent"]["temperature"]
    image = await use(alice, "everything__get-tiny-image")
    assert {part["type"] for part in image["content"]} == {"text", "image"}
    slow = await use(alice, "everything__trigger-long-running-operation", duration=1, steps=4)
    assert "completed" in slow["content"][0]["text"]
    told = await alice.post("/tools", json={"tool": "everything__echo", "params": {"message": 5}})
    assert told.status_code == 422


async def test_as_a_program(alice: Client, served: Served) -> None:
    found = await served.command(
        "set_up_mcp_server",
        username="alice",
        name="Everything",
        config={"command": COMMAND[0], "args": COMMAND[1:]},
    )
    assert found.server.status == "connected", found.server.last_error
    await try_out(alice, [tool.name for tool in found.tools])


async def test_over_http(alice: Client, over_http: str) -> None:
    added: Any = await add(alice, over_http, "Everything")
    assert added["status"] == "connected", added["lastError"]
    await try_out(alice, [tool["name"] for tool in added["tools"]])
    refreshed = await alice.ok("POST", f"/tools/mcp/{added['id']}/refresh")
    assert refreshed["server"]["lastError"] is None
