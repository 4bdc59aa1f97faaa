"""What is done about a message that wishes to change something and that no pattern took."""

import functools
import re
from collections.abc import Callable

import msgspec

from app.agent.rules.changes import marked, plain_tasks, readings, reused, several, texts
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.near import near
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Trace

TOLD = frozenset({"change_todo", "delete", "pin_note", "rename", "move_note", "change_note"})
"""The changes that people tell of, having made them elsewhere."""
Act = Callable[[Asked, Route], Step]
UNSURE = frozenset({"ask", "cannot"})
WRITTEN = frozenset({"add_todo", "make_note"})
STRUCTURE: frozenset[ChangeKind] = frozenset({"step", "tag"})
"""The changes whose words are no part of what is written down: “… as a step there”."""
_TITLED = re.compile(r"[\"“”„«「『][^\"“”„«»「」]+[\"“”»」』]\s*[:：]")
"""A title in quotation marks before a text."""


def may_change(asked: Asked, route: Route) -> bool:
    """Return whether a message has a word of a wish to change something."""
    language = _language(route)
    return language_data.has_table(language, Changes) and bool(readings.kinds_of(asked, language))


def is_surer(asked: Asked, route: Route) -> bool:
    """Return whether a message says more of its change than patterns take: several todos, or a
    text after what says so.
    """
    language = _language(route)
    kinds = readings.kinds_of(asked, language)
    says = marked.words_of(language).saying.search(marked.Marked(asked.message).text)
    if "todos" in kinds or ("note" in kinds and says is not None):
        return True
    if route.intent == "append_note" and "tag" in kinds:
        return True
    if route.intent == "append_note" and "note" in kinds:
        # “Put a note in there: …” after a folder was made.
        return any(one.kind == "folder" for turn in asked.earlier[:1] for one in turn.about)
    if route.intent == "change_todo" and "append" in kinds:
        return texts.only_quoted(marked.Marked(asked.message))[1] > 0
    if route.intent == "make_note" and not route.get("title"):
        return _TITLED.search(asked.message) is not None
    return route.intent in WRITTEN and not STRUCTURE.isdisjoint(kinds)


def only_tells(asked: Asked, route: Route) -> bool:
    """Return whether a message tells that something was done where a pattern took it for a wish:
    the Spanish “cambié” and “cambie”.
    """
    language = _language(route)
    if route.intent not in TOLD or not language_data.has_table(language, Changes):
        return False
    return marked.words_of(language).tells.search(asked.message.lower()) is not None


def asks_instead(route: Route) -> bool:
    """Return whether what is to be remembered is a question: “remind me what time it is”."""
    task, language = route.get("task"), _language(route)
    if route.intent != "add_todo" or not language_data.has_table(language, Changes):
        return False
    asks = marked.words_of(language).asks.search(marked.Marked(task).text)
    return asks is not None and task.rstrip().endswith(("?", "？"))


def as_todo(asked: Asked, found: Route) -> Route:
    """Return what a message asks for as todos to add, where it says so more surely than what was
    found.
    """
    language = _language(found)
    if not language_data.has_table(language, Changes):
        return found
    if _is_task(asked, found):
        task = {"task": found.get("content")}
        found = msgspec.structs.replace(found, intent="add_todo", arguments=task)
    elif found.is_loose or found.intent in UNSURE or ":" in found.get("task"):
        found = plain_tasks.read_task(asked, language) or found
    return plain_tasks.several(asked, plain_tasks.on_that_day(asked, found))


def _is_task(asked: Asked, route: Route) -> bool:
    """Return whether what is to be written down is something to do: it has a day, and states
    nothing.
    """
    if route.intent != "make_note":
        return False
    said = marked.Marked(asked.message).text
    words = marked.words_of(_language(route))
    is_note = route.get("folder") or route.get("title") or words.note.search(said)
    return not is_note and texts.is_dated(asked, route.get("content"), _language(route))


def moves_several(asked: Asked, route: Route) -> bool:
    """Return whether a message moves several todos to days of their own, which is asked for one
    by one.
    """
    language = _language(route)
    moves = route.intent in ("change_todo", "move_note") and not (route.get("title"))
    return (
        moves
        and "reschedule" in readings.kinds_of(asked, language)
        and several.moves_several(asked.message, asked, language)
    )


def change(asked: Asked, route: Route, act: Act, *, but: str = "") -> Step | None:
    """Return the step of the change that a message wishes, `but` that of an intent; None where it
    wishes none, or nothing is there that it could be of.
    """
    language = _language(route)
    kinds = [kind for kind in readings.kinds_of(asked, language) if readings.INTENTS[kind] != but]
    if readings.needs_names(kinds):
        known = [(one.tool, one.arguments) for one in asked.results]
        if missing := tuple(call for call in near.looks(asked) if call not in known):
            return Step(calls=missing)
    for wish in readings.read(asked, kinds, near.things(asked), language):
        meant = msgspec.structs.replace(wish, language=route.language)
        step = reused.reuse(asked, functools.partial(_act, act, meant))
        if step.calls or not step.empty:
            return step if step.calls else _traced(meant, step)
    return None


def _traced(wish: Route, step: Step) -> Step:
    """Return an answer that leaves how its wish was understood."""
    left = step.trace or Trace()
    trace = msgspec.structs.replace(
        left,
        intent=left.intent or wish.intent,
        language=wish.language,
        arguments=left.arguments or wish.arguments,
    )
    return msgspec.structs.replace(step, trace=trace)


def _language(route: Route) -> Language:
    return route.get("written") or route.language


def _act(act: Act, wish: Route, asked: Asked) -> Step:
    return act(asked, wish)
