"""What a message adds to the list or note that was spoken of just before."""

import re
from collections.abc import Callable

from app.agent.rules.answers import item_changes
from app.agent.rules.changes import marked as changed
from app.agent.rules.changes import named
from app.agent.rules.changes.marked import Marked, Words
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import list_words
from app.agent.rules.listed.list_words import ListWords
from app.agent.rules.near import near
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

Act = Callable[[Asked, Route], Step]
TAKEN = frozenset(
    "add_todo ask cannot append_note tick_item add_step todo_state tell_view find_notes".split()
)
"""What a message may only seem to be that adds something to what was spoken of."""
ON = frozenset({"append_note", "tick_item", "show_note", "make_note", "add_step"})
"""After these a text goes on the list, where nobody says where it goes."""
_EDGE = " \t\n,，、；;。.!！:："
_QUOTED = re.compile(r"[\"“„«「『]\s*([^\"“”„«»「」『』]+?)\s*[\"”“»」』]")


def add(asked: Asked, route: Route, language: Language, thing: Thing, act: Act) -> Step:
    """Return the step that adds a line, an item or a step; nothing where a message says no such
    thing of what was spoken of.
    """
    if route.intent not in TAKEN or re.search("[?？]", asked.message):
        return Step()
    words, changes = list_words.words_of(language), changed.words_of(language)
    marked = Marked(asked.message)
    if route.intent == "tick_item" and not words.lacks.search(marked.text):
        return Step()
    is_placed = marked.fit(words.place, "p")
    marked.fit(changes.courtesy, "p")
    if not marked.fit(words.cues["add"], "c") or marked.has(changes.denies):
        return Step()
    text, is_clause = _text(marked, words, changes)
    if not text or (not is_clause and dialogue_words.find_days(dialogue_words.bare(text), asked)):
        return Step()
    last = asked.earlier[0] if asked.earlier else Trace()
    if not (is_placed or is_clause or last.intent in ON or "steps" in last.arguments):
        return Step()
    if step := _goes_elsewhere(asked, language, thing):
        return step if step.calls else Step()
    if thing.kind == "todo" and not route.things:
        return act(asked, Route("add_step", route.language, {"step": text}, (thing,)))
    if thing.kind == "todo":
        return Step()
    tool = item_changes.call_for(thing)
    held = item_changes.held(asked, thing)
    if held is None:
        return Step() if asked.has(tool[0]) else Step(calls=(tool,))
    if not held.goes_on and (route.things or not (is_placed or is_clause)):
        return Step()  # what is said of a note that is no list is read as it stands
    return act(asked, Route("append_note", route.language, {"text": text}, (thing,)))


def _goes_elsewhere(asked: Asked, language: Language, thing: Thing) -> Step | None:
    """Return the step that looks whether a message names another note that something goes to; one
    without calls where it does.
    """
    looks = tuple(one for one in near.looks(asked) if one[0] == "list_notes")
    if looks and not asked.has("list_notes"):
        return Step(calls=looks)
    words, marked = changed.words_of(language), Marked(asked.message)
    places = named.find(asked, marked, near.things(asked), ("note",), language)
    other = places and thing not in places[0].things
    return (
        Step(empty=True) if other and named.beside(marked, places[0], words.onto, words) else None
    )


def _text(marked: Marked, words: ListWords, changes: Words) -> tuple[str, bool]:
    """Return the one text that is left of a message, and whether it states something."""
    pieces = [marked.message[start:end] for start, end in marked.runs()]
    pieces = [one for one in pieces if _trimmed(one, words, changes)]
    if len(pieces) != 1:
        return "", False
    plain = Marked(pieces[0]).text
    if clause := words.clause.match(plain):
        return _bare(pieces[0][clause.end() :].strip(_EDGE)), True
    return _bare(_trimmed(pieces[0], words, changes)), False


def _bare(text: str) -> str:
    """Return a text without the quotation marks around all of it."""
    found = _QUOTED.fullmatch(text)
    return found[1] if found else text


def _trimmed(text: str, words: ListWords, changes: Words) -> str:
    """Return a text without words of the wish at its edges."""
    before = ""
    while text != before:
        before = text = text.strip(_EDGE)
        plain = Marked(text).text
        for pattern in (
            changes.courtesy,
            words.lacks,
            words.also["add"],
            words.cues["add"],
            changes.filler,
        ):
            spans = [one.span() for one in pattern.finditer(plain)]
            if spans and spans[0][0] == 0:
                text = text[spans[0][1] :]
                break
            if spans and spans[-1][1] == len(plain):
                text = text[: spans[-1][0]]
                break
    return text
