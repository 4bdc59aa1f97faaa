"""One connection as it comes over the wire.

What a request's head may take, of bytes and of time, before anything of it reaches the application.

uvicorn and httptools parse; they have no limit of a head that has not ended, and gather one in a
time that grows with its square.
"""

from http import HTTPStatus
from typing import Any, Literal

import httptools
import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.interfaces.guard import SECURITY_HEADERS, Headers
from app.interfaces.wire.open_connections import OpenConnections

MOST_HEAD = 64 << 10
MOST_FIELDS = 100
MOST_PIPELINED = 100
HEAD_SECONDS = 10.0
IDLE_SECONDS = 60
STUCK_SECONDS = 60.0
"""How long a client may take nothing of an answer that is there for it."""
LINGER_SECONDS = 10.0
"""How long the rest of a request that was answered already, or refused, is still taken in."""
MOST_UNREAD = 16 << 20
"""How much of it: closing at once would lose the answer on its way."""
HEAD_TOO_LARGE = (
    f"The headers must have at most {MOST_HEAD >> 10} KiB in at most {MOST_FIELDS} fields."
)
HEAD_TOO_SLOW = f"The headers did not arrive within {HEAD_SECONDS:.0f} seconds."
NO_HTTP = "This is not a valid HTTP/1.1 request."
TOO_MANY = "Too many connections are open; try again in a moment."
CONTROLS = bytes({*range(32), 127} - {9})
Refused = Literal[400, 408, 431, 503]
Phase = Literal["quiet", "head", "body"]


class HeadTooLarge(Exception):
    """A head has more fields than it may."""


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with limits.

    What a limit ends is told in the one shape of refusal, then the connection ends.
    """

    def __init__(self, *, crowd: OpenConnections, **given: Any) -> None:
        super().__init__(**given)
        self.busy = False
        self._crowd = crowd
        self._phase: Phase = "quiet"
        self._since = self.loop.time()
        self._head = 0  # bytes of the head that is coming
        self._between = 0  # bytes since the last piece of a body, neither body nor end
        self._heard = False
        self._unread = 0  # bytes that nobody will read
        self._leaving = False
        self._unsent = 0
        self._stuck_since = self._since

    @property
    def known(self) -> bool:
        """Whether the latest request came with a credential that holds."""
        return self.cycle is not None and "known" in self.cycle.scope

    @property
    def has_come(self) -> bool:
        """Whether the latest request is here as a whole."""
        return self.cycle is not None and not self.cycle.more_body

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Begin, unless there is no room for one more."""
        super().connection_made(transport)
        if not self._crowd.enter(self):
            self._write_refusal(503, "unavailable", TOO_MANY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._crowd.leave(self)
        if self.scope is not None:
            self.scope.pop("connection", None)  # type: ignore[typeddict-item]  # else a circle
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has come, in pieces of which none is larger than a head may be."""
        rest: bytes | memoryview = data
        try:
            while rest and not self._leaving:
                size = MOST_HEAD if self._phase == "body" else MOST_HEAD + 1 - self._head
                if len(rest) <= size:
                    piece, rest = rest, b""
                else:
                    piece, rest = memoryview(rest)[:size], memoryview(rest)[size:]
                self._take(piece)
        # the request is answered as plain HTTP; what follows would be another protocol
        except httptools.HttpParserUpgrade:
            self._finish_answering()
        except httptools.HttpParserError as error:
            too_large = isinstance(error.__context__, HeadTooLarge)
            self._refuse(*((431, HEAD_TOO_LARGE) if too_large else (400, NO_HTTP)))
        if self._leaving and rest:
            self._discard(len(rest))

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._phase, self._since = "head", self.loop.time()

    def on_headers_complete(self) -> None:
        """Hand the request on; its body may still come."""
        if len(self.headers) > MOST_FIELDS or len(self.pipeline) >= MOST_PIPELINED:
            raise HeadTooLarge
        super().on_headers_complete()
        self.scope["connection"] = self  # type: ignore[typeddict-unknown-key]
        self.headers = []  # what follows the body is none of the head's
        self._phase, self._head, self._between = "body", 0, 0

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        self._heard = True
        if self.cycle.response_complete:
            self._discard(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take note that a request is whole."""
        self._heard, self._phase, self._head = True, "quiet", 0
        super().on_message_complete()
        self.busy = not self.cycle.response_complete
        if not self.busy:
            self._rest()

    def on_response_complete(self) -> None:
        """Take note that a request is answered, and go on with the next one that is there."""
        self._unread = 0
        if self.pipeline:
            super().on_response_complete()
            return
        # as uvicorn does, but without a timer for each answer: `look` ends who stays idle
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
        self._rest()

    async def send_whole(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer the latest request at once, as `cycle.send` does in two messages.

        uvicorn searches name and value of each header for what would end it, a tenth of the time
        of a small answer; here one look at all of them does.
        """
        cycle = self.cycle
        if self.flow.write_paused and not cycle.disconnected:
            await self.flow.drain()
        if cycle.disconnected:
            return
        lines = [*cycle.default_headers, *headers]
        head = b"\r\n".join(map(b": ".join, lines))
        if len(head.translate(None, CONTROLS)) != len(head) - 2 * (len(lines) - 1):
            raise ValueError("a header holds a control character")
        if b"\r\nconnection: close" in head:
            cycle.keep_alive = False
        elif not cycle.keep_alive:
            head += b"\r\nconnection: close"
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        sent = b"" if cycle.scope["method"] == "HEAD" else body
        self.transport.writelines((STATUS_LINE[status], head, b"\r\n\r\n", sent))
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def make_way(self) -> None:
        """End at once for another connection."""
        self.transport.abort()

    def look(self, now: float) -> None:
        """End if a head, the rest of an answered request or the next request is overdue, or an
        answer is not taken.
        """
        if self.flow.read_paused:  # then it is not the client who is late
            self._since = now
        waited = now - self._since
        if self._is_stuck(now) or (
            self._leaving and not self._answering and waited > LINGER_SECONDS
        ):
            self.transport.abort()
        elif self._leaving or self.transport.is_closing():
            pass
        elif self._phase == "head" and waited > HEAD_SECONDS:
            self._refuse(408, HEAD_TOO_SLOW)
        elif self._phase == "body" and not self._answering and waited > LINGER_SECONDS:
            self.transport.abort()
        elif self._phase == "quiet" and not self._answering and waited > IDLE_SECONDS:
            self.transport.close()

    def _take(self, piece: bytes | memoryview) -> None:
        """Parse a piece; refuse a head, or what stands between the parts of a body, that has
        become too large without an end.
        """
        in_body, self._heard = self._phase == "body", False
        if not in_body:
            self._head += len(piece)
        self.parser.feed_data(piece)
        self._between = self._between + len(piece) if in_body and not self._heard else 0
        too_many = self._phase == "head" and len(self.headers) > MOST_FIELDS
        if too_many or self._head > MOST_HEAD or self._between > MOST_HEAD:
            self._refuse(431, HEAD_TOO_LARGE)

    def _rest(self) -> None:
        self.busy = False
        self._since = self.loop.time()
        self._crowd.rest(self)

    def _refuse(self, status: Refused, message: str) -> None:
        """Say what is wrong where no answer is on its way, then take in a little more.

        Closing at once would lose what was said.
        """
        if self._phase == "body" and self._answering:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started or self.pipeline:
                self.transport.abort()
                return
            self.cycle.response_complete = True
        if self._answering:
            self._finish_answering()
            return
        self._leaving, self._since, self._unread = True, self.loop.time(), 0
        self._write_refusal(status, "invalid_request", message)
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _finish_answering(self) -> None:
        """Read nothing more, and end after the answers that are on their way."""
        self._leaving = True
        if self._answering:
            self.cycle.keep_alive = False
        else:
            self.transport.close()

    def _discard(self, size: int) -> None:
        self._unread += size
        if self._unread > MOST_UNREAD:
            self.transport.abort()

    def _is_stuck(self, now: float) -> bool:
        """Return whether of what waits to be sent nothing has been taken for a long time."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent != self._unsent:
            self._unsent, self._stuck_since = unsent, now
        return now - self._stuck_since > STUCK_SECONDS

    def _write_refusal(self, status: Refused, code: str, message: str) -> None:
        body = msgspec.json.encode({"success": False, "error": code, "message": message})
        headers = [
            (b"content-type", b"application/json; charset=utf-8"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
            *SECURITY_HEADERS,
        ]
        head = b"HTTP/1.1 %d %s\r\n" % (status, HTTPStatus(status).phrase.encode())
        self.transport.write(
            head + b"".join(b"%s: %s\r\n" % header for header in headers) + b"\r\n" + body
        )
