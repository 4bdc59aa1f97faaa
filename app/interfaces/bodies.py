"""Request bodies, read as they come: none larger than it may be, none slower, whoever sends it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from app.errors import Malformed, PayloadTooLarge
from app.settings import MIB

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
CHUNK_SECONDS = 20
"""How long the next piece of a body may take."""


class ClientLeft(Exception):
    """The client hung up before its request was whole."""


async def read_body(receive: Receive, most: int) -> bytes:
    """Give the whole body; raise PayloadTooLarge, ClientLeft, or Malformed when it stops coming."""
    first, more = await _next(receive)
    if len(first) > most:
        raise too_large(most)
    if not more:
        return first
    parts, size = [first], len(first)
    while more:
        part, more = await _next(receive)
        parts.append(part)
        size += len(part)
        if size > most:
            raise too_large(most)
    return b"".join(parts)


async def body_parts(receive: Receive, most: int) -> AsyncIterator[bytes]:
    """Give the body in pieces of about a MiB; raise as `read_body` does."""
    waiting, size, more = bytearray(), 0, True
    while more:
        part, more = await _next(receive)
        waiting += part
        size += len(part)
        if size > most:
            raise too_large(most)
        if len(waiting) >= MIB or (waiting and not more):
            yield bytes(waiting)
            waiting.clear()


def too_large(most: int) -> PayloadTooLarge:
    """Give the refusal of a body of more than so many bytes."""
    size = f"{most >> 20} MiB" if most and not most % MIB else f"{most} bytes"
    return PayloadTooLarge(f"The request body is larger than {size}.", limitBytes=most)


async def _next(receive: Receive) -> tuple[bytes, bool]:
    """Give the next piece, and whether there is more."""
    try:
        async with asyncio.timeout(CHUNK_SECONDS):
            message = await receive()
    except TimeoutError:
        raise Malformed("The request body did not arrive in time.") from None
    if message["type"] == "http.disconnect":
        raise ClientLeft
    return message.get("body", b""), bool(message.get("more_body"))
