"""Rows of a table that a message adds as a whole, or takes out by their names.

“One more for the orders: Lindner, 2, Friday” has a value for each column; “Carol has cancelled,
take her row out” names a row and says that it goes.
"""

import re
from collections.abc import Sequence

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import list_words
from app.agent.rules.note_parts import cell_values, cells
from app.agent.rules.passages import note_lines, questions, tables
from app.agent.rules.passages.sentences import fold_text, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked

LEAST = 3
"""So many columns has a table at least whose row is known by its values alone."""
_COLON = re.compile(r"[:：](?!\d)")
_END = re.compile(r"(?<=[^\W\d]{3})[.!]\s|[。！]")
_PARTS = re.compile(r"\s*(?:(?<!\d),|,(?!\d)|[，、;；])\s*")
_EDGES = " \t\n.。!！:："


def may_be_row(message: str) -> bool:
    """Return whether a message has so many parts that they may be the values of a row."""
    return len(_PARTS.split(message)) >= LEAST


def removed(looked: Asked, held: Held, language: Language) -> Route | None:
    """Return the change of a table that loses the one row that a message names."""
    cue = list_words.words_of(language).cues["remove"]
    if not cue.search(Marked(looked.message).text):
        return None
    lines = [one for one in note_lines.read(str(held.record["markdown"])) if one.columns]
    row = cells.find_row(looked, lines, held.thing.title)
    if row is None or not row.label:
        return None
    if [one.title for one in held.items].count(row.label) != 1:
        return None
    return Route("change_items", language, {"remove": row.label}, (held.thing,))


def added(looked: Asked, held: Held, language: Language) -> Route | None:
    """Return the new row of the table in which a note ends, where a message has a value for each
    of its columns.
    """
    markdown = str(held.record["markdown"]).rstrip()
    found = tables.find(markdown)
    if not found or found[-1].end != len(markdown) or len(found[-1].header) < LEAST:
        return None
    header = found[-1].header
    parts = _parts(looked.message, len(header))
    others = [tables.cells(one) for one in markdown[found[-1].start : found[-1].end].splitlines()]
    row = [_value(part, name) for part, name in zip(parts, header, strict=False)]
    if len(row) != len(header) or not others:
        return None
    columns = [[one[at] for one in others if at < len(one)] for at in range(len(header))]
    if not all(map(cell_values.is_alike, row, columns)):
        return None
    text = " | ".join(map(_as_before, row, columns))
    return Route("append_note", language, {"text": text}, (held.thing,))


def _as_before(value: str, column: Sequence[str]) -> str:
    """Return a value as another row has it: “Soprano” for “soprano”."""
    return next((one for one in column if fold_text(one) == fold_text(value)), value)


def _parts(message: str, count: int) -> list[str]:
    """Return the values of a row: what stands after a colon in one sentence, else the last clauses
    of a message, of which one may stand before them.
    """
    colon = _COLON.search(message)
    text = message[colon.end() :] if colon else message
    text = _END.split(text)[0].strip(_EDGES)
    parts = [one for one in _PARTS.split(text) if one]
    return parts[1:] if not colon and len(parts) == count + 1 else parts if colon else []


def _value(part: str, name: str) -> str:
    """Return what a part says of a column, without the name of that: “due” of “subs due”."""
    if questions.is_asian(part):
        held = fold_text(part)
        return part[len(name) :].strip(" 是为は") if held.startswith(fold_text(name)) else part
    words, names = part.split(), _stems(name)
    return " ".join(words[1:]) if len(words) > 1 and _stems(words[0]) <= names else part


def _stems(text: str) -> set[str]:
    return {stem(one) for one in re.findall(r"\w+", fold_text(text))}
