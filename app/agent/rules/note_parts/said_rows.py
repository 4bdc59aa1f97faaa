"""The row of a table that a message means: the one that it names, else the one that was told.

A row is named by its own name, a word that stands in no other row, or its day.
"""

from collections.abc import Iterator, Sequence

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.dialogue import day_rows
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.note_parts import cell_values, days_times
from app.agent.rules.passages import note_lines, questions, tables
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text
from app.agent.turn.steps import Asked


def find_row(looked: Asked, lines: Sequence[Line], held: Held, language: Language) -> Line | None:
    """Return the one row that a message names; None where it names none."""
    return next((row for row, is_said in find(looked, lines, held, language) if is_said), None)


def find(
    looked: Asked, lines: Sequence[Line], held: Held, language: Language
) -> Iterator[tuple[Line, bool]]:
    """Yield the rows that a message may mean, the likeliest first, and whether it says them itself:
    of “he has paid” after a question of Ned it is not the one row in which “paid” stands.
    """
    last, title = told(looked, lines, held), held.thing.title
    for text, is_said in ((looked.message, True), *((one, False) for one in looked.before[-1:])):
        said = note_lines.said_in(lines, text)[0]
        named = said or _of_day(looked, lines, text)
        row = named or _with_word(lines, text, title, language) or _with_part(lines, text)
        if row is not None:
            # a day may be that of what was told
            yield row, is_said and (said is not None or row is not last)
        if named is not None:
            return
        if last is not None:
            yield last, False
            return


def told(looked: Asked, lines: Sequence[Line], held: Held) -> Line | None:
    """Return the one row of a note that the turn before told; None where it told none."""
    last = looked.earlier[0] if looked.earlier else None
    if last is None or not last.section or held.thing not in last.about:
        return None
    found = [one for one in lines if tables.cells(one.text)[0] == last.section]
    return found[0] if len(found) == 1 else None


def names_row(looked: Asked, lines: Sequence[Line], row: Line) -> bool:
    """Return whether the message before named a row."""
    before = looked.before[-1]
    return row is (note_lines.said_in(lines, before)[0] or _of_day(looked, lines, before))


def _with_word(lines: Sequence[Line], text: str, title: str, language: Language) -> Line | None:
    """Return the one row that has a word of a text in a cell which tells it from all others, and
    not only whether something is done: “Tom” of the owner of a dog.
    """
    rows = [tables.cells(one.text) for one in lines]
    columns = [
        [row[at] for row in rows if at < len(row)] for at in range(max(map(len, rows), default=0))
    ]
    own = [
        at
        for at, column in enumerate(columns)
        if len({*column}) == len(column) and not cell_values.are_states(column)
    ]
    said = note_lines.content(text) - note_lines.content(title)
    found = [
        line
        for line, row in zip(lines, rows, strict=True)
        if said & note_lines.content(" ".join(row[at] for at in own if at < len(row)))
    ]
    return found[0] if len(found) == 1 and not questions.is_asian(text) else None


def _with_part(lines: Sequence[Line], text: str) -> Line | None:
    """Return the one row of which a text without spaces has a cell as a whole."""
    if not questions.is_asian(text):
        return None
    folded = fold_text(text)
    found = [
        line
        for line in lines
        if any(
            len(one) > 1 and any(map(str.isalpha, one)) and fold_text(one) in folded
            for one in tables.cells(line.text)
        )
    ]
    return found[0] if len(found) == 1 else None


def _of_day(looked: Asked, lines: Sequence[Line], text: str) -> Line | None:
    """Return the one row that begins with the day of a text, or that was told just before."""
    wanted = day_rows.asked_day(looked, text)
    if wanted is None:
        return None
    found = [one for one in lines if day_rows.begins(one.text, wanted.day, looked.now)]
    return found[0] if len(found) == 1 else None


def says_several_days(looked: Asked, lines: Sequence[Line]) -> bool:
    """Return whether a message names the days of several rows, of which each may have another new
    value: “I do Wednesday and Gwen does Thursday”.
    """
    said = {one.number for one in days_times.weekdays(looked.message, short=False)}
    begun = (days_times.weekdays(tables.cells(one.text)[0]) for one in lines)
    return len({day.number for row in begun for day in row} & said) > 1
