"""Days as people write them in a search.

Dates of a day, a month or a year, and words like `yesterday` or `last week`.
"""

import calendar
import re
from datetime import date, timedelta

import msgspec

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_COUNT = re.compile(
    r"(?:(?:last|past) )?([0-9]{1,4}) ?(d|days?|w|weeks?|m|months?|y|years?)(?: ago)?"
)
_NAMED = re.compile(r"(last|this|past) (week|month|year|" + "|".join(WEEKDAYS) + ")")


class Days(msgspec.Struct, frozen=True):
    """From the first to the last day, both included."""

    first: date
    last: date

    @property
    def before(self) -> date:
        """The day before the first; of the first day of the calendar itself."""
        return self.first - timedelta(days=self.first > date.min)


def parse_days(text: str, today: date) -> Days | None:
    """Return the days that a text names, seen from `today`; None when it names none."""
    said = " ".join(text.lower().replace("_", " ").split())
    try:
        return _parse_date(said) or _parse_words(said, today)
    except (ValueError, OverflowError):
        return None


def _parse_date(said: str) -> Days | None:
    found = _DATE.fullmatch(said)
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if not found[2]:
        return Days(date(year, 1, 1), date(year, 12, 31))
    if not found[3]:
        return _month_days(date(year, month, 1))
    return Days(date(year, month, day), date(year, month, day))


def _parse_words(said: str, today: date) -> Days | None:
    if said in ("today", "yesterday"):
        day = today - timedelta(days=said == "yesterday")
        return Days(day, day)
    if said in WEEKDAYS:
        day = today - timedelta(days=(today.weekday() - WEEKDAYS.index(said)) % 7)
        return Days(day, day)
    if named := _NAMED.fullmatch(said):
        return _named_days(named[2], today, last=named[1] != "this")
    if counted := _COUNT.fullmatch(said):
        return Days(_day_ago(today, int(counted[1]), counted[2][0]), today)
    return None


def _named_days(what: str, today: date, *, last: bool) -> Days:
    if what == "week":
        monday = today - timedelta(days=today.weekday() + 7 * last)
        return Days(monday, monday + timedelta(days=6))
    if what == "month":
        first = today.replace(day=1)
        return _month_days((first - timedelta(days=1)).replace(day=1) if last else first)
    if what == "year":
        year = today.year - last
        return Days(date(year, 1, 1), date(year, 12, 31))
    # "Last Monday" said on a Monday is the one a week ago, "this Monday" today.
    gone = (today.weekday() - WEEKDAYS.index(what)) % 7
    day = today - timedelta(days=gone or 7 * last)
    return Days(day, day)


def _month_days(first: date) -> Days:
    return Days(first, first.replace(day=calendar.monthrange(first.year, first.month)[1]))


def _day_ago(today: date, count: int, unit: str) -> date:
    """Return the day so many days, weeks, months or years ago; of a shorter month its last day."""
    if unit in "dw":
        return today - timedelta(days=count * (7 if unit == "w" else 1))
    months = today.year * 12 + today.month - 1 - count * (12 if unit == "y" else 1)
    first = date(months // 12, months % 12 + 1, 1)
    return first.replace(day=min(today.day, _month_days(first).last.day))
