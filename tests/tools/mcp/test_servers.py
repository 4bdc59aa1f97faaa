"""MCP servers over HTTP: adding, calling, changing and leaving them."""

import pytest

from tests.conftest import Client, Served
from tests.support.mcp_server import Listening
from tests.tools.mcp.conftest import GENUINE, add, add_program, use

pytestmark = pytest.mark.anyio


async def test_a_server_is_added_listed_called_and_removed(
    alice: Client, bob: Client, server: Listening
) -> None:
    added = await add(alice, server.url)
    assert (added["status"], added["transport"], added["namespace"]) == (
        "connected",
        "http",
        "plain",
    )
    assert added["lastError"] is None
    assert added["toolCount"] == len(added["tools"])
    assert {"name": "plain__echo", "description": "Say a text again."} in added["tools"]
    listed = (await alice.ok("GET", "/tools/mcp"))["servers"]
    assert listed == [{key: value for key, value in added.items() if key != "tools"}]
    tools = {tool["name"]: tool for tool in (await alice.ok("GET", "/tools"))["tools"]}
    echo = tools["plain__echo"]
    assert (echo["source"], echo["readWrite"], echo["scope"]) == ("mcp", "write", "tools:run")
    assert echo["parameters"]["required"] == ["text"]
    assert await use(alice, "plain__echo", text="hello") == {
        "content": [{"type": "text", "text": "hello"}],
        "structuredContent": {"result": "hello"},
    }
    assert (await bob.ok("GET", "/tools/mcp"))["servers"] == []
    await bob.refused("GET", f"/tools/mcp/{added['id']}", 404, "not_found")
    await bob.refused("DELETE", f"/tools/mcp/{added['id']}", 404, "not_found")
    body = {"tool": "plain__echo", "params": {"text": "x"}}
    await bob.refused("POST", "/tools", 404, "not_found", json=body)
    await alice.ok("DELETE", f"/tools/mcp/{added['id']}")
    await alice.refused("GET", f"/tools/mcp/{added['id']}", 404, "not_found")
    await alice.refused("POST", "/tools", 404, "not_found", json=body)


async def test_what_a_tool_refuses_is_told_harmless(alice: Client, server: Listening) -> None:
    await add(alice, server.url)
    for tool, params, said in (
        ("fail", {}, "it is broken today"),
        ("failed", {}, "no such thing"),
        ("add", {"a": "one", "b": 2}, "a"),
        ("echo", {}, "needs the parameter text"),
    ):
        body = await alice.refused(
            "POST",
            "/tools",
            422,
            "unprocessable",
            json={"tool": f"plain__{tool}", "params": params},
        )
        assert said in body["message"], body
        assert "\x1b" not in body["message"]
        assert "\u202e" not in body["message"]


async def test_a_program_is_a_server_too(alice: Client, served: Served) -> None:
    added = await add_program(served, "Plain", *GENUINE, TOKEN="very-secret-token")
    assert added.server.status == "connected", added.server.last_error
    assert added.server.config["env"] == {"PYTHONPATH": "********", "TOKEN": "********"}
    assert await use(alice, "plain__add", a=1, b=2) == {
        "content": [{"type": "text", "text": "3"}],
        "structuredContent": {"result": 3},
    }


async def test_a_change_that_is_refused_has_changed_nothing(
    alice: Client, server: Listening
) -> None:
    added = await add(alice, server.url)
    await add(alice, server.url, "Taken")
    path = f"/tools/mcp/{added['id']}"
    for change, status, code in (
        ({"name": "after", "serverUrl": "ftp://x"}, 400, "invalid_request"),
        ({"name": "after", "config": {"args": ["-v"]}}, 400, "invalid_request"),
        ({"name": "Taken", "config": {"headers": {"X-More": "y"}}}, 409, "already_exists"),
    ):
        await alice.refused("PATCH", path, status, code, json=change)
        assert (await alice.ok("GET", path))["server"] == added
    changed = {"name": "after", "config": {"headers": {"X-More": "y"}}}
    now = (await alice.ok("PATCH", path, json=changed))["server"]
    assert (now["name"], now["config"]) == ("after", {"headers": {"X-More": "********"}})
