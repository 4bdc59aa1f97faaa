"""Bodies that are too large to be read by many at once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from app.core.temp_files import Upload
from app.interfaces.exchange import Exchange
from app.interfaces.wire.request_bodies import body_parts

LARGE_BODY = 16 << 20


def may_be_large(exchange: Exchange, size: int, most: int) -> bool:
    """Return whether a body is large, by what is said of its size, or may be, where nothing is."""
    return size > LARGE_BODY or (most > LARGE_BODY and b"transfer-encoding" in exchange.headers)


class LargeBodies:
    """Large bodies wait in files until they are whole.

    Then one at a time is in memory, until its request is done. So neither a few of them nor a
    slow sender keeps others from theirs.
    """

    def __init__(self, data: Path) -> None:
        self._data = data
        self._one = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def hold(self, exchange: Exchange, most: int) -> AsyncIterator[bytes]:
        """Yield the body; raise as `read_body` does."""
        upload = await asyncio.to_thread(Upload, self._data)
        try:
            async for part in body_parts(exchange.receive, most):
                await asyncio.to_thread(upload.add, part)
            await asyncio.to_thread(upload.close)
            async with self._one:
                yield await asyncio.to_thread(upload.path.read_bytes)
        finally:
            await asyncio.to_thread(upload.remove)
