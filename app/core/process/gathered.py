"""What requests leave in memory to be written together, and is lost by no write that fails."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Gathered(dict[K, V]):
    """Values by key that are still to be written."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = asyncio.Lock()

    async def flush(self, write: Callable[[Mapping[K, V]], Awaitable[object]]) -> None:
        """Write what is there now, and forget it once that is done.

        What has changed while the write waited stays, and so does everything where it failed.
        """
        async with self._turn:
            if not self:
                return
            held = dict(self)
            await write(held)
            for key, value in held.items():
                if key in self and self[key] == value:
                    del self[key]
