"""The sections of a note that are each of somebody: what a question asks of one is told by it.

“When is his birthday?” after a line of the section “Jonas”, “what's Niamh's birthday?” of a line
that does not say her name.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from app.agent.rules.passages import answer_passages, held_stems, named_rows, note_lines, questions
from app.agent.rules.passages.answer_passages import Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.core.markdown import blocks

LEAST = 2
"""So many sections has a note at least whose sections are told apart."""
SHORTEST = 3
"""So many letters has a word of a name at least by which a section is meant."""
_BEGINS = re.compile(
    r"(?m)^(?:#{1,6}[ \t]+(?P<heading>[^\n]+?)[ \t#]*$"
    r"|(?:[-*+][ \t]+)?\*\*(?P<bold>[^*\n]{1,60})\*\*)"
)
_TEXT = re.compile(r"[^\n]")


class Section(NamedTuple):
    """A part of a note with the name that it begins with, at start..end."""

    name: str
    start: int
    end: int


def read(content: str) -> list[Section]:
    """Return the sections of a note: under headings, or from a bold name to the next."""
    code = blocks.code_blocks(content)
    found = [one for one in _BEGINS.finditer(content) if not blocks.is_within(code, one.start())]
    if len(found) < LEAST:
        return []
    ends = [*(one.start() for one in found[1:]), len(content)]
    sections = [
        Section((one["heading"] or one["bold"]).strip(" *:：."), one.start(), end)
        for one, end in zip(found, ends, strict=True)
        # What only has others below it is a title.
        if content[one.end() : end].strip()
    ]
    return sections if len(sections) >= LEAST else []


def named_in(text: str, sections: Sequence[Section]) -> list[Section]:
    """Return the sections that a text has a word of the name of."""
    return [one for one in sections if _names(one, text)]


def name_of(found: Sequence[Ranked]) -> str:
    """Return the name of the one section that all passages stand in; empty where they do not."""
    names = {(one.note.note_id, _around(one)) for one in found}
    return names.pop()[1] if len(names) == 1 else ""


def field_of(found: Sequence[Ranked]) -> str:
    """Return what the one line of a section is of that was found: “shoes” of “- shoes: 35”."""
    lines = note_lines.read(answer_passages.text_of(found[0])) if name_of(found) else []
    return lines[0].label if len(found) == len(lines) == 1 and not lines[0].columns else ""


def again(text: str, notes: Sequence[Text], last: Sequence[int], field: str) -> list[Ranked]:
    """Return the line that another section has of what was told just before: “and Dani?” after the
    shoes of Hugo. Nothing where a message says more than the name of a section.
    """
    if not field:
        return []
    meant = [
        (note, one)
        for note in notes
        if note.note_id in last
        for one in read(note.content)
        if _names(one, text) and not _beside(text, one)
    ]
    if len(meant) != 1:
        return []
    note, section = meant[0]
    lines = [
        one.text
        for one in note_lines.read(note.content[section.start : section.end])
        if one.label and fold_text(one.label) == fold_text(field)
    ]
    return _placed(note, section, lines[0]) if len(lines) == 1 else []


def told_by(
    text: str, notes: Sequence[Text], last: Sequence[int], name: str, *, points: bool
) -> list[Ranked]:
    """Return what the one section that a question names tells of it, else that of a `name` in one
    of the `last` notes: where the question `points` back, or other sections tell the same of
    somebody else. Nothing where several sections may be meant.
    """
    question = questions.read_question(text)
    every = [(note, one) for note in notes for one in read(note.content)]
    named = [(note, one) for note, one in every if _names(one, text)]
    if len(named) == 1:
        told = _told(question, _beside(text, named[0][1]), *named[0])
        return told or _near(question, text, *named[0])
    if named:
        return []
    meant = [two for two in every if name and two[0].note_id in last and two[1].name == name]
    if len(meant) != 1:
        return []
    note, section = meant[0]
    said = {*question.stems}
    others = [one for of, one in every if of is note and one is not section]
    held = _held(said, note, section)
    if points:
        said = held if 2 * len(held) >= len(said) else said
    elif not any(_held(said, note, one) == said for one in others):
        return []
    return _told(question, said, note, section)


def _told(question: Question, said: set[str], note: Text, section: Section) -> list[Ranked]:
    """Return the passage of a section that has all words which are said, and is of the kind that
    the question wants.
    """
    if not said or _held(said, note, section) != said:
        return []
    before, after = note.content[: section.start], note.content[section.end :]
    own = note.content[section.start : section.end]
    # Where all else is blank, each place is that of the whole.
    alone = note._replace(content=f"{_TEXT.sub(' ', before)}{own}{_TEXT.sub(' ', after)}")
    asked = question._replace(stems=tuple(said), names=frozenset(), focus=frozenset())
    ranked = answer_passages.rank_passages(asked, [alone])
    fitting = [one for one in ranked if _holds(asked, answer_passages.text_of(one), said)]
    return [msgspec.structs.replace(one, note=note) for one in fitting[:1]]


def _near(question: Question, text: str, note: Text, section: Section) -> list[Ranked]:
    """Return the one line of a section that is named after what a question asks of it in another
    word: “zapatos” for “número de pie”.
    """
    said, own = named_rows.read_said(text), note.content[section.start : section.end]
    every = [one for one in note_lines.read(own) if one.label]
    lines = [one for one in every if named_rows.is_said(one.label, said)]
    lines = lines or [one for one in every if named_rows.is_near(one.label, said)]
    if len(lines) != 1:
        return []
    known = f"{note.title} {section.name} {lines[0].label}"
    if len(named_rows.left_of(question, said, known)) > questions.is_asian(text):
        return []
    is_kind = named_rows.holds(question, lines[0].text)
    return _placed(note, section, lines[0].text) if is_kind else []


def _placed(note: Text, section: Section, line: str) -> list[Ranked]:
    """Return a line of a section as a passage of its note."""
    start = note.content.index(line, section.start)
    return [Ranked(note, start, start + len(line), answer_passages.ENOUGH, 0)]


def _held(said: set[str], note: Text, section: Section) -> set[str]:
    """Return which stems a section has."""
    return held_stems.held_in(note.content[section.start : section.end], said)


def _holds(question: Question, text: str, wanted: set[str]) -> bool:
    return questions.holds_kind(question.kind, text) and bool(held_stems.held_in(text, wanted))


def _around(one: Ranked) -> str:
    """Return the name of the section that a passage stands in; empty where it stands in none."""
    within = (part for part in read(one.note.content) if part.start <= one.start < part.end)
    return next((part.name for part in within), "")


def _names(section: Section, text: str) -> bool:
    """Return whether a question has a word of the name of a section."""
    if questions.is_asian(section.name):
        return fold_text(section.name) in fold_text(text)
    return bool(_words(section.name) & {*questions.read_question(text).stems})


def _beside(text: str, section: Section) -> set[str]:
    """Return the stems of what a question says beside the name of a section."""
    if not questions.is_asian(text):
        return {*questions.read_question(text).stems} - _words(section.name)
    rest = questions.read_question(fold_text(text).replace(fold_text(section.name), " "))
    return set() if rest.is_bare else {*rest.stems}


def _words(name: str) -> set[str]:
    return {stem(one) for one in split_words(name) if len(one) >= SHORTEST}
