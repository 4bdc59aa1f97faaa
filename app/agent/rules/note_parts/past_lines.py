"""The lines of a log, or rows of a table, that a question for a time that has been means.

“The electricity at the end of October?” of “| 31.10.2026 | 24901 | 8204 |”, “how hot was it on the
13th?” after a log was told, “and the time before?”. The log is the one that was told just before,
or one whose lines of that time, name and columns have the words of the question.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Kind
from app.agent.rules.note_parts import past_questions, past_times
from app.agent.rules.note_parts.past_questions import Wanted
from app.agent.rules.note_parts.past_times import Past
from app.agent.rules.passages import (
    answer_passages,
    held_stems,
    last_lines,
    note_lines,
    questions,
    sections,
    tables,
    told_passages,
)
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace, note_link

MOST, LEAST = 3, 2
"""So many lines are told at most, and so many with dates has a log at least."""
READ = 4
"""So many notes with lines of the time are read."""
PART = 4
"""So many letters has a word at least that is part of a longer one."""
FAR = timedelta(days=300)
"""A date without a year that would be longer ago is rather to come."""
VALUES: frozenset[Kind | None] = frozenset({"number", "weight"})


class _Found(NamedTuple):
    """The lines that answer a question, and how many of its words they have; `none` where only the
    time is missing in a log that has the rest.
    """

    held: int
    lines: tuple[tuple[date, Line], ...]
    none: bool = False


def may_ask(asked: Asked, language: Language) -> bool:
    """Return whether a message may ask for the lines of a time that has been."""
    return past_questions.read(asked, language) is not None


def answer(asked: Asked, whole: Asked, language: Language) -> Step | None:
    """Return what the lines of the time tell that a message asks for, that there are none in the
    log which was told just before, or the step that looks for them; None where it asks for none.
    """
    wanted = past_questions.read(asked, language)
    if wanted is None:
        return None
    before = looks.before_change(whole)
    told, is_none = past_questions.told_note(before), None
    if told:
        held = item_changes.read(before, told)
        if isinstance(held, Step):
            return held
        note = _text(held) if held else None
        found = _find(note, wanted, before, language, is_told=True) if note else None
        if note and found and found.lines:
            return _tell(note, found, before, language)
        is_none = _nothing(note, language) if note and found and found.none else None
    if wanted.past is None or not wanted.words or is_none:
        return is_none
    return _elsewhere(before, wanted, wanted.past, told, language)


def _text(held: Held) -> Text:
    return Text(held.thing.id, held.thing.title, str(held.record["markdown"]), whole=True)


def _find(
    note: Text, wanted: Wanted, asked: Asked, language: Language, *, is_told: bool
) -> _Found | None:
    """Return the lines of a note that a question means; None where it means none of it."""
    today = asked.now.date()
    dated = list(_dated(note, today, language))
    if len(dated) < (LEAST if is_told else 1):
        return None
    under = _headings(note)
    own = [_held(f"{under.get(line.text, '')} {line.text}", wanted.words) for _, line in dated]
    known_of = {line.text: _known(note, line, under) for _, line in dated}
    around = [_held(known_of[line.text], wanted.words) for _, line in dated]
    best = max((sum(one) for one in around), default=0)
    known = [any(one[at] for one in around) for at in range(len(wanted.words))]
    must = [at for at, one in enumerate(wanted.words) if not one.startswith("-")]
    unknown = sum(not known[at] for at in must)
    if not _may_mean(wanted, best, unknown, len(must), is_told=is_told):
        return None
    if any(not known[at] for at in must if stem(wanted.words[at]) in wanted.names):
        return None
    again = [sum(_held(known_of[line.text], wanted.before)) for _, line in dated]
    rated = [
        (sum(mine) or sum(all_of), more, day, line)
        for mine, all_of, more, (day, line) in zip(own, around, again, dated, strict=True)
    ]
    if wanted.past is None:
        return _before(rated, wanted, asked)
    past = wanted.past
    of_time = [one for one in rated if past.first <= one[2] <= past.last]
    if past.is_part and not of_time and past.last < today:
        month = [one for one in rated if _same_month(one[2], past.first)]
        of_time = month if len(month) == 1 else []
    if not of_time:
        may_say = best > 0 or wanted.measures or wanted.is_again
        return _Found(best, (), none=may_say and is_told)
    most = max((own_words, more) for own_words, more, _, _ in of_time)
    kept = [(day, line) for *held, day, line in of_time if tuple(held) == most]
    lacking = {at for at in must if known[at]}
    has_all = [one for one in kept if _has(known_of[one[1].text], wanted.words, lacking)]
    kept = [one for one in has_all if _holds_kind(one[1], wanted.kind)]
    if not has_all:
        return _Found(best, (), none=is_told)
    return _Found(best, tuple(_chosen(kept, wanted))) if kept else None


def _may_mean(wanted: Wanted, held: int, unknown: int, size: int, *, is_told: bool) -> bool:
    """Return whether a question with so many words that a note has, and has not, may mean it."""
    if is_told:
        if held:
            return unknown <= min(1, held)
        return not unknown and (wanted.is_again or wanted.measures or wanted.tells_past)
    return held > 0 and (not unknown or (unknown == 1 and size > MOST))


def _before(
    rated: Sequence[tuple[int, int, date, Line]], wanted: Wanted, asked: Asked
) -> _Found | None:
    """Return the newest line before that which was told, of those with most of the words."""
    last = asked.earlier[0].day if asked.earlier else ""
    most = max((one[:2] for one in rated), default=(0, 0))
    fitting = sorted(
        ((day, line) for *held, day, line in rated if tuple(held) == most), key=lambda one: one[0]
    )
    fitting = [one for one in fitting if _holds_kind(one[1], wanted.kind)]
    if not last:
        return None
    earlier = [one for one in fitting if one[0] < date.fromisoformat(last)]
    return _Found(most[0], tuple(earlier[-1:]), none=not earlier)


def _chosen(kept: Sequence[tuple[date, Line]], wanted: Wanted) -> Sequence[tuple[date, Line]]:
    """Return which of the lines of a time are told: of its end and of a value the last."""
    ordered = sorted(kept, key=lambda one: one[0])
    newest = [one for one in ordered if one[0] == ordered[-1][0]]
    is_value = wanted.kind in VALUES or wanted.measures
    if wanted.past and (wanted.past.is_part or (is_value and wanted.past.is_long)):
        return newest[-1:]
    return ordered[-MOST:]


def _elsewhere(
    asked: Asked, wanted: Wanted, past: Past, told: Thing | None, language: Language
) -> Step | None:
    """Return what the one note of all tells that has lines of the time and the words, or the step
    that looks for it.
    """
    if not {"grep_notes", "get_note_content"} <= asked.tools:
        return None
    call: Call = ("grep_notes", {"pattern": _lines_of(past), "mode": "regex", "limit": 200})
    made = next((one for one in asked.results if (one.tool, one.arguments) == call), None)
    if made is None:
        return None if asked.is_last else Step(calls=(call,))
    rows = [] if made.failed else made.content.get("results", [])
    things = [Thing("note", row["noteId"], row["title"]) for row in rows]
    things = [one for one in things if one != told][: READ + 1]
    if not things or len(things) > READ:
        things = [one for one in things if any(_held(one.title, wanted.words))][:READ]
    best: list[tuple[int, Text, _Found]] = []
    unread: list[Call] = []
    for thing in things:
        held = item_changes.read(asked, thing)
        if isinstance(held, Step):
            unread += held.calls
        elif held:
            note = _text(held)
            found = _find(note, wanted, asked, language, is_told=False)
            best += [(found.held, note, found)] if found and found.lines else []
    if unread:
        return None if asked.is_last else Step(calls=tuple(unread))
    most = max((one[0] for one in best), default=0)
    leading = [one for one in best if one[0] == most]
    return _tell(leading[0][1], leading[0][2], asked, language) if len(leading) == 1 else None


def _dated(note: Text, today: date, language: Language) -> Iterator[tuple[date, Line]]:
    """Yield the lines of a note that begin with a day that has been, or with a month."""
    lines = note_lines.with_texts(note.content)
    order = last_lines.order_of(lines, note.content)
    for line in lines:
        if day := last_lines.day_of(line, today, order):
            is_sure = re.search(r"\d{4}", last_lines.begins(line)) or today - day <= FAR
            if day <= today and is_sure:
                yield day, line
        elif line.columns:
            first = tables.cells(line.text)[0]
            if day := past_times.day_of_cell(first, today, language):
                yield day, line


def _held(text: str, words: Sequence[str]) -> list[bool]:
    """Return for each of some words whether a text has it, or begins a part of it."""
    if not words:
        return []
    if questions.is_asian("".join(words)):
        folded = fold_text(text)
        return [_has_run(folded, one.removeprefix("-")) for one in words]
    bare = [one.removeprefix("-") for one in words]
    stems = held_stems.held_in(text, {stem(one) for one in bare})
    own = [one for one in split_words(fold_text(text)) if len(one) >= PART and one.isalpha()]
    return [
        stem(one) in stems
        or any(one != word and (one.startswith(word) or one.endswith(word)) for word in own)
        for one in bare
    ]


def _has(text: str, words: Sequence[str], places: set[int]) -> bool:
    """Return whether a text has all those of some words that stand at some places."""
    held = _held(text, words)
    return all(held[at] for at in places)


def _has_run(text: str, run: str) -> bool:
    """Return whether a text has most of the pairs of letters of a run."""
    if len(run) < LEAST:
        return run in text
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return run in text or 2 * sum(one in text for one in pairs) >= len(pairs)


def _known(note: Text, line: Line, under: Mapping[str, str]) -> str:
    """Return what is said of a line: by its note, its heading, its columns and itself."""
    return f"{note.title} {under.get(line.text, '')} {' '.join(line.columns)} {line.text}"


def _headings(note: Text) -> Mapping[str, str]:
    """Return the heading under which each line of a note stands, if it stands under one."""
    return {
        line: one.title
        for one in sections.find(note.content)
        for line in note.content[one.start : one.end].split("\n")
    }


def _same_month(one: date, other: date) -> bool:
    return (one.year, one.month) == (other.year, other.month)


def _holds_kind(line: Line, kind: Kind | None) -> bool:
    """Return whether a line says beside its day what is wanted; a cell may name anybody."""
    if kind == "when" or (kind == "who" and line.columns):
        return True
    begins = last_lines.begins(line) or (tables.cells(line.text)[0] if line.columns else "")
    return questions.holds_kind(kind, line.text.replace(begins, " ", 1) if begins else line.text)


def _tell(note: Text, found: _Found, asked: Asked, language: Language) -> Step:
    ranked = [
        Ranked(note, start, start + len(line.text), ENOUGH, 0)
        for _, line in found.lines
        for start in (note.content.index(line.text),)
    ]
    ranked.sort(key=lambda one: one.start)
    days = {day for day, _ in found.lines}
    trace = Trace(
        intent="ask",
        language=language,
        arguments={"said": _said(asked, language)},
        about=(Thing("note", note.note_id, note.title),),
        day=days.pop().isoformat() if len(days) == 1 else "",
    )
    quotes = tuple(map(answer_passages.as_quote, ranked))
    return Step(told_passages.tell_together(ranked), quotes=quotes, trace=trace)


def _said(asked: Asked, language: Language) -> str:
    """Return the question that what follows may go on from: the one before where this has no words
    of its own.
    """
    wanted = past_questions.read(asked, language)
    return asked.message if wanted and wanted.words else past_questions.asked_before(asked)


def _nothing(note: Text, language: Language) -> Step:
    """Return that a note says nothing of a time."""
    about = (Thing("note", note.note_id, note.title),)
    text = Route("ask", language, {}).phrase("unanswered")
    trace = Trace(intent="ask", language=language, shown=about)
    return Step(f"{text}\n- {note_link(note.note_id, note.title)}", trace=trace)


def _lines_of(past: Past) -> str:
    """Return a pattern for the lines that begin with a day of a time."""
    months = {(past.first.year, past.first.month), (past.last.year, past.last.month)}
    if (past.last - past.first).days > 62:
        months |= {(past.first.year, month) for month in range(1, 13)}
    either = []
    for year, month in sorted(months):
        names = "|".join(sorted(set(past_times.names_of(month))))
        either += [
            rf"{year}-{month:02}-",
            rf"\d\d?\.\s?0?{month}\.",
            rf"\d\d?/0?{month}\b",
            rf"0?{month}/\d",
            rf"(?:{year}年)?{month}月",
            rf"\d\d?\.? (?:of |de )?(?:{names})\b",
            rf"(?:{names})\b",
        ]
    return rf"^\s*(?:[-*+]\s+|\|\s*)?(?:\[[ xX]\]\s+)?(?:{'|'.join(dict.fromkeys(either))})"[:1000]
