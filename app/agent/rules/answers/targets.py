"""The todos and notes that a change is meant for: by the turns before, or by their names.

A change needs one that fits by whole words; of several it is asked which, of none it is said.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import references, resolve_reference
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Step, Thing, ThingKind, Trace

CANDIDATES = 20


def find_things(
    asked: Asked,
    route: Route,
    kinds: Sequence[ThingKind],
    *,
    words: str,
    completed: bool | None = False,
) -> Step | tuple[Thing, ...]:
    """Return the things that are meant, or the step that looks for them or asks.

    `completed` is which todos are looked through; None all of them.
    """
    meant = tuple(one for one in route.things if one.kind in kinds)
    if meant:
        return meant
    if found := references.refer(asked, words, kinds, route.language):
        if found.things:
            return found.things
        return ask_which(route, found.unsure) if found.unsure else ask_what(route)
    if calls := _searches(asked, words, kinds, completed):
        return Step(calls=calls)
    fitting = _fitting(asked, words, kinds)
    if len(fitting) == 1:
        return fitting
    if fitting:
        return ask_which(route, fitting)
    return list_answers.refusal_or(asked, route, route.phrase("none_fits", words=words))


def ask_which(route: Route, things: Sequence[Thing]) -> Step:
    """Return the question which of several is meant, with their numbers."""
    shown = tuple(things[: resolve_reference.SHOWN])
    lines = [f"{number}. {one.title}" for number, one in enumerate(shown, 1)]
    question = Question(route.intent, dict(route.arguments), choices=shown)
    return Step("\n".join([route.phrase("which"), *lines]), trace=Trace(shown=shown, asks=question))


def ask_what(route: Route) -> Step:
    """Return the question what is meant, where nothing was talked about."""
    question = Question(route.intent, dict(route.arguments), lacks="thing")
    return Step(route.phrase("which_one"), trace=Trace(asks=question))


def _searches(
    asked: Asked, words: str, kinds: Sequence[ThingKind], completed: bool | None
) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the searches for those words that were not made yet."""
    calls: list[tuple[str, dict[str, Any]]] = []
    if "todo" in kinds and not asked.has("search_todos") and "search_todos" in asked.tools:
        query = " ".join(resolve_reference.word_stems(words)) or words
        state = {} if completed is None else {"completed": completed}
        fields = {"q": query[:1000], **state, "limit": CANDIDATES}
        calls.append(("search_todos", {**fields, **list_answers.zone_argument(asked)}))
    if "note" in kinds and not asked.has("search_notes") and "search_notes" in asked.tools:
        query = resolve_reference.name_query(words)
        calls.append(("search_notes", {"query": query, "limit": CANDIDATES}))
    return tuple(calls)


def _fitting(asked: Asked, words: str, kinds: Sequence[ThingKind]) -> tuple[Thing, ...]:
    rows: list[Mapping[str, Any]] = []
    for kind, tool, field in (
        ("todo", "search_todos", "todos"),
        ("note", "search_notes", "results"),
    ):
        if kind in kinds:
            rows += [
                {**row, "kind": kind} for result in asked.of(tool) for row in result.content[field]
            ]
    fitting = resolve_reference.fitting_rows(words, rows)
    return tuple(Thing(row["kind"], row["id"], row["title"]) for row in fitting)
