"""Request bodies, read as they come: none larger than it may be, none slower, whoever sends it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from app.errors import Malformed, PayloadTooLarge
from app.settings import MIB

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
PATIENCE_SECONDS = 20.0
LEAST_RATE = 8 << 10
"""Bytes a second: so much longer than the patience may a body take as its size needs at this
rate.
"""


class ClientLeft(Exception):
    """The client hung up before its request was whole."""


async def read_body(receive: Receive, most: int, *, has_come: bool = False) -> bytes:
    """Return the whole body; raise PayloadTooLarge, ClientLeft, or Malformed when it stops coming.

    `has_come`: it is here already, as most are; then no timer waits for it, which takes 4 µs.
    """
    body = _Body(receive, has_come=has_come)
    first, more = await body.next()
    if len(first) > most:
        raise too_large(most)
    if not more:
        return first
    parts, size = [first], len(first)
    while more:
        part, more = await body.next()
        parts.append(part)
        size += len(part)
        if size > most:
            raise too_large(most)
    return b"".join(parts)


async def body_parts(receive: Receive, most: int) -> AsyncIterator[bytes]:
    """Yield the body in pieces of about a MiB; raise as `read_body` does."""
    body, waiting, size, more = _Body(receive), bytearray(), 0, True
    while more:
        part, more = await body.next()
        waiting += part
        size += len(part)
        if size > most:
            raise too_large(most)
        if len(waiting) >= MIB or (waiting and not more):
            yield bytes(waiting)
            waiting.clear()


def too_large(most: int) -> PayloadTooLarge:
    """Return the refusal of a body of more than so many bytes."""
    size = f"{most >> 20} MiB" if most and not most % MIB else f"{most} bytes"
    return PayloadTooLarge(f"The request body is larger than {size}.", limitBytes=most)


class _Body:
    """A body that is coming, and how long it was waited for.

    The time in which nobody asks for it is not its sender's.
    """

    def __init__(self, receive: Receive, *, has_come: bool = False) -> None:
        self._receive = receive
        self._has_come = has_come
        self._left = PATIENCE_SECONDS

    async def next(self) -> tuple[bytes, bool]:
        """Return the next piece, and whether there is more."""
        if self._has_come:
            return _piece_of(await self._receive())
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(max(0, self._left)):
                message = await self._receive()
        except TimeoutError:
            raise Malformed("The request body did not arrive in time.") from None
        piece, more = _piece_of(message)
        self._left += len(piece) / LEAST_RATE - (loop.time() - began)
        return piece, more


def _piece_of(message: Message) -> tuple[bytes, bool]:
    if message["type"] == "http.disconnect":
        raise ClientLeft
    return message.get("body", b""), bool(message.get("more_body"))
