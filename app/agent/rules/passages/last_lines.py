"""The newest of the dated lines of a note that answer a question for the last time.

“When was the burner serviced last?” of a log with two lines that say so.
"""

import functools
import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.passages import held_stems, note_lines, questions, tables
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.log_lines import DATED
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import full_dates

LEAST = 2
"""So many lines with dates has a note at least of which one is the last."""
PART = 4
"""So many letters may stand within a word that its object parts, where no spaces part words."""
PAIR = 2
"""So many letters has what is looked for where no spaces part words."""
_ISO = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)")
_DOTTED = re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})(?:\.\s?(?P<year>\d{4}|\d\d)?)?")
_MONTH_FIRST = re.compile(
    r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})(?:/|月)(?P<day>\d{1,2})[日号]?"
)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})")
MONTHS = 12
_DAY_FIRST = re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:/(?P<year>\d{4}|\d\d))?")
_YEAR_LAST = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)")


class Newest(NamedTuple):
    """A line, and the day that it is of."""

    passage: Ranked
    day: date


def asks_last(text: str) -> bool:
    """Return whether a question is for the last time, or the latest, of something."""
    return _last().search(fold_text(text)) is not None


def newest(
    text: str, question: Question, notes: Sequence[Text], today: date, last: Sequence[int]
) -> Newest | None:
    """Return the newest line that has most of the words of a question for the last time, and what
    it asks for; None where several notes have such, or none. Of another note than the `last` ones
    one has to have a word of the question.
    """
    if question.kind == "duration" or not asks_last(text):
        return None
    rest = questions.read_question(_last().sub(" ", fold_text(text)))
    words = set() if rest.is_bare else set(rest.stems)
    found: list[tuple[int, Newest]] = []
    for order, note in enumerate(notes):
        lines = note_lines.with_texts(note.content)
        numbers = order_of(lines, text)
        dated = [
            (line, day) for line in lines if (day := day_of(line, today, numbers)) and day <= today
        ]
        if len(dated) < LEAST:
            continue
        counted = [(_held(line, note.title, words), day, line) for line, day in dated]
        best = max(held for held, _, _ in counted)
        fitting = [(day, line) for held, day, line in counted if held == best]
        is_meant = 2 * best >= len(words) if best else note.note_id in last and not words
        day, line = max(fitting, key=lambda one: one[0])
        if is_meant and _holds_kind(line, question):
            start = note.content.index(line.text)
            ranked = Ranked(note, start, start + len(line.text), ENOUGH, order)
            found.append((best, Newest(ranked, day)))
    most = max((best for best, _ in found), default=0)
    leading = [one for best, one in found if best == most]
    return leading[0] if len(leading) == 1 else None


def order_of(lines: Sequence[Line], text: str) -> tuple[re.Pattern[str], ...]:
    """Return in which order the numbers of “05/11” are read in a log: the day first where a first
    number can be no month, the month where a second one cannot, else as the language of a text
    writes them.
    """
    is_month_first = questions.is_asian(text)
    found = [_SLASHED.match(begins(one)) for one in lines]
    pairs = [(int(one[1]), int(one[2])) for one in found if one]
    if any(first > MONTHS for first, _ in pairs):
        return (_DAY_FIRST,)
    if is_month_first or any(second > MONTHS for _, second in pairs):
        return (_MONTH_FIRST, _YEAR_LAST)
    return (_DAY_FIRST, _MONTH_FIRST)


def day_of(
    line: Line, today: date, order: Sequence[re.Pattern[str]] = (_MONTH_FIRST, _DAY_FIRST)
) -> date | None:
    """Return the day that a line begins with: without a year, the last one of that date."""
    text = begins(line)
    if (written := full_dates.begins(line.text)) and written.full:
        return written.full
    for pattern in (_ISO, _DOTTED, *order):
        if (found := pattern.fullmatch(text)) and (day := _date(found, today)):
            return day
    return None


def _date(found: re.Match[str], today: date) -> date | None:
    year = int(found["year"] or 0)
    month, number = int(found["month"]), int(found["day"])
    try:
        if year:
            return date(year if year > 99 else 2000 + year, month, number)
        day = date(today.year, month, number)
        return day if day <= today else date(today.year - 1, month, number)
    except ValueError:
        return None


def _held(line: Line, title: str, wanted: set[str]) -> int:
    """Return how many of some words a line has, with its title and the names of its columns."""
    known = f"{title} {' '.join(line.columns)} {line.text}"
    if not questions.is_asian(known):
        return len(held_stems.held_in(known, wanted))
    folded = fold_text(known)
    return sum(one in folded or _is_parted(one, fold_text(line.text)) for one in wanted)


def _is_parted(word: str, text: str) -> bool:
    """Return whether a text has the two letters of a word with a few others between them."""
    return len(word) == PAIR and re.search(parted(word), text) is not None


def parted(word: str) -> str:
    """Return a pattern for the letters of a word with a few others between them."""
    return rf"[^\s]{{0,{PART}}}".join(map(re.escape, word))


def _holds_kind(line: Line, question: Question) -> bool:
    """Return whether a line says beside its day what is wanted; when it was is that day."""
    text = line.text.replace(begins(line), " ", 1)
    return question.kind == "when" or questions.holds_kind(question.kind, text)


def begins(line: Line) -> str:
    """Return with what a line begins that may be a day."""
    dated = DATED.match(line.label)
    if line.columns:
        return tables.cells(line.text)[0]
    if written := full_dates.begins(line.text):
        return line.text[written.start : written.end]
    return dated["day"] if dated else ""


@functools.cache
def _last() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Questions, lambda one: one.last))
