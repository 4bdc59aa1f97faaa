"""What a match of quick add comes to: a day, a clock time, a rule or a priority."""

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Literal, NamedTuple

import msgspec

from app.agent.rules.languages.quickadd_tables import DatePattern

Kind = Literal["date", "time", "priority", "recurrence"]
Groups = Mapping[str, str | None]
PARTS = {
    "dawn": time(5),
    "morning": time(9),
    "noon": time(12),
    "afternoon": time(14),
    "dusk": time(17),
    "evening": time(19),
    "night": time(20),
    "midnight": time(23, 59),
}
LAST_AFTERNOON = 6
"""A bare hour up to this one is an afternoon's.

Written with minutes, one before this, and none where days have 24 hours.
"""


class NoSuchDay(ValueError):
    """A day is named that its month does not have, such as 31 April; the text is 2026-04-31."""


class Meaning(msgspec.Struct, frozen=True):
    """What one match says; the fields it does not speak of are None.

    A clock time is `sure` when nothing moves it to the second half of the day; else a part of
    the day does, and an hour up to `afternoon` is there by itself.
    """

    kind: Kind
    day: date | None = None
    moment: datetime | None = None
    clock: time | None = None
    sure: bool = True
    afternoon: int = LAST_AFTERNOON
    part: str | None = None
    rule: str | None = None
    priority: int | None = None
    until: bool = False
    impossible: str = ""

    @property
    def slots(self) -> set[str]:
        """What this fills, each of which a text has once."""
        if self.impossible:
            return {"date"}
        if self.until:
            return {"until"}
        filled = {
            "date": self.day,
            "clock": self.clock,
            "part": self.part,
            "rule": self.rule,
            "priority": self.priority,
        }
        return {name for name, value in filled.items() if value is not None} | (
            {"date", "clock", "part"} if self.moment else set()
        )


class Found(NamedTuple):
    """A match of a rule in the folded text, and what it means."""

    start: int
    end: int
    order: int
    rule: DatePattern
    groups: dict[str, str | None]
    meaning: Meaning


def combine_clock(said: Meaning | None, part: str | None) -> time | None:
    """Return the time of day that a clock time and a part of the day say together."""
    clock = said.clock if said else None
    if said is None or clock is None:
        return PARTS[part] if part else None
    if said.sure or clock.hour > 12:
        return clock
    if part is None:
        return clock.replace(hour=clock.hour + 12) if 1 <= clock.hour <= said.afternoon else clock
    return _clock_in_part(clock, part)


def _clock_in_part(clock: time, part: str) -> time:
    # Twelve at night is the end of that day.
    if part in ("night", "evening", "midnight") and clock.hour in (0, 12):
        return PARTS["midnight"] if clock.minute == 0 else clock.replace(hour=0)
    earliest = {"noon": 1, "afternoon": 1, "dusk": 1, "evening": 1, "night": 5}.get(part, 12)
    latest = {"noon": 3}.get(part, 11)
    return clock.replace(hour=clock.hour + 12) if earliest <= clock.hour <= latest else clock
