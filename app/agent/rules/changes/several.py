"""Wishes that name a day for each of several things, or a place only by “there”."""

import re
from itertools import pairwise

from app.agent.rules.changes import days, texts
from app.agent.rules.changes.marked import Marked, Words, clause_at, is_old, words_of
from app.agent.rules.changes.named import NAME
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked

_TELLS = re.compile(r"[^にへで。！!\s][。！!]")
"""The end of a sentence that moves nothing, as of “今日会議あるわ。明日で”."""


def moves_several(message: str, asked: Asked, language: Language) -> bool:
    """Return whether a message moves one thing to a day, and another to another."""
    words, marked = words_of(language), Marked(message)
    found = days.find(message, asked, language)
    new = [(start, end) for start, end in found if not is_old(marked.text, start, end, words)]
    if language_data.load_table(language, Changes).verb_first:
        # “Tonight I want to rest, the shopping moves to tomorrow”
        clauses = [Marked(clause_at(message, start, language)[1]).text for start, _ in new]
        moved = [day for day, one in zip(new, clauses, strict=True) if words.put.search(one)]
        new = moved or new
    return any(
        _names_more(marked, one[1], other[0], words)
        for one, other in pairwise(new)
        # “Does 6 pm do? Make it 6 pm” says the same once more.
        if marked.text[slice(*one)].strip("にで") != marked.text[slice(*other)].strip("にで")
    )


def _names_more(marked: Marked, start: int, end: int, words: Words) -> bool:
    """Return whether something is named between two days: each is then of another thing."""
    between = Marked(marked.message[start : max(start, end)])
    if _TELLS.search(between.text):
        return False
    for pattern in (words.put, words.cues["reschedule"], words.also["reschedule"]):
        between.fit(pattern, "p")
    return re.search(r"\w", between.left(words)) is not None


def step_there(asked: Asked, language: Language) -> Route | None:
    """Return a step of what was spoken of last: “add a pump as a step there”."""
    words, marked = words_of(language), Marked(asked.message)
    there = dialogue_words.find_in(dialogue_words.tables(language)[0].there, marked.text)
    # “Steps: 「…」 and 「…」” after a todo was made.
    are_quoted = not words.spaced and texts.all_quoted(marked) != (0, 0) and bool(asked.earlier)
    if not (there or are_quoted):
        return None
    if not marked.fit(words.cues["step"], "c") or marked.has(words.denies):
        return None
    marked.mark([there.span()] if there else (), NAME)
    text, told = texts.text_of(marked, words, "step"), texts.after_colon(Marked(asked.message))[1]
    if told and text != told:
        return None  # “Add a step to the review: …” names what it is of.
    return Route("add_step", language, {"step": text}) if text else None
