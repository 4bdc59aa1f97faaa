"""Whether a wish is meant that no message says outright: what there is to speak of, and asking.

A wish is put into the plain words that the patterns know, and done once that has got its yes.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_tables import PlainWords, Wish
from app.agent.rules.phrases import phrases
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, ThingKind, Trace

INTENT = "near"
LOOKS: Mapping[str, tuple[ThingKind, str, str]] = {
    "search_todos": ("todo", "todos", "title"),
    "list_notes": ("note", "notes", "title"),
    "list_folders": ("folder", "folders", "name"),
    "list_network": ("person", "contacts", "name"),
}
"""The tools that tell what there is to speak of, with the kind, its rows and their names."""
LONGEST = 300
"""What is longer is a text, and not a wish."""
THINGS = ("todo", "note", "thing")
"""The slots of plain words that a thing fills."""
_SLOT = re.compile(r"\{([a-z]+)\}")
_BARE = re.compile(r"(?<![“「])\{(todo|note|thing)\}(?![”」])")
WISHES: Mapping[tuple[str, str], Wish] = {
    ("add_todo", ""): "add_todo",
    ("complete_todo", ""): "complete_todo",
    ("change_todo", "reopen"): "reopen_todo",
    ("change_todo", "day"): "move_todo",
    ("change_todo", "by"): "shift_todo",
    ("change_todo", "earlier"): "advance_todo",
    ("change_todo", "clear"): "undate_todo",
    ("change_todo", "number"): "prioritize",
    ("change_todo", "priority"): "prioritize",
    ("change_todo", "title"): "rename",
    ("change_todo", "step"): "add_step",
    ("add_step", "step"): "add_step",
    ("rename", "title"): "rename",
    ("change_note", "title"): "rename",
    ("rename_folder", "title"): "rename",
    ("delete", ""): "delete",
    ("append_note", ""): "append_note",
    ("append_note", "text"): "append_note",
    ("change_note", "tag"): "tag",
    ("change_note", "untag"): "untag",
    ("pin_note", ""): "pin",
    ("pin_note", "unpin"): "unpin",
    ("move_note", "folder"): "move_note",
    ("make_folder", "folder"): "make_folder",
}
"""The wishes that are asked about, by the intent and the argument that tells what is changed."""


def looks(asked: Asked) -> tuple[Call, ...]:
    """Return the calls that tell what there is to speak of."""
    calls: Mapping[str, dict[str, Any]] = {
        "search_todos": {"limit": list_answers.MOST, **list_answers.zone_argument(asked)},
        "list_notes": {"recursive": True, "limit": list_answers.MOST, "sort": "updatedAt"},
        # Told to look everywhere, as what is asked for may call it without arguments in this turn.
        "list_folders": {"parentId": None},
        "list_network": {},
    }
    return tuple((tool, calls[tool]) for tool in LOOKS if tool in asked.tools)


def may_wish(asked: Asked, route: Route) -> bool:
    """Return whether a message may wish what no pattern says: the owner's own, not too long."""
    own = not asked.persona.owner and not route.get("context")
    known = language_data.has_table(route.language, PlainWords)
    return own and len(asked.message) <= LONGEST and known


def things(asked: Asked) -> list[Thing]:
    """Return what there is to speak of, as the looks have told."""
    return [
        Thing(kind, row.get("id", 0), row[name])
        for tool, (kind, field, name) in LOOKS.items()
        for result in asked.of(tool)[:1]
        for row in result.content.get(field, ())
        if row.get(name)
    ]


def has_looked(asked: Asked) -> bool:
    """Return whether the looks have been answered."""
    return all(asked.has(tool) for tool, _ in looks(asked))


def plain_words(language: Language, wish: Wish, /, **shown: str) -> str:
    """Return a wish in plain words, with what is `shown` in its slots."""
    plain = language_data.load_table(language, PlainWords).wishes[wish]
    marked = _BARE.sub(lambda slot: phrases.phrase(language, "quoted", text=slot[0]), plain)
    return _SLOT.sub(lambda slot: shown.get(slot[1], ""), marked)


def ask_whether(plain: str, question: Question, language: Language) -> Step:
    """Return the question whether a wish is meant, told in `plain` words."""
    means = language_data.load_table(language, PlainWords).means
    trace = Trace(intent=INTENT, language=language, asks=question)
    return Step(means.replace("{plain}", plain), trace=trace)


def ask_again(asked: Asked, plain: str, language: Language) -> Step:
    """Return the question whether that is meant for which a message is taken; a yes does it."""
    question = Question(INTENT, {"plain": asked.message}, lacks="yes")
    return ask_whether(plain, question, language)


def ask_meant(route: Route) -> Step | None:
    """Return the question whether a wish is meant that no message says outright: in `plain` words,
    by the intent that is the `wish` about things and the `field` that it changes, or as the `text`
    of a todo or for a note; None where no plain words say it.
    """
    text, plain = route.get("text"), route.get("plain")
    intent = route.get("wish") or "add_todo"
    fields = route.get("field").split() or [""]
    if plain:
        said = _SLOT.sub(lambda slot: {**route.arguments, "text": text}.get(slot[1], ""), plain)
        question = Question(INTENT, {"plain": said}, lacks="yes", choices=route.things)
        return ask_whether(said, question, route.language)
    told = [_plain_of(route, intent, one) for one in fields]
    if not all(told):
        return None
    if intent == "add_todo":
        wanted = {"task": text}
    elif intent == "append_note":
        wanted = {"text": text}
    else:
        names = (*filter(None, fields), "earlier")
        wanted = {name: route.get(name) for name in names if route.get(name)}
        if level := wanted.pop("number", ""):
            wanted["priority"] = level
    question = Question(intent, wanted, lacks="yes", choices=route.things)
    return ask_whether(", ".join(told), question, route.language)


def _plain_of(route: Route, intent: str, field: str) -> str:
    field = "earlier" if field == "by" and route.get("earlier") else field
    wish = WISHES.get((intent, field))
    if wish is None:
        return ""
    titles = ", ".join(one.title for one in route.things)
    shown = {**dict.fromkeys(THINGS, titles), **route.arguments}
    shown["number"] = route.get("number") or route.get("priority")
    return plain_words(route.language, wish, **shown)


def confirmed(asked: Asked) -> tuple[Asked, Trace | None]:
    """Return what is asked once the wish that the turn before asked about has got its yes, and that
    turn; else the same as before.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.asks is None or last.asks.intent != INTENT:
        return asked, None
    language = phrases.language_of(asked.message, before=last.language)
    if not dialogue_words.whole(language, "yes", asked.message):
        return asked, None
    plain = last.asks.arguments["plain"]
    return msgspec.structs.replace(asked, message=plain, earlier=asked.earlier[1:]), last
