"""The dates that a text writes out, in any language, with or without their year."""

import functools
import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from app.agent.quickadd import holidays, language_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.reckoning import words

_RANGE = re.compile(
    r"\b(\d{1,2})(\.?) ?(?:-|/|au|to|bis(?: zum)?|al|until|till|y|et|and|und) ?"
    r"(?:le |the |el )?\d{1,2}(?:st|nd|rd|th|\.)?(?= (?:of |de )?[a-z])"
)
_HAN_RANGE = re.compile(r"(\d{1,2}[日号]?)(?:[-~〜～到至]|から)\d{1,2}[日号]")


class Found(NamedTuple):
    """A date at start..end of a folded text; the first day of a month where only that is said."""

    day: date
    has_year: bool
    start: int
    end: int
    is_month: bool = False


def find(text: str, today: date) -> list[Found]:
    """Return the dates of a folded text in their order; of a stretch of days the first.

    One without a year is the next from today on.
    """
    found: list[Found] = []
    for pattern in (_numeric(), _named()):
        for one in pattern.finditer(text):
            if (read := _read(one, today)) and not any(
                other.start < read.end and read.start < other.end for other in found
            ):
                found.append(read)
    return sorted(found, key=lambda one: one.start)


def months_in(text: str) -> set[int]:
    """Return the numbers of the months that a folded text names, with or without a year."""
    named = {number for name, number in _months().items() if re.search(rf"\b{name}\b", text)}
    return named | {int(one) for one in re.findall(r"(?<!\d)(\d{1,2})月", text)}


def first_of_stretches(text: str) -> str:
    """Return a folded text with stretches of days cut to their first."""
    return _HAN_RANGE.sub(r"\1", _RANGE.sub(r"\1\2", text))


def _read(one: re.Match[str], today: date) -> Found | None:
    said = {re.sub(r"\d", "", name): value for name, value in one.groupdict().items() if value}
    month = said.get("month", "")
    number = int(month) if month.isdecimal() else _months().get(month.rstrip("."))
    if number is None:
        return None
    year = int(said["year"]) if "year" in said else 0
    year += 2000 if 0 < year < 100 else 0
    try:
        day = date(year or today.year, number, int(said.get("day", "1")))
        if not year and day < today:
            day = day.replace(year=today.year + 1)
    except ValueError:
        return None
    if "day" not in said and not year:
        return None
    return Found(day, bool(year), one.start(), one.end(), "day" not in said)


@functools.cache
def _numeric() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\d.-])(?P<year1>\d{4})-(?P<month1>\d\d)-(?P<day1>\d\d)(?!\d)"
        r"|(?<!\d)(?:(?P<year2>\d{4})年)?(?P<month2>\d{1,2})月(?P<day2>\d{1,2})[日号]?"
        r"|(?<!\d)(?P<year3>\d{4})年(?P<month3>\d{1,2})月"
        r"|(?<![\d.])(?P<day4>\d{1,2})\.(?P<month4>\d{1,2})\.(?P<year4>\d{4}|\d\d(?!\d))?(?!\d)"
        r"|(?<![\d/])(?P<day5>\d{1,2})/(?P<month5>\d{1,2})/(?P<year5>\d{4})(?!\d)"
    )


_NUMBER = re.compile("十[一二三四五六七八九]")


@functools.cache
def _named() -> re.Pattern[str]:
    month = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    year = r"(?:,? (?:de |del )?(?P<year{n}>(?:19|20)\d\d)(?!\d))"
    return re.compile(
        rf"(?<![\w.])(?P<day1>\d{{1,2}})(?:\.|st|nd|rd|th|er)? ?(?:of |de )?"
        rf"(?P<month1>{month})\b\.?"
        + year.format(n=1)
        + "?"
        + rf"|\b(?P<month2>{month})\b\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.,]\d|\d)"
        + year.format(n=2)
        + "?"
        + rf"|\b(?P<month3>{month})\b\.?"
        + year.format(n=3)
    )


@functools.cache
def _months() -> Mapping[str, int]:
    return {
        words.folded(name): number
        for table in language_data.of_all(Dates)
        for number, names in table.months.items()
        for name in names
        if name.isalpha() and len(words.folded(name)) > 2 and words.folded(name).isascii()
    }


def holiday(text: str, language: Language, today: date) -> Found | None:
    """Return the holiday that a folded text names, the next from today on."""
    pattern, known = _holidays(language)
    places = list(pattern.finditer(text))
    if not places:
        return None
    # Of “Christmas Eve” and “Christmas” the longer.
    found = max(places, key=lambda place: len(place[0]))
    try:
        day = holidays.coming(known[found[0]], today)
    except ValueError:  # beyond the tables of its calendar
        return None
    return Found(day, True, found.start(), found.end())


@functools.cache
def _holidays(language: Language) -> tuple[re.Pattern[str], Mapping[str, str]]:
    named = language_words.load_language(language).holidays
    # “十一” is also a number
    known = {
        words.folded(name): which for name, which in named.items() if not _NUMBER.fullmatch(name)
    }
    names = sorted(map(re.escape, known), key=len, reverse=True)
    return words.whole(language, "|".join(names) or "(?!)"), known
