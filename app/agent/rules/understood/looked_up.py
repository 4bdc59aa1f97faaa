"""What there is to speak of, as a reader looks it up beside what the patterns do."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from app.agent.rules.languages import language_data
from app.agent.rules.languages.list_tables import Lists
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Call, Step, Thing

OF_ENDS = {"complete_todo": "complete_todo", "delete_todo": "delete"}
"""The tools by which a todo ends, and the intents of that."""
_KANA = "".join(map(chr, range(0x3040, 0x30A0)))
CALLS = 4
"""So many calls tell what there is to speak of, at most."""


def calls_to_look(asked: Asked) -> tuple[Call, ...]:
    """Return the calls that tell what there is to speak of, but those that were made before."""
    made = [(one.tool, one.arguments) for one in asked.results]
    return tuple(call for call in _own(asked) if call not in made)


def _own(asked: Asked) -> tuple[Call, ...]:
    """Return the calls by which a reader looks: lists have arguments that nothing else asks for."""
    more: Mapping[str, dict[str, Any]] = {
        "search_todos": {"includeSteps": True, "sort": "title"},
        "list_notes": {"sort": "title"},
    }
    return tuple(
        (tool, {**arguments, **more.get(tool, {})}) for tool, arguments in asking.looks(asked)
    )


def apart(asked: Asked) -> tuple[Asked, Asked | None]:
    """Return what is asked without what was looked up here, and with that first; None without."""
    calls = _own(asked)
    known = [(one.tool, one.arguments) for one in asked.results]
    if not calls or calls[0] not in known:
        return asked, None
    at = known.index(calls[0])
    end = next((n for n in range(at, len(known)) if known[n] not in calls), len(known))
    rest = asked.results[end:]
    wrote = any(not one.tool.startswith(looks.LOOKS) for one in rest)
    own = asked.results[:at] + (rest if wrote else ())
    mine = [one for one in asked.results if (one.tool, one.arguments) in calls]
    looked = msgspec.structs.replace(asked, results=(*mine, *asked.results))
    return msgspec.structs.replace(asked, results=own), looked


def may_look(asked: Asked) -> bool:
    """Return whether there is room for these calls before the turn must answer."""
    return not asked.is_last and len(asked.results) + CALLS <= looks.MOST_LOOKS


def ends_one(step: Step) -> bool:
    """Return whether a step does nothing but end one todo."""
    return len(step.calls) == 1 and step.calls[0][0] in OF_ENDS


def ended_or_alike(looked: Asked, calls: Sequence[Call]) -> tuple[Thing, ...]:
    """Return the one todo that is about to be ended, and all others that a message without spaces
    may mean as well: “书还了” of “还图书馆的书” and “把书还给Petra”.
    """
    ids = {fields.get("id") for tool, fields in calls if tool in OF_ENDS}
    todos = [one for one in asking.things(looked) if one.kind == "todo"]
    ended = [one for one in todos if one.id in ids]
    if len(ended) != 1 or not questions.is_asian(looked.message):
        return tuple(ended)
    said = {*fold_text(looked.message)} - {*_KANA}
    letters = {one for one in fold_text(ended[0].title) if one.isalpha()} & said
    if len(letters) < 2:
        return tuple(ended)  # it was spoken of
    kana = re.findall(r"[\u3040-\u309f]{2,}", fold_text(ended[0].title))
    names = [one for one in kana if one in fold_text(looked.message)]  # “ゆきに”
    return tuple(
        one
        for one in todos
        if letters <= {*fold_text(one.title)} and all(name in one.title for name in names)
    )


def shopping_list(looked: Asked) -> list[Thing]:
    """Return the one note whose name is that of a list of what is to be bought: “Groceries”."""
    names = re.compile(language_data.any_of(Lists, lambda one: one.shopping))
    notes = [one for one in asking.things(looked) if one.kind == "note"]
    found = [one for one in notes if names.fullmatch(fold_text(one.title).strip())]
    return found if len(found) == 1 else []
