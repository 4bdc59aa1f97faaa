"""What waits for the owner's yes or no, and the decision of it."""

from collections.abc import Sequence

from app.agent.rules.answers import list_answers, targets
from app.agent.rules.dialogue import references, resolve_reference
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, ThingKind, Trace

SHOWN = 10
KINDS: tuple[ThingKind, ...] = ("escalation", "request")
DECIDED = ("decide_escalation", "answer_request")


def tell_waiting(asked: Asked, route: Route) -> Step:
    """List what waits for a yes or no, with numbers."""
    if calls := _looks(asked):
        return Step(calls=calls)
    if asked.refusal and not asked.has("list_escalations"):
        return list_answers.tell_refusal(asked, route)
    found = _waiting(asked, route)
    if not found:
        return Step(route.phrase("none_waiting"))
    lines = [f"{number}. {one.title}{_id(one)}" for number, one in enumerate(found, 1)]
    head = route.phrase("waiting", count=len(found))
    shown = found[:SHOWN]
    return Step(
        "\n".join([head, *lines[:SHOWN], route.phrase("how_to_decide")]),
        trace=Trace(shown=shown, about=shown if len(shown) == 1 else ()),
    )


def decide(asked: Asked, route: Route) -> Step:
    """Say yes or no to what is meant of what waits; who may not is told where that is done."""
    found = route.things or _meant(asked, route)
    if isinstance(found, Step):
        return found
    if any(one.kind == "request" for one in found) and not asked.has("list_network"):
        return Step(calls=(("list_network", {}),))
    done = [result for result in asked.results if result.tool in DECIDED]
    titles = ", ".join(one.title for one in found)
    trace = Trace(about=found)
    if not done:
        calls = tuple(_call(asked, route, one) for one in found)
        if any(tool not in asked.tools for tool, _ in calls):
            return Step(route.phrase("decide_elsewhere", title=titles), trace=trace)
        return Step(calls=calls)
    refused = next((one for one in done if one.failed), None)
    if refused is not None:
        why = str(refused.content.get("message", ""))
        return Step(why or route.phrase("decide_elsewhere", title=titles), trace=trace)
    name = "decided_no" if route.get("no") else "decided_yes"
    return Step(route.phrase(name, title=titles), trace=trace)


def _looks(asked: Asked) -> tuple[Call, ...]:
    """Return the calls that tell what waits, unless they were made."""
    wanted: tuple[Call, ...] = (("list_escalations", {"limit": SHOWN}), ("list_network", {}))
    return () if asked.results else tuple(call for call in wanted if call[0] in asked.tools)


def _waiting(asked: Asked, route: Route) -> tuple[Thing, ...]:
    rows = [
        Thing("escalation", row["id"], row["summary"])
        for result in asked.of("list_escalations")
        for row in result.content["escalations"]
    ]
    requests = [
        Thing("request", row["requestId"], _request(route, row["from"], row["type"]))
        for result in asked.of("list_network")
        for row in result.content["requests"]["incoming"]
    ]
    return (*rows, *requests)


def _id(one: Thing) -> str:
    return f" (ID {one.id})" if one.kind == "escalation" else ""


def _request(route: Route, person: dict[str, str], type_: str) -> str:
    name = f"{person['name']} (@{person['username']})"
    return route.phrase(f"request_{type_}", who=name)


def _meant(asked: Asked, route: Route) -> Step | tuple[Thing, ...]:
    words = route.get("target")
    if (found := references.refer(asked, words, KINDS, route.language)) and found.things:
        return found.things
    if calls := _looks(asked):
        return Step(calls=calls)
    waiting = _waiting(asked, route)
    if not waiting:
        return Step(route.phrase("none_waiting"), empty=True)
    chosen = references.choose(waiting, words, route.language)
    if chosen and chosen.things:
        return chosen.things
    if references.points(words, route.language):
        return waiting if len(waiting) == 1 else _ask(route, waiting)
    rows = [{"title": one.title, "thing": one} for one in waiting]
    fitting = tuple(row["thing"] for row in resolve_reference.fitting_rows(words, rows))
    if len(fitting) == 1:
        return fitting
    return _ask(route, fitting) if fitting else Step(route.phrase("none_waiting"), empty=True)


def _ask(route: Route, things: Sequence[Thing]) -> Step:
    return targets.ask_which(route, things)


def _call(asked: Asked, route: Route, one: Thing) -> Call:
    no = bool(route.get("no"))
    if one.kind == "escalation":
        return "decide_escalation", {"id": one.id, "decision": "stop" if no else "continue"}
    types = {
        row["requestId"]: row["type"]
        for result in asked.of("list_network")
        for row in result.content["requests"]["incoming"]
    }
    action = {"requestId": one.id, "action": "reject" if no else "accept"}
    return "answer_request", {**action, "type": types.get(one.id, "agent")}
