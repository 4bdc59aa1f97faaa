"""When a task of Todoist is due, from the words that a CSV has for it.

Only what can mean one thing is understood.
"""

import contextlib
import re
from datetime import UTC, date, datetime

import msgspec

from app.portability.content.clean_text import stored_moment, zone_named

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z)?)?"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_FROM_DONE = re.compile(r"every\s*!|after\b|jede[rsn]?\s*!|chaque\s*!|cada\s*!", re.IGNORECASE)
_REST = re.compile(r"[\s,.;:@-]*(?:(?:at|on|um|am|den|le|à|el|a|las)\b[\s,.;:@-]*)*", re.IGNORECASE)


_PROBES = ((1, 1), (2, 20), (8, 4))
"""Days from which a day and month are the same, and what counts from today or has no month is
not.
"""


class When(msgspec.Struct, frozen=True):
    """A day or a moment, and the rule by which it comes again."""

    due: str
    rule: str | None = None
    year: int | None = None
    """The year that was taken where the words named none."""


def parse_due(text: str, language: str, zone: str, exported: date | None) -> When | None:
    """Return when a task is due, or None where that is not certain.

    What recurs counts from the day of the export.
    """
    if found := _ISO.fullmatch(text.strip()):
        return _exact(found, zone)
    if not text.strip() or len(text) > 200 or _FROM_DONE.search(text):
        return None
    # Todoist writes the months in English, whatever the language
    for locale in dict.fromkeys((language or None, "en")):
        if found_when := _by_grammar(text, locale, zone, exported):
            return found_when
    return None


def no_such_day(text: str, language: str, exported: date | None) -> bool:
    """Return whether the words of a task name a day that its month does not have."""
    from app.agent.quickadd import time_ranges

    day = exported or date(1970, 1, 1)
    return len(text) <= 200 and any(
        time_ranges.missing_day(text, datetime(day.year, day.month, day.day, tzinfo=UTC), locale)
        for locale in (language or None, "en")
    )


def _exact(found: re.Match[str], zone: str) -> When | None:
    year, month, day, hour, minute, second, utc = found.groups()
    try:
        if hour is None:
            return When(date(int(year), int(month), int(day)).isoformat())
        moment = datetime(
            int(year),
            int(month),
            int(day),
            int(hour),
            int(minute),
            int(second or 0),
            tzinfo=UTC if utc else None,
        )
        return When(_stored_text(moment, zone))
    except ValueError:
        return None


def _by_grammar(text: str, locale: str | None, zone: str, exported: date | None) -> When | None:
    """Read the words as quick add does; every one of them must have been understood."""
    has_year = _YEAR.search(text) is not None
    read = _understood(text, locale, exported or date(1970, 1, 1))
    # quick add takes no day that has passed, and an export is full of them
    if read is None and has_year:
        read = _understood(text, locale, date(1970, 1, 1))
    if read is None:
        return None
    due, rule = read
    if rule is None and not has_year:
        return None if exported is None else _without_year(text, locale, zone, exported)
    if rule is not None and (exported is None or not _is_anchored(rule)):
        return None
    return When(_stored(due, zone), rule)


def _without_year(text: str, locale: str | None, zone: str, exported: date) -> When | None:
    """Return a day and month in the year in which they are nearest to the export.

    None for words that count from some other day.
    """
    # "in 3 days" or "Friday" come out differently on each day of the probe, "4 May" does not.
    seen = [_understood(text, locale, date(exported.year, *day)) for day in _PROBES]
    days = {(one[0].month, one[0].day) for one in seen if one is not None and one[1] is None}
    if None in seen or len(days) != 1:
        return None
    due = next(one[0] for one in seen if one is not None)
    nearest: list[tuple[int, date]] = []
    for year in range(max(exported.year - 1, 1), exported.year + 2):
        with contextlib.suppress(ValueError):  # the 29th of February
            moved = due.replace(year=year)
            nearest.append((abs((date(moved.year, moved.month, moved.day) - exported).days), moved))
    if not nearest:
        return None
    taken = min(nearest)[1]
    return When(_stored(taken, zone), year=taken.year)


def _understood(text: str, locale: str | None, first: date) -> tuple[date, str | None] | None:
    """Return what quick add makes of words on a day.

    When, and the rule; None where a word is left over.
    """
    from app.agent.quickadd import quickadd

    read = quickadd.read_line(
        text, now=datetime(first.year, first.month, first.day, tzinfo=UTC), locale=locale
    )
    left, place = "", 0
    for span in read.spans:
        left, place = left + text[place : span.start], span.end
    if read.due is None or read.priority or not _REST.fullmatch(left + text[place:]):
        return None
    return read.due, read.recurrence.rule if read.recurrence else None


def _stored(due: date, zone: str) -> str:
    return (
        _stored_text(due.replace(tzinfo=None), zone)
        if isinstance(due, datetime)
        else due.isoformat()
    )


def _is_anchored(rule: str) -> bool:
    """Return whether a rule names its days, so that its first one is certain without a start."""
    return "INTERVAL" not in rule and (rule.startswith("FREQ=DAILY") or "BY" in rule)


def _stored_text(moment: datetime, zone: str) -> str:
    """Return a moment in UTC, or a wall time where the zone is not known."""
    return stored_moment(moment.replace(tzinfo=moment.tzinfo or zone_named(zone)))
