"""The row of a table that a question names, where the names of its columns are in other words."""

from collections.abc import Iterator, Sequence

from app.agent.rules.passages import answer_passages, tables
from app.agent.rules.passages.answer_passages import ENOUGH, Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import Sentence, split_sentences, split_words, stem

KINDS = frozenset({"number", "price", "weight"})
"""The kinds of question that a cell with a number may answer."""


def named_row(question: Question, notes: Sequence[Text]) -> list[Ranked]:
    """Return the one row whose first cell a question for a number says whole: “how many square
    metres is the bath?” of the row “Bath | 6 | 300”; nothing where several do, or none, or another
    note tells of it, too.
    """
    if question.kind not in KINDS:
        return []
    found = [
        Ranked(note, row.start, row.end, ENOUGH, order)
        for order, note in enumerate(notes)
        for row in _rows(note)
        if _names(question, row.text)
    ]
    return found if len(found) == 1 and not _is_told_elsewhere(found[0], notes) else []


def _is_told_elsewhere(row: Ranked, notes: Sequence[Text]) -> bool:
    """Return whether another note has the name of a row."""
    name = {stem(word) for word in split_words(tables.cells(answer_passages.text_of(row))[0])}
    others = (one for one in notes if one.note_id != row.note.note_id)
    return any(name <= {stem(word) for word in split_words(one.content)} for one in others)


def _rows(note: Text) -> Iterator[Sentence]:
    columns = tables.find(note.content)
    if columns:
        yield from (
            one for one in split_sentences(note.content) if tables.of_row(columns, one.start)
        )


def _names(question: Question, row: str) -> bool:
    name, *rest = tables.cells(row)
    said = {stem(word) for word in split_words(name)}
    holds = any(mark.isdecimal() for cell in rest for mark in cell)
    return bool(said) and said <= {*question.stems} and question.names <= said and holds
