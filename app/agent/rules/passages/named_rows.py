"""The row of a table that a question names, where the names of its columns are in other words."""

from collections.abc import Iterator, Sequence

from app.agent.rules.passages import answer_passages, questions, tables
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import Sentence, split_sentences, split_words, stem

PART = 4
"""So many letters has a word at least that is the beginning of a longer one."""


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
    if question.kind in questions.COUNTED:
        return any(mark.isdecimal() for cell in rest for mark in cell)
    asked = {*question.stems} - said
    words = {stem(word) for column in header[1:] for word in split_words(column)}
    return any(_is_within(word, one) for word in words for one in asked)


def _is_within(word: str, other: str) -> bool:
    """Return whether a word is another, or begins it where words are joined: Früh, Frühschicht."""
    return word == other or (len(word) >= PART and other.startswith(word))
