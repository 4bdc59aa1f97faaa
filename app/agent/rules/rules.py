"""What the agent does without a model.

From a message and what tools have given for it to the next step.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from app.agent.rules.answers import (
    attachment_answers,
    calendar_answers,
    folder_changes,
    list_answers,
    list_filters,
    memory_answers,
    message_answers,
    network_actions,
    new_todos,
    note_answers,
    note_changes,
    remote_tool_answers,
    small_answers,
    targets,
    todo_changes,
    todo_states,
    undo,
    waiting_answers,
)
from app.agent.rules.dialogue import continued, given_context, repairs, resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Result, Step, Thing, Trace

__all__ = ["Asked", "Result", "Step", "next_step"]

SAID = frozenset({"help", "greet", "thanks", "leave", "cannot", "nothing_asked", "bye"})
"""The intents that are answered with a fixed sentence and no tool."""
INTENTS = {
    "ask": note_answers.answer_question,
    "find_notes": note_answers.find_notes,
    "summarise": note_answers.summarise,
    "list_todos": list_answers.list_todos,
    "todo_state": todo_states.tell_state,
    "list_notes": list_answers.list_notes,
    "list_folders": list_answers.list_folders,
    "day": list_answers.sum_up_day,
    "changes": list_answers.tell_changes,
    "show_note": note_answers.show_note,
    "unread": message_answers.tell_unread,
    "from_person": message_answers.tell_from_person,
    "waiting": waiting_answers.tell_waiting,
    "decide": waiting_answers.decide,
    "add_todo": new_todos.add_todo,
    "replan": new_todos.replan,
    "complete_todo": todo_changes.complete_todo,
    "change_todo": todo_changes.change_todo,
    "add_step": todo_changes.change_todo,
    "rename": note_changes.rename,
    "delete": todo_changes.delete,
    "undo": undo.undo,
    "make_note": note_changes.make_note,
    "append_note": note_changes.append_note,
    "tick_item": note_changes.tick_item,
    "change_note": note_changes.change_note,
    "pin_note": note_changes.pin_note,
    "move_note": note_changes.move_note,
    "make_folder": folder_changes.make_folder,
    "rename_folder": folder_changes.rename_folder,
    "delete_folder": folder_changes.delete_folder,
    "date": small_answers.tell_date,
    "time": small_answers.tell_time,
    "sum": small_answers.calculate,
    "remember": memory_answers.remember,
    "recall": memory_answers.recall_answer,
    "events": calendar_answers.list_events,
    "free": calendar_answers.tell_free_time,
    "network": network_actions.tell_network,
    "contact": network_actions.tell_contact,
    "message": network_actions.send_message,
    "ask_agent": network_actions.ask_agent,
    "share": network_actions.make_link,
}
DONE_WITH = {
    "append_note": "edit_note",
    "tick_item": "edit_note",
    "change_note": "edit_note",
    "change_todo": "edit_todo",
    "complete_todo": "complete_todo",
    "pin_note": "pin_note",
    "move_note": "move_note",
    "share": "share_agent",
    "message": "send_message_to_human",
    "ask_agent": "contact_agent",
}
"""The tools of the intents that look or ask before they do something."""
TRIED = frozenset(
    {"ask", "list_todos", "list_notes", "show_note", "todo_state", "complete_todo", "decide"}
)
"""The intents that may find nothing, where something else may be meant."""
SURER = frozenset(
    {"change_todo", "events", "unread", "waiting", "decide", "leave", "greet", "complete_todo"}
)
"""What is likelier than a list where both fit."""


def next_step(asked: Asked) -> Step:
    """Return the next step for a message: the same for the same message, results, tools and time.

    A tool that is not offered is never called.
    """
    route = _in_wanted_language(asked, understand(asked))
    step = _step_of(asked, route)
    return _traced(route, step) if step.text and not step.calls else step


def _traced(route: Route, step: Step) -> Step:
    """Return the last step of a turn with what it leaves: how its message was understood, too."""
    left = step.trace or Trace()
    said = {"said": route.said} if route.intent == "list_todos" and route.said else {}
    trace = msgspec.structs.replace(
        left,
        intent=left.intent or route.intent,
        language=route.language,
        arguments={**said, **route.arguments},
    )
    return msgspec.structs.replace(step, trace=trace)


def _step_of(asked: Asked, route: Route) -> Step:
    if (step := remote_tool_answers.step(asked, route)) is not None:
        return step
    if route.intent in SAID:
        return Step(_phrase(asked, route))
    if asked.persona.messages_only:
        return Step(route.phrase("taken", owner=asked.persona.owner))
    # Else a guest would be asked which note is meant, only to hear that it cannot be done.
    if asked.persona.owner and (tool := DONE_WITH.get(route.intent)) and tool not in asked.tools:
        return list_answers.tell_not_allowed(asked, route, tool)
    if (asked.attached or asked.attached_before) and (
        step := attachment_answers.answer_from_files(asked, route)
    ):
        return step
    if (
        route.intent == "events"
        and calendar_answers.TOOL not in asked.tools
        and "search_notes" in asked.tools
    ):
        return _from_notes(asked, route)
    step = _instead(asked, route) if route.intent == "instead" else _look_further(asked, route)
    # The calendar may know nothing of what a note does: “when is the meeting about the roof?”
    if route.intent == "events" and route.get("words") and asked.results and not step.calls:
        return _also_from_notes(asked, route, step)
    return step


def _instead(asked: Asked, route: Route) -> Step:
    """Take back what the turn before did and do it to another thing, once that one is found."""
    intent = asked.earlier[0].intent
    wish = msgspec.structs.replace(route, intent=intent)
    kinds = dict.fromkeys(one.kind for one in asked.earlier[0].about)
    words = route.get("words")
    meant: tuple[Thing, ...] = ()

    def look(part: Asked) -> Step:
        nonlocal meant
        found = targets.find_things(part, wish, tuple(kinds), words=words, completed=None)
        if isinstance(found, Step):
            choices = found.trace.shown if found.trace else ()
            found = resolve_reference.likest(asked.earlier[0].about, choices) or found
        if isinstance(found, Step):
            return found
        meant = found
        return Step()

    looked = _replay(asked, look)
    if not meant:
        return _offer_next(asked, wish, looked.step)
    undone = _replay(looked.rest, lambda part: undo.undo(part, route))
    if undone.step.calls:
        return _offer_next(looked.rest, wish, undone.step)
    step = INTENTS[intent](undone.rest, msgspec.structs.replace(wish, things=meant))
    if step.calls:
        return _offer_next(undone.rest, wish, step)
    trace = msgspec.structs.replace(step.trace or Trace(), intent=intent)
    return msgspec.structs.replace(step, text=f"{undone.step.text}\n{step.text}", trace=trace)


def _look_further(asked: Asked, route: Route) -> Step:
    """Return the step of an intent; where that finds nothing, of what else may be meant.

    A question that the notes do not answer may be one of a todo, and what was only likely a wish
    may be a question.
    """
    if route.is_loose and route.intent == "todo_state" and _is_about_notes(asked):
        # What was asked of a note is asked of it again: “and when do I return?”
        route = msgspec.structs.replace(route, intent="ask", arguments={})
    first = _until_empty(asked, route)
    if not first.step.empty:
        return _offer_next(asked, route, first.step)
    others = [one for one in _others(asked, route) if one.intent != route.intent]
    rest = first.rest
    for other in others:
        found = _until_empty(rest, other)
        if not found.step.empty:
            return _offer_next(rest, other, found.step)
        rest = found.rest
    return first.step


def _is_about_notes(asked: Asked) -> bool:
    """Return whether the turn before quoted or showed a note."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return any(one.kind == "note" for one in last.about)


class _Tried(NamedTuple):
    """What came of an intent, and what is asked with the results that it left."""

    step: Step
    rest: Asked


def _until_empty(asked: Asked, route: Route) -> _Tried:
    """Return the step of an intent with as many of the results as it takes to find nothing.

    All of them where it finds something, or has more to look at.
    """
    if route.intent not in TRIED:
        return _Tried(INTENTS[route.intent](asked, route), asked)
    tried = _replay(asked, lambda part: INTENTS[route.intent](part, route))
    return tried if tried.step.empty else _Tried(tried.step, asked)


def _replay(asked: Asked, act: Callable[[Asked], Step]) -> _Tried:
    """Return the step to which something comes that begins without results, and what is asked with
    the results that it did not use.
    """
    count = 0
    while True:
        step = act(msgspec.structs.replace(asked, results=asked.results[:count]))
        used = count + len(step.calls)
        if not step.calls or used > len(asked.results):
            return _Tried(step, msgspec.structs.replace(asked, results=asked.results[count:]))
        count = used


def _others(asked: Asked, route: Route) -> list[Route]:
    """Return what else a message may ask for."""
    ask = msgspec.structs.replace(route, intent="ask", arguments={}, is_loose=False)
    state = msgspec.structs.replace(ask, intent="todo_state")
    if asked.persona.owner or route.get("context"):
        return [ask] if route.is_loose else []
    if route.intent == "ask":
        return [state]
    if route.is_loose and route.get("folder"):
        # “The garden notes” may be one note of that name.
        named = {"target": route.get("folder")}
        return [msgspec.structs.replace(ask, intent="show_note", arguments=named), ask]
    if route.intent == "complete_todo" and (note := _list_before(asked)):
        item = {"text": route.get("words")}
        return [msgspec.structs.replace(route, intent="tick_item", arguments=item, things=note)]
    return [ask, state] if route.is_loose else []


def _list_before(asked: Asked) -> tuple[Thing, ...]:
    """Return the note that the turn before was about, where it was one."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return last.about if len(last.about) == 1 and last.about[0].kind == "note" else ()


def _also_from_notes(asked: Asked, route: Route, step: Step) -> Step:
    """Return what the notes say of a named event that is not in the calendar; else that it is not
    there.
    """
    if any(result.content["events"] for result in asked.of(calendar_answers.TOOL)):
        return step
    searched = msgspec.structs.replace(
        asked, results=tuple(one for one in asked.results if one.tool != calendar_answers.TOOL)
    )
    found = note_answers.answer_question(searched, msgspec.structs.replace(route, intent="ask"))
    found = _offer_next(searched, route, found)
    return found if found.calls or found.quotes else step


def _from_notes(asked: Asked, route: Route) -> Step:
    """Return what the notes say of an event, for who may read them and not the calendar.

    Where they say nothing, that the calendar is not theirs.
    """
    step = _offer_next(
        asked,
        route,
        note_answers.answer_question(asked, msgspec.structs.replace(route, intent="ask")),
    )
    return (
        step
        if step.calls or step.quotes
        else list_answers.tell_not_allowed(asked, route, calendar_answers.TOOL)
    )


def understand(asked: Asked) -> Route:
    """Return what a message asks for: by what it takes back, the turns before, and its words.

    What somebody else asks the agent to recall is asked of the notes, as its memory is the
    owner's.
    """
    language = _language(asked)
    if (wrapped := given_context.unwrap(asked.message, language)) is not None:
        return _route_wrapped(wrapped, asked)
    if (route := continued.continue_from(asked, language)) is not None:
        return route
    message = repairs.repair(asked, asked.message, language)
    if message is None:
        return Route("leave", language, {})
    found = routing.route_message(message, names=asked.persona.names, before=language)
    if found.intent == "leave" and (wish := _wish_after(message, asked)) is not None:
        found = wish
    if (listed := continued.to_list(asked, found)) is not None:
        return listed
    unsure = found.intent == "ask" or (found.is_loose and found.intent not in SURER)
    if unsure and not asked.persona.owner and _is_list(asked, found):
        found = msgspec.structs.replace(found, intent="list_todos", arguments={}, is_loose=True)
    others = asked.persona.owner and found.intent == "recall" and "memory_search" not in asked.tools
    return msgspec.structs.replace(found, intent="ask") if others else found


def _is_list(asked: Asked, route: Route) -> bool:
    """Return whether a message says nothing but what a list of todos is asked for and narrowed by."""
    text = route.said or asked.message
    wanted = list_filters.read_filters(asked, route, text)
    return not wanted.words and (bool(wanted.told) or list_filters.asks_for_list(route, text))


def _route_wrapped(wrapped: given_context.Wrapped, asked: Asked) -> Route:
    """Return what a person asks within a program's prompt.

    With texts to answer from it is a question, whatever else it could be.
    """
    found = routing.route_message(wrapped.question, names=asked.persona.names)
    given = {"context": wrapped.context, "otherwise": wrapped.otherwise}
    told = {"text": wrapped.question, **{name: value for name, value in given.items() if value}}
    intent = "ask" if given["context"] and found.intent not in SAID else found.intent
    return msgspec.structs.replace(found, intent=intent, arguments={**found.arguments, **told})


def _wish_after(message: str, asked: Asked) -> Route | None:
    """Return what is asked for after what is not: “don't delete it, just show my todos”."""
    _, *rest = re.split(r"[,，、]", message, maxsplit=1)
    found = routing.route_message(rest[0].strip(), names=asked.persona.names) if rest else None
    if found is None or found.intent in ("ask", "leave"):
        return None
    return msgspec.structs.replace(found, arguments={"text": rest[0].strip(), **found.arguments})


def _language(asked: Asked) -> Language:
    """Return the language of a message; where nothing tells it, that of the turn before."""
    before = asked.earlier[0].language if asked.earlier else ""
    found = phrases.language_of(asked.message, before=before)
    if before and not phrases.is_known(asked.message, found):
        return before if phrases.may_be(asked.message, before) else found
    return found


def _in_wanted_language(asked: Asked, route: Route) -> Route:
    """Return a route whose answer is in the language that the owner wants.

    What was written stays to be read in its own.
    """
    if not asked.persona.language or asked.persona.language == route.language:
        return route
    return msgspec.structs.replace(
        route,
        language=asked.persona.language,
        arguments={**route.arguments, "written": route.language},
    )


def _phrase(asked: Asked, route: Route) -> str:
    """Return a fixed sentence, with the names that the owner gave."""
    owner = asked.persona.owner
    if route.intent == "greet" and asked.persona.person:
        return route.phrase("greet_named", who=asked.persona.person)
    if route.intent == "help" and asked.persona.agent:
        return (
            f"{route.phrase('named', who=asked.persona.agent)} {route.phrase('help', owner=owner)}"
        )
    return route.phrase(route.intent, owner=owner)


def _offer_next(asked: Asked, route: Route, step: Step) -> Step:
    missing = [name for name, _ in step.calls if name not in asked.tools]
    if not missing:
        return step
    # At the first step part of what was wanted is better than nothing.
    left = tuple(call for call in step.calls if call[0] in asked.tools)
    if left and not asked.results:
        return Step(calls=left)
    return list_answers.tell_not_allowed(asked, route, missing[0])
