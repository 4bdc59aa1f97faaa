"""How important a wish makes something."""

import re

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.turn.steps import Asked

_NEXT = re.compile(r"\s*(?:\w{1,6} )??([^\W\d]+)")
"""The word after another, or after a little one."""
_LEVEL = re.compile(r"(?<![\d.:：])(?:10|\d)(?=[^\w]|[でにへ吧]|$)")
HIGH, LOW = 4, "1"
"""From where on a priority makes something important, and the one that makes it unimportant."""


def level(marked: Marked, language: Language) -> str:
    """Return the priority that is named, a number before a word; a mark where none is."""
    if found := re.search(r"(?<![\d.])(?:10|\d)(?![\d.]*\d)", marked.text):
        marked.mark([found.span()], "l")
        marked.fit(_levels(language), "l")
        return found[0]
    if said := _spelled(marked, language):
        return said
    # “Bump it up to high”: the last says how far.
    levels = [
        one[0] for one in _levels(language).finditer(marked.text) if marked.mark([one.span()], "l")
    ]
    if not levels and words_of(language).spaced:
        # “Important” says both that the priority is meant, and which.
        levels = _levels(language).findall(marked.text)
    said = levels[-1] if levels else "?"
    if not is_denied(marked, said, language):
        return said
    marked.fit(words_of(language).denies, "p")
    return LOW


def goes_on(asked: Asked, marked: Marked) -> bool:
    """Return whether a message without spaces has a number alone after a turn about priorities."""
    before = asked.earlier[:1]
    was = any("priority" in one.arguments or "number" in one.arguments for one in before)
    return was and questions.is_asian(marked.text) and _LEVEL.search(marked.text) is not None


def _spelled(marked: Marked, language: Language) -> str:
    """Return the number after the word for priorities that is written as a word: “priority two”."""
    words = words_of(language)
    for cue in words.cues["priority"].finditer(marked.text):
        found = _NEXT.match(marked.text, cue.end())
        level = dialogue_words.spelled_level(found[1], language) if found else None
        if found and level is not None and not words.filler.fullmatch(found[1]):
            marked.mark([found.span(1)], "l")
            return str(level)
    return ""


def is_denied(marked: Marked, level: str, language: Language) -> bool:
    """Return whether a message says that something is not so important: “not urgent any more”."""
    said = dialogue_words.priority_of(level, language)
    high = not level.isdecimal() and said is not None and said >= HIGH
    return high and words_of(language).denies.search(marked.text) is not None


def _levels(language: Language) -> re.Pattern[str]:
    table = dialogue_words.tables(language)[0]
    named = language_data.either(table.priorities.values())
    return language_data.whole_words(named, language)
