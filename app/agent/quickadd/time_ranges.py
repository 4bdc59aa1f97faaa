"""Stretches of time that people and models name.

Days, weeks, weekends, months, so many days ahead, and ISO dates with or without an end.
"""

import functools
import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import NamedTuple, get_args

from app.agent.rules.languages import language_data, time_units
from app.agent.rules.languages.language_tables import Part, RangeName, Times, Unit
from app.agent.rules.languages.plain_letters import plain_letters

MOST_DAYS = 3_660
LONGEST = 600
NAMED = (
    "today, tomorrow, this week, next week, this weekend, next 7 days, this month, "
    "a weekday, 2026-03-01 or 2026-03-01/2026-03-07"
)
_DAY = r"(\d{4}-\d{2}-\d{2})"
_MOMENT = r"(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)"
LENGTHS: Mapping[Unit, timedelta] = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
}
PART_HOURS: Mapping[Part, tuple[int, int]] = {
    "morning": (8, 12),
    "afternoon": (12, 18),
    "evening": (18, 23),
}
"""The hours of the day in which a part of it begins and ends."""
_DAYS: Mapping[RangeName, int] = {
    "before_yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "after_tomorrow": 2,
}
# Dates that do not exist have a digit or 月, so most texts need no second look.
_DIGIT = re.compile(r"[\d月]")


class Range(NamedTuple):
    """From `start` up to `end`, in the user's zone.

    `at` is the moment that was named, where one was.
    """

    start: datetime
    end: datetime
    at: datetime | None = None


def read(text: str, now: datetime) -> Range | None:
    """Return the stretch that a text names at the moment `now`, whose zone is the user's.

    None where it names none.
    """
    plain = " ".join(text[:LONGEST].lower().replace("’", "'").split())
    # Before single days: each end is one.
    if found := _two_moments().search(plain):
        return _between(found[1], found[2], now)
    if re.fullmatch(_MOMENT, plain, re.IGNORECASE):
        return _between(plain, plain, now)
    for name, pattern in _names().items():
        if found := pattern.search(plain):
            named = _named(name, found.groups(), now)
            return (
                named._replace(at=_clock(text, now, named))
                if named.end - named.start == timedelta(days=1)
                else named
            )
    return _by_date(text, now)


def named_whole(text: str, now: datetime) -> Range | None:
    """Return the stretch that a text is the name of, such as “next week”; None where it says more
    or is none.
    """
    plain = " ".join(text[:LONGEST].lower().replace("’", "'").split())
    for name, pattern in _names().items():
        if (found := pattern.search(plain)) and found[0].strip() == plain:
            return _named(name, found.groups(), now)
    return None


def find_named(text: str, now: datetime) -> tuple[Range, int, int] | None:
    """Return the first stretch that a text in small letters names by words such as “next week”,
    and from where to where it does; None where it names none.
    """
    for name, pattern in _names().items():
        if found := pattern.search(text[:LONGEST]):
            return _named(name, found.groups(), now), found.start(), found.end()
    return None


def missing_day(text: str, now: datetime, locale: str | None = None) -> str:
    """Return the first date in a text that does not exist, such as 31 April; else nothing."""
    if not _DIGIT.search(text):
        return ""
    for found in re.finditer(rf"(?<!\d){_DAY}(?!\d)", text[:LONGEST]):
        year, month, number = (int(part) for part in found[1].split("-"))
        if year and 1 <= month <= 12 and monthrange(year, month)[1] < number <= 31:
            return found[1]
    from app.agent.quickadd import quickadd

    rest = text[:LONGEST]
    for pattern in _names().values():  # what else is named would hide it
        rest = re.sub(pattern.pattern, " ", rest, flags=re.IGNORECASE)
    return quickadd.read_line(f"x {_particle().sub(' ', rest)}", now=now, locale=locale).no_such_day


def day(of: date, now: datetime, days: int = 1) -> Range:
    """Return so many whole days of the user's zone."""
    return Range(
        datetime.combine(of, time(), now.tzinfo),
        datetime.combine(of + timedelta(days=days), time(), now.tzinfo),
    )


def been(named: Range, today: date) -> Range:
    """Return the days that are named as those that have been: a log tells nothing of others."""
    if named.start.date() <= today:
        return named
    days = (named.end - named.start).days
    weeks = named.start.date() - today <= timedelta(days=7) and days == 1
    if weeks:
        return Range(named.start - timedelta(days=7), named.end - timedelta(days=7))
    try:
        start = named.start.replace(year=named.start.year - 1)
    except ValueError:  # no such day a year before
        return named
    return Range(start, start + (named.end - named.start))


def find_part(text: str) -> tuple[Part, int, int] | None:
    """Return the part of a day that a text names, and from where to where; None where it names
    none.
    """
    plain = plain_letters(text).lower()
    for part, pattern in _parts().items():
        if found := pattern.search(plain):
            return part, found.start(), found.end()
    return None


def part_of(day: date, part: Part, now: datetime) -> Range:
    """Return the hours of a part of a day, in the user's zone."""
    start, end = (datetime.combine(day, time(hour), now.tzinfo) for hour in PART_HOURS[part])
    return Range(start, end)


def next_with(part: Part, now: datetime) -> Range:
    """Return the day of a part that is named without one: today, or tomorrow where it has been."""
    is_over = part_of(now.date(), part, now).end <= now
    return day(now.date() + timedelta(days=is_over), now)


def _named(name: RangeName, groups: tuple[str | None, ...], now: datetime) -> Range:
    today = now.date()
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    match name:
        case "ahead" | "behind":
            number, unit = (part for part in groups if part)
            each = LENGTHS[time_units.unit_of(unit)]
            length = min(int(number) * each, timedelta(days=MOST_DAYS))
            return _reckoned(now, length, ahead=name == "ahead", whole=each >= timedelta(days=1))
        case "week" | "next_week" | "last_week":
            ahead = {"week": 0, "next_week": 7, "last_week": -7}[name]
            return day(monday + timedelta(days=ahead), now, 7)
        case "weekend" | "next_weekend":
            return day(monday + timedelta(days=5 if name == "weekend" else 12), now, 2)
        case "month":
            return day(first, now, monthrange(first.year, first.month)[1])
        case "next_month":
            following = (first + timedelta(days=32)).replace(day=1)
            return day(following, now, monthrange(following.year, following.month)[1])
        case _:
            return day(today + timedelta(days=_DAYS[name]), now)


def _reckoned(now: datetime, length: timedelta, *, ahead: bool, whole: bool) -> Range:
    """Return what lies ahead or behind; days are whole ones, with today's rest or beginning."""
    if ahead:
        end = datetime.combine((now + length).date(), time(), now.tzinfo) if whole else now + length
        return Range(now, end)
    return Range(
        datetime.combine((now - length).date(), time(), now.tzinfo) if whole else now - length, now
    )


@functools.cache
def _names() -> Mapping[RangeName, re.Pattern[str]]:
    def pattern(name: RangeName) -> re.Pattern[str]:
        return re.compile(time_units.with_units(lambda one: one.ranges.get(name, "")))

    return {name: pattern(name) for name in get_args(RangeName)}


@functools.cache
def _parts() -> Mapping[Part, re.Pattern[str]]:
    def words(part: Part) -> str:
        return language_data.any_of(Times, lambda one: one.parts.get(part, ""))

    return {part: re.compile(plain_letters(words(part))) for part in PART_HOURS}


@functools.cache
def _two_moments() -> re.Pattern[str]:
    between = language_data.any_of(Times, lambda one: one.between)
    between = rf"/|\.\.|–|—|-|〜|~|{between}"
    return re.compile(rf"{_MOMENT}\s*(?:{between})\s*{_MOMENT}", re.IGNORECASE)


@functools.cache
def _particle() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Times, lambda one: one.particle))


def _between(first: str, last: str, now: datetime) -> Range | None:
    try:
        start, end = (_moment(text, now) for text in (first, last))
        if len(last) == 10:
            end = datetime.combine(end.date() + timedelta(days=1), time(), now.tzinfo)
        found = Range(start, end, start if first == last and len(first) > 10 else None)
        if found.at is not None:
            found = day(start.date(), now)._replace(at=start)
    except (ValueError, OverflowError):
        return None
    # Neither backwards nor so long that every event is read.
    return found if timedelta() < found.end - found.start <= timedelta(days=MOST_DAYS) else None


def _moment(text: str, now: datetime) -> datetime:
    found = datetime.fromisoformat(text.upper().replace(" ", "T"))
    return (
        found.replace(tzinfo=now.tzinfo) if found.tzinfo is None else found.astimezone(now.tzinfo)
    )


def _by_date(text: str, now: datetime) -> Range | None:
    """Return the day that the quick-add grammar finds, with the time of day where there is one."""
    # A grammar of six languages, so only loaded once somebody names a date.
    from app.agent.quickadd import quickadd

    # Particles after a Japanese date would keep it from standing apart.
    text = _particle().sub(" ", text)
    due = (
        (quickadd.read_line(text, now=now).due or quickadd.read_line(f"x {text}", now=now).due)
        if text.strip()
        else None
    )
    if due is None:
        return None
    moment = due.astimezone(now.tzinfo) if isinstance(due, datetime) else None
    return day(moment.date() if moment else due, now)._replace(at=moment)


def _clock(text: str, now: datetime, named: Range) -> datetime | None:
    """Return the time of day that a text names beside the day."""
    from app.agent.quickadd import quickadd

    due = quickadd.read_line(_particle().sub(" ", text), now=now).due
    return (
        datetime.combine(named.start.date(), due.astimezone(now.tzinfo).time(), now.tzinfo)
        if isinstance(due, datetime)
        else None
    )
