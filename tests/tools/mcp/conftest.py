"""Servers of MCP for the tests, and how they are added."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.tools.mcp import connection
from tests.conftest import Client, Served
from tests.support.mcp_server import Listening, listening

ROOT = Path(__file__).parents[3]


@pytest.fixture
async def server() -> AsyncIterator[Listening]:
    async with listening() as made:
        yield made


@pytest.fixture
async def guarded() -> AsyncIterator[Listening]:
    """A server behind OAuth."""
    async with listening(oauth=True) as made:
        yield made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no server for long."""
    monkeypatch.setattr(connection, "CALL_SECONDS", 1.5)
    monkeypatch.setattr(connection, "LIST_SECONDS", 1.5)


async def add(client: Client, url: str, name: str = "Plain", **more: Any) -> Any:
    """Add a server over the API and give it."""
    body = {"name": name, "serverUrl": url, **more}
    return (await client.ok("POST", "/tools/mcp", status=201, json=body))["server"]


GENUINE = ("-m", "tests.support.mcp_server")
"""How the program is started that the official SDK makes; loading it takes half a second."""


async def add_program(served: Served, name: str = "Plain", *args: str, **env: str) -> Any:
    """Add the program on the command line for alice and give what is told."""
    return await served.command(
        "set_up_mcp_server",
        username="alice",
        name=name,
        config={
            "command": sys.executable,
            "args": list(args) or ["-m", "tests.support.mcp_program"],
            "env": {"PYTHONPATH": str(ROOT), **env},
        },
    )


async def use(client: Client, tool: str, **params: Any) -> Any:
    """Call a tool and give its result."""
    body = {"tool": tool, "params": params}
    return (await client.ok("POST", "/tools", json=body))["result"]
