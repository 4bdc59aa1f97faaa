"""The times that a line of the checklist names.

Every day at 08:00, every Monday, on the 1st, every 2 hours.
"""

import functools
import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from app.agent.heartbeat.records.active_hours import first_moment_at
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ChecklistWords, ListUnit

CAUGHT_UP = timedelta(hours=48)
"""So late a time is still made up for when no run has seen it."""


class When(msgspec.Struct, frozen=True):
    """When a line is due: on these days, or every day, from a minute after midnight on.

    Or again and again after so many minutes.
    """

    weekdays: frozenset[int] = frozenset(range(1, 8))
    minute: int = 0
    month_day: int | None = None
    every: int | None = None


class Occurrence(msgspec.Struct, frozen=True):
    """One time at which a line was due, and the name under which it is done only once."""

    name: str
    at: datetime


def find_time(line: str) -> tuple[When | None, str]:
    """Return the time that a line names, None without one, and the rest of the line."""
    patterns = _load_patterns()
    if (again := patterns["interval"].search(line)) is not None:
        minutes = int(again["number"]) * (60 if again["hour"] else 1)
        return (When(every=minutes), _without_match(line, again)) if minutes >= 1 else (None, line)
    when, rest = None, line
    if (month := patterns["month_day"].search(rest)) is not None and 1 <= int(
        month["day"] or 1
    ) <= 31:
        when, rest = When(month_day=int(month["day"] or 1)), _without_match(rest, month)
    elif (days := patterns["days"].search(rest)) is not None:
        when, rest = When(weekdays=_parse_weekdays(days["days"])), _without_match(rest, days)
    elif (daily := patterns["daily"].search(rest)) is not None:
        when, rest = When(), _without_match(rest, daily)
    clock = patterns["clock"].search(rest)
    minute = None if clock is None else _parse_minute(clock)
    if clock is None or minute is None:
        return when, rest
    return msgspec.structs.replace(when or When(), minute=minute), _without_match(rest, clock)


def latest_occurrence(
    when: When, now: datetime, zone: ZoneInfo, *, seen: datetime | None
) -> Occurrence | None:
    """Return the time at which a line is due now.

    Today's, or one of the last two days that no run has seen. None when there is none.
    """
    if when.every is not None:
        # Slots since the epoch, so that a late run does not shift those after it.
        number = int(now.timestamp()) // (when.every * 60)
        return Occurrence(f"every {when.every} {number}", now)
    today = now.astimezone(zone).date()
    for ago in range(3):
        day = today - timedelta(days=ago)
        if not _falls_on(when, day):
            continue
        at = first_moment_at(datetime.combine(day, time()) + timedelta(minutes=when.minute), zone)
        if at > now:
            continue
        # Older ones count only if no run has looked since.
        fresh = ago == 0 or (seen is not None and seen < at and now - at <= CAUGHT_UP)
        return Occurrence(f"{day.isoformat()} {when.minute}", at) if fresh else None
    return None


def _falls_on(when: When, day: date) -> bool:
    if when.month_day is None:
        return day.isoweekday() in when.weekdays
    # The 31st is the last day in shorter months.
    return day.day == when.month_day or (
        day.day < when.month_day and (day + timedelta(days=1)).month != day.month
    )


def _parse_weekdays(text: str) -> frozenset[int]:
    patterns = _day_patterns()
    return frozenset(day for pattern, days in patterns if pattern.search(text) for day in days)


@functools.cache
def _day_patterns() -> tuple[tuple[re.Pattern[str], tuple[int, ...]], ...]:
    named: list[tuple[str, tuple[int, ...]]] = [
        (_any_weekday(number), (number + 1,)) for number in range(7)
    ]
    named += [(_words("workdays"), (1, 2, 3, 4, 5)), (_words("weekend"), (6, 7))]
    return tuple((re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE), days) for words, days in named)


def _parse_minute(clock: re.Match[str]) -> int | None:
    """Return a time of day in minutes; None for one that there is not."""
    hour, minute = int(clock["hour"] or clock["bare"]), int(clock["minute"] or 0)
    half = (clock["half"] or clock["bare_half"] or "").lower().replace(".", "")
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return hour * 60 + minute if hour < 24 and minute < 60 else None


def _without_match(line: str, match: re.Match[str]) -> str:
    return f"{line[: match.start()]} {line[match.end() :]}".strip()


@functools.cache
def _load_patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns; made when first needed."""
    day = f"(?:{'|'.join(map(_any_weekday, range(7)))})s?"
    days = (
        rf"(?:{day}|{_words('workdays')}|{_words('weekend')})"
        rf"(?:\s*(?:,|{_words('and_')}|&)\s*(?:{day}))*"
    )
    half = rf"a\.?m\.?|p\.?m\.?|{_words('o_clock')}"
    on_day = rf"(?:{_words('on_day')})(?P<day>[0-9]{{1,2}})(?:{_words('ordinal')}|\.)?"
    at = _words("at")
    return {
        name: re.compile(pattern, re.IGNORECASE)
        for name, pattern in {
            "interval": rf"\b(?:{_words('interval')})\s+(?P<number>[0-9]{{1,4}})\s*"
            rf"(?:{unit_groups('hour', 'minute')})\b",
            "month_day": rf"\b(?:{_words('monthly')})(?:,?\s+{on_day})?",
            "days": rf"\b(?:{_words('each')})\s+(?P<days>{days})\b",
            "daily": _words("daily"),
            "clock": rf"(?:\b(?:{at}|@)\s*)?\b(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}})\b"
            rf"(?:\s*(?P<half>{half}))?"
            rf"|\b(?:{at})\s+(?P<bare>[0-9]{{1,2}})\s*(?P<bare_half>{half})",
        }.items()
    }


def unit_groups(*units: ListUnit) -> str:
    """Return a pattern for one of some units of time, in a group of its name."""
    tables = language_data.of_all(ChecklistWords)
    return "|".join(
        f"(?P<{unit}>{language_data.either(one.units.get(unit, '') for one in tables)})"
        for unit in units
    )


def _words(field: str) -> str:
    return language_data.any_of(ChecklistWords, lambda one: getattr(one.times, field))


def _any_weekday(number: int) -> str:
    return language_data.any_of(ChecklistWords, lambda one: one.times.weekdays[number])
