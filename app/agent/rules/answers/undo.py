"""Taking back what the turns before did."""

from app.agent.rules.answers import list_answers
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Trace


def undo(asked: Asked, route: Route) -> Step:
    """Take back what the newest turn that changed something has changed."""
    last = _newest_change(asked)
    if last is None:
        return Step(route.phrase("nothing_to_undo"))
    notes = [call[1]["noteId"] for call in last.undo if call[0] == "restore_snapshot"]
    if notes and not asked.has("list_snapshots"):
        return Step(calls=tuple(("list_snapshots", {"noteId": note, "limit": 1}) for note in notes))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    calls = tuple(_complete(asked, call) for call in last.undo)
    if not asked.has(calls[-1][0]):
        return Step(calls=calls)
    titles = ", ".join(one.title for one in last.about)
    return Step(route.phrase("undone", title=titles), trace=Trace(about=last.about))


def _newest_change(asked: Asked) -> Trace | None:
    for trace in asked.earlier:
        # What was undone is not undone a second time.
        if trace.intent == "undo":
            return None
        if trace.undo:
            return trace
    return None


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
