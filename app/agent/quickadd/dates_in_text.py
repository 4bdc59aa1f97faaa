"""Days and times as people write them in passing: the deadline that a sentence names.

Their words stand in `agent/rules/languages/*/times.toml`; not every language has them.
"""

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import cache

from app.agent.quickadd.meaning import NoSuchDay
from app.agent.rules.languages import language_data, time_units
from app.agent.rules.languages.language_tables import Times, Unit
from app.workspace.todos.todo_rows import fold_text

LONGEST = 600
UNIT_DAYS: Mapping[Unit, int] = {"day": 1, "week": 7, "month": 30, "year": 365}


def deadline(text: str, now: datetime, *, late: bool = False) -> tuple[date, time | None] | None:
    """Return the first day from today on that a text names, with its time where it has one.

    None where it names none.

    A time alone is one of today. With `late` the text is known to be of something overdue, so
    its latest past day counts.
    """
    # The curly apostrophe is what phones type.
    plain = fold_text(text[:LONGEST]).replace("’", "'")
    if not _hint().search(plain):
        return None
    today = now.date()
    missing: list[str] = []
    days = sorted(set(_days(plain, today, missing)))
    clock = _clock(plain)
    if late:
        past = [day for day in days if day < today]
        return (past[-1], None) if past else None
    coming = [day for day in days if day >= today]
    if coming:
        return coming[0], clock
    # A time beside a past or impossible day is of that day.
    return (today, clock) if clock is not None and not days and not missing else None


def _days(plain: str, today: date, missing: list[str]) -> Iterator[date]:
    """Yield the days that a text names, and note those that their month does not have."""
    for pattern, reading in _patterns():
        for match in pattern.finditer(plain):
            try:
                day = reading(match, today)
            except NoSuchDay:
                missing.append(match[0])
                continue
            except (ValueError, OverflowError):
                continue
            if day is not None:
                yield day


Reading = Callable[[re.Match[str], date], date | None]


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Reading], ...]:
    rows = (*_written_days(), *_days_near(), *_spans_of_days(), *_weeks_and_months())
    return tuple((re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), reading) for pattern, reading in rows)


def _written_days() -> Iterator[tuple[str, Reading]]:
    month, of, ordinal = _month(), _any("of"), _any("ordinal")
    yield r"(\d{4})-(\d\d)-(\d\d)", lambda m, today: _numbered(int(m[3]), int(m[2]), m[1], today)
    yield (
        r"(\d{1,2})\.(\d{1,2})\.(\d{4})?(?!\d)",
        lambda m, today: _numbered(int(m[1]), int(m[2]), m[3], today),
    )
    yield (
        r"(\d{1,2})/(\d{1,2})/(\d{4})",
        lambda m, today: _slashed(int(m[1]), int(m[2]), m[3], today),
    )
    day_first = (
        rf"(\d{{1,2}})(?:{ordinal}|\.)?\s+(?:(?:{of})\s+)?({month})\b\.?"
        rf"(?:\s+(?:(?:{of})\s+)?(\d{{4}}))?"
    )
    yield day_first, lambda m, today: _numbered(int(m[1]), _months()[m[2]], m[3], today)
    month_first = rf"({month})\.?\s+(\d{{1,2}})(?:{ordinal})?\b(?!:)(?:,?\s+(\d{{4}}))?"
    yield month_first, lambda m, today: _numbered(int(m[2]), _months()[m[1]], m[3], today)


def _days_near() -> Iterator[tuple[str, Reading]]:
    """Yield the words for days around this one, and weekdays."""
    yield _any("today"), lambda _, today: today
    yield _any("tomorrow"), lambda _, today: today + timedelta(1)
    yield _any("after_tomorrow"), lambda _, today: today + timedelta(2)
    yield _any("yesterday"), lambda _, today: today - timedelta(1)
    weekday, since, past_after = "|".join(_weekdays()), _any("since"), _any("past_after")
    past = rf"(?:{since})\s+(?:{weekday})|(?:{weekday})\s+(?:{past_after})"
    yield past, lambda m, today: today - timedelta((today.weekday() - _weekday(m[0])) % 7 or 7)
    not_since = "".join(f"(?<!{word} )" for word in since.split("|"))
    coming = rf"{not_since}(?:{weekday})s?\b(?!'s)(?! (?:{past_after}))"
    yield coming, lambda m, today: today + timedelta((_weekday(m[0]) - today.weekday()) % 7)


def _spans_of_days() -> Iterator[tuple[str, Reading]]:
    """Yield what counts days from today, forwards or back."""
    number, unit = _amount(), _unit()
    ahead = rf"(?:{_any('ahead')})\s+({number})\s+({unit})"
    yield ahead, lambda m, today: today + _span(m[1], m[2])
    hours = rf"(?:{_any('ahead_hours')})\s+(\d{{1,3}})\s*(?:{_any('hours')})"
    yield hours, lambda m, today: today + timedelta(int(m[1]) // 24)
    behind = rf"({number})\s+({unit})\s+(?:{_any('overdue_after')})"
    yield behind, lambda m, today: today - _span(m[1], m[2])
    since = rf"(?:{_any('overdue_before')})\s+({number})\s+({unit})"
    yield since, lambda m, today: today - _span(m[1], m[2])


def _weeks_and_months() -> Iterator[tuple[str, Reading]]:
    yield _any("weekend"), lambda _, today: today + timedelta((5 - today.weekday()) % 7)
    yield (
        _any("this_week"),
        lambda _, today: today + timedelta((4 if today.weekday() < 5 else 6) - today.weekday()),
    )
    yield _any("next_week"), lambda _, today: today + timedelta(7 - today.weekday())
    yield _any("this_month"), lambda _, today: _month_end(today)
    yield _any("next_month"), lambda _, today: _month_end(today) + timedelta(1)
    yield _any("next_year"), lambda _, today: date(today.year + 1, 1, 1)
    month = rf"(?<!\d )(?<!\d\. )(?:{_any('in_month')})\s+({_month()})\b(?!\.?\s+\d)"
    yield month, lambda m, today: _first_of(_months()[m[1]], today)


def _clock(plain: str) -> time | None:
    """Return the first time of day in a text."""
    match = _times().search(plain)
    if match is None:
        return None
    if match["noon"]:
        return time(12)
    if match["midnight"]:
        return time(23, 59)
    hour = int(match["h1"] or match["h2"] or match["h3"] or match["h4"])
    minute = int(match["m1"] or match["m2"] or match["m3"] or 0)
    half = match["half1"] or match["half2"]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


@cache
def _times() -> re.Pattern[str]:
    digital = r"(?P<h1>\d{1,2}):(?P<m1>\d\d)(?::\d\d)?(?:\s?(?P<half1>[ap])\.?m\b)?"
    english = r"(?P<h2>\d{1,2})(?:\.(?P<m2>\d\d))?\s?(?P<half2>[ap])\.?m\b"
    others = rf"(?P<h3>\d{{1,2}})\s?(?:{_any('o_clock')})(?P<m3>\d\d)?(?!\w)"
    after = rf"(?:{_any('at')})\s+(?P<h4>\d{{1,2}})(?!\s?[\w%/-]|[.,:]\d)"
    named = rf"(?:(?P<noon>{_any('noon')})|(?P<midnight>{_any('midnight')}))(?!\w)"
    return re.compile(rf"(?<![\w.:/-])(?:{digital}|{english}|{others}|{after}|{named})")


@cache
def _tables() -> tuple[Times, ...]:
    """Return the tables of the languages that deadlines are found in."""
    return tuple(one for one in language_data.of_all(Times) if one.deadlines.months)


@cache
def _any(field: str) -> str:
    return language_data.either(getattr(one.deadlines, field) for one in _tables())


@cache
def _hint() -> re.Pattern[str]:
    """Return what every text with a day or a time holds: looking for that first is much faster."""
    words = "|".join((*_weekdays(), _month(), _amount(), _any("hints")))
    return re.compile(rf"\d|\b(?:{words})")


@cache
def _weekdays() -> tuple[str, ...]:
    """Return a pattern for each weekday."""
    named = zip(*(one.weekdays for one in _tables()), strict=True)
    return tuple(fold_text("|".join(words)) for words in named)


@cache
def _months() -> Mapping[str, int]:
    named = (one.deadlines.months for one in _tables())
    return {word: number for months in named for number, words in months.items() for word in words}


@cache
def _amounts() -> Mapping[str, int]:
    named = (one.deadlines.amounts for one in _tables())
    return {word: number for rows in named for number, words in rows.items() for word in words}


def _month() -> str:
    return "|".join(sorted(_months(), key=len, reverse=True))


def _amount() -> str:
    return rf"\d{{1,3}}|{'|'.join(sorted(_amounts(), key=len, reverse=True))}"


@cache
def _unit() -> str:
    return language_data.either(
        one.units[unit] for one in _tables() for unit in UNIT_DAYS if unit in one.units
    )


def _numbered(day: int, month: int, year: str | None, today: date) -> date:
    """Return a day of a month: without a year the one that is nearest ahead, or was in the last
    two months.
    """
    # Year 4 is a leap year: without a year 29 February exists.
    leap_or_named = int(year or 4)
    if 1 <= month <= 12 and calendar.monthrange(leap_or_named, month)[1] < day <= 31:
        raise NoSuchDay
    if year:
        return date(int(year), month, day)
    found = date(today.year, month, day)
    return found if found >= today - timedelta(60) else date(today.year + 1, month, day)


def _slashed(first: int, second: int, year: str, today: date) -> date | None:
    """Return a day of the form 24/11/2026 or 11/24/2026 where only one reading makes sense."""
    # Both orders are in use; what could be either is no date here.
    if first > 12 >= second or first == second:
        return _numbered(first, second, year, today)
    return _numbered(second, first, year, today) if second > 12 else None


def _span(amount: str, unit: str) -> timedelta:
    days = UNIT_DAYS[time_units.unit_of(unit)]
    return timedelta(days * (int(amount) if amount.isdigit() else _amounts()[amount]))


def _weekday(text: str) -> int:
    """Return which weekday a text names, from 0."""
    return next(number for number, names in enumerate(_weekdays()) if re.search(names, text))


def _month_end(today: date) -> date:
    return date(today.year + today.month // 12, today.month % 12 + 1, 1) - timedelta(1)


def _first_of(month: int, today: date) -> date:
    """Return the first day of a month to come; of this one the last."""
    return (
        _month_end(today)
        if month == today.month
        else date(today.year + (month < today.month), month, 1)
    )
