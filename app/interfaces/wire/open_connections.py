"""All open connections: their limit, which one makes way for a new one, and their timeouts."""

import asyncio
from typing import Protocol

LOOK_SECONDS = 1.0


class OpenConnection(Protocol):
    """A connection, as the crowd sees it."""

    busy: bool
    """Whether its client waits for an answer; such a one makes way for nobody."""

    @property
    def known(self) -> bool:
        """Whether its latest request came with a credential that holds."""

    def make_way(self) -> None:
        """End at once for another."""

    def look(self, now: float) -> None:
        """End if something that was due has not come."""


class OpenConnections:
    """The connections that are open, at most `most`.

    Where that is reached, those make way that keep nobody waiting for an answer, the longest
    idle first: strangers, from whom a request is still coming or may come, before those whose
    latest credential held. So whoever opens sockets in masses crowds out themselves.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._all: set[OpenConnection] = set()
        # in the order in which they came to rest: the first is idle longest
        self._strangers: dict[OpenConnection, None] = {}
        self._friends: dict[OpenConnection, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, member: OpenConnection) -> bool:
        """Take a connection in, in the place of another where it must be.

        Say whether there is room for it.
        """
        if len(self._all) >= self.most and not self._make_room():
            return False
        self._all.add(member)
        self._strangers[member] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)
        return True

    def leave(self, member: OpenConnection) -> None:
        """Forget a connection."""
        self._all.discard(member)
        self._strangers.pop(member, None)
        self._friends.pop(member, None)

    def rest(self, member: OpenConnection) -> None:
        """Count a connection as idle from now on, unless it has left."""
        self._strangers.pop(member, None)
        self._friends.pop(member, None)
        if member in self._all:
            (self._friends if member.known else self._strangers)[member] = None

    def _make_room(self) -> bool:
        idle = self._longest_idle(self._strangers) or self._longest_idle(self._friends)
        if idle is None:
            return False
        self.leave(idle)
        idle.make_way()
        return True

    def _longest_idle(self, rested: dict[OpenConnection, None]) -> OpenConnection | None:
        """Return the first that is idle still; those before it come back when they rest again.

        So an answer costs no look at who waits, only one at who rests.
        """
        while rested:
            member = next(iter(rested))
            del rested[member]
            if not (member.busy or (rested is self._strangers and member.known)):
                return member
        return None

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = (
            loop.call_later(LOOK_SECONDS, self._look) if self._all else None
        )  # first, so that no fault below can end it
        for member in list(self._all):
            member.look(loop.time())
