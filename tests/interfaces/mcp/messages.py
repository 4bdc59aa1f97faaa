"""MCP's messages as they are posted, in the revision with a handshake and in the one without."""

import json
from typing import Any

import httpx2 as httpx
from mcp.shared.inbound import encode_header_value

from tests.conftest import Client

MODERN, LEGACY = "2026-07-28", "2025-11-25"
PREFIX = "io.modelcontextprotocol/"
BOTH = {"Accept": "application/json, text/event-stream"}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def message(method: str, params: dict[str, Any] | None = None, *, id_: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}


def modern(
    method: str,
    params: dict[str, Any] | None = None,
    *,
    id_: Any = 1,
    can: dict[str, Any] | None = None,
    meta: dict[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Give a request of the revision without a handshake, and the headers it needs."""
    envelope = {
        f"{PREFIX}protocolVersion": MODERN,
        f"{PREFIX}clientInfo": {"name": "test", "version": "1"},
        f"{PREFIX}clientCapabilities": can or {},
        **(meta or {}),
    }
    headers = {**BOTH, "MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if method in NAMED and params:
        headers["Mcp-Name"] = encode_header_value(str(params[NAMED[method]]))
    return message(method, {**(params or {}), "_meta": envelope}, id_=id_), headers


async def post(
    client: Client, body: Any, headers: dict[str, str] | None = None, path: str = "/mcp"
) -> httpx.Response:
    """Post a message as it is."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    usual = {"Content-Type": "application/json", **BOTH}
    return await client.post(path, content=content, headers={**usual, **(headers or {})})


async def ask(
    client: Client, method: str, params: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Give the result of a request that must be answered with one."""
    body, headers = modern(method, params, **more)
    answer = await post(client, body, headers)
    found = answer.json()
    assert "result" in found, found
    result = found["result"]
    assert isinstance(result, dict)
    return result


async def refused(
    client: Client, method: str, params: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Give the error of a request that must be answered with one."""
    body, headers = modern(method, params, **more)
    found = (await post(client, body, headers)).json()
    assert "error" in found, found
    error = found["error"]
    assert isinstance(error, dict)
    return error


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Give the result of a call of a tool."""
    return await ask(client, "tools/call", {"name": tool, "arguments": arguments})
