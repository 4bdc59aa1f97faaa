"""The time that a question for what has been names: “end of October”, “in August”, “the 13th”."""

import calendar
import functools
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Earlier, Language, MonthPart, Times
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import full_dates
from app.agent.turn.steps import Asked

WEEK = timedelta(days=7)
SHORT = 3
"""A name of a month with so few letters stands behind a word such as “in”."""
MONTHS, DECEMBER = 12, 12
_PARTS: Mapping[MonthPart, tuple[int, int]] = {
    "start": (1, 10),
    "middle": (11, 20),
    "end": (21, 31),
}
"""From which day of a month to which its parts go."""
_DAY_BEFORE = re.compile(r"\b\d{1,2}(?:\.|st|nd|rd|th|er)?(?: of(?: the)?| de)? $")
_DAY_AFTER = re.compile(r" (?:the )?\d{1,2}\b(?!\d)|\d")
_YEAR = re.compile(r",? (?:del? )?(20\d\d)\b")


class Past(NamedTuple):
    """The first and the last day of a time that has been, whether only a part of a month is meant,
    whether the words may as well be of what is to come, and what else the text says.
    """

    first: date
    last: date
    rest: str
    is_part: bool = False
    may_come: bool = False

    @property
    def is_long(self) -> bool:
        """Whether it is more than a day."""
        return self.first != self.last


def read(asked: Asked, text: str, language: Language) -> Past | None:
    """Return the time that has been which a text names; None where it names none, or one that is
    surely to come.
    """
    folded = dialogue_words.bare(text)
    if _to_come(language).search(folded):
        return None
    today = asked.now.date()
    dates = full_dates.find(folded)
    if len(dates) == 1 and (day := dates[0].full):
        rest = f"{folded[: dates[0].start]} {folded[dates[0].end :]}"
        return Past(day, day, rest) if day <= today else None
    year = re.search(_earlier_pattern(language, "last year"), folded)
    if year and (found := _in_last_year(asked, _without(folded, year), language)):
        return found
    found = _part_of_month(folded, today, language) or _month(folded, today, language)
    found = found or _day(asked, folded, language) or _earlier(folded, today, language)
    return found if found and found.first <= today else None


def _in_last_year(asked: Asked, text: str, language: Language) -> Past | None:
    """Return the time of last year that a text names beside it: “in October last year”."""
    end = date(asked.now.year - 1, DECEMBER, 31)
    found = _part_of_month(text, end, language) or _month(text, end, language)
    if found or (found := _day(asked, text, language)) is None:
        return found._replace(may_come=False) if found else None
    return _if_date(end.year, found.first.month, found.first.day, found.rest)


def _part_of_month(text: str, today: date, language: Language) -> Past | None:
    for part, pattern in _parts(language).items():
        if (found := pattern.search(text)) and (month := _which(found, today, language)):
            begins, ends = _PARTS[part]
            last = min(ends, calendar.monthrange(month.year, month.month)[1])
            span = (month.replace(day=begins), month.replace(day=last))
            return Past(*span, _without(text, found), is_part=True)
    return None


def _month(text: str, today: date, language: Language) -> Past | None:
    for found in re.finditer(_month_pattern(language), text):
        beside = _DAY_BEFORE.search(text, 0, found.start()) or _DAY_AFTER.match(text, found.end())
        if not beside and (month := _which(found, today, language)):
            last = month.replace(day=calendar.monthrange(month.year, month.month)[1])
            is_now = (month.year, month.month) == (today.year, today.month)
            is_last = found["last"] is not None
            return Past(month, last, _without(text, found), may_come=is_now and not is_last)
    return None


def _which(found: re.Match[str], today: date, language: Language) -> date | None:
    """Return the first day of the month that words name: without a year the last of that name."""
    first = today.replace(day=1)
    if found["last"]:
        return (first - timedelta(days=1)).replace(day=1)
    if found["this"]:
        return first
    number = _months(language).get(found["name"] or found["short"])
    if number is None:
        return None
    year = int(found["year"]) if found["year"] else today.year - (number > today.month)
    return date(year, number, 1)


def _earlier(text: str, today: date, language: Language) -> Past | None:
    """Return what words such as “last week” mean."""
    monday = today - timedelta(days=today.weekday())
    spans: Mapping[Earlier, tuple[date, date]] = {
        "last week": (monday - WEEK, monday - timedelta(days=1)),
        "this week": (monday, monday + timedelta(days=6)),
        "last year": (date(today.year - 1, 1, 1), date(today.year - 1, DECEMBER, 31)),
        "this year": (date(today.year, 1, 1), date(today.year, DECEMBER, 31)),
    }
    for name, span in spans.items():
        if found := re.search(_earlier_pattern(language, name), text):
            return Past(*span, _without(text, found), may_come=name.startswith("this"))
    return None


def _day(asked: Asked, text: str, language: Language) -> Past | None:
    """Return the one day that a text names, the last such one."""
    today = asked.now.date()
    # “am 13.” loses its mark at the end of a text
    named = (dialogue_words.find_days(one, asked.now) for one in (text, f"{text}."))
    found = next(filter(None, named), None) or dialogue_words.bare_weekday(text, asked.now)
    if found is None or found[0].end - found[0].start > timedelta(days=1, hours=1):
        return None
    day, said = found[0].start.date(), text[found[1] : found[2]]
    after = text[found[2] :]
    year = _YEAR.match(after)
    rest = f"{text[: found[1]]} {after[year.end() :] if year else after}"
    if year:
        return _if_date(int(year[1]), day.month, day.day, rest)
    if day <= today and (day - today).days in _offsets(said, language):
        return Past(day, day, rest, may_come=day == today)  # “yesterday”
    if any(one > 0 for one in _offsets(said, language)):
        return None
    if re.search(r"\d{4}", said):
        return Past(day, day, rest)
    if _weekday(said, language):
        week = re.search(_earlier_pattern(language, "last week"), text)
        last = day - WEEK if day > today else day
        if week:
            last = today - timedelta(days=today.weekday()) - WEEK + timedelta(days=day.weekday())
            start, end = min(found[1], week.start()), max(found[2], week.end())
            rest = f"{text[:start]} {text[end:]}"
        return Past(last, last, rest, may_come=not week)
    if day <= today:
        return Past(day, day, rest)
    number = re.search(r"\d{1,2}\s*[./月]\s*\d{1,2}|[./月]", said)
    is_of_month = number or any(one in said for one in _months(language) if len(one) >= SHORT)
    if is_of_month:
        return _if_date(day.year - 1, day.month, day.day, rest)
    return _last_numbered(day.day, today, rest)


def _last_numbered(number: int, today: date, rest: str) -> Past | None:
    """Return the last day of a month with a number: “the 13th”."""
    month = today.replace(day=1)
    for _ in range(MONTHS):
        if number <= calendar.monthrange(month.year, month.month)[1]:
            day = month.replace(day=number)
            if day <= today:
                return Past(day, day, rest, may_come=True)
        month = (month - timedelta(days=1)).replace(day=1)
    return None


def _if_date(year: int, month: int, day: int, rest: str) -> Past | None:
    try:
        found = date(year, month, day)
    except ValueError:  # 29 February
        return None
    return Past(found, found, rest, may_come=True)


def day_of_cell(text: str, today: date, language: Language) -> date | None:
    """Return the last day that the first cell of a row names by words, “10 December”, or the last
    one of the month that it names, no later than today; None where it names none.
    """
    bare = dialogue_words.bare(text)
    if found := _written(language).fullmatch(bare):
        month = _months(language)[found["before"] or found["after"]]
        number, year = int(found["day"] or found["number"]), int(found["year"] or 0)
        if not number or number > calendar.monthrange(year or today.year, month)[1]:
            return None
        day = date(year or today.year, month, number)
        return day if day <= today or year else None
    named = re.fullmatch(rf"(?:{_month_pattern(language)})", bare)
    if named is None or named["last"] or named["this"]:
        return None
    first = _which(named, today, language)
    number = calendar.monthrange(first.year, first.month)[1] if first else 0
    return min(first.replace(day=number), today) if first else None


@functools.cache
def _written(language: Language) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _months(language)), key=len, reverse=True))
    return re.compile(
        rf"(?:(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er)?(?: of| de)? (?P<before>{names})\.?"
        rf"|(?P<after>{names}) (?P<number>\d{{1,2}})(?:st|nd|rd|th)?)"
        r"(?:,? (?:de )?(?P<year>\d{4}))?"
    )


def names_of(month: int) -> Iterator[str]:
    """Yield the names of a month in all languages, without accents."""
    for table in language_data.of_all(Dates):
        yield from (one for one in map(fold_text, table.months[month]) if len(one) >= SHORT)


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _offsets(said: str, language: Language) -> list[int]:
    """Return how many days from today the words of a text are: -1 for “yesterday”."""
    table = language_data.load_table(language, Dates)
    words = said.split() if table.spaced else [said]
    return [
        number
        for number, names in table.days.items()
        if any(fold_text(one) in (*words, said) for one in names)
    ]


def _weekday(said: str, language: Language) -> bool:
    table = language_data.load_table(language, Dates)
    names = {fold_text(one) for row in table.weekdays.values() for one in row}
    if not table.spaced:
        return any(one in said for one in names if len(one) > 1)
    return any(word.strip(".") in names for word in said.split())


@functools.cache
def _months(language: Language) -> Mapping[str, int]:
    """Return the names of months, folded; of three letters those that are no weekday, too."""
    table = language_data.load_table(language, Dates)
    if table.month_mark:
        return {
            f"{name}{table.month_mark}": number
            for number, names in table.months.items()
            for name in (*names, str(number))
        }
    others = (*table.weekdays.values(), *table.numbers.values())  # “sept” is seven, too
    days = {fold_text(one) for row in others for one in row}
    return {
        fold_text(name): number
        for number, names in table.months.items()
        for name in names
        if len(name) >= SHORT and fold_text(name) not in days
    }


@functools.cache
def _month_pattern(language: Language, *, is_led: bool = False) -> str:
    """Return a pattern for the words that name a month; a short name may stand alone where others
    lead to it: “early May”.
    """
    times = language_data.load_table(language, Times)
    names = sorted(_months(language), key=len, reverse=True)
    long = "|".join(re.escape(one) for one in names if len(one) > SHORT or not _spaced(language))
    short = "|".join(re.escape(one) for one in names if len(one) <= SHORT) or "(?!)"
    lead = language_data.join_pattern(times.in_month)
    relative = "|".join(
        f"(?P<{group}>{_earlier_pattern(language, name)})" for group, name in _RELATIVE.items()
    )
    if not _spaced(language):
        name = rf"(?:(?P<year>20\d\d)年の?)?(?<!\d)(?P<name>{long})份?"
        return rf"(?:{relative}|{name}(?P<short>(?!))?)(?!\d)"
    may = "?" if is_led else ""
    name = rf"(?:(?:{lead}) ?)?\b(?P<name>{long})\b|\b(?:(?:{lead}) ?){may}(?P<short>{short})\b"
    return rf"(?:{relative}|(?:{name})(?: (?:del? )?(?P<year>20\d\d))?)"


_RELATIVE: Mapping[str, Earlier] = {"last": "last month", "this": "this month"}


@functools.cache
def _parts(language: Language) -> Mapping[MonthPart, re.Pattern[str]]:
    table = language_data.load_table(language, Times).month_parts
    return {
        part: re.compile(
            language_data.join_pattern(pattern).replace(
                "{month}", _month_pattern(language, is_led=True)
            )
        )
        for part, pattern in table.items()
    }


def _earlier_pattern(language: Language, name: Earlier) -> str:
    table = language_data.load_table(language, Times).earlier
    return plain_letters(language_data.join_pattern(table.get(name, "(?!)"))) or "(?!)"


@functools.cache
def _to_come(language: Language) -> re.Pattern[str]:
    table = language_data.load_table(language, Times)
    return re.compile(language_data.join_pattern(table.to_come) or "(?!)")


def tells_past(text: str, language: Language) -> bool:
    """Return whether a text has a word that tells what has been: “was”."""
    return been(language).search(dialogue_words.bare(text)) is not None


@functools.cache
def been(language: Language) -> re.Pattern[str]:
    """Return the words that tell what has been."""
    table = language_data.load_table(language, Times)
    return re.compile(language_data.join_pattern(table.been) or "(?!)")


@functools.cache
def _spaced(language: Language) -> bool:
    spaced: bool = language_data.load_table(language, Dates).spaced
    return spaced
