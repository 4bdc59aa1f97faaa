"""Whether patterns and reader would ask about the same, and the last change for another thing."""

from collections.abc import Mapping

import msgspec

from app.agent.rules.answers import targets
from app.agent.rules.changes import told
from app.agent.rules.dialogue import resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, meant, same_texts
from app.agent.turn.steps import Asked, Step, ThingKind, Trace

TEXTS = frozenset({"text", "title", "step", "tag"})
FIELDS = frozenset({"day", "priority", "title", "step", "text"})
"""The arguments of a change that are what becomes of a thing."""

CHANGES: Mapping[str, tuple[tuple[ThingKind, ...], tuple[str, ...]]] = {
    "change_todo": (("todo",), ("day", "by", "priority", "reopen", "clear")),
    "complete_todo": (("todo",), ()),
    "delete": (("todo", "note"), ()),
    "change_note": (("note",), ("tag",)),
    "pin_note": (("note",), ("unpin",)),
    "move_note": (("note",), ("folder",)),
}
"""The changes that can be made again: the kinds of things they are of, and their arguments."""


def asks_alike(asked: Asked, step: Step, other: Step, language: Language) -> bool:
    """Return whether two steps ask about the same change, unless that is a new todo."""
    asks, mine = (one.trace.asks if one.trace else None for one in (step, other))
    if asks is None or mine is None:
        return False
    if mine.intent == "add_todo":
        # What must be done and is there already gets its new day.
        title = mine.arguments.get("task", "")
        return any(resolve_reference.words_said(one.title, title) > 1 for one in asks.choices) and (
            all(told.is_all_named(one.title, title) for one in asks.choices)
        )
    intent, wanted = asks.intent, dict(asks.arguments)
    if plain := wanted.pop("plain", ""):
        read = routing.route_message(plain, before=language)
        intent, wanted = read.intent, read.arguments
    is_open = asks.lacks != "yes" and len(asks.choices) > 1
    if is_open and mine.lacks == "yes":
        return False  # “which one?” of those that “both” says
    if asks.lacks == mine.lacks == "yes" and {*mine.choices} < {*asks.choices}:
        return False  # “delete the ideas note, Edie keeps looking” is not about Edie's evening
    return (
        intent == mine.intent
        and set(asks.choices) >= set(mine.choices)
        and all(
            value.lower() == wanted.get(name, "").lower()
            or (name in TEXTS and same_texts.are_alike([value], [wanted.get(name, "")]))
            or (name == "day" and meant.is_same_day(asked, value, wanted.get(name, ""), language))
            for name, value in mine.arguments.items()
        )
    )


def asks_more(step: Step, other: Step) -> bool:
    """Return whether a step asks about a field of a change that another does not."""
    asks, mine = (one.trace.asks if one.trace else None for one in (step, other))
    return bool(asks and mine and FIELDS & asks.arguments.keys() - mine.arguments.keys())


def says_same_day(step: Step, other: Step) -> bool:
    """Return whether two steps ask about a day in the same words."""
    days = {
        one.trace.asks.arguments.get("day", "").lower()
        for one in (step, other)
        if one.trace and one.trace.asks
    }
    return len(days) < 2 or "" in days


def is_of_part(step: Step, said: Understood) -> bool:
    """Return whether the patterns ask about a line of what the reader would delete as a whole."""
    asks = step.trace.asks if step.trace else None
    is_whole = said.intent == "delete" and not (said.all_of("target") or said.all_of("it"))
    return is_whole and asks is not None and asks.intent == "change_items"


def names_longer(step: Step, said: Understood) -> bool:
    """Return whether the patterns asked about a longer name, where no spaces part words: 牛奶糖 is
    not the milk that is understood of it.
    """
    asks = step.trace.asks if step.trace else None
    if asks is None or asks.lacks == "yes" or not questions.is_asian(said.text):
        return False
    whole = [asks.arguments.get(name, "") for name in ("target", "words")]
    titles = "".join(one.title for one in asks.choices)
    left = [
        one.replace(name, "", 1) for one in whole for name in said.all_of("target") if name in one
    ]
    return any(one.isalpha() and one not in titles for one in left)


def ask_same_change(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether the change of the turn before is meant for what a message names,
    “same for the bike”; None where that turn changed nothing, or nothing is named.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.intent not in CHANGES or not last.undo:
        return None
    kinds, names = CHANGES[last.intent]
    kinds = tuple({one.kind for one in last.about} & set(kinds))
    found = meant.things(asked, said, kinds, language) if said.all_of("target") else meant.Meant()
    again = {name: last.arguments[name] for name in names if last.arguments.get(name)}
    wish = Route(last.intent, language, again, found.things)
    if found.unsure:
        return targets.ask_meant(wish, found.unsure)
    if not found.things or set(found.things) & set(last.about):
        return None
    shown = {"wish": last.intent, "field": " ".join(again), "text": again.get("tag", "")}
    return asking.ask_meant(Route("mean", language, {**again, **shown}, found.things))


def without_day(step: Step, said: Understood) -> Step:
    """Return the question which thing is to be moved without a day that only a reason names."""
    trace = step.trace or Trace()
    if (
        said.all_of("day")
        or trace.asks is None
        or trace.asks.lacks
        or "day" not in trace.asks.arguments
    ):
        return step
    kept = {name: value for name, value in trace.asks.arguments.items() if name != "day"}
    asks = msgspec.structs.replace(trace.asks, arguments=kept)
    return msgspec.structs.replace(step, trace=msgspec.structs.replace(trace, asks=asks))


def renames_guess(asked: Asked, step: Step) -> bool:
    """Return whether a step gives a new title to what was only asked about and not agreed to:
    “Do you mean: mark “Order pigeon rings” as done?” – “call it Physio with Marcus”.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    if question is None or question.lacks != "yes" or not question.choices:
        return False
    gives_title = any(fields.get("title") for tool, fields in step.calls if tool != "create_todo")
    return gives_title and agreement.changes_only(step, question.choices)
