"""Stretches of time that people and models name.

Days, weeks, weekends, months, so many days ahead, and ISO dates with or without an end.
"""

import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from app.core.process.lazy_regex import regex

MOST_DAYS = 3_660
LONGEST = 600
NAMED = (
    "today, tomorrow, this week, next week, this weekend, next 7 days, this month, "
    "a weekday, 2026-03-01 or 2026-03-01/2026-03-07"
)
_DAY = r"(\d{4}-\d{2}-\d{2})"
_MOMENT = r"(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)"
_BETWEEN = rf"{_MOMENT}\s*(?:/|\.\.|–|—|-|to|until|bis|至|到|から|〜|~)\s*{_MOMENT}"
_NAMES: tuple[tuple[str, str], ...] = (
    (
        "after_tomorrow",
        r"\bday after tomorrow\b|\bübermorgen\b|\baprès-demain\b|\bpasado mañana\b"
        r"|后天|明後日|あさって",
    ),
    ("ahead", r"\b(?:the )?(?:next|coming) (\d{1,4}) (hour|day|week|month)s?\b"),
    (
        "ahead",
        r"\b(?:die |den )?(?:nächsten|kommenden) (\d{1,4}) (stunden|tagen?|wochen|monaten?)\b",
    ),
    ("ahead", r"\b(?:les )?(\d{1,4}) prochaine?s (heures|jours|semaines|mois)\b"),
    ("ahead", r"\b(?:l[oa]s )?próxim[oa]s (\d{1,4}) (horas|días|semanas|meses)\b"),
    ("ahead", r"(?:未来|接下来|今后)的?(\d{1,4})\s*(?:个)?(小时|天|日|周|星期|月)"),
    ("ahead", r"(?:今後|これから|向こう)(\d{1,4})\s*(?:か|ヶ)?(時間|日|週|月)"),
    ("behind", r"\b(?:the )?(?:last|past) (\d{1,4}) (hour|day|week|month)s?\b"),
    (
        "next_weekend",
        r"\bnext weekend\b|\bnächstes wochenende\b|\ble week-?end prochain\b|下周末|来週末",
    ),
    ("weekend", r"\bweekend\b|\bwochenende\b|\bweek-end\b|\bfin de semana\b|周末|週末"),
    (
        "next_week",
        r"\bnext week\b|\b(?:nächste[nr]?|kommende[nr]?) woche\b|\bsemaine prochaine\b"
        r"|下个?星期|下周|来週",
    ),
    ("next_week", r"\b(?:próxima semana|semana que viene)\b"),
    (
        "last_week",
        r"\blast week\b|\bletzte[nr]? woche\b|\bsemaine dernière\b|\bsemana pasada\b"
        r"|上个?星期|上周|先週",
    ),
    (
        "week",
        r"\b(?:this|the|my) week\b|\bdiese[rn]? woche\b|\bcette semaine\b|\besta "
        r"semana\b|本周|这个?星期|这周|今週",
    ),
    (
        "next_month",
        r"\bnext month\b|\bnächsten monat\b|\bmois prochain\b|\b(?:próximo mes|mes que "
        r"viene)\b|下个?月|来月",
    ),
    ("month", r"\bthis month\b|\bdiesen monat\b|\bce mois\b|\beste mes\b|本月|这个?月|今月"),
    ("yesterday", r"\byesterday\b|\bgestern\b|\bhier\b|\bayer\b|昨天|昨日"),
    (
        "today",
        r"\btoday\b|\btonight\b|\bmy day\b|\bheute\b|\baujourd'?hui\b|\bce "
        r"soir\b|\bhoy\b|\besta noche\b|今天|今晚|今日|今夜",
    ),
    ("tomorrow", r"\btomorrow\b|\bmorgen\b(?! (?:früh)? ?um)|\bdemain\b|\bmañana\b|明天|明日"),
)
_UNITS: tuple[tuple[tuple[str, ...], timedelta], ...] = (
    (("hour", "stund", "heure", "hora", "小时", "時間"), timedelta(hours=1)),
    (("week", "woche", "semain", "seman", "周", "星期", "週"), timedelta(weeks=1)),
    (("month", "monat", "mois", "mes", "月"), timedelta(days=30)),
)


_PARTICLE = regex(r"(?<=[時分日半])[はにのも]")
"""What stands between a Japanese time and the rest of a question."""


_DIGIT = regex(r"[\d月]")


class Range(NamedTuple):
    """From `start` up to `end`, in the user's zone.

    `at` is the moment that was named, where one was.
    """

    start: datetime
    end: datetime
    at: datetime | None = None


def read(text: str, now: datetime) -> Range | None:
    """Give the stretch that a text names at the moment `now`, whose zone is the user's.

    None where it names none.
    """
    plain = " ".join(text[:LONGEST].lower().replace("’", "'").split())
    if found := re.search(_BETWEEN, plain, re.IGNORECASE):
        return _between(found[1], found[2], now)
    if re.fullmatch(_MOMENT, plain, re.IGNORECASE):
        return _between(plain, plain, now)
    for name, pattern in _NAMES:
        if found := re.search(pattern, plain):
            named = _named(name, found.groups(), now)
            return (
                named._replace(at=_clock(text, now, named))
                if named.end - named.start == timedelta(days=1)
                else named
            )
    return _by_date(text, now)


def missing_day(text: str, now: datetime, locale: str | None = None) -> str:
    """Give the first date in a text that does not exist, such as 31 April; else nothing."""
    if not _DIGIT.search(text):
        return ""
    for found in re.finditer(rf"(?<!\d){_DAY}(?!\d)", text[:LONGEST]):
        year, month, number = (int(part) for part in found[1].split("-"))
        if year and 1 <= month <= 12 and monthrange(year, month)[1] < number <= 31:
            return found[1]
    from app.agent.quickadd import quickadd

    rest = text[:LONGEST]
    for _, pattern in _NAMES:  # what else is named would hide it
        rest = re.sub(pattern, " ", rest, flags=re.IGNORECASE)
    return quickadd.read(f"x {_PARTICLE.sub(' ', rest)}", now=now, locale=locale).no_such_day


def day(of: date, now: datetime, days: int = 1) -> Range:
    """Give so many whole days of the user's zone."""
    return Range(
        datetime.combine(of, time(), now.tzinfo),
        datetime.combine(of + timedelta(days=days), time(), now.tzinfo),
    )


def _named(name: str, groups: tuple[str | None, ...], now: datetime) -> Range:
    today = now.date()
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    match name:
        case "ahead" | "behind":
            number, unit = (part for part in groups if part)
            length = min(int(number) * _unit(unit), timedelta(days=MOST_DAYS))
            return _reckoned(
                now, length, ahead=name == "ahead", whole=_unit(unit) >= timedelta(days=1)
            )
        case "week" | "next_week" | "last_week":
            return day(
                monday + timedelta(days={"week": 0, "next_week": 7, "last_week": -7}[name]), now, 7
            )
        case "weekend" | "next_weekend":
            return day(monday + timedelta(days=5 if name == "weekend" else 12), now, 2)
        case "month":
            return day(first, now, ((first + timedelta(days=32)).replace(day=1) - first).days)
        case "next_month":
            following = (first + timedelta(days=32)).replace(day=1)
            return day(
                following, now, ((following + timedelta(days=32)).replace(day=1) - following).days
            )
        case _:
            return day(
                today
                + timedelta(
                    days={"yesterday": -1, "today": 0, "tomorrow": 1, "after_tomorrow": 2}[name]
                ),
                now,
            )


def _reckoned(now: datetime, length: timedelta, *, ahead: bool, whole: bool) -> Range:
    """Give what lies ahead or behind; days are whole ones, with today's rest or beginning."""
    if ahead:
        end = datetime.combine((now + length).date(), time(), now.tzinfo) if whole else now + length
        return Range(now, end)
    return Range(
        datetime.combine((now - length).date(), time(), now.tzinfo) if whole else now - length, now
    )


def _unit(word: str) -> timedelta:
    return next(
        (length for beginnings, length in _UNITS if word.startswith(beginnings)), timedelta(days=1)
    )


def _between(first: str, last: str, now: datetime) -> Range | None:
    try:
        start, end = (_moment(text, now) for text in (first, last))
        end = (
            datetime.combine(end.date() + timedelta(days=1), time(), now.tzinfo)
            if len(last) == 10
            else end
        )
        found = Range(start, end, start if first == last and len(first) > 10 else None)
        if found.at is not None:
            found = day(start.date(), now)._replace(at=start)
    except (ValueError, OverflowError):
        return None
    return found if timedelta() < found.end - found.start <= timedelta(days=MOST_DAYS) else None


def _moment(text: str, now: datetime) -> datetime:
    found = datetime.fromisoformat(text.upper().replace(" ", "T"))
    return (
        found.replace(tzinfo=now.tzinfo) if found.tzinfo is None else found.astimezone(now.tzinfo)
    )


def _by_date(text: str, now: datetime) -> Range | None:
    """Give the day that the quick-add grammar finds, with the time of day where there is one."""
    from app.agent.quickadd import (
        quickadd,
    )  # a grammar of six languages, so only once somebody names a date

    text = _PARTICLE.sub(" ", text)
    due = (
        (quickadd.read(text, now=now).due or quickadd.read(f"x {text}", now=now).due)
        if text.strip()
        else None
    )
    if due is None:
        return None
    moment = due.astimezone(now.tzinfo) if isinstance(due, datetime) else None
    return day(moment.date() if moment else due, now)._replace(at=moment)


def _clock(text: str, now: datetime, named: Range) -> datetime | None:
    """Give the time of day that a text names beside the day."""
    from app.agent.quickadd import quickadd

    due = quickadd.read(_PARTICLE.sub(" ", text), now=now).due
    return (
        datetime.combine(named.start.date(), due.astimezone(now.tzinfo).time(), now.tzinfo)
        if isinstance(due, datetime)
        else None
    )
