"""The row of a table that a question names, where the names of its columns are in other words."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import msgspec

from app.agent.rules.passages import answer_passages, note_lines, questions, tables
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import (
    Sentence,
    fold_text,
    split_sentences,
    split_words,
    stem,
)

PART = 4
"""So many letters has a word at least that is the beginning of a longer one."""
UNKNOWN = 1
"""So many words of a question may be neither of a row, nor of its column: “wears”."""
_RUN = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]{2,}|[a-z\d]{2,}")
OTHERS = 3
"""So many words beside its name ask for something else than the numbers of a row: “Jonte has a
fever, how much ibuprofen may he have?” of his sizes.
"""
LITTLE = frozenset({"", "は", "呢", "那", "那呢", "では", "じゃあ", "じゃあは", "的", "の", "のは"})
"""What may stand beside a name that a message goes on with where no spaces part words."""


def find(question: Question, text: str, notes: Sequence[Text]) -> list[Ranked]:
    """Return the one row that a question names beside a column, else by its first cell alone."""
    return crossing(question, text, notes) or named_row(question, notes)


def named_row(question: Question, notes: Sequence[Text]) -> list[Ranked]:
    """Return the one row whose first cell a question says whole, where it asks for a number that
    the row has or names another column: “how many square metres is the bath?” of the row “Bath | 6
    | 300”, “who has the early shift on Saturday?” of “Day | Early | Late”; nothing where several
    do, or none, or another note answers it, too.
    """
    found = [
        Ranked(note, row.start, row.end, ENOUGH, order)
        for order, note in enumerate(notes)
        for row, header in _rows(note)
        if _names(question, row.text, header)
    ]
    is_told = len(found) == 1 and not _is_told_elsewhere(question, found[0], notes)
    return found if is_told else []


def row_said(text: str, found: list[Ranked]) -> list[Ranked]:
    """Return the row of which a text without spaces says the whole first cell in place of the one
    that was found in its table and only shares a part of its name: “紙ごみ” is “紙”, not “生ごみ”.
    """
    if len(found) != 1 or not questions.is_asian(text):
        return found
    one, note = found[0], found[0].note
    every = tables.find(note.content)
    table, folded = tables.of_row(every, one.start), fold_text(text)
    if table is None or _holds_name(folded, _first_cell(answer_passages.text_of(one))):
        return found
    rows = [row for row, _ in _rows(note) if tables.of_row(every, row.start) == table]
    said = [row for row in rows if _holds_name(folded, _first_cell(row.text))]
    if len(said) != 1:
        return found
    return [msgspec.structs.replace(one, start=said[0].start, end=said[0].end)]


def _holds_name(text: str, name: str) -> bool:
    """Return whether a text has a name of which no number goes on: 房间12 has no 房间1."""
    return bool(name) and note_lines.places(name).search(text) is not None


def _first_cell(row: str) -> str:
    return fold_text(tables.cells(row)[0])


def row_again(words: str, notes: Sequence[Text], last: Collection[int], told: str) -> list[Ranked]:
    """Return the row of a table told just before that goes on from the row `told`: the one that
    `words` name, “and Ilse?”, or the same for another column, “and in the evening?”; nothing where
    they say more.
    """
    found: list[Ranked] = []
    for note in notes:
        if note.note_id not in last or not told:
            continue
        for row, header in _rows(note):
            name = tables.cells(row.text)[0]
            columns = header[1:] if name == told else ()
            if any(names_only(words, one) for one in (name, *columns)):
                found.append(Ranked(note, row.start, row.end, ENOUGH, 0))
    return found if len(found) == 1 else []


def names_only(words: str, name: str) -> bool:
    """Return whether a text says a name, and nothing else of what may be asked about."""
    if questions.is_asian(words):
        text, folded = questions.without_filler(fold_text(words)), fold_text(name)
        return len(folded) > 1 and re.sub(r"\W+", "", text.replace(folded, "", 1)) in LITTLE
    said = [stem(one) for one in split_words(words) if one not in questions.little()]
    return bool(said) and said == [stem(one) for one in split_words(name)]


def name_of(found: Sequence[Ranked]) -> str:
    """Return the first cell of the one row of a table that was found; empty where it is none."""
    if len(found) != 1 or not _header_of(found[0]):
        return ""
    return tables.cells(answer_passages.text_of(found[0]))[0]


def field_of(found: Sequence[Ranked], text: str) -> str:
    """Return the name of the one column that a text asks of the one row that was found; empty where
    it is none, or several may be meant.
    """
    header = _header_of(found[0])[1:] if len(found) == 1 else ()
    said = read_said(text)
    for is_meant in (is_said, is_near):
        meant = [one for one in header if one and is_meant(one, said)]
        if meant:
            return meant[0] if len(meant) == 1 else ""
    return ""


def crossing(question: Question, text: str, notes: Sequence[Text]) -> list[Ranked]:
    """Return the one row that a question names beside one column of its table: “what shoe size has
    Emil?” of the row “Shoes” with a column for each child; nothing where it says more, or several
    do, or the cell is empty or no such thing as is asked for.
    """
    said, found = read_said(text), list[Ranked]()
    for order, note in enumerate(notes):
        rows = [*_rows(note)]
        for row, header in rows:
            name, *cells = tables.cells(row.text)
            at = [at for at, one in enumerate(header[1:]) if one and is_said(one, said)]
            at = at or [at for at, one in enumerate(header[1:]) if one and is_near(one, said)]
            is_named = is_said(name, said) or is_near(name, said)
            if not is_named or len(at) != 1 or not any(cells[at[0] : at[0] + 1]):
                continue
            # of “shoes” and of whom: one of both is named as it stands
            names = (name, header[at[0] + 1])
            if not any(is_said(one, said) for one in names):
                continue
            is_kind = holds(question, cells[at[0]])
            if (
                is_kind
                and len(left_of(question, said, f"{note.title} {' '.join(names)}")) <= UNKNOWN
            ):
                found.append(Ranked(note, row.start, row.end, ENOUGH, order))
    return found if len(found) == 1 else []


def holds(question: Question, text: str) -> bool:
    """Return whether a text holds what a question asks for: “多大” may be of a size."""
    if question.kind == "age" and any(map(questions.is_asian, question.terms)):
        return any(one.isdecimal() for one in text)
    return questions.holds_kind(question.kind, text)


class Said(NamedTuple):
    """What a text says: all of it without capitals, and the stems of its words."""

    text: str
    stems: frozenset[str]


def read_said(text: str) -> Said:
    """Return what a text says."""
    folded = fold_text(text)
    words = (one for one in split_words(folded) if one not in questions.little())
    return Said(folded, frozenset(stem(one) for one in words))


def is_said(name: str, said: Said) -> bool:
    """Return whether a text says a name whole, in whatever form."""
    if questions.is_asian(name):
        return _holds_name(said.text, fold_text(name))
    words = {stem(one) for one in split_words(name)}
    return bool(words) and words <= said.stems


def is_near(name: str, said: Said) -> bool:
    """Return whether a text says what a name is the beginning of, or what has to do with it:
    “Schuhgröße” for “Schuhe”.
    """
    if questions.is_asian(name):
        words = {*split_words(name)}
    else:
        words = {stem(one) for one in split_words(name)}
    return any(
        _is_within(word, one) or word in questions.kin(one) or one in questions.alternatives(word)
        for word in words
        for one in said.stems
    )


def left_of(question: Question, said: Said, known: str) -> list[str]:
    """Return the words of a question that are not known, and say not only roughly what is meant."""
    if questions.is_asian(said.text):
        text = questions.without_filler(said.text)
        for one in sorted(split_words(fold_text(known)), key=len, reverse=True):
            text = text.replace(one, " ")
        return _RUN.findall(text)
    about = read_said(known)
    kin = {other for one in about.stems for other in questions.kin(one)}
    return [
        one
        for one in question.stems
        if not (one in about.stems or one in kin or one in questions.general())
        and not any(_is_within(word, one) for word in about.stems)
    ]


def _header_of(one: Ranked) -> tuple[str, ...]:
    """Return the names of the columns of a row of a table; nothing where a passage is none."""
    table = tables.of_row(tables.find(one.note.content), one.start)
    return table.header if table else ()


def _is_told_elsewhere(question: Question, row: Ranked, notes: Sequence[Text]) -> bool:
    """Return whether another note has the name of a row in what may answer a question, too."""
    name = {stem(word) for word in split_words(tables.cells(answer_passages.text_of(row))[0])}
    return any(
        name <= {stem(word) for word in split_words(one.text)}
        and questions.holds_kind(question.kind, one.text)
        for note in notes
        if note.note_id != row.note.note_id
        for one in split_sentences(note.content)
    )


def _rows(note: Text) -> Iterator[tuple[Sentence, Sequence[str]]]:
    """Yield the rows of the tables of a note, each with the names of its columns."""
    columns = tables.find(note.content)
    if not columns:
        return
    for one in split_sentences(note.content):
        if (table := tables.of_row(columns, one.start)) is not None:
            yield one, table.header


def _names(question: Question, row: str, header: Sequence[str]) -> bool:
    name, *rest = tables.cells(row)
    said = {stem(word) for word in split_words(name)}
    if not (said and said <= {*question.stems} and question.names <= said):
        return False
    has_number = any(mark.isdecimal() for cell in rest for mark in cell)
    # “what does Gerd take at noon?” seems to ask for a price
    asked = {*question.stems} - said
    if question.kind in questions.COUNTED and (has_number or question.kind != "price"):
        is_else = len(asked) >= OTHERS and not any(map(questions.is_asian, asked))
        return has_number and not is_else
    words = {stem(word) for column in header[1:] for word in split_words(column)}
    return any(_is_within(word, one) for word in words for one in asked)


def _is_within(word: str, other: str) -> bool:
    """Return whether a word is another, or begins it where words are joined: Früh, Frühschicht."""
    return word == other or (len(word) >= PART and other.startswith(word))
