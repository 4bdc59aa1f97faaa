"""The official MCP conformance suite's scenarios for authorization servers."""

import asyncio
import contextlib
import os
import re
import socket

import httpx2 as httpx
import pytest

from tests.conftest import Served
from tests.support.listening import listening
from tests.support.oauth import going_to, hidden, register, ticked
from wire import places

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(places.mcp_conformance() is None, reason="npm has not fetched the suite"),
]
SCENARIOS = {"authorization-server-metadata-endpoint", "authorization-code-grant"}


async def says_yes(served: Served, origin: str, address: str) -> str:
    """Allow what is asked at an address, and give where the answer goes."""
    made = await served.command("make_sign_in_code", username="alice")
    own = {"Origin": origin}
    async with httpx.AsyncClient(base_url=origin, follow_redirects=True) as browser:
        await browser.post("/api/auth/sign-in", json={"code": made.code}, headers=own)
        page = (await browser.get(address)).text
        fields = hidden(page) | {"decision": "approve"}
        form = {**fields, "scope": ticked(page)}
        return going_to((await browser.post("/auth/consent", data=form, headers=own)).text)


async def test_every_scenario_passes(served: Served) -> None:
    await served.command("add_user", username="alice")
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    app = await register(served, redirect_uris=[f"http://127.0.0.1:{port}/callback"])
    async with listening(served.asgi) as origin:
        process = await asyncio.create_subprocess_exec(
            *(places.mcp_conformance() or []),
            *("authorization", "--url", origin, "--resource", f"{origin}/mcp"),
            *("--client-id", app.client_id, "--port", str(port)),
            env={**os.environ, "NO_COLOR": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said = ""
        try:
            async with asyncio.timeout(60):
                while line := (await process.stdout.readline()).decode():  # type: ignore[union-attr]
                    said += line
                    if line.startswith(f"{origin}/api/auth/oauth2/authorize?"):
                        back = await says_yes(served, origin, line.strip())
                        async with httpx.AsyncClient() as browser:
                            await browser.get(back)
                await process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    lines = re.findall(r"^(✓|✗) ([\w-]+): (\d+) passed, 0 failed(?!, \d)", said, re.MULTILINE)
    assert {name for mark, name, _ in lines if mark == "✓"} == SCENARIOS, said
    assert process.returncode == 0
