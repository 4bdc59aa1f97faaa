"""The note that a message surely means: by its name, as what was told before, or by its words."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.answers import list_answers
from app.agent.rules.changes import named
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.changes.named import Named
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.mentions import asking
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace

NOTES: Call = ("list_notes", {"recursive": True, "limit": list_answers.MOST, "sort": "title"})
"""The call that tells which notes there are."""
MANY = 20
"""So many lines with the words are looked for."""


class Place(NamedTuple):
    """The note that is meant, and the message without its name."""

    note: Thing
    rest: str


def find(looked: Asked, language: Language) -> list[Place]:
    """Return the one note that a message names, and that was told or changed just before."""
    notes = [one for one in asking.things(looked) if one.kind == "note"]
    marked = Marked(looked.message)
    found = _named_whole(marked, notes) or [
        one
        for one in named.find(looked, marked, notes, ("note",), language)
        if len(one.things) == 1
        and named.has_word(looked.message, one)
        and _is_named(marked, one, language)
    ]
    things = {one.things[0] for one in found}
    if len(things) > 1:
        return []
    places = []
    if found:
        words = words_of(language)
        for one in found:
            named.beside(marked, one, words.onto, words)
        hidden = {at for at, mark in enumerate(marked.marks) if mark == named.NAME}
        hidden.update(*(range(one.start, one.end) for one in found))
        letters = (" " if at in hidden else letter for at, letter in enumerate(looked.message))
        places = [Place(things.pop(), "".join(letters))]
    last = looked.earlier[0] if looked.earlier else Trace()
    told = references.notes_told(last)
    if not told and last.asks and last.asks.intent == "replace_text":
        told = last.asks.choices
    is_told = len(told) == 1 and all(one.note != told[0] for one in places)
    return [*places, Place(told[0], looked.message)] if is_told else places


def _named_whole(marked: Marked, notes: Sequence[Thing]) -> list[Named]:
    """Return the note whose whole title stands in a message, if it is one."""
    places = []
    for one in notes:
        title = re.escape(plain_letters(one.title).lower())
        edges = ("", "") if questions.is_asian(one.title) else (r"(?<!\w)", r"(?!\w)")
        if found := re.search(f"{edges[0]}{title}{edges[1]}", marked.text):
            places.append(Named((one,), *found.span()))
    return places if len(places) == 1 else []


def _is_named(marked: Marked, one: Named, language: Language) -> bool:
    """Return whether a message surely names a note: by “in” before it, by its whole title, by two
    words of it, or before all else: “presents list, dad wants a radio”.
    """
    words, title = words_of(language), one.things[0].title
    said = marked.message[one.start : one.end]
    if named.beside(marked, one, words.onto, words) or fold_text(title) in fold_text(said):
        return True
    is_first = not note_lines.content(marked.message[: one.start])
    after = re.match(r"\s?(\w*)\s?[,:：，]", marked.message[one.end :])
    is_head = after is not None and (not after[1] or dialogue_words.is_list_word(after[1]))
    return len(note_lines.content(said)) > 1 or (is_first and is_head)


def with_words(looked: Asked, old: str) -> Place | Step | None:
    """Return the one note of all that has some words, in a line whose name the
    message says, too; or the step that looks for them.
    """
    words = sorted(filter(note_lines.content, old.split()), key=len, reverse=True)
    if not words:
        return None
    call: Call = ("grep_notes", {"pattern": words[0], "mode": "literal", "limit": MANY})
    made = next((one for one in looked.results if (one.tool, one.arguments) == call), None)
    if made is None:
        return Step(calls=(call,)) if call[0] in looked.tools and not looked.is_last else None
    found = [
        (Thing("note", row["noteId"], row["title"]), line)
        for row in ([] if made.failed else made.content.get("results", []))
        for match in row["matches"]
        for line in note_lines.read(match["text"])
        if not note_lines.left_of(old, line, "")
    ]
    if len(found) != 1 or not found[0][1].label:
        return None
    line = found[0][1]
    rest = looked.message.replace(old, " ", 1)
    is_named = note_lines.said_in([line], rest)[1]
    names_both = note_lines.content(line.label) < note_lines.content(old)
    return Place(found[0][0], looked.message) if is_named or names_both else None


def with_line_of(looked: Asked, label: str, only: str) -> Place | Step | None:
    """Return the one note of all with a line that tells an amount of what a label names: “put the
    acacia at 9”; or the step that looks for its longest word. What it is said `only` of must say
    nothing else: “Malik has paid his deposit for the course” is no deposit for a cottage.
    """
    words = sorted(filter(note_lines.content, split_words(label)), key=len, reverse=True)
    call: Call = ("grep_notes", {"pattern": "".join(words[:1]), "mode": "literal", "limit": MANY})
    made = next((one for one in looked.results if (one.tool, one.arguments) == call), None)
    if not words or made is None:
        may = words and call[0] in looked.tools and not looked.is_last
        return Step(calls=(call,)) if may else None
    found = {
        Thing("note", row["noteId"], row["title"])
        for row in ([] if made.failed else made.content.get("results", []))
        for match in row["matches"]
        for line in note_lines.read(match["text"])
        if line.label and note_lines.said_in([line], label)[1]
        if note_lines.only_amount(line, "") and not note_lines.left_of(only, line, row["title"])
    }
    return Place(found.pop(), looked.message) if len(found) == 1 else None


def with_word_in_title(asked: Asked, text: str) -> list[Thing]:
    """Return the notes in whose title a word of a message stands, be it as a part of a longer
    word: “gas” in “Gasverbrauch”.
    """
    said = questions.read_question(text).terms
    return [
        one
        for one in asking.things(asked)
        if one.kind == "note"
        and any(word in fold_text(one.title) for word in said if len(word) > 1)
    ]
