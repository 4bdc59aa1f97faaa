"""What open connections are told when tools change, and that they end with their user."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from mcp.client import Client as McpClient
from mcp.shared.subscriptions import ToolsListChanged

from app.interfaces.mcp import byte_stream, tools
from app.tools.mcp.connections import McpConnections
from app.tools.mcp.logins import McpLogins
from tests.conftest import Client, Served
from tests.interfaces.mcp.messages import LEGACY, message, modern
from tests.interfaces.mcp.test_mcp_clients import connected
from tests.support.mcp_server import Listening, listening
from tests.tools.mcp.conftest import add, add_program, use

pytestmark = pytest.mark.anyio


@pytest.fixture
async def remote() -> AsyncIterator[Listening]:
    async with listening() as made:
        yield made


class Line:
    """A client of a handshake revision on a pair of byte streams."""

    def __init__(self) -> None:
        self._said: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def lines(self) -> AsyncIterator[bytes]:
        while (line := await self._said.get()) is not None:
            yield line

    async def send(self, line: bytes) -> None:
        await self.heard.put(json.loads(line))

    def say(self, said: dict[str, Any]) -> None:
        self._said.put_nowait(json.dumps(said).encode())

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.say(message(method, params))
        return await self.hear()

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(5):
            return await self.heard.get()


@contextlib.asynccontextmanager
async def line_of(served: Served, username: str) -> AsyncIterator[tuple[Line, asyncio.Task[None]]]:
    """Give a client that has greeted the server, and the task that serves it."""
    key, made = await served.key(username), Line()
    ring = served.asgi.front.credentials.ring
    serving = asyncio.create_task(
        byte_stream.serve(served.parts, lambda: ring.find_caller(key), made.lines(), made.send)
    )
    hello = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    greeted = await made.ask("initialize", hello)
    assert greeted["result"]["capabilities"]["tools"]["listChanged"] is True
    made.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    try:
        yield made, serving
    finally:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving


async def test_changed_tools_are_told(
    served: Served, alice: Client, bob: Client, origin: str, remote: Listening
) -> None:
    async with (
        connected(origin, await served.key("alice")) as client,
        client.listen(tools_list_changed=True) as heard,
    ):

        async def is_told() -> None:
            async with asyncio.timeout(10):
                assert await anext(aiter(heard)) == ToolsListChanged()

        added = await add(alice, remote.url)
        await is_told()
        assert "plain__echo" in await names(client)
        remote.server.remove_tool("echo")
        await alice.ok("POST", f"/tools/mcp/{added['id']}/refresh")
        await is_told()
        assert "plain__echo" not in await names(client)
        await served.command("trust_mcp_server", username="alice", name="Plain", trusted=True)
        await is_told()
        await alice.ok("POST", f"/tools/mcp/{added['id']}/disconnect")
        await is_told()
        await alice.ok("POST", f"/tools/mcp/{added['id']}/refresh")
        await is_told()
        await alice.ok("DELETE", f"/tools/mcp/{added['id']}")
        await is_told()
        await add(bob, remote.url)
        await bob.ok("PUT", "/tools/namespaces", json={"disable": ["todos"]})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.6):
                await anext(aiter(heard))


async def names(client: McpClient) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def test_a_client_of_a_handshake_revision_is_told_of_what_it_has_listed(
    served: Served, alice: Client, remote: Listening
) -> None:
    async with line_of(served, "alice") as (line, _):
        added = await add(alice, remote.url, "Before")
        await alice.note("Before")
        assert (await line.ask("tools/list"))["result"]["tools"]
        await alice.note("Not listed yet")
        await alice.ok("DELETE", f"/tools/mcp/{added['id']}")
        assert (await line.hear())["method"] == "notifications/tools/list_changed"
        await line.ask("resources/list")
        await alice.note("Another")
        assert (await line.hear())["method"] == "notifications/resources/list_changed"
        assert line.heard.empty()


async def test_what_clients_of_a_removed_user_have_open_ends(
    served: Served, alice: Client, bob: Client, origin: str, remote: Listening
) -> None:
    await add(alice, remote.url)
    key = await served.key("alice")
    body, headers = modern("tools/call", {"name": "plain__hang", "arguments": {}})
    async with (
        line_of(served, "alice") as (_, serving),
        line_of(served, "bob") as (_, others),
        connected(origin, key) as client,
        client.listen(tools_list_changed=True) as heard,
        httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http,
    ):
        call = asyncio.create_task(http.post(f"{origin}/mcp", json=body, headers=headers))
        async with asyncio.timeout(10):
            await until(lambda: len(served.asgi.front.mcp._endpoint._running) == 2)
            await until(lambda: remote.asked[-1].startswith("POST"))
            await served.command("delete_user", username="alice")
            await asyncio.wait_for(serving, 2)
            assert [event async for event in heard if event != ToolsListChanged()] == []
            assert "result" not in (await call).text
        assert not others.done()


async def test_connections_to_servers_of_a_removed_user_end(
    served: Served, alice: Client, bob: Client, remote: Listening
) -> None:
    await add(bob, remote.url)
    await add_program(served)
    pid = int((await use(alice, "plain__fork"))["content"][0]["text"])
    async with listening(oauth=True) as guarded:
        wants = await add(alice, guarded.url, "Guarded")
        await alice.ok("POST", f"/tools/mcp/{wants['id']}/authorize")
    connections, logins = served.parts.part(McpConnections), served.parts.part(McpLogins)
    assert (len(connections.servers()), len(logins.servers())) == (3, 1)
    await served.command("delete_user", username="alice")
    await until(lambda: len(connections.servers()) == 1 and not logins.servers())
    await until(lambda: not is_alive(pid))
    assert (await use(bob, "plain__echo", text="x"))["content"][0]["text"] == "x"


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_the_progress_of_a_remote_tool_is_passed_on(
    served: Served, alice: Client, origin: str, remote: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "PROGRESS_PAUSE", 0.0)
    await add(alice, remote.url)
    told: list[tuple[float, float | None]] = []

    async def on_progress(done: float, whole: float | None, said: str | None) -> None:
        told.append((done, whole))

    for mode in ("auto", "legacy"):
        async with connected(origin, await served.key("alice"), mode) as client:  # type: ignore[arg-type]
            told.clear()
            await client.call_tool("plain__slow", {"steps": 4}, progress_callback=on_progress)
            assert told == [(1.0, 4.0), (2.0, 4.0), (3.0, 4.0)]
            told.clear()
            await client.call_tool("plain__slow", {"steps": 2})
            assert told == []
