"""The periods in which is counted: months in UTC, days in the user's zone."""

import math
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

Period = Literal["day", "month"]


class Span(NamedTuple):
    """The day and the month of one moment."""

    day: str
    month: str


def span_of(moment: datetime, zone: str) -> Span:
    """Return the user's day and the UTC month in which a moment lies."""
    return Span(moment.astimezone(ZoneInfo(zone)).date().isoformat(), month_of(moment))


def month_of(moment: datetime) -> str:
    """Return the UTC month in which a moment lies, as YYYY-MM."""
    return f"{moment.astimezone(UTC):%Y-%m}"


def month_end(month: str) -> datetime:
    """Return the moment in which a month is over."""
    return _month_start(shift_month(month, 1))


def resets_at(period: Period, moment: datetime, zone: str) -> datetime:
    """Return the moment in which the period of `moment` is over."""
    if period == "month":
        return month_end(month_of(moment))
    tomorrow = moment.astimezone(ZoneInfo(zone)).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time(), ZoneInfo(zone)).astimezone(UTC)


def seconds_until(later: datetime, moment: datetime) -> int:
    """Return the whole seconds to wait, at least one."""
    return max(1, math.ceil((later - moment).total_seconds()))


def months_beside(day: str) -> tuple[str, str, str]:
    """Return the months in UTC that a day of some zone may lie in."""
    return shift_month(day[:7], -1), day[:7], shift_month(day[:7], 1)


def days_beside(month: str) -> tuple[str, str]:
    """Return the first and the last day, in whatever zone, that may lie in a month of UTC."""
    first, after = _month_start(month).date(), month_end(month).date()
    return (_day_before(first), after.isoformat())


def shift_month(month: str, by: int) -> str:
    """Return the month that comes `by` months later; the calendar ends with the years 1 and
    9999."""
    number = int(month[:4]) * 12 + int(month[5:]) - 1 + by
    number = min(max(number, 12), 9999 * 12 + 11)
    return f"{number // 12:04}-{number % 12 + 1:02}"


def _month_start(month: str) -> datetime:
    return datetime(int(month[:4]), int(month[5:]), 1, tzinfo=UTC)


def _day_before(day: date) -> str:
    return day.isoformat() if day == date.min else (day - timedelta(days=1)).isoformat()
