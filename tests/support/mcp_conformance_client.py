"""Hearth's MCP client as the command that the official conformance suite starts.

`command` gives it: a few lines that pass on to this process what the suite tells them, since a
Hearth for each scenario would take a second each. What the suite serves is added as a server,
signed in to as a person would by a browser, and each of its tools is called.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2 as httpx

from tests.conftest import Client, Served
from tests.support.answering import answering

MOST_LOGINS = 3
"""So often a person signs in to one server before they give up."""
PASS_ON = """
import json, os, socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
    told = {"url": sys.argv[2]} | {
        name: os.environ.get("MCP_CONFORMANCE_" + name) for name in ("SCENARIO", "CONTEXT")
    }
    sock.sendall(json.dumps(told).encode() + b"\\n")
    answer = sock.makefile().read()
print(answer)
"""
SAMPLES = {"string": "x", "integer": 2, "number": 2, "boolean": True, "array": [], "object": {}}


class ConformanceClient:
    """What goes through the scenarios, as one user of a Hearth."""

    def __init__(self, served: Served, client: Client) -> None:
        self._served = served
        self._client = client
        self._number = 0
        self.unforeseen: list[str] = []

    @contextlib.asynccontextmanager
    async def command(self, folder: Path) -> AsyncIterator[str]:
        """Give the command while the block runs; its files go to a folder."""
        script = folder / "pass_on.py"
        script.write_text(PASS_ON, "utf-8")
        async with answering(self._serve) as port:
            yield f"{sys.executable} -I -S {script} {port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = json.loads(await reader.readline())
        context = json.loads(told["CONTEXT"] or "{}")
        try:
            said = await self._walk(told["url"], context)
        except Exception as error:  # what the suite then says of the scenario names no reason
            said = f"{told['SCENARIO']}: {error!r}"
            self.unforeseen.append(said)
        writer.write(said.encode())
        await writer.drain()

    async def _walk(self, url: str, context: dict[str, Any]) -> str:
        """Use a server as a person would, and return what happened."""
        self._number += 1
        config = {}
        if "client_id" in context and "client_secret" in context:
            config = {"clientId": context["client_id"], "clientSecret": context["client_secret"]}
        body = {"name": f"Suite {self._number}", "serverUrl": url, "config": config}
        said = await self._client.ok("POST", "/tools/mcp", status=201, json=body)
        happened = [said["server"]["status"]]
        path = f"/tools/mcp/{said['server']['id']}"
        logins = 0
        while (server := (await self._client.ok("GET", path))["server"])[
            "status"
        ] == "needs_reauth" and logins < MOST_LOGINS:
            logins += 1
            happened.append(await self._sign_in(path))
        wanted = {call["name"]: call["arguments"] for call in context.get("toolCalls", ())}
        for tool in server["tools"]:
            remote = tool["name"].partition("__")[2]
            happened.append(await self._use(tool["name"], wanted.get(remote)))
            server = (await self._client.ok("GET", path))["server"]
            if server["status"] == "needs_reauth" and logins < MOST_LOGINS:
                logins += 1
                happened += [server["lastError"], await self._sign_in(path)]
                happened.append(await self._use(tool["name"], wanted.get(remote)))
        happened.append(str((await self._client.ok("GET", path))["server"]["lastError"]))
        await self._client.ok("DELETE", path)
        return "\n".join(happened)

    async def _use(self, name: str, given: dict[str, Any] | None) -> str:
        found = (await self._client.ok("GET", "/tools"))["tools"]
        tools = {one["name"]: one["parameters"] for one in found}
        if name not in tools:
            return f"{name} is off"
        if name.endswith("json_schema_echo"):  # it wants the schema of the other tool
            given = {"schema": tools[name.replace("schema_echo", "schema_2020_12_tool")]}
        given = given or {
            field: sample(schema) for field, schema in tools[name].get("properties", {}).items()
        }
        answered = await self._client.post("/tools", json={"tool": name, "params": given})
        return f"{name}: {answered.status_code} {answered.text[:300]}"

    async def _sign_in(self, path: str) -> str:
        begun = await self._client.post(f"{path}/authorize")
        if begun.status_code != 200:
            return begun.text
        async with httpx.AsyncClient(verify=False) as browser:
            page = await browser.get(begun.json()["authorizeUrl"])
        async with self._served.client() as browser:
            back = await browser.get(page.headers["location"])
        return f"{begun.json()['authorizeUrl']} → {back.status_code}"


def sample(schema: Any) -> Any:
    """Return a value that fits a simple schema."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    return SAMPLES.get(kind[0] if isinstance(kind, list) else kind or "string", "x")
