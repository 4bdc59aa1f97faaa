"""How important a wish makes something."""

import re

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language


def level(marked: Marked, language: Language) -> str:
    """Return the priority that is named, a number before a word; a mark where none is."""
    if found := re.search(r"(?<![\d.])(?:10|\d)(?![\d.]*\d)", marked.text):
        marked.mark([found.span()], "l")
        marked.fit(_levels(language), "l")
        return found[0]
    # “Bump it up to high”: the last says how far.
    levels = [
        one[0] for one in _levels(language).finditer(marked.text) if marked.mark([one.span()], "l")
    ]
    return levels[-1] if levels else "?"


def _levels(language: Language) -> re.Pattern[str]:
    table = next(dialogue_words.tables(language))
    named = language_data.either(table.priorities.values())
    return re.compile(rf"(?<!\w)(?:{named})(?!\w)" if words_of(language).spaced else named)
