"""The lines of a list, a log or a table of a note, with their days and what each counts."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import tables
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import stem
from app.agent.rules.passages.tables import Table
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import note_amounts, numbers, words, written_dates
from app.agent.rules.reckoning.note_amounts import Fact

_ITEM = re.compile(r"\s*(?:[-*+]\s|\d{4}-\d\d-\d\d|\|)")
_NOUN = re.compile(r"\s?([^\W\d_]+)")
_SLASHED = re.compile(r"^[^\w]*(\d{1,2})/(\d{1,2})(?!\d|/)")
_DATE = re.compile(r"\d{1,2}(?:/\d{1,2}|\.\d{1,2}\.)(?!\d)")
_YEARS = range(1900, 2101)
MONTH_FIRST = ("ja", "zh")


class Line(NamedTuple):
    """A line that tells something: its folded text with that of its heading, where it begins, its
    day, and its amounts by what they measure.
    """

    text: str
    start: int
    is_item: bool
    day: date | None
    amounts: Mapping[str, Sequence[Fact]]

    def amount(self, key: str, names: Sequence[str] = ()) -> Fact | None:
        """Return the one amount that measures something; of several that beside which a name
        stands.
        """
        told = self.amounts.get(key, ())
        if len(told) > 1:
            told = [
                one for one in told if any(note_amounts.touches(name, one.said) for name in names)
            ]
        return told[0] if len(told) == 1 else None


class Listed(NamedTuple):
    """The lines of a note, and by what is measured there the words that name it."""

    note: Text
    lines: Sequence[Line]
    measures: Mapping[str, str]


def read(note: Text, asked: Language, today: date) -> Listed:
    """Return what the lines of a note count; one without a year is of the day next to today."""
    parts = tables.find(note.content)
    language = note_amounts.language_of(note, asked)
    amounts: dict[int, dict[str, list[Fact]]] = {}
    named: dict[str, str] = {}
    for fact in note_amounts.facts(note, asked, None):
        start = note.content.rfind("\n", 0, fact.sentence.start) + 1
        found = _measure(fact, tables.of_row(parts, fact.sentence.start), language)
        if found is None or _is_day(fact):
            continue
        key, name, fact = found
        amounts.setdefault(start, {}).setdefault(key, []).append(fact)
        named.setdefault(key, name)
    lines = [
        one
        for one in _lines(note, amounts, language, today)
        if not tables.is_header(parts, one.start)
    ]
    return Listed(note, lines, {key: name for key, name in named.items() if _counts(key, lines)})


def _lines(
    note: Text, amounts: Mapping[int, Mapping[str, Sequence[Fact]]], language: Language, today: date
) -> list[Line]:
    found, heading, start = [], "", 0
    for line in note.content.splitlines(keepends=True):
        if line.startswith("#"):
            heading = words.folded(line.strip("# \n"))
        elif line.strip():
            text = words.folded(line.rstrip("\n"))
            day = _day_of(text, language, today)
            told = amounts.get(start, {})
            is_item = _ITEM.match(line) is not None
            found.append(Line(f"{heading} {text}", start, is_item, day, told))
        start += len(line)
    return found


def _measure(fact: Fact, table: Table | None, language: Language) -> tuple[str, str, Fact] | None:
    """Return what an amount measures, the words that name it, and the amount with its unit; None
    for what counts nothing.
    """
    number = fact.number
    if number.in_words and not number.unit:
        return None
    text = words.folded(fact.sentence.text)
    if table is not None:
        at = tables.column_at(text, number.start)
        if not 0 < at < len(table.header) or _DATE.match(tables.cells(text)[at]):
            return None  # the first names the row
        header = words.folded(table.header[at])
        if not number.unit and (unit := numbers.unit_of(header, language)):
            amount = fact.amount._replace(unit=unit, written=table.header[at])
            fact = fact._replace(amount=amount)
        return f"|{at}", f"{header} {number.written}", fact
    if number.unit and number.unit != "piece":
        return number.unit, number.written, fact
    noun = _NOUN.match(text, number.end) if phrases.is_spaced(language) else None
    if noun is None:
        return number.unit, "", fact
    written = noun[1]
    if len(text) == len(fact.sentence.text):
        written = fact.sentence.text[slice(*noun.span(1))]
    return stem(noun[1]), noun[1], fact._replace(amount=fact.amount._replace(written=written))


def _is_day(fact: Fact) -> bool:
    """Return whether a number is part of a day before a line: “11/18 cakes 5,500 yen”."""
    day = _SLASHED.match(words.folded(fact.sentence.text))
    return day is not None and fact.number.start < day.end()


def _counts(key: str, lines: Sequence[Line]) -> bool:
    """Return whether amounts count something, and are no years."""
    told = [fact for one in lines for fact in one.amounts.get(key, ())]
    return not told or not all(not one.amount.unit and one.amount.value in _YEARS for one in told)


def _day_of(text: str, language: Language, today: date) -> date | None:
    """Return the day that a folded line names first."""
    found = [one for one in written_dates.find(text, today) if not one.is_month]
    if found:
        day = found[0].day
        return day if found[0].has_year else _next_to(today, day)
    slashed = _SLASHED.match(text)
    if slashed is None or language == phrases.DEFAULT:  # “3/4” is one day here, another there
        return None
    first, last = int(slashed[1]), int(slashed[2])
    month, number = (first, last) if language in MONTH_FIRST else (last, first)
    try:
        return _next_to(today, date(today.year, month, number))
    except ValueError:
        return None


def _next_to(today: date, day: date) -> date:
    """Return the day of a year that lies next to today."""
    if (day.month, day.day) == (2, 29):
        return day
    years = (today.year - 1, today.year, today.year + 1)
    return min((day.replace(year=one) for one in years), key=lambda one: abs(one - today))


def measures(word: str, listed: Listed, key: str) -> bool:
    """Return whether a word names what is measured: a column, a unit or what is counted."""
    return note_amounts.holds(word, listed.measures[key])
