"""What comes to a user from others beside messages.

Whoever keeps it says what of it waits for an answer.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from app.core.database.tx import Tx


class Request(NamedTuple):
    """A request of somebody's that waits for the user's answer.

    Who asks for what, in which words, and since when.
    """

    id: int
    sender: str
    wish: str
    words: str
    since: str


Waiting = Callable[[Tx, int, int], list[Request]]


def _none(tx: Tx, user: int, most: int) -> list[Request]:
    return []


class Arrivals(msgspec.Struct, frozen=True):
    """The requests that wait for a user's answer, the oldest first.

    `requests` gives at most so many of them.
    """

    requests: Waiting = _none


NONE = Arrivals()
