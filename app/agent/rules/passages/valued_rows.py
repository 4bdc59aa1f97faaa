"""The rows of a table that a question asks for by what a column of it says.

“Who still owes their subs?” of “Member | Subs” with “paid” and “due”, “who sings soprano?” of a
column with voices.
"""

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from app.agent.rules.languages import language_data
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.passages import found_texts, note_lines, note_searches, questions, tables
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.held_stems import Stems, beginnings
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import fold_text, split_sentences, split_words, stem
from app.agent.rules.phrases.phrases import language_of
from app.agent.turn.steps import Asked, Result, Step

LEAST = 2
"""So many rows has a table at least whose columns are looked at."""
MOST_NOTES = 6
"""What so many notes have tables for is too common to be meant."""
PART = 4
"""So many letters has a word at least that is the end of a longer one."""
UNKNOWN = 1
"""So many words of a question for a value may be ones that the note does not have: “sings”."""
DONE_MARKS, OPEN_MARKS = "✓✔✅☑", "✗✘❌☐"
MARGIN = 40
"""So many letters of a pattern stand around its cells."""
_BEGINS = r"\|\s*"
"""How what is looked for in tables begins, and nothing else that is looked for."""
_AMOUNT = re.compile(r"(?:[€£$¥]\s?)?\d+(?:[.,]\d+)*\s?(?:[€£$¥]|[^\W\d_]{1,9})?")
_RUN = re.compile(r"[\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2,}|[a-z\d]{2,}")


class Wanted(NamedTuple):
    """What a question for rows says: its text without accents, whether it is for those that are
    still open, whether it is of paying, and whether any value may be meant, or only one of a column
    in which several rows have the same.
    """

    text: str
    question: Question
    is_open: bool
    pays: bool
    is_any: bool = False


class _Table(NamedTuple):
    """A table of a note: the names of its columns, and its rows with their places."""

    note: Text
    header: tuple[str, ...]
    rows: tuple[tuple[int, int, tuple[str, ...]], ...]

    def column(self, at: int) -> list[str]:
        """Return the cells of a column without capitals and accents."""
        return [fold_text(row[at]) if at < len(row) else "" for _, _, row in self.rows]


def read(text: str, question: Question) -> Wanted | None:
    """Return what a question says that may be for rows: of who, or of which; else None."""
    folded = fold_text(text)
    if question.kind not in (None, "who") or question.own:
        return None
    if question.kind is None and not _found("which", folded):
        return None
    return Wanted(folded, question, _found("lacks", folded), _found("pays", folded))


def says_only_state(wanted: Wanted) -> bool:
    """Return whether a question names nothing: “so who hasn't now?”"""
    text = wanted.text
    for field in ("lacks", "beside", "which"):
        text = re.sub(_pattern(field), " ", text)
    if questions.is_asian(text):
        return not _RUN.findall(questions.without_filler(text))
    return not note_lines.content(text)


def look_for(asked: Asked, wanted: Wanted) -> Step | None:
    """Return the calls that find and read the notes with tables that may have such rows; None
    where that was done, or cannot be.
    """
    if not {"grep_notes", "get_note_content"} <= asked.tools or not (cells := _cells_of(wanted)):
        return None
    own = _own(asked)
    if not own:
        pattern = rf"{_BEGINS}(?:{cells})\s*\|"
        arguments = {"pattern": pattern, "mode": "regex", "limit": note_searches.HITS * 25}
        return Step(calls=(("grep_notes", arguments),))
    found = {one["noteId"] for one in own[0].content.get("results", ())}
    if len(own) > 1 or not found or len(found) > MOST_NOTES:
        return None
    return Step(calls=tuple(("get_note_content", {"noteId": one}) for one in sorted(found)))


def go_on(asked: Asked, act: Callable[[Asked], Step]) -> Step:
    """Return the step to which something comes that knows nothing of what was looked up for rows,
    with the calls that were not made for those already.
    """
    own = _own(asked)
    given = list(itertools.takewhile(lambda one: one is not own[0], asked.results)) if own else []
    if not own:
        return act(asked)
    while True:
        step = act(msgspec.structs.replace(asked, results=tuple(given)))
        made = [_made(asked, tool, arguments) for tool, arguments in step.calls]
        if not step.calls or None in made:
            calls = zip(step.calls, made, strict=True)
            left = tuple(call for call, result in calls if result is None)
            return msgspec.structs.replace(step, calls=left)
        given += filter(None, made)


def _made(asked: Asked, tool: str, arguments: Mapping[str, Any]) -> Result | None:
    """Return what the last such call gave; None where none was made."""
    alike = (one for one in asked.results if one.tool == tool and one.arguments == arguments)
    return next(reversed([*alike]), None)


def rows_of(asked: Asked, wanted: Wanted, last: Sequence[int]) -> list[Ranked]:
    """Return all rows of the one table that a question means, of the `last` notes where several
    would do; nothing where it is not certain which is meant.
    """
    notes = [text for one in _own(asked)[1:] if (text := found_texts.read_note(one))]
    fitting = [one for note in notes for one in _fitting(note, wanted)]
    best = max((held for held, _ in fitting), default=0)
    leading = [rows for held, rows in fitting if held == best]
    if len(leading) > 1:
        leading = [rows for rows in leading if rows[0].note.note_id in last]
    return leading[0] if len(leading) == 1 else []


def none_left(asked: Asked, wanted: Wanted, last: Sequence[int]) -> Text | None:
    """Return the note with the one table of whose rows a question asks for the open ones where none
    is, of the `last` notes where several would do; None where that is not certain.
    """
    notes = [text for one in _own(asked)[1:] if (text := found_texts.read_note(one))]
    if not wanted.is_open:
        return None
    found = [
        (_held(table, wanted), note)
        for note in notes
        for table in _tables(note)
        if _says_of(table, wanted) and _is_known(table, wanted, None)
    ]
    best = max((held for held, _ in found), default=0)
    leading = [note for held, note in found if held == best]
    if len(leading) > 1 or (best == 0 and leading and leading[0].note_id not in last):
        leading = [one for one in leading if one.note_id in last]
    fits = len(leading) == 1 and not any(_kept(table, wanted)[0] for table in _tables(leading[0]))
    return leading[0] if fits else None


def _says_of(table: _Table, wanted: Wanted) -> bool:
    """Return whether a table has one column that says of what a question asks whether it is done,
    and no other value that it names.
    """
    names = [cell for cell in table.column(0) if cell]
    if _are_days(names) or _names_one(table, names, wanted):
        return False
    return len(_states_meant(table, wanted)) == 1 and not _values_meant(table, wanted)


def _own(asked: Asked) -> list[Result]:
    """Return what was looked up for rows: what tables have, and the notes with them."""
    found: list[Result] = []
    for one in asked.results:
        if str(one.arguments.get("pattern", "")).startswith(_BEGINS):
            found = [one]
        elif found and one.tool != "get_note_content":
            break
        elif found:
            found.append(one)
    return found


def _cells_of(wanted: Wanted) -> str:
    """Return a pattern for the cells that a question may mean; empty where it means none."""
    said = [re.escape(one) for one in note_searches.values_in(wanted.text)]
    own = language_data.load_table(language_of(wanted.text), Questions).rows
    states = map(language_data.join_pattern, (own.open, own.done))
    of_states = (*states, *DONE_MARKS, *OPEN_MARKS) if wanted.is_open or wanted.pays else ()
    pattern = ""
    for one in (*of_states, *said):  # as many as a pattern may be long
        longer = f"{pattern}|{one.translate(note_searches.ACCENTED)}".lstrip("|")
        pattern = longer if len(longer) < note_searches.LONGEST - MARGIN else pattern
    return pattern


def _fitting(note: Text, wanted: Wanted) -> Iterator[tuple[int, list[Ranked]]]:
    """Yield for each table of a note that a question may mean how much of it the name of the note
    and of the columns have, and its rows that fit.
    """
    for table in _tables(note):
        names = [cell for cell in table.column(0) if cell]
        if _are_days(names) or _names_one(table, names, wanted):
            continue
        kept, known = _kept(table, wanted)
        if kept and _is_known(table, wanted, known):
            ranked = [Ranked(note, start, end, ENOUGH, 0) for start, end, _ in kept]
            yield _held(table, wanted), ranked


def _names_one(table: _Table, names: Sequence[str], wanted: Wanted) -> bool:
    """Return whether a question names one row: by its first cell, or a word that no other has."""
    if any(_says(wanted.text, one) for one in names):
        return True
    general = _stems(fold_text(f"{table.note.title} {' '.join(table.header)}"))
    words = Counter(word for one in names for word in _stems(one) - general)
    said = () if questions.is_asian(wanted.text) else wanted.question.stems
    return any(words[one] == 1 for one in said)


def _kept(
    table: _Table, wanted: Wanted
) -> tuple[list[tuple[int, int, tuple[str, ...]]], list[str] | None]:
    """Return the rows that have what is asked for, and which words name that; no words where it is
    only whether something is done.
    """
    said, meant = _values_meant(table, wanted), _states_meant(table, wanted)
    if len(meant) > 1 or not (meant or said) or (not meant and wanted.is_open):
        return [], None
    is_done = "open" if wanted.is_open else "done"
    kept = [
        row
        for number, row in enumerate(table.rows)
        if all(table.column(at)[number] in cells for at, cells in said.items())
        and all(_is_of(is_done, table, at, number) for at in meant)
    ]
    return kept, None if meant else [one for cells in said.values() for one in cells]


def _values_meant(table: _Table, wanted: Wanted) -> dict[int, set[str]]:
    """Return the cells that a question says, by their columns."""
    said: dict[int, set[str]] = {}
    for at in range(1, len(table.header)):
        cells = table.column(at)
        if not _is_state(table, at) and (wanted.is_any or len({*cells}) < len(cells)):
            found = {one for one in cells if one and _says(wanted.text, one)}
            said |= {at: found} if found else {}
    return said


def _states_meant(table: _Table, wanted: Wanted) -> list[int]:
    """Return the columns that say whether what a question asks for is done."""
    states = [at for at in range(1, len(table.header)) if _is_state(table, at)]
    meant = [at for at in states if _is_named(table.header[at], wanted)]
    return meant or [at for at in states if wanted.pays and _tells_payment(table, at)]


def _is_state(table: _Table, at: int) -> bool:
    """Return whether a column only says whether something is done: a sum that was paid is, too,
    where others have paid nothing yet.
    """
    cells = range(len(table.rows))
    is_any = any(is_of("open", one) or is_of("done", one) for one in table.column(at))
    return (
        len(table.rows) >= LEAST
        and is_any
        and all(_is_of("open", table, at, one) or _is_of("done", table, at, one) for one in cells)
    )


def _is_of(state: str, table: _Table, at: int, row: int) -> bool:
    """Return whether a cell says that what its column is of is open, or done."""
    cell = table.column(at)[row]
    if is_of(state, cell):
        return True
    is_sum = _AMOUNT.fullmatch(cell) is not None and _found("fees", fold_text(table.header[at]))
    return state == "done" and is_sum


def is_of(state: str, cell: str) -> bool:
    """Return whether a cell, in small letters, only says that something is “open”, or “done”."""
    bare = cell.strip("*_ .!")
    marks = OPEN_MARKS if state == "open" else DONE_MARKS
    return bool(bare) and (bare in marks or re.fullmatch(_pattern(state), bare) is not None)


def _tells_payment(table: _Table, at: int) -> bool:
    """Return whether a column says what is paid, by its name or by its cells."""
    name = fold_text(table.header[at])
    return (
        _found("pays", name)
        or _found("fees", name)
        or any(_found("pays", one) for one in table.column(at))
    )


def _is_named(name: str, wanted: Wanted) -> bool:
    """Return whether a question says a word of the name of a column."""
    folded = fold_text(name)
    if questions.is_asian(folded):
        return folded in wanted.text
    return bool(_stems(folded) & {*wanted.question.stems})


def _says(text: str, cell: str) -> bool:
    """Return whether a question says the whole of a cell, in whatever form of its words."""
    if questions.is_asian(cell):
        return len(cell) > 1 and cell in text
    if any(mark.isdecimal() for mark in cell):
        return False
    words, said = [stem(one) for one in split_words(cell)], [stem(one) for one in split_words(text)]
    size = len(words)
    return bool(words) and any(said[at : at + size] == words for at in range(len(said)))


def _is_known(table: _Table, wanted: Wanted, values: list[str] | None) -> bool:
    """Return whether a table says all that a question says, but what asks for a state, or one word
    beside a value: “sings”.
    """
    note = table.note
    text = wanted.text
    for field in ("pays", "beside", "which") if values is None else ("beside", "which"):
        text = re.sub(_pattern(field), " ", text)
    for one in (*values, *map(fold_text, table.header)) if values else ():
        text = text.replace(one, " ") if questions.is_asian(text) else text
    whole = f"{note.title} {note.content}"
    if questions.is_asian(wanted.text):
        folded = fold_text(whole)
        runs = _RUN.findall(questions.without_filler(text))
        unknown = [one for one in runs if one not in folded and not _parts_in(one, folded)]
    else:
        said = note_lines.content(text)
        stems = Stems(whole, beginnings(said))
        names = _stems(fold_text(f"{note.title} {' '.join(table.header)}"))
        # a “Vereinsbeitrag” is told by the column “Beitrag”
        ends = tuple(one for one in names if len(one) >= PART)
        unknown = [one for one in said if not (stems.holds(one) or one.endswith(ends))]
        if values and not said - {stem(word) for one in values for word in split_words(one)}:
            return False  # “who is Carol?” is no question for her dogs
        if any(one in wanted.question.names for one in unknown):
            return False
    return len(unknown) <= (0 if values is None else UNKNOWN)


def _parts_in(run: str, text: str) -> bool:
    return all(run[at : at + 2] in text for at in range(len(run) - 1))


def _held(table: _Table, wanted: Wanted) -> int:
    """Return how many words of a question the names of a note and of the columns have."""
    names = fold_text(f"{table.note.title} {' '.join(table.header)}")
    if questions.is_asian(wanted.text):
        return sum(one in names for one in wanted.question.terms)
    return len(_stems(names) & {*wanted.question.stems})


def _are_days(names: Sequence[str]) -> bool:
    return all(
        questions.holds_kind("when", one) or any(mark.isdecimal() for mark in one) for one in names
    )


def _stems(text: str) -> set[str]:
    return {stem(one) for one in split_words(text) if len(one) > 1}


def _tables(note: Text) -> Iterator[_Table]:
    """Yield the tables of a note with their rows."""
    found = tables.find(note.content)
    rows: dict[int, list[tuple[int, int, tuple[str, ...]]]] = {}
    for one in split_sentences(note.content) if found else ():
        if (table := tables.of_row(found, one.start)) is not None:
            place = (one.start, one.end, tables.cells(one.text))
            rows.setdefault(table.start, []).append(place)
    for table in found:
        if len(held := rows.get(table.start, [])) >= LEAST:
            yield _Table(note, table.header, tuple(held))


def _found(field: str, text: str) -> bool:
    return re.search(_pattern(field), text) is not None


@functools.cache
def _pattern(field: str) -> str:
    """Return a pattern for what any language has in a field of its words for rows."""
    return language_data.either(getattr(one.rows, field) for one in language_data.of_all(Questions))
