"""The row of a table with another number in its name: “how many beds in room 2?” – “and 12?”.

The number is that of a name, and no value of another row; where there is no such row, that is said.
"""

import re
from collections.abc import Sequence

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.dialogue import references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import answer_passages, note_lines, questions, tables, told_passages
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.log_lines import DATED
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import full_dates
from app.agent.rules.routing.routing import Route
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Step, Thing, Trace, note_link

LONGEST = 30
"""So many letters has such a message at most."""
_NUMBER = re.compile(r"(?<![\d.,:/-])\d+(?![\d.,:/-]|\s?[%€$£])")
_ASKS = re.compile(r"[?？]|[呢は]\W*$")
_BESIDE = re.compile(r"[\s?？、,.。はのって呢那和じゃあではも的]+")


def may_ask(asked: Asked) -> Thing | None:
    """Return the note that was told just before, where a message asks with no more than a number,
    and perhaps what is numbered.
    """
    last, text = asked.earlier[0] if asked.earlier else Trace(), asked.message
    if last.intent != "ask" or last.asks or len(_NUMBER.findall(text)) != 1:
        return None
    if len(text) > LONGEST or len(re.findall(r"\d+", text)) != 1 or not _ASKS.search(text):
        return None
    notes = references.notes_told(last)
    return notes[0] if len({*notes}) == 1 and asked.before else None


def answer(asked: Asked, whole: Asked, language: Language) -> Step | None:
    """Return the row of the table that was asked of just before whose name has the number of a
    message, or that there is none; the step that reads its note; None where it asks for no row.
    """
    note = may_ask(asked)
    held = item_changes.read(looks.before_change(whole), note) if note else None
    if not isinstance(held, Held):
        return held
    rows = _rows(asked, str(held.record["markdown"]))
    names = [tables.cells(one.text)[0] for one in rows]
    if not rows or not _is_bare(asked.message, names):
        return None
    number = int(_NUMBER.findall(asked.message)[0])
    found = [
        row for row, name in zip(rows, names, strict=True) if number in map(int, _numbers(name))
    ]
    if len(found) != 1:
        return None if found else _none(asked, held.thing, language)
    text = Text(held.thing.id, held.thing.title, str(held.record["markdown"]), whole=True)
    start = text.content.index(found[0].text)
    told = [Ranked(text, start, start + len(found[0].text), ENOUGH, 0)]
    trace = Trace(
        intent="ask",
        language=language,
        about=(held.thing,),
        section=tables.cells(found[0].text)[0],
        field=asked.earlier[0].field,
    )
    quotes = tuple(map(answer_passages.as_quote, told))
    return Step(told_passages.tell(told), quotes=quotes, trace=trace)


def _rows(asked: Asked, markdown: str) -> list[Line]:
    """Return the rows of the one table whose rows have numbers in their names, one of which was
    told or asked for just before.
    """
    lines = [one for one in note_lines.read(markdown) if one.columns]
    last, before = asked.earlier[0].section, asked.before[-1]
    for columns in dict.fromkeys(one.columns for one in lines):
        rows = [one for one in lines if one.columns == columns]
        names = [tables.cells(one.text)[0] for one in rows]
        if not all(len(_numbers(one)) == 1 and not _is_date(one) for one in names):
            continue
        folded = fold_text(before)
        said = [one for one in names if note_lines.places(fold_text(one)).search(folded)]
        if last in names or said:
            return rows
    return []


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def _is_date(name: str) -> bool:
    return DATED.match(name) is not None or full_dates.begins(name) is not None


def _is_bare(message: str, names: Sequence[str]) -> bool:
    """Return whether a message has nothing but a number and words of the names of rows."""
    if questions.is_asian(message):
        rest = re.sub(r"\d+", "", _BESIDE.sub("", message))
        return not rest or any(rest in one for one in names)
    return note_lines.content(message) <= note_lines.content(" ".join(names))


def _none(asked: Asked, note: Thing, language: Language) -> Step:
    """Return that no row has a number."""
    text = Route("ask", language, {}).phrase("unanswered")
    last = asked.earlier[0]
    trace = Trace(
        intent="ask", language=language, about=(note,), section=last.section, field=last.field
    )
    return Step(f"{text}\n- {note_link(note.id, note.title)}", trace=trace)
