"""One thing that may need the user.

An e-mail, a todo, an event, a note, with the facts by which it is weighed.
"""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

Source = Literal["email", "note", "calendar", "todo", "other"]


class Item(Struct, frozen=True):
    """What is known of one thing.

    Moments are in the user's zone; `priority` is the share of the highest, None where none was set.

    `day` is when it is due or begins, with `moment` where the time is known; `end` is when an
    event is over. `needs_reply` is None where nobody said.
    """

    source: Source
    title: str
    words: str = ""
    day: date | None = None
    moment: datetime | None = None
    end: datetime | None = None
    sent: date | None = None
    priority: float | None = None
    level: Literal["high", "low", ""] = ""
    needs_reply: bool | None = None
    sender: str = ""
    kind: str = ""
    pinned: bool = False
    conflict: bool = False
    id: str = ""

    @property
    def text(self) -> str:
        """All its words."""
        return f"{self.title}. {self.words}" if self.words else self.title


class Points(Struct, frozen=True):
    """A number from 0 to 100 and the reasons for it."""

    value: int
    why: tuple[str, ...]


def add_points(parts: list[tuple[int, str]]) -> Points:
    """Add up parts of (points, reason); a part without a reason explains itself."""
    return Points(
        max(0, min(100, sum(part for part, _ in parts))),
        tuple(reason for _, reason in parts if reason),
    )
