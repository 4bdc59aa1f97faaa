"""What the rules get right, a section a module; `scripts/evaluate.py` prints the figures.

With a `Brain` the sections that talk through the API ask a language model instead.
"""

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Row(NamedTuple):
    """How many of a half's cases came out right by one measure."""

    half: str
    measure: str
    right: int
    total: int


class Brain(NamedTuple):
    """A language model that is asked instead of the rules alone: its server, its name there, how
    it is offered tools, and of so many cases each one is taken.
    """

    url: str
    model: str
    tools: str
    every: int


ASKS = "EVALUATION_MODEL"
"""Where `scripts/evaluate.py` leaves the brain for the sections, as JSON."""
_found: dict[Brain, Any] = {}


def brain() -> Brain | None:
    """Return the model that is asked; None for the rules alone."""
    told = os.environ.get(ASKS)
    return Brain(*json.loads(told)) if told else None


def sample(cases: Sequence[T]) -> Sequence[T]:
    """Return the cases that are asked: all, or evenly some of them where a model takes its time."""
    asked = brain()
    return cases if asked is None else cases[:: asked.every]


async def add_brain(app: Any) -> None:
    """Add the model to a server, tested as `hearth model add` tests it; the test is made once."""
    asked = brain()
    if asked is None:
        return
    # Not above: the script reads this module before it runs in the project's own Python.
    from app.agent.models import model_rows
    from app.core.caller import OPERATOR

    parts = app.state.parts
    added = {"name": asked.model, "url": asked.url, "tools": asked.tools}
    await parts.call(OPERATOR, "add_model", added)
    if asked not in _found:
        tested = (await parts.call(OPERATOR, "test_model", {"name": asked.model})).model
        _found[asked] = tested.found
    await parts.write(model_rows.note_found, asked.model, _found[asked])


def row(half: str, measure: str, judged: Iterable[bool]) -> Row:
    """Return the figures of one measure."""
    results = list(judged)
    return Row(half, measure, sum(results), len(results))
