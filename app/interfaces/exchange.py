"""One request and its answer, as the front of the server and all who look on share it."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from app.core.caller import Caller
from app.core.download import Download
from app.core.limits import Verdict
from app.core.line_stream import MEDIA_TYPE, EventStream, Lines
from app.core.operation import Operation
from app.core.schema import encode
from app.errors import Malformed
from app.interfaces.guard import SECURITY_HEADERS, Headers
from app.interfaces.wire.request_bodies import Message, Receive, read_body, too_large

PAGE_HEADERS = [(b"cache-control", b"no-store"), *SECURITY_HEADERS]
JSON_HEADERS = [(b"content-type", b"application/json; charset=utf-8"), *PAGE_HEADERS]
EVENT_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"x-accel-buffering", b"no"),
    *PAGE_HEADERS,
]
LINE_HEADERS = [
    (b"content-type", MEDIA_TYPE.encode()),
    (b"cache-control", b"no-store"),
    # else nginx gathers the lines
    (b"x-accel-buffering", b"no"),
    *SECURITY_HEADERS,
]

NO_CONTENT = 204
Scope = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Exchange:
    """One request on its way to its answer: what was sent, and what is learned of it."""

    __slots__ = (
        "caller",
        "cookie",
        "cors",
        "headers",
        "operation",
        "receive",
        "request_id",
        "route",
        "scope",
        "send",
        "size",
        "started",
        "status",
        "verdict",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, request_id: bytes) -> None:
        self.scope = scope
        self.receive = receive
        self.send = send
        self.request_id = request_id
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.started = time.perf_counter()
        self.operation: Operation[..., Any] | None = None
        self.route: str | None = None
        self.caller: Caller | None = None
        self.cookie: bytes | None = None
        self.cors: Headers | None = None
        self.verdict: Verdict | None = None
        self.status = 0
        self.size = 0

    def require_small(self, most: int) -> int:
        """Return the size that is said of the body; raise for one that is too large or packed."""
        declared = self.headers.get(b"content-length", b"0")
        size = int(declared[:20]) if declared.isdigit() else 0
        if size > most:
            raise too_large(most)
        if self.headers.get(b"content-encoding", b"identity") != b"identity":
            raise Malformed(
                "Content-Encoding is not supported; send the body as it is.",
                field="Content-Encoding",
            )
        return size

    async def read_body(self, most: int) -> bytes:
        """Return the body; raise as `request_bodies.read_body` does."""
        connection = self._connection()
        has_come = connection is not None and connection.has_come
        return await read_body(self.receive, most, has_come=has_come)

    async def answer(self, status: int, body: bytes, more: Headers | None = None) -> None:
        """Send the whole answer."""
        self.status, self.size = status, len(body)
        headers = (
            [*PAGE_HEADERS, *self._own_headers()]
            if status == NO_CONTENT
            else [*JSON_HEADERS, (b"content-length", b"%d" % len(body)), *self._own_headers()]
        )
        if more:
            headers += more
        await self._send_whole(status, headers, body)

    async def show(self, response: Response) -> None:
        """Send a page whole, with those headers of every answer that it does not set itself."""
        self.status, self.size = response.status_code, len(response.body)
        given = {name for name, _ in response.raw_headers}
        headers = [
            *response.raw_headers,
            *(header for header in PAGE_HEADERS if header[0] not in given),
            *self._own_headers(),
        ]
        await self._send_whole(response.status_code, headers, bytes(response.body))

    async def stream(self, lines: Lines) -> None:
        """Send an answer line by line, until its end or until the client has left."""
        self.status = 200
        await self.send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [*LINE_HEADERS, *self._own_headers()],
            }
        )
        leaving = asyncio.ensure_future(self.receive())
        try:
            async for event in lines.events:
                if leaving.done():
                    return
                body = encode(event) + b"\n"
                self.size += len(body)
                await self.send({"type": "http.response.body", "body": body, "more_body": True})
            await self.send({"type": "http.response.body", "body": b""})
        finally:
            leaving.cancel()

    async def tell(self, stream: EventStream, still: Callable[[], bool]) -> None:
        """Send events as they come, until their end, or until the client or its right has gone.

        `still` says whether the credential holds. Of a HEAD request the headers alone.
        """
        leaving = asyncio.ensure_future(self._left())
        leaving.add_done_callback(lambda _: stream.end())
        try:
            await self.open_events([])
            if self.scope["method"] != "HEAD":
                while (part := await stream.next_part()) is not None and still():
                    if part:
                        await self.send_part(part)
            await self.end()
        finally:
            stream.end()
            leaving.cancel()

    async def _left(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def open_events(self, more: Headers) -> None:
        """Begin an answer that is a stream of events."""
        self.status = 200
        headers = [*EVENT_HEADERS, *self._own_headers(), *more]
        await self.send({"type": "http.response.start", "status": 200, "headers": headers})

    async def open_bytes(self) -> None:
        """Begin an answer that is a stream of bytes."""
        self.status = 200
        headers = [(b"content-type", b"application/octet-stream"), *self._own_headers()]
        await self.send({"type": "http.response.start", "status": 200, "headers": headers})

    async def send_part(self, part: bytes) -> None:
        """Send a part of an answer that was begun."""
        self.size += len(part)
        await self.send({"type": "http.response.body", "body": part, "more_body": True})

    async def end(self) -> None:
        """End an answer that was sent in parts."""
        await self.send({"type": "http.response.body", "body": b""})

    async def download(self, file: Download) -> None:
        """Send the bytes of a file, part by part, such that no browser shows or runs them.

        Of a HEAD request the headers alone.
        """
        self.status = 200
        await self.send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [*_file_headers(file), *self._own_headers()],
            }
        )
        async with contextlib.aclosing(file.parts) as parts:
            if self.scope["method"] != "HEAD":
                async for part in parts:
                    self.size += len(part)
                    await self.send({"type": "http.response.body", "body": part, "more_body": True})
        await self.send({"type": "http.response.body", "body": b""})

    async def _send_whole(self, status: int, headers: Headers, body: bytes) -> None:
        if (connection := self._connection()) is not None:
            await connection.send_whole(status, headers, body)
            return
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def _connection(self) -> Any:
        """Return the connection of which this is the latest request, where it is known."""
        connection = self.scope.get("connection")
        return connection if connection is not None and connection.scope is self.scope else None

    def _own_headers(self) -> Headers:
        headers = [(b"x-request-id", self.request_id)]
        if self.verdict is not None and self.verdict.limit:
            limit, remaining, reset, _ = self.verdict
            headers += [
                (b"x-ratelimit-limit", b"%d" % limit),
                (b"x-ratelimit-remaining", b"%d" % remaining),
                (b"x-ratelimit-reset", b"%d" % (time.time() + reset)),
            ]
        if self.cookie is not None:
            headers.append((b"set-cookie", self.cookie))
        if self.cors:
            headers += self.cors
        return headers


def _file_headers(file: Download) -> Headers:
    # RFC 6266: a plain name for old clients, the true one in UTF-8
    plain = "".join(
        mark if (mark.isalnum() and mark.isascii()) or mark in " ._-" else "_" for mark in file.name
    )
    named = (
        f'attachment; filename="{plain}"; '
        f"filename*=UTF-8''{quote(file.name.replace('/', '_'), safe='')}"
    )
    return [
        (b"content-type", file.media_type.encode()),
        (b"content-length", b"%d" % file.size),
        (b"content-disposition", named.encode()),
        (b"cache-control", b"no-store"),
        (b"accept-ranges", b"none"),
        *(header for header in SECURITY_HEADERS if header[0] != b"content-security-policy"),
        (b"content-security-policy", b"default-src 'none'; sandbox; frame-ancestors 'none'"),
    ]
