"""What the agent does without a model: from a message and what tools have given for it to the next step."""

from app.agent import agenda, answers, attached_answers, lists, routing, writes
from app.agent.phrases import say
from app.agent.routing import Route
from app.agent.steps import Asked, Result, Step

__all__ = ["Asked", "Result", "Step", "next_step"]

SAID = frozenset({"help", "greet", "thanks", "leave", "cannot", "undo"})
"""The intents that are answered with a fixed sentence and no tool."""
INTENTS = {
    "ask": answers.answer,
    "find_notes": answers.find,
    "summarise": answers.summarise,
    "list_todos": lists.todos,
    "list_notes": lists.notes,
    "list_folders": lists.folders,
    "day": lists.day,
    "add_todo": writes.add_todo,
    "complete_todo": writes.complete_todo,
    "make_note": writes.make_note,
    "append_note": writes.append_note,
    "pin_note": writes.pin_note,
    "move_note": writes.move_note,
    "replan": writes.replan,
    "events": agenda.events,
    "free": agenda.free,
}
MOST_ROUNDS = 5


def next_step(asked: Asked) -> Step:
    """Give the next step for a message: the same for the same message, results, tools and time. A tool that is not offered is never called."""
    route = routing.route(asked.message)
    if route.intent in SAID:
        return Step(say(route.language, route.intent))
    if (asked.attached or asked.attached_before) and (step := attached_answers.step(asked, route)):
        return step
    return _offered(asked, route, INTENTS[route.intent](asked, route))


def _offered(asked: Asked, route: Route, step: Step) -> Step:
    missing = [name for name, _ in step.calls if name not in asked.tools]
    if not missing:
        return step
    left = tuple(call for call in step.calls if call[0] in asked.tools)
    if left and not asked.results:
        return Step(calls=left)
    return Step(say(route.language, "not_offered", tool=missing[0]))
