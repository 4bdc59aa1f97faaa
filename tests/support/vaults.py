"""Devices of raw memory in tests: a vault that speaks to a server in this process."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx

from app.vault import enrol, rotate_keys
from app.vault.connection import Connection
from app.vault.device_files import DeviceFiles
from app.vault.vault import Vault
from tests.conftest import ORIGIN, Served

OWN_PAGE = {"Origin": ORIGIN, "Content-Type": "application/json"}


class LoopTransport(httpx.BaseTransport):
    """Lets a client that waits ask a server that runs in the event loop of another thread.

    `spoil` may change what the server answers, `instead` answers in its place.
    """

    def __init__(self, served: Served, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = httpx.ASGITransport(app=served.asgi, raise_app_exceptions=False)
        self._loop = loop
        self.spoil: Callable[[httpx.Request, httpx.Response], httpx.Response] | None = None
        self.instead: Callable[[httpx.Request], httpx.Response | None] | None = None
        self.asked: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.asked.append(f"{request.method} {request.url.path}")
        if self.instead is not None and (answer := self.instead(request)) is not None:
            return answer

        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._inner) as client:
                return await client.request(
                    request.method,
                    str(request.url),
                    headers=request.headers,
                    content=request.content,
                )

        found = asyncio.run_coroutine_threadsafe(ask(), self._loop).result(60)
        plain = httpx.Response(
            found.status_code,
            headers={"content-type": found.headers.get("content-type", "")},
            content=found.content,
        )
        return plain if self.spoil is None else self.spoil(request, plain)


def spoiling(
    path: str, change: Callable[[Any], Any], *, method: str = "GET"
) -> Callable[[httpx.Request, httpx.Response], httpx.Response]:
    """Give what changes the JSON of the answers at paths that end so."""

    def spoil(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if request.method != method or not request.url.path.endswith(path):
            return response
        body = json.loads(response.content)
        return httpx.Response(response.status_code, json=change(body) or body)

    return spoil


class Laptop:
    """A device with a folder of its own."""

    def __init__(self, served: Served, folder: Path, name: str) -> None:
        self.served = served
        self.name = name
        self.files = DeviceFiles(folder)
        self.code: str = ""
        self.transport = LoopTransport(served, asyncio.get_running_loop())

    def connect(self, server: str, token: str | None) -> Connection:
        return Connection(server, token, transport=self.transport)

    async def enrol(self, browser: Any, decision: str = "approve") -> str:
        """Enrol, with the answer of whoever is signed in; return how it ended."""

        def begin() -> Any:
            with self.files.locked():
                return enrol.begin_enrolment(self.files, self.connect, ORIGIN, self.name)

        identity = await asyncio.to_thread(begin)
        id_ = identity.approval_url.partition("?id=")[2]
        answer = await browser.post(
            f"/raw-memory/enrolments/{id_}/decide", json={"decision": decision}, headers=OWN_PAGE
        )
        assert answer.status_code == 200, answer.text

        def poll() -> str:
            return enrol.poll_enrolment(self.files, self.connect, identity)

        return await asyncio.to_thread(poll)

    def vault(self) -> Vault:
        """Open the vault, as a command does."""
        return Vault(self.files, self.connect, self.served.parts.clock)

    async def do(self, work: Callable[[Vault], Any]) -> Any:
        """Do something with the vault in a thread."""

        def run() -> Any:
            with self.files.locked():
                vault = self.vault()
                try:
                    return work(vault)
                finally:
                    vault.close()

        return await asyncio.to_thread(run)

    async def admit(self, other: "Laptop") -> None:
        """Give another device the account key."""
        identity = other.files.identity()
        assert identity is not None
        device, fingerprint = identity.device_id or "", enrol.fingerprint_of(identity)
        await self.do(lambda vault: rotate_keys.admit(vault, device, fingerprint))

    async def put(self, content: bytes, session: str = "work", name: str = "log") -> None:
        """Store a content, now."""

        def work(vault: Vault) -> None:
            vault.refresh()
            vault.put(session, name, [content])
            sent = vault.send()
            assert not sent.refused, sent.refused

        await self.do(work)

    async def get(self, session: str = "work") -> bytes:
        """Return all that a session holds."""

        def work(vault: Vault) -> bytes:
            vault.refresh()
            return b"".join(each.content for each in vault.read_session(session))

        return bytes(await self.do(work))
