"""When a task of Todoist is due, from the words that a CSV has for it: only what can mean one thing is understood."""

import re
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

import msgspec

from app.core.regex import regex
from app.core.tx import stamp

_ISO = regex(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z)?)?")
_YEAR = regex(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_FROM_DONE = regex(r"every\s*!|after\b|jede[rsn]?\s*!|chaque\s*!|cada\s*!", re.IGNORECASE)
_REST = regex(r"[\s,.;:@-]*(?:(?:at|on|um|am|den|le|à|el|a|las)\b[\s,.;:@-]*)*", re.IGNORECASE)


class When(msgspec.Struct, frozen=True):
    """A day or a moment, and the rule by which it comes again."""

    due: str
    rule: str | None = None


def understood(text: str, language: str, zone: str, exported: date | None) -> When | None:
    """Give when a task is due, or None where that is not certain; what recurs counts from the day of the export."""
    if found := _ISO.fullmatch(text.strip()):
        return _exact(found, zone)
    if not text.strip() or len(text) > 200 or _FROM_DONE.search(text):
        return None
    return _by_grammar(text, language, zone, exported)


def _exact(found: re.Match[str], zone: str) -> When | None:
    year, month, day, hour, minute, second, utc = found.groups()
    try:
        if hour is None:
            return When(date(int(year), int(month), int(day)).isoformat())
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0), tzinfo=UTC if utc else None)
        return When(_written(moment, zone))
    except ValueError:
        return None


def _by_grammar(text: str, language: str, zone: str, exported: date | None) -> When | None:
    """Read the words as quick add does; every one of them must have been understood."""
    from app.agent import quickadd

    first = exported or date(1970, 1, 1)
    now = datetime(first.year, first.month, first.day, tzinfo=UTC)
    read = quickadd.read(text, now=now, locale=language or None)
    left, place = "", 0
    for span in read.spans:
        left, place = left + text[place : span.start], span.end
    if read.due is None or read.priority or not _REST.fullmatch(left + text[place:]):
        return None
    rule = read.recurrence.rule if read.recurrence else None
    if rule is None and not _YEAR.search(text):
        return None
    if rule is not None and (exported is None or not _is_anchored(rule)):
        return None
    due = _written(read.due.replace(tzinfo=None), zone) if isinstance(read.due, datetime) else read.due.isoformat()
    return When(due, rule)


def _is_anchored(rule: str) -> bool:
    """Say whether a rule names its days, so that its first one is certain without a start."""
    return "INTERVAL" not in rule and (rule.startswith("FREQ=DAILY") or "BY" in rule)


def _written(moment: datetime, zone: str) -> str:
    """Give a moment in UTC, or a wall time where the zone is not known."""
    place = moment.tzinfo or _zone(zone)
    if place is None:
        return moment.isoformat(timespec="seconds")
    try:
        return stamp(moment.replace(tzinfo=place).astimezone(UTC))
    except OverflowError:
        return moment.replace(tzinfo=None).isoformat(timespec="seconds")


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (OSError, ValueError, KeyError):
        return None
