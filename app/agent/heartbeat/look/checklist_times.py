"""The times that a line of the checklist names.

Every day at 08:00, every Monday, on the 1st, every 2 hours.
"""

import functools
import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from app.agent.heartbeat.records.active_hours import first_moment_at

CAUGHT_UP = timedelta(hours=48)
"""So late a time is still made up for when no run has seen it."""
_DAYS = {
    "mon": 1,
    "tue": 2,
    "wed": 3,
    "thu": 4,
    "fri": 5,
    "sat": 6,
    "sun": 7,
    "montag": 1,
    "dienstag": 2,
    "mittwoch": 3,
    "donnerstag": 4,
    "freitag": 5,
    "samstag": 6,
    "sonnabend": 6,
    "sonntag": 7,
}
_DAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?"
)


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
        minutes = int(again["number"]) * (60 if again["unit"][0] in "hHsS" else 1)
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
        fresh = ago == 0 or (seen is not None and seen < at and now - at <= CAUGHT_UP)
        return Occurrence(f"{day.isoformat()} {when.minute}", at) if fresh else None
    return None


def _falls_on(when: When, day: date) -> bool:
    if when.month_day is None:
        return day.isoweekday() in when.weekdays
    return day.day == when.month_day or (
        day.day < when.month_day and (day + timedelta(days=1)).month != day.month
    )


def _parse_weekdays(text: str) -> frozenset[int]:
    lower = text.lower()
    found = {
        _DAYS[name] for name in re.findall("|".join(sorted(_DAYS, key=len, reverse=True)), lower)
    }
    if re.search(r"weekday|workday|werktag|arbeitstag", lower):
        found |= {1, 2, 3, 4, 5}
    if re.search(r"weekend|wochenende", lower):
        found |= {6, 7}
    return frozenset(found)


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
    days = (
        rf"(?:(?:{_DAY}|weekdays?|workdays?|werktags?|weekends?|wochenende)"
        rf"(?:\s*(?:,|and|und|&)\s*(?:{_DAY}))*)"
    )
    half = r"a\.?m\.?|p\.?m\.?|uhr"
    return {
        name: re.compile(pattern, re.IGNORECASE)
        for name, pattern in {
            "interval": r"\b(?:every|alle)\s+(?P<number>[0-9]{1,4})\s*"
            r"(?P<unit>h|hours?|min|minutes?|stunden|minuten)\b",
            "month_day": r"\b(?:every month|monthly|each month|jeden monat)"
            r"(?:,?\s+(?:on|am)\s+(?:the\s+|day\s+)?(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?)?",
            "days": rf"\b(?:every|each|on|jeden|jede|am|an)\s+(?P<days>{days})\b",
            "daily": r"\b(?:every|each) "
            r"(?:day|morning|evening)\b|\bdaily\b|\beveryday\b|\btäglich\b|\bjeden "
            r"tag\b|\bjeden (?:morgen|abend)\b",
            "clock": rf"(?:\b(?:at|um|@)\s*)?\b(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}})\b"
            rf"(?:\s*(?P<half>{half}))?"
            rf"|\b(?:at|um)\s+(?P<bare>[0-9]{{1,2}})\s*(?P<bare_half>{half})",
        }.items()
    }
