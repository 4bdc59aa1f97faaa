"""The change that was just made, made to another thing, too: “same for the bike”."""

from collections.abc import Mapping

from app.agent.rules.answers import targets
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import meant
from app.agent.turn.steps import Asked, Step, ThingKind, Trace

CHANGES: Mapping[str, tuple[tuple[ThingKind, ...], tuple[str, ...]]] = {
    "change_todo": (("todo",), ("day", "by", "priority", "reopen", "clear")),
    "complete_todo": (("todo",), ()),
    "delete": (("todo", "note"), ()),
    "change_note": (("note",), ("tag",)),
    "pin_note": (("note",), ("unpin",)),
    "move_note": (("note",), ("folder",)),
}
"""The changes that can be made again: the kinds of things they are of, and their arguments."""


def ask(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether the change of the turn before is meant for what a message names;
    None where that turn changed nothing, or nothing is named.
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
        return targets.ask_which(wish, found.unsure)
    if not found.things or set(found.things) & set(last.about):
        return None
    shown = {"wish": last.intent, "field": " ".join(again), "text": again.get("tag", "")}
    return asking.ask_meant(Route("mean", language, {**again, **shown}, found.things))
