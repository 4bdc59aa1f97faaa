"""Taking back what the turns before did."""

from collections.abc import Mapping, Sequence

from app.agent.rules.answers import list_answers
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Mark, Step, Thing, ThingKind, Trace, mark_of

READ_BY: Mapping[ThingKind, str] = {"todo": "get_todo", "note": "get_note_content"}
GONE_BY: Mapping[str, ThingKind] = {
    "delete_todo": "todo",
    "trash_note": "note",
    "delete_folder": "folder",
}
"""The tools that put into the trash what was made."""
FOLDER = "delete_folder"


def undo(asked: Asked, route: Route) -> Step:
    """Take back what the newest turn that changed something has changed; what was only asked about
    just before is left alone.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    is_asked = question is not None and question.lacks == "yes" and question.intent != "undo"
    if is_asked and not route.things:
        return Step(route.phrase("leave"))
    last = _newest_change(asked, route.things, again=bool(route.get("again")))
    if last is not None and route.things and {*route.things} != {*last.about}:
        last = _of_things(last, route.things)
    if last is None:
        return Step(route.phrase("nothing_to_undo"))
    folders = _looks_within(last)
    reads = (*map(_reading, last.marks), *_snapshot_lists(last), *folders)
    if reads and not asked.results:
        return Step(calls=reads)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    # What somebody has changed since is theirs.
    now = {
        mark_of(kind, result.content[kind])
        for kind, tool in READ_BY.items()
        for result in asked.of(tool)
    }
    titles = ", ".join(one.title for one in last.about)
    moved = {fields["noteId"] for tool, fields in last.undo if tool == "move_note"}
    is_filled = any(
        {row["id"] for row in one.content["notes"]} - moved
        for one in asked.results
        if (one.tool, one.arguments) in folders
    )
    if is_filled or not set(last.marks) <= now:
        return Step(route.phrase("changed_since", title=titles))
    calls = tuple(_complete(asked, call) for call in last.undo)
    if not asked.has(calls[-1][0]):
        return Step(calls=calls)
    # What was made can be had again after all.
    again = tuple(
        ("restore_from_trash", {"kind": GONE_BY[tool], "id": next(iter(fields.values()))})
        for tool, fields in last.undo
        if tool in GONE_BY
    )
    trace = Trace(about=last.about, undo=again if len(again) == len(last.undo) else ())
    return Step(route.phrase("undone", title=titles), trace=trace)


def _looks_within(last: Trace) -> tuple[Call, ...]:
    """Return the calls that tell whether the folders that were made hold more by now than what a
    turn has put there.
    """
    fields = {"recursive": True, "limit": len(last.undo)}
    return tuple(
        ("list_notes", {"folderId": arguments["id"], **fields})
        for tool, arguments in last.undo
        if tool == FOLDER
    )


def _of_things(trace: Trace, things: Sequence[Thing]) -> Trace:
    """Return what a turn did to some of the things that it changed."""
    ids = {(one.kind, one.id) for one in things}
    kept = [
        call
        for one, call in zip(trace.about, trace.undo, strict=False)
        if (one.kind, one.id) in ids and len(trace.about) == len(trace.undo)
    ]
    marks = tuple(one for one in trace.marks if one[:2] in ids)
    return Trace(about=tuple(things), undo=tuple(kept), marks=marks)


def _newest_change(asked: Asked, things: Sequence[Thing], *, again: bool) -> Trace | None:
    """Return the turn that changed something last, of these things where they are said; one that
    took it back only to do it `again`.
    """
    for trace in asked.earlier:
        if things and not {*things} & {*trace.about}:
            continue
        # What was undone is not undone a second time.
        if trace.intent == "undo" and not (again and trace.undo):
            return None
        if trace.undo:
            return trace
    return None


def _reading(mark: Mark) -> Call:
    kind, id_, _ = mark
    return READ_BY[kind], {"id" if kind == "todo" else "noteId": id_}


def _snapshot_lists(last: Trace) -> list[Call]:
    return [
        ("list_snapshots", {"noteId": arguments["noteId"], "limit": 1})
        for tool, arguments in last.undo
        if tool == "restore_snapshot"
    ]


def _complete(asked: Asked, call: Call) -> Call:
    """Return a call with the snapshot that it goes back to, which stands only in the list."""
    tool, arguments = call
    if tool != "restore_snapshot":
        return call
    seq = next(
        result.content["snapshots"][0]["seq"]
        for result in asked.of("list_snapshots")
        if result.arguments["noteId"] == arguments["noteId"]
    )
    return tool, {**arguments, "seq": seq}
