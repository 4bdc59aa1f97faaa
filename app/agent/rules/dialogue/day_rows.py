"""The rows of tables and lines of logs that begin with the day that a question names.

“Who brings biscuits on the 10th?” of “| 10 December | Tom |”, “wann fange ich Freitag an?” of
“| Freitag | 360 | 04:48 |”.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import (
    held_stems,
    last_lines,
    log_lines,
    note_lines,
    questions,
    tables,
)
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.last_lines import Newest
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import full_dates
from app.agent.turn.steps import Asked, Trace

MOST = 3
"""So many lines of one day are told at most."""
_ISO = re.compile(r"\d{4}-(?P<month>\d\d?)-(?P<day>\d\d?)")
_DOTTED = re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})(?:\.(?:\d{2,4})?)?")
_MONTH_FIRST = re.compile(r"(?P<month>\d{1,2})(?:/|月)(?P<day>\d{1,2})[日号]?")
_RUN = re.compile(r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}")
_EDGES = " \t.,;:，：、()（）"


class AskedDay(NamedTuple):
    """The day that a question is of, and what else it says."""

    day: date
    rest: str
    is_told: bool = False
    """Whether it is that of the line just told, and no day is named."""
    year: int = 0
    """The year, where the question says it."""


def asked_day(asked: Asked, text: str) -> AskedDay | None:
    """Return the one day that a question names, else the one whose line was just told, “and which
    line is that?”; None where there is neither.
    """
    bare = dialogue_words.bare(text)
    dates = [one for one in full_dates.find(bare) if one.full]
    if len(dates) == 1 and (full := dates[0].full):
        return AskedDay(full, f"{bare[: dates[0].start]} {bare[dates[0].end :]}", year=full.year)
    found = dialogue_words.find_days(bare, asked.now)
    found = found or dialogue_words.bare_weekday(bare, asked.now)
    if found is None:
        last = asked.earlier[0] if asked.earlier else Trace()
        told = last.day if last.intent == "ask" else ""
        return AskedDay(date.fromisoformat(told), bare, is_told=True) if told else None
    days, start, end = found
    if days.end - days.start > timedelta(days=1, hours=1):
        return None
    day = days.start.astimezone(asked.now.tzinfo).date()
    return AskedDay(day, f"{bare[:start]} {bare[end:]}")


def of_day(
    wanted: AskedDay, question: Question, notes: Sequence[Text], now: datetime, last: Sequence[int]
) -> list[Ranked]:
    """Return the lines of one note that begin with the day that is asked of, and have what the
    question asks for; none where several notes have such, or none. Of another note than the `last`
    ones one has to have a word of the question beside its day.
    """
    words = set(questions.read_question(wanted.rest).stems) - questions.general()
    scored: list[tuple[int, int, list[Ranked]]] = []
    for order, note in enumerate(notes):
        lines = [one for one in note_lines.read(note.content) if _is_of(one, wanted.day, now)]
        of_year = [one for one in lines if str(wanted.day.year) in _begins(one)]
        of_none = [one for one in lines if not _year_of(one)]
        lines = of_year or (of_none if wanted.year else lines)
        held = [_held(one, note.title, words) for one in lines]
        best = max(held, default=0)
        kept = [
            one
            for one, count in zip(lines, held, strict=True)
            if count == best and _holds_kind(one, question)
        ]
        is_last = note.note_id in last
        is_other = wanted.is_told and question.kind not in questions.EXACT
        if is_other and 2 * best < len(words):
            continue  # “and when were the brakes done?” is of another line
        if kept and (best or is_last) and (is_last or len(words) <= 2 * best):
            scored.append((best, is_last, [_ranked(one, note, order) for one in kept[:MOST]]))
    if not scored:
        return []
    most = max(one[:2] for one in scored)
    found = [one[2] for one in scored if one[:2] == most]
    return found[0] if len(found) == 1 else []


def newest(
    asked: Asked, text: str, question: Question, notes: Sequence[Text], last: Sequence[int]
) -> Newest | None:
    """Return the newest line that answers a question for the last time; None where it answers none,
    or the question names a time of its own.
    """
    if dialogue_words.find_days(dialogue_words.bare(text), asked.now):
        return None
    return last_lines.newest(text, question, notes, asked.now.date(), last)


def but_other_days(found: list[Ranked], text: str, near: Sequence[Text]) -> list[Ranked]:
    """Return the passages that are not of a line which begins with another day, or month, than the
    one that a text names: of “12 May 2025” not “12 March 2025: …”; and no row of a month where the
    text asks for what only another of the notes that are `near` is of.
    """
    bare = dialogue_words.bare(text)
    dates, months = full_dates.find(bare), full_dates.months(bare)
    kept = []
    for one in found:
        content = one.note.content
        line = content[content.rfind("\n", 0, one.start) + 1 : one.end]
        begun = full_dates.begins(line)
        if len(dates) == 1:
            is_other = begun is not None and not begun.may_be(dates[0])
        else:
            is_other = begun is not None and len(months) == 1 and not months & {begun.month}
            is_other = is_other and not months & full_dates.months(line)
        if not (is_other or (len(months) == 1 and _is_of_else(line, bare, one.note, near))):
            kept.append(one)
    return found if len(kept) == len(found) else kept


def _is_of_else(row: str, text: str, note: Text, near: Sequence[Text]) -> bool:
    """Return whether a row of a table begins with a month, and a question has words that neither
    the row, nor its table, but another note has: the weight in October of a meter.
    """
    cells = tables.cells(row) if row.lstrip().startswith("|") else ()
    if not cells or not full_dates.months(cells[0]) or full_dates.find(cells[0]):
        return False
    header = next((one.header for one in tables.find(note.content) if row in note.content), ())
    words = _words_beside_months(text)
    known = f"{note.title} {' '.join(header)} {row}"
    others = (f"{one.title} {one.content}" for one in near if one.note_id != note.note_id)
    is_told = bool(_held_words(known, words))
    return bool(words) and not is_told and any(_held_words(one, words) == words for one in others)


def _words_beside_months(text: str) -> set[str]:
    if questions.is_asian(text):
        return {*_RUN.findall(questions.without_filler(re.sub(r"\d+\s?月", " ", text)))}
    return note_lines.content(" ".join(one for one in text.split() if not full_dates.months(one)))


def _held_words(text: str, words: set[str]) -> set[str]:
    if any(map(questions.is_asian, words)):
        folded = fold_text(text)
        return {one for one in words if one in folded}
    return set(held_stems.held_in(text, words))


def _year_of(line: Line) -> int:
    begun = full_dates.begins(line.text)
    return begun.year if begun else 0


def _ranked(line: Line, note: Text, order: int) -> Ranked:
    start = note.content.index(line.text)
    return Ranked(note, start, start + len(line.text), ENOUGH, order)


def _held(line: Line, title: str, wanted: set[str]) -> int:
    """Return how many of the words that are asked for a line has, with its title and the names of
    its columns.
    """
    known = f"{title} {' '.join(line.columns)} {line.text}"
    if questions.is_asian(known):
        folded = fold_text(known)
        return sum(one in folded for one in wanted)
    return len(held_stems.held_in(known, wanted))


def _is_of(line: Line, day: date, now: datetime) -> bool:
    """Return whether a line begins with a day: its date, or in a table of the week its name."""
    names = [one for one in _names(_begins(line)) if one]
    # “Fri (20.11.)” is that Friday alone
    dates = [one for one in names if re.search(r"\d", re.sub(r"[(（].*", "", one))]
    return any(_is_day(one, day, now) for one in dates or names)


def _names(text: str) -> Iterator[str]:
    """Yield a name of a day, and without what stands in brackets or behind a comma."""
    yield text
    if found := re.match(r"[^,(（]+", text):
        yield found[0].strip(_EDGES)
    yield from re.findall(r"[(（]([^)）]+)[)）]", text)


def _is_day(text: str, day: date, now: datetime) -> bool:
    if written := full_dates.begins(text):
        return (written.month, written.day) == (day.month, day.day)
    for pattern in (_ISO, _DOTTED, _MONTH_FIRST):
        if found := pattern.fullmatch(text.strip(_EDGES)):
            return (int(found["month"]), int(found["day"])) == (day.month, day.day)
    bare = dialogue_words.bare(text).strip(_EDGES)
    if not bare:
        return False
    if bare in _weekdays(day.weekday()):
        return True
    named = dialogue_words.days_of(bare, now) if re.search(r"\d", bare) else None
    if named is None or named.end - named.start > timedelta(days=1, hours=1):
        return False
    start = named.start.astimezone(now.tzinfo)
    return (start.month, start.day) == (day.month, day.day)


@functools.cache
def _weekdays(number: int) -> frozenset[str]:
    """Return the names of a weekday in all languages, short ones too; Monday is 0."""
    tables_of_days = language_data.of_all(Dates)
    return frozenset(fold_text(name) for one in tables_of_days for name in one.weekdays[number])


def _begins(line: Line) -> str:
    """Return with what a line begins that may be a day."""
    if line.columns:
        return tables.cells(line.text)[0]
    if written := full_dates.begins(line.text):
        return line.text[written.start : written.end]
    dated = log_lines.DATED.match(line.label)
    return dated["day"] if dated else line.label.strip(_EDGES)


def _holds_kind(line: Line, question: Question) -> bool:
    """Return whether a line says beside its day what is wanted; a cell may name anybody."""
    text = line.text.replace(_begins(line), " ", 1)
    is_anybody = question.kind == "who" and bool(line.columns)
    return is_anybody or questions.holds_kind(question.kind, text)


def begins(text: str, day: date, now: datetime) -> bool:
    """Return whether a line begins with a day."""
    columns = tables.cells(text) if text.lstrip().startswith("|") else ()
    return _is_of(Line(text, text.lstrip("-*+ "), 0, columns), day, now)
