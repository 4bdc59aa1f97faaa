"""Taking back what the turns before did."""

from collections.abc import Mapping

from app.agent.rules.answers import list_answers
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Mark, Step, ThingKind, Trace, mark_of

READ_BY: Mapping[ThingKind, str] = {"todo": "get_todo", "note": "get_note_content"}


def undo(asked: Asked, route: Route) -> Step:
    """Take back what the newest turn that changed something has changed."""
    last = _newest_change(asked)
    if last is None:
        return Step(route.phrase("nothing_to_undo"))
    reads = (*map(_reading, last.marks), *_snapshot_lists(last))
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
    if not set(last.marks) <= now:
        return Step(route.phrase("changed_since", title=titles))
    calls = tuple(_complete(asked, call) for call in last.undo)
    if not asked.has(calls[-1][0]):
        return Step(calls=calls)
    return Step(route.phrase("undone", title=titles), trace=Trace(about=last.about))


def _newest_change(asked: Asked) -> Trace | None:
    for trace in asked.earlier:
        # What was undone is not undone a second time.
        if trace.intent == "undo":
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
