"""What a turn leaves to refer to where no rules ran it: read from the tools that a model called."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.agent.turn.steps import Call, Mark, Result, Thing, ThingKind, Trace, mark_of

LISTS: Mapping[str, tuple[ThingKind, str]] = {
    "search_todos": ("todo", "todos"),
    "list_notes": ("note", "notes"),
    "search_notes": ("note", "results"),
}
"""The tools that list things, with the kind and where the rows stand."""
MADE: Mapping[str, tuple[str, str]] = {
    "create_todo": ("delete_todo", "id"),
    "create_note": ("trash_note", "noteId"),
}
"""The tools that make a thing, and the one that puts it into the trash by that argument."""


def trace_of(results: Iterable[Result]) -> Trace:
    """Return what the calls of a turn leave: what the last of them listed, what they changed, and
    how that is taken back as far as the calls tell it.
    """
    shown: tuple[Thing, ...] = ()
    about: dict[tuple[str, int], Thing] = {}
    undo: list[Call] = []
    marks: dict[tuple[str, int], Mark] = {}
    for result in results:
        if result.failed:
            continue
        if result.tool in LISTS:
            kind, field = LISTS[result.tool]
            shown = tuple(_things(kind, result.content.get(field, ())))
        elif thing := _changed(result):
            about[thing.kind, thing.id] = thing
            undo += (taken_back := _undo(result, thing))
            if taken_back and result.tool not in MADE:
                # Only its last change tells how the turn left it.
                marks[thing.kind, thing.id] = mark_of(thing.kind, result.content[thing.kind])
    # The last change is taken back first.
    return Trace(
        shown=shown,
        about=tuple(about.values()),
        undo=tuple(reversed(undo)),
        marks=tuple(marks.values()),
    )


def _things(kind: ThingKind, rows: Iterable[Mapping[str, Any]]) -> Iterable[Thing]:
    return (Thing(kind, row["id"], row["title"]) for row in rows)


def _changed(result: Result) -> Thing | None:
    kinds: tuple[ThingKind, ...] = ("todo", "note")
    for kind in kinds:
        record = result.content.get(kind)
        if result.tool.endswith(f"_{kind}") and isinstance(record, Mapping) and "title" in record:
            return Thing(kind, record["id"], record["title"])
    return None


def _undo(result: Result, thing: Thing) -> list[Call]:
    if result.tool in MADE:
        tool, argument = MADE[result.tool]
        return [(tool, {argument: thing.id})]
    if result.tool == "complete_todo":
        return [("edit_todo", {"id": thing.id, "completed": False})]
    if result.tool == "edit_note" and "content" in result.arguments:
        return [("restore_snapshot", {"noteId": thing.id})]
    return []
