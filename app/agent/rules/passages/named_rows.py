"""The row of a table that a question names, where the names of its columns are in other words."""

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec

from app.agent.rules.passages import answer_passages, questions, tables
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
LITTLE = frozenset({"", "は", "呢", "那", "那呢", "では", "じゃあ", "じゃあは", "的", "の", "のは"})
"""What may stand beside a name that a message goes on with where no spaces part words."""


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
    if table is None or _first_cell(answer_passages.text_of(one)) in folded:
        return found
    rows = [row for row, _ in _rows(note) if tables.of_row(every, row.start) == table]
    said = [row for row in rows if (name := _first_cell(row.text)) and name in folded]
    if len(said) != 1:
        return found
    return [msgspec.structs.replace(one, start=said[0].start, end=said[0].end)]


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
            if any(_is_all(words, one) for one in (name, *columns)):
                found.append(Ranked(note, row.start, row.end, ENOUGH, 0))
    return found if len(found) == 1 else []


def _is_all(words: str, name: str) -> bool:
    """Return whether a text says a name, and nothing else of what may be asked about."""
    if questions.is_asian(words):
        text, folded = questions.without_filler(fold_text(words)), fold_text(name)
        return len(folded) > 1 and re.sub(r"\W+", "", text.replace(folded, "", 1)) in LITTLE
    said = [stem(one) for one in split_words(words) if one not in questions.little()]
    return bool(said) and said == [stem(one) for one in split_words(name)]


def name_of(found: Sequence[Ranked]) -> str:
    """Return the first cell of the one row of a table that was found; empty where it is none."""
    if len(found) != 1 or not answer_passages.columns_of(found[0]):
        return ""
    return tables.cells(answer_passages.text_of(found[0]))[0]


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
    if question.kind in questions.COUNTED and (has_number or question.kind != "price"):
        return has_number
    asked = {*question.stems} - said
    words = {stem(word) for column in header[1:] for word in split_words(column)}
    return any(_is_within(word, one) for word in words for one in asked)


def _is_within(word: str, other: str) -> bool:
    """Return whether a word is another, or begins it where words are joined: Früh, Frühschicht."""
    return word == other or (len(word) >= PART and other.startswith(word))
