"""Devices as tests use them."""

import asyncio
import json
from typing import Any

from tests.conftest import ORIGIN, Client, Served
from tests.runtime.bodies import LAPTOP, SESSION


async def registered(client: Client, **more: Any) -> Any:
    """Register an endpoint and give the answer, with the token."""
    return await client.ok("POST", "/local-agent/endpoints", json=LAPTOP | more)


async def with_session(client: Client, made: Any, **more: Any) -> Any:
    """Begin a session at an endpoint and give it."""
    body = {**SESSION, "endpointId": made["endpoint"]["endpointId"], **more}
    return await client.ok("POST", "/local-agent/sessions", json=body)


def device(served: Served, made: Any) -> Client:
    """Give the client that comes with the token of an endpoint's device."""
    return served.client(made["deviceToken"])


class Stream:
    """A stream of events that stays open, in process."""

    def __init__(self, served: Served, key: str, endpoint: str, cursor: str = "0") -> None:
        self.scope = {
            "type": "http",
            "method": "GET",
            "scheme": "http",
            "path": "/api/v1/local-realtime/stream",
            "query_string": f"endpointId={endpoint}&cursor={cursor}".encode(),
            "headers": [
                (b"host", ORIGIN.partition("//")[2].encode()),
                (b"authorization", f"Bearer {key}".encode()),
            ],
            "client": ("127.0.0.1", 1),
        }
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.takes = asyncio.Event()  # cleared, its client takes nothing
        self.takes.set()
        self.taken = 0
        self._asgi = served.asgi
        self._left = asyncio.Event()
        self._begun = asyncio.Event()
        self._parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._events: list[Any] = []

    async def __aenter__(self) -> "Stream":
        self._task = asyncio.create_task(self._asgi(self.scope, self._receive, self._send))
        await self._begun.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._left.set()
        self.takes.set()
        await asyncio.wait_for(self._task, 5)

    async def event(self) -> Any:
        """Give the next event, or None at the end; comments come as text."""
        while not self._events:
            part = await asyncio.wait_for(self._parts.get(), 5)
            if part is None:
                return None
            self._events += map(parsed, part.decode().removesuffix("\n\n").split("\n\n"))
        return self._events.pop(0)

    def is_quiet(self) -> bool:
        """Say whether nothing more has come."""
        return not self._events and self._parts.empty()

    async def _receive(self) -> dict[str, Any]:
        if not self._begun.is_set():
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
            self._begun.set()
            return
        await self.takes.wait()
        if message.get("body"):
            self.taken += len(message["body"])
            self._parts.put_nowait(message["body"])
        if not message.get("more_body"):
            self._parts.put_nowait(None)


def parsed(text: str) -> Any:
    """Give the object of an event, whose other lines must say the same, or a comment."""
    lines = dict(line.split(": ", 1) for line in text.split("\n"))
    if "" in lines:
        return lines[""]
    event = json.loads(lines["data"])
    assert set(event) == {"cursor", "type", "endpointId", "createdAt", "data"}
    assert (lines["id"], lines["event"]) == (event["cursor"], event["type"])
    return event


async def settled() -> None:
    """Let what was woken do its work."""
    for _ in range(20):
        await asyncio.sleep(0.002)
