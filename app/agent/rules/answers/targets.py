"""The todos and notes that a change is meant for: by the turns before, or by their names.

A change needs one that fits by whole words; of several it is asked which, of none it is said.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import references, reports, resolve_reference
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, ThingKind, Trace

CANDIDATES = 20


def find_things(
    asked: Asked,
    route: Route,
    kinds: Sequence[ThingKind],
    *,
    words: str,
    completed: bool | None = False,
    did: str = "",
) -> Step | tuple[Thing, ...]:
    """Return the things that are meant, or the step that looks for them or asks.

    `completed` is which todos are looked through; None all of them. `did` is the verb of a report
    that something is done, which must be that of the todo too.
    """
    meant = tuple(one for one in route.things if one.kind in kinds)
    if meant:
        return meant
    if found := references.refer(asked, words, kinds, route.language):
        told = _told_of(found.things or found.unsure, did, words)
        if len(told) == 1 or (found.things and told):
            return told
        if told or not did:
            return ask_which(route, told) if told else ask_what(route)
    if calls := _searches(asked, words, kinds, completed):
        return Step(calls=calls)
    fitting = _told_of(_fitting(asked, words, kinds), did, words)
    if not fitting and did and questions.is_asian(did):
        # A single letter is no word before its verb stands beside it: “书还了”.
        fitting = _fitting(asked, words + did, kinds)
    if not fitting and (wider := _wider_search(asked, kinds, words)):
        return Step(calls=(wider,))
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


def _wider_search(asked: Asked, kinds: Sequence[ThingKind], words: str) -> Call | None:
    """Return the search for todos without words, once, where no spaces part them: in a title they
    may stand in another order.
    """
    made = [one.arguments for one in asked.of("search_todos")]
    if "todo" not in kinds or not questions.is_asian(words):
        return None
    if len(made) != 1 or "q" not in made[0]:
        return None
    rest = {name: value for name, value in made[0].items() if name != "q"}
    return "search_todos", {**rest, "limit": list_answers.MOST}


def _told_of(things: Sequence[Thing], did: str, words: str) -> tuple[Thing, ...]:
    """Return the things of which a report with that verb may be."""
    return tuple(one for one in things if not did or reports.tells_of(did, one.title, words))


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
    every = list({(row["kind"], row["id"]): row for row in rows}.values())
    fitting = resolve_reference.fitting_rows(words, every)
    return tuple(Thing(row["kind"], row["id"], row["title"]) for row in fitting)
