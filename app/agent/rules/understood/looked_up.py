"""What there is to speak of, as a reader looks it up beside what the patterns do."""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.rules.mentions import asking
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Call

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
