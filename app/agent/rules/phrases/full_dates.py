"""Dates that a text writes with their month, and mostly their year: “12 March 2025”, 2025年3月12日.

In whatever language, as a log may be in another than the question.
"""

import functools
import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates

SHORT = 3
"""So many letters has the name of a month at least."""
LONG = 4
"""So many letters has the name of a month that is hardly another word, as “may” is."""
MONTHS, DAYS = 12, 31
_NUMERIC = (
    re.compile(r"(?<![\d.])(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)(?!\d)"),
    re.compile(
        r"(?:(?P<year>\d{4})\s?年\s?)?(?<!\d)(?P<month>\d\d?)\s?月\s?(?P<day>\d\d?)\s?[日号]"
    ),
    re.compile(r"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>\d{4})(?!\d)"),
    re.compile(r"(?<![\d/])(?P<day>\d\d?)/(?P<month>\d\d?)/(?P<year>\d{4})(?!\d)"),
)
_MARK = re.compile(r"\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?\|?\s*")


class Written(NamedTuple):
    """A date at start..end of a text; without a year 0."""

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def full(self) -> date | None:
        """The day that it is, where it has a year and there is such a day."""
        try:
            return date(self.year, self.month, self.day)
        except ValueError:
            return None

    def may_be(self, other: "Written") -> bool:
        """Return whether another date may be of the same day."""
        years = {self.year, other.year} - {0}
        return (self.month, self.day) == (other.month, other.day) and len(years) < 2


def find(text: str) -> list[Written]:
    """Return the dates of a text that have their month, in their order."""
    found: list[Written] = []
    for one in sorted(_each(text), key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def begins(line: str) -> Written | None:
    """Return the date with which a line of a note begins, or the first cell of a row."""
    mark = _MARK.match(line)
    start = mark.end() if mark else 0
    return next((one for one in find(line) if one.start == start), None)


def months(text: str) -> set[int]:
    """Return the months that a text names, be it without a day: “in October”, 10月の."""
    plain = plain_letters(text).lower()
    numbered = {int(one) for one in re.findall(r"(?<!\d)(\d\d?)\s?月", plain)}
    words = re.findall(r"[^\W\d_]+", plain)
    return numbered | {_months()[one] for one in words if one in _months() and len(one) >= LONG}


def _each(text: str) -> Iterator[Written]:
    plain = plain_letters(text).lower()
    for pattern in (*_NUMERIC, *_named()):
        for one in pattern.finditer(plain):
            month = one["month"]
            number = int(month) if month.isdecimal() else _months()[month]
            day = int(one["day"])
            if number > MONTHS >= day and "/" in one[0]:
                number, day = day, number  # 3/25/2026
            if 1 <= number <= MONTHS and 1 <= day <= DAYS:
                yield Written(int(one["year"] or 0), number, day, one.start(), one.end())


@functools.cache
def _named() -> tuple[re.Pattern[str], ...]:
    names = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    year = r"(?:\.?,?\s+(?:del? |of )?(?P<year>\d{4})(?!\d))?"
    return (
        re.compile(
            rf"(?<![\d.,:/])(?P<day>\d\d?)(?:\.|st|nd|rd|th|er|º|°)?\s+(?:of |de |d')?"
            rf"(?P<month>{names})(?!\w){year}"
        ),
        re.compile(
            rf"(?<!\w)(?P<month>{names})\.?\s+(?P<day>\d\d?)(?:st|nd|rd|th)?(?![\w:/]|[.,]\d){year}"
        ),
    )


@functools.cache
def _months() -> dict[str, int]:
    """Return the numbers of the months by their names in all languages."""
    return {
        plain_letters(name).lower(): number
        for table in language_data.of_all(Dates)
        for number, names in table.months.items()
        for name in names
        if len(name) >= SHORT and name.isalpha()
    }
