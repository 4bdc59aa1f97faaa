"""A small web: a server on this machine that answers as a test says, and names that seem to lead
to public addresses.
"""

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncIterator
from typing import Any

import httpcore2
import pytest

from app.core.web import http_connections
from tests.support.answering import answering

PUBLIC = "93.184.216.34"


class Site:
    """What the server answers by path, what it was asked, and whither the names of the test
    lead.
    """

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.slow: set[str] = set()
        self.asked: list[str] = []
        self.names: dict[str, list[str]] = {"public.test": [PUBLIC]}
        self.port = 0

    def page(
        self,
        path: str,
        body: bytes = b"",
        *,
        status: int = 200,
        media_type: str = "text/html",
        **headers: str,
    ) -> None:
        """Answer a path so."""
        lines = [
            f"HTTP/1.1 {status} X",
            f"Content-Length: {len(body)}",
            f"Content-Type: {media_type}",
            "Connection: close",
        ]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.pages[path] = "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ")[1]
        self.asked.append(head)
        writer.write(
            self.pages.get(
                path, b"HTTP/1.1 404 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        )
        await writer.drain()
        if path in self.slow:
            await reader.read()


@contextlib.asynccontextmanager
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """Serve a site: connections to PUBLIC come to it, everything else goes where it goes."""
    made, resolve = Site(), http_connections.resolve

    class Routed(httpcore2.AnyIOBackend):
        async def connect_tcp(self, host: str, port: int, *rest: Any) -> Any:
            return await super().connect_tcp(
                "127.0.0.1" if host == PUBLIC else host,
                made.port if host == PUBLIC else port,
                *rest,
            )

    async def resolved(host: str, port: int) -> Any:
        return (
            [ipaddress.ip_address(one) for one in made.names[host]]
            if host in made.names
            else await resolve(host, port)
        )

    monkeypatch.setattr(http_connections, "BACKEND", Routed)
    monkeypatch.setattr(http_connections, "resolve", resolved)
    async with answering(made.answer) as made.port:
        yield made
