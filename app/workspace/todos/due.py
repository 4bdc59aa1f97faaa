"""Due dates: reading them, and the day and deadline that they are in a time zone.

A due date is a day, or a moment in UTC. A day ends when the next one begins in the user's zone;
that moment is its deadline, by which it is overdue and takes its place in lists.
"""

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.schema import Rule
from app.errors import Invalid

NO_DUE = "~"
"""The deadline of what has none: after every other one."""
AFTER_ALL = ":"
"""Sorts after every date and moment, and before `NO_DUE`."""
NAMED_DAYS = ("today", "tomorrow", "week", "overdue")
CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]"
_MONTHS = "|".join(
    (
        "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
        "(0[469]|11)-(0[1-9]|[12][0-9]|30)",
        "02-(0[1-9]|1[0-9]|2[0-8])",
    )
)
_LEAP_YEARS = "[1-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26])00"
DATE = f"([1-9][0-9]{{3}}-({_MONTHS})|({_LEAP_YEARS})-02-29)"
"""The pattern of the days that there are in the years from 1000 to 9999, for the document.

What is read may also lie before.
"""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt "
    r"]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
_FORM = "must be a date such as 2026-03-01 or a moment such as 2026-03-01T09:00:00Z"


class Day(Rule, frozen=True):
    """A calendar day, or one of the `names`."""

    names: tuple[str, ...] = ()

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": f"^({'|'.join((*self.names, DATE))})$"}

    def __call__(self, value: str) -> str:
        if value in self.names:
            return value
        try:
            return _parse_day(value).isoformat()
        except ValueError:
            raise ValueError(
                _missing(value)
                or f"must be {', '.join(self.names)}{' or ' if self.names else ''}a date such as "
                "2026-03-01"
            ) from None


class DueText(Rule, frozen=True):
    """A day or a moment, still as it was written."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {
            "pattern": f"^{DATE}([Tt ]{CLOCK}(:[0-5][0-9](\\.[0-9]{{1,9}})?)?([Zz]|[+-]{CLOCK})?)?$"
        }

    def __call__(self, value: str) -> str:
        try:
            parse_due(value, UTC)
        except Invalid:
            raise ValueError(_missing(value) or _FORM) from None
        return value


class DaySpan(Struct, frozen=True):
    """The days from `first` to `last`, both in it, of a zone.

    `since` and `until` are the moments where they begin and have ended.
    """

    first: str
    last: str
    since: str
    until: str

    @property
    def low(self) -> str:
        """Return a text that no deadline in the span sorts before, whatever zone that deadline was
        reckoned in.
        """
        # Zones lie up to 26 hours apart; two days at either end are sure.
        return _shift_day(self.first, -2, "") if self.first else ""

    @property
    def high(self) -> str:
        """Return a text that every such deadline sorts before."""
        return _shift_day(self.last, 3, AFTER_ALL) if self.last != AFTER_ALL else AFTER_ALL


def request_zone(tx: Tx, me: Caller, asked: str | None = None) -> ZoneInfo:
    """Return the zone a request asks for, else the one its user has set."""
    return ZoneInfo(asked or users.settings_of(tx, me.user).timezone)


def home_and_request_zone(tx: Tx, me: Caller, asked: str | None) -> tuple[ZoneInfo, ZoneInfo]:
    """Return the zone that the user has set, and the one this request is read in."""
    home = request_zone(tx, me)
    return home, home if asked is None else ZoneInfo(asked)


def parse_due(text: str, zone: tzinfo) -> str:
    """Return a due date as it is stored.

    A day as it is, a moment in UTC; without an offset it is a wall time of `zone`. Raises
    Invalid.
    """
    try:
        if _DAY.fullmatch(text):
            return _parse_day(text).isoformat()
        return stamp(_parse_moment(text, zone))
    except (ValueError, OverflowError):
        raise Invalid(f"dueDate {_missing(text) or _FORM}.", field="dueDate") from None


def _missing(text: str) -> str | None:
    """Return which day a text names that its month does not have."""
    if _DAY.match(text) is None:
        return None
    year, month, day = (int(part) for part in text[:10].split("-"))
    days = calendar.monthrange(year, month)[1] if year and 1 <= month <= 12 else 31
    if not days < day <= 31:
        return None
    return (
        f"names a day that does not exist, {text[:10]}: {calendar.month_name[month]} {year} has "
        f"{days} days"
    )


def is_whole_day(due: str) -> bool:
    """Return whether a stored due date is a whole day."""
    return len(due) == 10


def local_moment(due: str, zone: ZoneInfo) -> datetime:
    """Return a stored moment as the wall shows it in `zone`.

    At the ends of the calendar, where it cannot, in UTC.
    """
    found = datetime.fromisoformat(due)
    try:
        return found.astimezone(zone)
    except OverflowError:
        return found


def local_day(due: str, zone: ZoneInfo) -> date:
    """Return the day of `zone` on which it is due."""
    return date.fromisoformat(due) if is_whole_day(due) else local_moment(due, zone).date()


def sortable_deadline(due: str | None, zone: ZoneInfo) -> str:
    """Return the moment by which it is due as text that sorts.

    A whole day is due by its last millisecond in `zone`.
    """
    if due is None:
        return NO_DUE
    if not is_whole_day(due):
        return due
    # The next day's start, not 24 hours on: days have 23 or 25 when clocks change.
    try:
        return stamp(
            _day_start(date.fromisoformat(due) + timedelta(days=1), zone)
            - timedelta(milliseconds=1)
        )
    except OverflowError:
        return f"{due}T23:59:59.999Z"


def move_to_day(due: str, day: date, zone: ZoneInfo, wall: time | None = None) -> str:
    """Return the same on another day.

    A moment keeps its wall time in `zone`, or gets the time `wall`.
    """
    if is_whole_day(due):
        return day.isoformat()
    clock = wall or local_moment(due, zone).time()
    try:
        return stamp(datetime.combine(day, clock, zone).astimezone(UTC))
    except OverflowError:
        return stamp(datetime.combine(day, clock, UTC))


def days_span(first: date | None, last: date | None, zone: ZoneInfo) -> DaySpan:
    """Return the days from `first` to `last`; None leaves that end open."""
    return DaySpan(
        first=first.isoformat() if first else "",
        last=last.isoformat() if last else AFTER_ALL,
        since=_span_edge(lambda: _day_start(first, zone), "") if first else "",
        until=_span_edge(lambda: _day_start(last + timedelta(days=1), zone), AFTER_ALL)
        if last
        else AFTER_ALL,
    )


def _parse_day(text: str) -> date:
    if not _DAY.fullmatch(text):
        raise ValueError("not a day")
    return date.fromisoformat(text)


def _parse_moment(text: str, zone: tzinfo) -> datetime:
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError("not a moment")
    day, clock, fraction, offset = match.groups()
    # Milliseconds, as moments are stored; more digits are cut off.
    milliseconds = f"{fraction or '':0<3.3}"
    seconds = clock if len(clock) == 8 else f"{clock}:00"
    found = datetime.fromisoformat(f"{day}T{seconds}.{milliseconds}{(offset or '').upper()}")
    return (found if offset else found.replace(tzinfo=zone)).astimezone(UTC)


def _day_start(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _span_edge(begin: Callable[[], datetime], otherwise: str) -> str:
    try:
        return stamp(begin())
    except OverflowError:
        return otherwise


def _shift_day(day: str, days: int, otherwise: str) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
    except OverflowError:
        return otherwise
