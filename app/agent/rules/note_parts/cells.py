"""The cell of a table that a message changes by plain words: “Norman has paid”, “she wants 3 now”.

The table is in the note that was told just before, or that the message names. The row is the one
that the message names, by its own name, a word that stands in no other row, or its day; else the
one that the message before named. The column is told by its name, or by what only it can hold: a
word that other rows have there, a time where a time stands, a number for the only number.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import fitting_numbers, list_words
from app.agent.rules.listed.fitting_numbers import Fit, Place
from app.agent.rules.note_parts import cell_values, said_rows
from app.agent.rules.note_parts.cell_values import Value
from app.agent.rules.passages import note_lines, questions, tables
from app.agent.rules.passages.new_rows import NUMBER
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked

_LETTERS = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]")
_CLAUSE_ENDS = "，。；、;,.!！"
PART = 4
"""So many letters has a word at least that is a part of a longer one."""


class Changed(NamedTuple):
    """The change of a cell, and what a message says beside what it needs for that."""

    route: Route
    left: frozenset[str]
    tells_old: bool
    """Whether it says what the cell has now, too."""
    is_said: bool = True
    """Whether it names the row itself."""
    is_told: bool = False
    """Whether it leaves the column, or the line, to what was told before."""
    is_else: bool = False
    """Whether it begins with what is not known: “Emil is a 28 now” after the size of another."""
    fit: Fit = "fits"
    """How well its number, if it has one, fits what stands there."""
    is_named: bool = True
    """Whether it names the column."""


def change(looked: Asked, held: Held, language: Language) -> Changed | None:
    """Return the change of the one cell of a note that a message means, if it means one."""
    markdown = str(held.record["markdown"])
    lines = [one for one in note_lines.read(markdown) if one.columns]
    if said_rows.says_several_days(looked, lines):
        return None
    for row, is_said in said_rows.find(looked, lines, held, language):
        value = _as_time(
            _value(looked, lines, row, language, held.thing.title, is_said=is_said), row
        )
        is_there = value is not None and value.column < len(tables.cells(row.text))
        if value is not None and is_there and markdown.count(row.text) == 1:
            changed = _changed(looked, held, row, value, language)
            count = len({one.column for one in _found(looked, lines, row, language)})
            is_named = _names(looked.message, row.columns, value.column)
            place = Place(
                changed.route.get("from"),
                _column(lines, row, value.column),
                row.columns[value.column],
                f"{row.text} {held.thing.title}",
                is_named,
            )
            return changed._replace(
                is_said=is_said,
                is_told=count > 1 and not is_named,
                fit=fitting_numbers.fit(
                    looked.message, _number(value.text) or value.text, place, language
                ),
                is_named=is_named,
            )
    return None


def unsure(
    looked: Asked, held: Held, language: Language
) -> tuple[Line, list[Value], frozenset[str]] | None:
    """Return the row that a message means, the same value for several of its columns, of which it
    names none, and what it says beside these; None where the column is not what is open.
    """
    lines = [one for one in note_lines.read(str(held.record["markdown"])) if one.columns]
    for row, _ in list(said_rows.find(looked, lines, held, language))[:1]:
        values = _found(looked, lines, row, language)
        header, places = row.columns, {(one.start, one.end) for one in values}
        if len(values) < 2 or len(places) > 1 or len({one.column for one in values}) < len(values):
            return None
        if any(_names(looked.message, header, one.column) for one in values):
            return None
        if str(held.record["markdown"]).count(row.text) != 1:
            return None
        start, end = places.pop()
        text = says_now(language).sub(lambda one: " " * len(one[0]), Marked(looked.message).text)
        rest = f"{text[:start]} {text[end:]}"
        return row, values, _left(rest, f"{row.text} {' '.join(header)} {held.thing.title}")
    return None


def written(row: Line, value: Value) -> str:
    """Return a row with another text in a cell, all else as it stands."""
    return _written(row.text, value.column, value.text)


def names_column(text: str, header: Sequence[str], column: int) -> bool:
    """Return whether a text names a column of a table."""
    return _names(text, header, column)


def says_now(language: Language) -> re.Pattern[str]:
    """Return the words by which a message says that something is no longer as it was."""
    return language_data.line_words(language, "now")


def theirs(language: Language) -> re.Pattern[str]:
    """Return the words that mean what was named before."""
    return language_data.line_words(language, "theirs")


def _value(
    looked: Asked,
    lines: Sequence[Line],
    row: Line,
    language: Language,
    title: str,
    *,
    is_said: bool,
) -> Value | None:
    """Return the new value that a message says for a row; None where it says none, or several."""
    message = looked.message
    values = _found(looked, lines, row, language)
    value = _only(values, row.columns, message, title)
    asked = _asked_column(looked, lines, row)
    is_open = value is None or (
        value.column != asked
        and (_is_bare(message, value) or _is_unnamed_number(message, value, row))
    )
    if asked and is_open:
        # “change it to Lee” after “who has the late shift on Tuesday?”
        own = [one for one in values if one.column == asked]
        rows = [tables.cells(row.text), *_others(lines, row)]
        value = own[0] if len(own) == 1 else cell_values.elsewhere(message, asked, rows)
    if value is None and looked.before and (not is_said or said_rows.names_row(looked, lines, row)):
        value = _only(values, row.columns, looked.before[-1], title)
    return _in_named(value, message, lines, row)


def _as_time(value: Value | None, row: Line) -> Value | None:
    """Return an hour as the time that stood in its place: 8時 as “8:00” for “7:30”."""
    if value is None or not value.text.isdecimal() or value.column >= len(tables.cells(row.text)):
        return value
    is_time = re.fullmatch(r"\d\d?:\d\d", tables.cells(row.text)[value.column])
    return value._replace(text=f"{value.text}:00") if is_time else value


def _is_unnamed_number(message: str, value: Value, row: Line) -> bool:
    """Return whether a value is a number for a column that a message does not name."""
    return bool(_number(value.text)) and not _names(message, row.columns, value.column)


def _in_named(value: Value | None, message: str, lines: Sequence[Line], row: Line) -> Value | None:
    """Return a value in the one column that a message names; None where it names several."""
    if value is None or fold_text(value.text) not in fold_text(message):
        return value
    named = [at for at in range(1, len(row.columns)) if _names(message, row.columns, at)]
    if len(named) != 1 or value.column == named[0]:
        return value if len(named) < 2 else None
    return cell_values.elsewhere(message, named[0], [tables.cells(row.text), *_others(lines, row)])


def _found(looked: Asked, lines: Sequence[Line], row: Line, language: Language) -> list[Value]:
    """Return the values that a message may say for the cells of a row but its name."""
    cells, message = tables.cells(row.text), looked.message
    named = {at for at in range(len(row.columns)) if _names(message, row.columns, at)}
    others = _others(lines, row)
    values = cell_values.find(message, cells, others, looked.now, language, named)
    values = [
        one for one in values if one.column < len(row.columns) and cells[one.column] != row.label
    ]
    # a number may be for an empty cell as well: “146 now” of “Tom | 41 | ”
    return values if named - {0} else _with_empty(looked, values, lines, row)


def _with_empty(
    looked: Asked, values: Sequence[Value], lines: Sequence[Line], row: Line
) -> list[Value]:
    """Return the values for a row, with those for its empty cells: the number for the one that was
    asked for, or that it is about as large as the others of; and then none for another number that
    it is not near to.
    """
    cells, others = tables.cells(row.text), _others(lines, row)
    asked = _asked_column(looked, lines, row)
    filled = [
        found
        for at in range(1, min(len(row.columns), len(cells)))
        if not cells[at]
        for found in cell_values.filled(looked.message, cells, others, {at})
        if at == asked or _is_near(found, lines, row)
    ]
    if not filled:
        return list(values)
    numbers = [one for one in values if _number(one.text)]
    far = [one for one in numbers if one.column != asked and not _is_near(one, lines, row)]
    return [*(one for one in values if one not in far), *filled]


def _is_near(value: Value, lines: Sequence[Line], row: Line) -> bool:
    own = tables.cells(row.text)[value.column]
    column = [*_column(lines, row, value.column), own]
    return fitting_numbers.is_near(_number(value.text), column)


def _column(lines: Sequence[Line], row: Line, column: int) -> list[str]:
    """Return what the other rows of the table of one have in a column."""
    return [one[column] for one in _others(lines, row) if column < len(one) and one[column]]


def _number(text: str) -> str:
    """Return the number of a new value, as a message says it."""
    found = NUMBER.fullmatch(text)
    return found["number"] if found else ""


def _others(lines: Sequence[Line], row: Line) -> list[tuple[str, ...]]:
    """Return the other rows of the table of one."""
    return [
        tables.cells(one.text) for one in lines if one.columns == row.columns and one is not row
    ]


def _told_column(looked: Asked, row: Line) -> int | None:
    """Return the column of a row that the turn before told of, be it of another row."""
    field = looked.earlier[0].field if looked.earlier else ""
    at = [at for at, one in enumerate(row.columns) if at and field and one == field]
    return at[0] if len(at) == 1 else None


def _asked_column(looked: Asked, lines: Sequence[Line], row: Line) -> int | None:
    """Return the one column that the message before asked of a row; None where it asked of none."""
    if told := _told_column(looked, row):
        return told
    if not looked.before or not said_rows.names_row(looked, lines, row):
        return None
    cells, before = tables.cells(row.text), looked.before[-1]
    named = [
        at
        for at in range(len(row.columns))
        if at < len(cells) and at and cells[at] != row.label and _names(before, row.columns, at)
    ]
    return named[0] if len(named) == 1 else None


def _is_bare(message: str, value: Value) -> bool:
    """Return whether a message says hardly more than a new value."""
    rest = f"{message[: value.start]} {message[value.end :]}"
    if questions.is_asian(message):
        return sum(one.isalnum() for one in rest) <= PART
    return not note_lines.content(rest)


def _changed(looked: Asked, held: Held, row: Line, value: Value, language: Language) -> Changed:
    """Return the change of a cell of a row."""
    message, old = looked.message, tables.cells(row.text)[value.column]
    arguments = {
        "old": row.text,
        "new": _written(row.text, value.column, value.text),
        "from": old,
        "to": value.text,
    }
    known = f"{row.text} {' '.join(row.columns)} {held.thing.title} {value.text}"
    rest = f"{message[: value.start]} {message[value.end :]}"
    left = _left(rest, known)
    tells_old = any(cell_values.says(rest, one) for one in (old, *old.split()))
    route = Route("replace_text", language, arguments, (held.thing,))
    is_else = begins_else(message[: value.start], left, language)
    return Changed(route, left, tells_old, is_else=is_else)


def may_be_of_else(asked: Asked, changed: Changed, language: Language) -> bool:
    """Return whether a message that leaves the row to what was told before may say its value in
    passing: “thanks Gwen”, “no, thanks”, “I have paid” after “has Paul paid?”.
    """
    if changed.is_said:
        return False
    text, value = asked.message, changed.route.get("to")
    if re.search(r"\d", text) and not re.search(r"\d", value):
        return True
    if fitting_numbers.is_of_oneself(text, language):
        return not fitting_numbers.is_of_oneself(value, language)
    if re.search(r"\d", value) or changed.is_named or text.strip(" .!") == value:
        return False
    rest = f" {text} ".replace(value, " ", 1)
    is_new = says_now(language).search(Marked(text).text) is not None
    known = f"{changed.route.get('old')} {changed.route.things[0].title}"
    is_courteous = words_of(language).courtesy.search(Marked(text).text) is not None
    is_reply = any(dialogue_words.whole(language, one, value) for one in ("yes", "no"))
    return (
        is_reply
        or is_courteous
        or (fitting_numbers.says_else(rest, known, language) and not is_new)
    )


def begins_else(text: str, left: frozenset[str], language: Language) -> bool:
    """Return whether what stands before a new value begins with a word that is left, and neither
    points back nor asks for a correction.
    """
    corrects = list_words.words_of(language).cues["correct"]
    for one in re.finditer(r"\w+", text):
        if not note_lines.content(one[0]):
            continue
        lead = text[: one.end()]
        # the last word before it may be an article
        before = Marked(text[: one.start()]).text.rstrip().rpartition(" ")[0]
        is_known = questions.read_question(lead).points_back or bool(
            corrects.search(Marked(lead).text) or theirs(language).search(before)
        )
        return bool(note_lines.content(one[0]) & left) and not is_known
    return False


def _left(text: str, known: str) -> frozenset[str]:
    """Return the words of a text that are not known, or where no spaces part words half of the
    letters: two are as much as a word.
    """
    if not questions.is_asian(text):
        return frozenset(note_lines.left_of_title(text, known))
    letters = sorted({*_LETTERS.findall(text)} - {*known})
    return frozenset(letters[::2])


def _written(row: str, column: int, text: str) -> str:
    """Return a row with another text in a cell, all else as it stands."""
    parts = tables.split(row)
    at = column + (row.lstrip()[:1] == "|")
    held = parts[at]
    lead = held[: len(held) - len(held.lstrip())] or " "
    tail = held[len(held.rstrip()) :] or " "
    parts[at] = f"{lead}{text}{tail}" if held.strip() else f" {text} "
    return "|".join(parts)


def _only(
    values: Sequence[Value], header: Sequence[str], text: str, title: str = ""
) -> Value | None:
    """Return the one value that is meant: that of the column which a text names, in its clause
    where it names several; else the only one there is. The `title` of the note names no column.
    """
    named = [one for one in values if _names(text, header, one.column)]
    if len(named) > 1:
        named = [
            one for one in named if _names(_clause(text, one.start, one.end), header, one.column)
        ]
    if len(named) == 1:
        return named[0]
    columns = {one.column for one in values}
    others = [at for at in range(1, len(header)) if at not in columns]
    is_number = any(map(str.isdecimal, "".join(one.text for one in values)))
    others = [at for at in others if not _names(title, header, at)]
    if is_number and any(_names(text, header, at) for at in others):
        return None  # “his deposit is 40 now” is no day
    return values[0] if len(values) == 1 and not named else None


def _clause(text: str, start: int, end: int) -> str:
    first = max((text.rfind(one, 0, start) for one in _CLAUSE_ENDS), default=-1) + 1
    last = min((at for one in _CLAUSE_ENDS if (at := text.find(one, end)) >= 0), default=len(text))
    return text[first:last]


def _names(text: str, header: Sequence[str], column: int) -> bool:
    """Return whether a text names a column: by a word of its name in some form, or where no spaces
    part words by a letter that no other column's name has.
    """
    name = header[column]
    if questions.is_asian(name):
        others = "".join(one for at, one in enumerate(header) if at != column)
        own = [one for one in name if one.isalpha() and one not in f"{others}的了是在のはがを"]
        return name in text or any(one in text for one in own)
    said = note_lines.content(text)
    return any(
        one == word or (len(one) >= PART and (word.startswith(one) or word.endswith(one)))
        for one in note_lines.content(name.replace("-", " "))
        for word in said
    )
