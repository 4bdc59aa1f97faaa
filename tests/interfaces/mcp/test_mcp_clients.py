"""Hearth as MCP's own client reaches it: over a port, and as a program of its own."""

import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import httpx2 as httpx
import mcp_types as types
import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged

from app.interfaces.mcp import tools
from app.interfaces.mcp.asked import Context
from app.interfaces.mcp.hearth_endpoint import HearthEndpoint
from tests.conftest import Client, Served
from tests.interfaces.mcp.messages import BOTH, LEGACY, message, modern
from tests.support import ready_programs
from tests.support.serving import ROOT, refused, serving

pytestmark = pytest.mark.anyio
Mode = Literal["auto", "legacy"]
SECONDS = 30
LONGEST_LINE = 1 << 20


@contextlib.asynccontextmanager
async def connected(origin: str, key: str, mode: Mode = "auto") -> AsyncIterator[McpClient]:
    """Give MCP's own client of the server."""
    async with (
        httpx.AsyncClient(
            verify=False, headers={"Authorization": f"Bearer {key}"}, timeout=SECONDS
        ) as http,
        McpClient(streamable_http_client(f"{origin}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@contextlib.asynccontextmanager
async def program(data: Path, *more: str, mode: Mode = "auto") -> AsyncIterator[McpClient]:
    """Give MCP's own client of `hearth mcp`."""
    first, *others = ready_programs.command()
    given = StdioServerParameters(
        command=first,
        args=[*others, "mcp", "--data", str(data), *more],
        cwd=str(ROOT),
        env={**os.environ},
    )
    async with asyncio.timeout(60), McpClient(stdio_client(given), mode=mode) as client:
        yield client


async def first_note(client: McpClient, title: str = "Tea") -> int:
    made = await client.call_tool("create_note", {"title": title, "content": "green"})
    return int(made.structured_content["note"]["id"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_client_lists_calls_and_reads(
    served: Served, alice: Client, origin: str, mode: Mode
) -> None:
    async with connected(origin, await served.key("alice"), mode) as client:
        assert (client.protocol_version == LEGACY) is (mode == "legacy")
        assert len((await client.list_tools()).tools) > 25
        note = await first_note(client)
        read = await client.read_resource(f"hearth://notes/{note}")
        assert read.contents[0].text == "green"  # type: ignore[union-attr]
        assert (await client.get_prompt("briefing")).messages
        with pytest.raises(MCPError, match="no such note"):
            await client.read_resource("hearth://notes/999")


async def test_a_subscription_tells_what_changes_and_nothing_of_others(
    served: Served, alice: Client, bob: Client, origin: str
) -> None:
    theirs = await bob.note("Bob's")
    async with connected(origin, await served.key("alice")) as client:
        note, folder = await first_note(client), await alice.folder("Garden")
        uris = [f"hearth://notes/{note}", f"hearth://folders/{folder}"]
        foreign = f"hearth://notes/{theirs['id']}"
        async with client.listen(
            resource_subscriptions=[*uris, foreign],
            resources_list_changed=True,
            tools_list_changed=True,
        ) as heard:
            assert sorted(heard.honored.resource_subscriptions or ()) == sorted(uris)

            async def next_() -> Any:
                async with asyncio.timeout(5):
                    return await anext(aiter(heard))

            await bob.ok("PATCH", f"/os/notes/{theirs['id']}", json={"content": "new"})
            await alice.ok("PATCH", f"/os/notes/{note}", json={"content": "black"})
            assert await next_() == ResourceUpdated(uri=uris[0])
            await alice.note("Beans", folderId=folder)
            assert {await next_(), await next_()} == {
                ResourceUpdated(uri=uris[1]),
                ResourcesListChanged(),
            }
            await alice.ok("DELETE", f"/os/notes/{note}")
            assert {await next_(), await next_()} == {
                ResourceUpdated(uri=uris[0]),
                ResourcesListChanged(),
            }


async def test_a_switched_namespace_is_told(served: Served, alice: Client, origin: str) -> None:
    key = await served.key("alice")
    async with (
        connected(origin, key) as client,
        served.client(key) as same,
        client.listen(tools_list_changed=True) as heard,
    ):
        await same.ok("PUT", "/tools/namespaces", json={"disable": ["todos"]})
        async with asyncio.timeout(5):
            assert await anext(aiter(heard)) == ToolsListChanged()


async def test_a_subscription_ends_with_its_key(served: Served, alice: Client, origin: str) -> None:
    made = await served.command("issue_key", username="alice", name="short")
    async with connected(origin, made.secret) as client:
        note = await first_note(client)
        async with client.listen(resource_subscriptions=[f"hearth://notes/{note}"]) as heard:
            await served.command("end_key", id=made.key.id)
            await alice.ok("PATCH", f"/os/notes/{note}", json={"content": "later"})
            async with asyncio.timeout(5):
                assert [event async for event in heard] == []


class Slow:
    """A tool that goes on until it is cancelled."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancelled = 0

    async def list(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool(name="slow", input_schema={"type": "object"})]
        )

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            async with tools._reported(ctx):
                self.begun.set()
                await asyncio.sleep(float((params.arguments or {}).get("seconds", SECONDS)))
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return types.CallToolResult(content=[types.TextContent(text="done")])


@pytest.fixture
def slow(served: Served) -> Slow:
    found = Slow()
    server: Server[Any] = Server(
        "slow",
        on_list_tools=found.list,
        on_call_tool=found.call,
        get_tool_input_schema=lambda _: None,
    )
    front = served.asgi.front
    front.mcp = HearthEndpoint(served.parts, front.credentials, server)
    return found


async def test_progress_is_told_to_who_asks_for_it(
    served: Served, alice: Client, origin: str, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "PROGRESS_SECONDS", 0.1)
    told: list[float] = []

    async def on_progress(progress: float, total: float | None, said: str | None) -> None:
        told.append(progress)

    for mode in ("auto", "legacy"):
        async with connected(origin, await served.key("alice"), mode) as client:  # type: ignore[arg-type]
            told.clear()
            result = await client.call_tool("slow", {"seconds": 0.5}, progress_callback=on_progress)
            assert result.content[0].text == "done"  # type: ignore[union-attr]
            assert len(told) >= 2
            assert told == sorted(told)


async def test_a_client_that_leaves_ends_its_call(
    served: Served, alice: Client, origin: str, slow: Slow
) -> None:
    body, headers = modern("tools/call", {"name": "slow", "arguments": {}})
    headers["Authorization"] = f"Bearer {await served.key('alice')}"
    async with httpx.AsyncClient(verify=False) as http:
        asking = asyncio.create_task(http.post(f"{origin}/mcp", json=body, headers=headers))
        async with asyncio.timeout(5):
            await slow.begun.wait()
            asking.cancel()
            while not slow.cancelled:  # noqa: ASYNC110 - it counts
                await asyncio.sleep(0.01)
    assert slow.cancelled == 1
    assert served.asgi.front.mcp._endpoint._running == {}


async def test_a_call_is_cancelled_by_its_own_session_alone(
    served: Served, alice: Client, bob: Client, origin: str, slow: Slow
) -> None:
    mine, theirs = await served.key("alice"), await served.key("bob")

    def headers(key: str, session: str) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {key}",
            "Mcp-Session-Id": session,
            "MCP-Protocol-Version": LEGACY,
            "Accept": "application/json, text/event-stream",
        }

    stop = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 7, "reason": "enough"},
    }
    async with httpx.AsyncClient(verify=False, timeout=SECONDS) as http:
        call = message("tools/call", {"name": "slow", "arguments": {}}, id_=7)
        asking = asyncio.create_task(
            http.post(f"{origin}/mcp", json=call, headers=headers(mine, "one"))
        )
        async with asyncio.timeout(5):
            await slow.begun.wait()
            for key, session in ((theirs, "one"), (mine, "two")):
                answer = await http.post(f"{origin}/mcp", json=stop, headers=headers(key, session))
                assert answer.status_code == 202
            await asyncio.sleep(0.1)
            assert slow.cancelled == 0
            await http.post(f"{origin}/mcp", json=stop, headers=headers(mine, "one"))
            assert '"result"' not in (await asking).text
    assert slow.cancelled == 1


async def test_a_hundred_clients_at_once(served: Served, alice: Client, origin: str) -> None:
    key = {"Authorization": f"Bearer {await served.key('alice')}"}
    greeting = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(verify=False, headers=key, timeout=SECONDS, limits=limits) as http:

        async def asked(body: Any, headers: dict[str, str]) -> httpx.Response:
            answer = await http.post(f"{origin}/mcp", json=body, headers=headers)
            assert answer.status_code == 200, answer.text
            return answer

        async def work(number: int) -> str:
            made = {"name": "create_note", "arguments": {"title": f"{number}", "content": "green"}}
            if number % 2:
                found = (await asked(*modern("tools/call", made))).json()["result"]
                uri = f"hearth://notes/{found['structuredContent']['note']['id']}"
                answer = await asked(*modern("resources/read", {"uri": uri}))
            else:
                opened = await asked(message("initialize", greeting), BOTH)
                session = {
                    **BOTH,
                    "Mcp-Session-Id": opened.headers["mcp-session-id"],
                    "MCP-Protocol-Version": LEGACY,
                }
                found = (await asked(message("tools/call", made), session)).json()["result"]
                uri = f"hearth://notes/{found['structuredContent']['note']['id']}"
                answer = await asked(message("resources/read", {"uri": uri}), session)
            return str(answer.json()["result"]["contents"][0]["text"])

        async with asyncio.timeout(SECONDS):
            assert await asyncio.gather(*map(work, range(100))) == ["green"] * 100
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 100


async def test_a_call_costs_little_more_than_over_http(
    served: Served, alice: Client, origin: str
) -> None:
    body, headers = modern("tools/call", {"name": "list_folders", "arguments": {}})
    plain = {"tool": "list_folders", "params": {}}
    async with httpx.AsyncClient(
        base_url=origin, headers={"Authorization": f"Bearer {await served.key('alice')}"}
    ) as http:

        async def taken(path: str, sent: Any, more: dict[str, str]) -> float:
            began = time.perf_counter()
            assert (await http.post(path, json=sent, headers=more)).status_code == 200
            return time.perf_counter() - began

        await taken("/mcp", body, headers)
        pairs = [
            (await taken("/mcp", body, headers), await taken("/api/v1/tools", plain, {}))
            for _ in range(60)
        ]
    # a third more here
    assert statistics.median(mcp for mcp, _ in pairs) < 3 * statistics.median(
        rest for _, rest in pairs
    )


def test_the_sdk_is_loaded_when_the_first_client_comes() -> None:
    code = (
        "import sys, app.main, app.commands.mcp.mcp, app.commands.mcp.connect, "
        "app.commands.server.serve\n"
        "assert not {'mcp', 'mcp_types', 'pydantic'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_program_serves_by_the_running_server(tmp_path: Path, mode: Mode) -> None:
    with serving(tmp_path / "data") as server:
        async with program(server.data, mode=mode) as client:
            note = await first_note(client)
            assert server.ask("GET", f"/os/notes/{note}")[1]["note"]["markdown"] == "green"
            if mode == "legacy":
                await _is_told_of_a_change(client, server, note)


async def _is_told_of_a_change(client: McpClient, server: Any, note: int) -> None:
    with pytest.warns(match="subscribe"):
        await client.subscribe_resource(f"hearth://notes/{note}")
    told = asyncio.Event()
    hear = client.session._message_handler

    async def on_message(said: Any) -> None:
        if isinstance(said, types.ResourceUpdatedNotification):
            told.set()
        await hear(said)

    client.session._message_handler = on_message
    assert server.ask("PATCH", f"/os/notes/{note}", {"content": "black"})[0] == 200
    async with asyncio.timeout(5):
        await told.wait()


async def test_the_program_serves_by_itself_and_shares_with_another(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data):
        pass
    async with program(data) as first:
        note = await first_note(first)
        async with program(data) as second:
            read = await second.read_resource(f"hearth://notes/{note}")
            assert read.contents[0].text == "green"  # type: ignore[union-attr]
    with serving(data, key="unused"):
        pass


async def test_a_server_that_is_to_stay_takes_the_place_of_the_programs_own(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with program(data) as client:
        note = await first_note(client)
        with serving(data) as server:
            assert server.ask("GET", f"/os/notes/{note}")[0] == 200
            async with asyncio.timeout(SECONDS):
                while True:
                    with contextlib.suppress(MCPError):
                        read = await client.read_resource(f"hearth://notes/{note}")
                        break
                    await asyncio.sleep(0.1)
            assert read.contents[0].text == "green"  # type: ignore[union-attr]
            assert "in use" in refused(data, "serve", "--port", "0")


async def test_a_key_narrows_what_the_program_may_do(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        made = server.ask("POST", "/account/keys", {"name": "Reader", "scopes": ["os.notes:read"]})[
            1
        ]
        number = made["key"]["id"]
        async with program(server.data, "--key", str(number)) as client:
            assert "create_note" not in {one.name for one in (await client.list_tools()).tools}
            assert (await client.call_tool("create_note", {"title": "x", "content": ""})).is_error
        assert server.ask("DELETE", f"/account/keys/{number}")[0] == 200
        assert "revoked" in refused(server.data, "mcp", "--key", str(number))
        assert "no key 999" in refused(server.data, "mcp", "--key", "999")


async def test_the_next_server_takes_over_from_one_that_ended(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as server:
        key = server.key
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "app", "mcp", "--data", str(data)),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        talk = Talk(process)
        greeting = {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        assert (await talk.ask("initialize", greeting))["result"]["serverInfo"]["name"] == "hearth"
        await talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert "result" in await talk.ask("tools/list")
        server.kill()
    with serving(data, key=key):
        assert "result" in await talk.ask("tools/list")
        for line in (b"nonsense\n", b"[]\n", b'{"jsonrpc": "2.0"}\n'):
            await talk.write(line)
            assert (await talk.read())["error"]["code"] == -32600
        process.stdin.close()  # type: ignore[union-attr]
        assert await asyncio.wait_for(process.wait(), SECONDS) == 0


class Talk:
    """A conversation over a program's standard input and output."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._number = 0

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask until an answer comes that is none of a server which has ended."""
        for _ in range(20):
            self._number += 1
            await self.say(message(method, params, id_=self._number))
            answer = await self.read()
            assert answer["id"] == self._number
            if "ended before" not in json.dumps(answer):
                return answer
            await asyncio.sleep(0.2)
        raise AssertionError("no server answers")

    async def say(self, said: dict[str, Any]) -> None:
        await self.write(json.dumps(said).encode() + b"\n")

    async def write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        await self._process.stdin.drain()

    async def read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), SECONDS)
        found = json.loads(line)
        assert isinstance(found, dict)
        return found


def test_the_program_refuses_in_words_where_it_serves_by_itself(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data):
        pass
    assert "no key 999" in refused(data, "mcp", "--key", "999")
    assert "nobody" in refused(data, "mcp", "--user", "nobody")
