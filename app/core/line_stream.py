"""An answer that is sent line by line while it is made: one JSON object a line."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

MEDIA_TYPE = "text/plain; charset=utf-8"


class Lines:
    """What an operation gives instead of a record when the answer streams.

    Iterating ends with the answer.
    """

    def __init__(self, events: AsyncIterator[Mapping[str, Any]]) -> None:
        self.events = events
