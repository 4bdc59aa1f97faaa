"""The connections to servers that are open, each opened when first used."""

import asyncio
import time
from typing import TYPE_CHECKING, Any

from app.core.process.lazy_import import lazy_import
from app.tools.mcp.failures import McpFailed, NeedsLogin, NotYet

if TYPE_CHECKING:
    from app.tools.mcp.connection import Connection

LONGEST_WAIT = 300.0
LISTED_SECONDS = 600.0
"""So long a list of tools holds for a connection that is kept."""
AT_ONCE = 8
"""Calls that one server works on; others wait."""


class _Place:
    """What is kept of one server: its connection, who opens it, and how often it has failed."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.calls = asyncio.Semaphore(AT_ONCE)
        self.connection: Connection | None = None
        self.failures = 0
        self.not_before = 0.0
        self.lists_soon = False
        self.listed_at = 0.0


class McpConnections:
    """Open connections by server; whoever breaks off again and again is asked less often."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}

    def place(self, server: int) -> _Place:
        """Return what is kept of a server."""
        return self._places.setdefault(server, _Place())

    def current(self, server: int, generation: int) -> "Connection | None":
        """Return the open connection of a server as it is configured, if there is one."""
        found = self.place(server).connection
        return found if found and found.is_open and found.generation == generation else None

    async def open(self, server: int, **how: Any) -> "Connection":
        """Connect to a server anew; raise McpFailed. The caller holds the lock of its place."""
        place = self.place(server)
        if place.connection is not None:
            await place.connection.close()
            place.connection = None
        module = await lazy_import("app.tools.mcp.connection")
        made: Connection = module.Connection(**how)
        await made.open()
        if self._places.get(server) is not place:
            await made.close()
            raise McpFailed("The MCP server was changed or removed meanwhile.")
        place.connection = made
        return made

    def demand_patience(self, server: int) -> None:
        """Raise NotYet while a server that has failed again and again is left alone."""
        left = self.place(server).not_before - time.monotonic()
        if left > 0:
            raise NotYet(
                "The server has failed several times in a row; it is tried again in "
                f"{max(1, round(left))} seconds."
            )

    def failed(self, server: int, error: McpFailed) -> None:
        """Count a failure: the first is forgiven, each further one doubles the wait."""
        if isinstance(error, NeedsLogin | NotYet):
            return
        place = self.place(server)
        place.failures += 1
        wait = min(2.0 ** (place.failures - 1), LONGEST_WAIT) if place.failures > 1 else 0.0
        place.not_before = time.monotonic() + wait

    def is_listed(self, server: int) -> bool:
        """Return whether the tools of a server were listed a short while ago."""
        return time.monotonic() - self.place(server).listed_at < LISTED_SECONDS

    def listed(self, server: int) -> None:
        """Note that the tools of a server were listed."""
        self.place(server).listed_at = time.monotonic()

    def answered(self, server: int) -> None:
        """Forget the failures of a server that has answered."""
        place = self.place(server)
        place.failures, place.not_before = 0, 0.0

    async def drop(self, server: int) -> None:
        """Leave a server and forget what was kept of it."""
        place = self._places.pop(server, None)
        if place is not None and place.connection is not None:
            await place.connection.close()

    def servers(self) -> set[int]:
        """Return the servers of which something is kept."""
        return set(self._places)

    async def close(self) -> None:
        """Leave every server."""
        await asyncio.gather(*(self.drop(server) for server in list(self._places)))
