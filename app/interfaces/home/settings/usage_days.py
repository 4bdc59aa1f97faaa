"""The days of a month, each with the tokens that it took."""

from calendar import monthrange
from typing import Any, NamedTuple


class Day(NamedTuple):
    """A day, and the tokens that it took."""

    date: str
    tokens: int


def days_of(usage: Any) -> list[Day]:
    """Return every day of the month of a usage; what it holds are those that took something."""
    used = {day.date: day.tokens for day in usage.by_day}
    year, month = map(int, usage.month.split("-"))
    dates = [f"{usage.month}-{day:02d}" for day in range(1, monthrange(year, month)[1] + 1)]
    return [Day(each, used.get(each, 0)) for each in dates]
