"""Answers that are sent while they are made: one JSON object a line, or server-sent events."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import Any

MEDIA_TYPE = "text/plain; charset=utf-8"
EVENTS = "text/event-stream"


class Lines:
    """What an operation gives instead of a record when the answer streams.

    Iterating ends with the answer.
    """

    def __init__(self, events: AsyncIterator[Mapping[str, Any]]) -> None:
        self.events = events


class EventStream(ABC):
    """What an operation gives instead of a record when it tells what happens until it is ended."""

    __slots__ = ()

    @abstractmethod
    async def next_part(self) -> bytes | None:
        """Return the next events, or a comment; None at the end.

        Of empty bytes nothing is sent; they let the credential be looked at once more.
        """

    @abstractmethod
    def end(self) -> None:
        """Let `next_part` return None from now on, also where it is waited for."""
