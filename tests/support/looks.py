"""Messages whose looks have been answered: the rules know what there is to speak of."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from app.agent.rules.mentions import asking
from app.agent.turn.steps import Asked, Result


def looked_at(message: str, todos: Sequence[Mapping[str, Any]], now: datetime) -> Asked:
    """Return a message with what the looks tell of the todos that there are, and no notes."""
    contents = {"search_todos": {"todos": todos}, "list_notes": {"notes": []}}
    known = Asked(message, (), frozenset(contents), now)
    results = tuple(
        Result(tool, fields, contents[tool], failed=False) for tool, fields in asking.looks(known)
    )
    return Asked(message, results, known.tools, now)
