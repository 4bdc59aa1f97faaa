"""What the agent does without a model.

From a message and what tools have given for it to the next step.
"""

import msgspec

from app.agent.rules import (
    corrections,
    look_further,
    message_route,
    offers,
    said_messages,
    told_to,
    two_wishes,
    verb_first,
    which_one,
)
from app.agent.rules.answers import (
    attachment_answers,
    calendar_answers,
    list_answers,
    list_filters,
    remote_tool_answers,
)
from app.agent.rules.changes import changes, clauses, left_over, reused, spoken_todos
from app.agent.rules.dialogue import that_day
from app.agent.rules.intents import DONE_WITH, INTENTS
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import list_wishes
from app.agent.rules.mentions import asking
from app.agent.rules.reader import reader
from app.agent.rules.routing.routing import Route
from app.agent.rules.said_messages import Conversations
from app.agent.rules.understood import judged, looked_up, taken_back
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Result, Step, Trace
from app.core.process.caches import keep_latest

__all__ = ["Asked", "Result", "Step", "next_step"]

OF_DAYS = frozenset({"events", "list_todos"})
"""What may ask of a day what only a note says."""
ASKS_A_DAY = frozenset({"list_todos", "events", "free"})
"""What may be asked of a day, which what follows may be of, too."""
KEPT = ASKS_A_DAY | {"ask"}
"""The intents whose message what follows may go on from."""
TAKEN_FIRST = frozenset("ask cannot list_todos list_notes show_note todo_state tell_view".split())
"""What a message may only seem to be that wishes to change something."""
ASKS, SURE = frozenset({"ask", "todo_state"}), 0.95
"""What is asked of a note or a todo, and how likely it is then surely so."""
LATE = 7
"""After so many results a message was looked for in vain often enough."""


def next_step(asked: Asked) -> Step:
    """Return the next step for a message: the same for the same message, results, tools and time.

    A tool that is not offered is never called, and in a turn's last step none that only looks.
    """
    if message_route.is_narrow(asked):
        return _step(asked)
    language = message_route.language_before(asked)
    return two_wishes.do(corrections.agreed(asked, language), language, _next_step_of_one)


def _next_step_of_one(asked: Asked) -> Step:
    asked, looked = looked_up.apart(asked)
    language = message_route.language_before(asked)
    if corrected := corrections.ask_corrected(asked, language):
        return corrected
    step = judged.judge(asked, looked, language, judged.Doers(_step, _act_traced))
    if taken_back.is_denied(asked, step, language):
        return taken_back.let_be(language, taken_back.todos_of(looked or asked, step))
    return _in_language(step, language)


def _in_language(step: Step, language: Language) -> Step:
    """Return a step whose question is known to be in its language: what follows may be a “no”."""
    trace = step.trace or Trace()
    if trace.asks is None or trace.language:
        return step
    intent = trace.intent or trace.asks.intent
    trace = msgspec.structs.replace(trace, intent=intent, language=language)
    return msgspec.structs.replace(step, trace=trace)


@keep_latest
def _step(asked: Asked) -> Step:
    asked = that_day.with_day(asked, message_route.language_before(asked))
    said = corrections.corrected(asked, message_route.language_before(asked))
    step = _pattern_step(asked := msgspec.structs.replace(asked, message=said))
    if looks.looks_too_long(asked, step) and not asked.is_last:
        step = _pattern_step(msgspec.structs.replace(asked, is_last=True))
    return step


@keep_latest
def _pattern_step(asked: Asked) -> Step:
    if not message_route.is_narrow(asked):
        language = message_route.language_before(asked)
        if sent := told_to.send(asked, language, _act):
            return sent
    asked, wish = asking.confirmed(asked)
    understood = message_route.understand(asked, wish.language if wish else "")
    route = _in_wanted_language(asked, understood)
    if wish and wish.asks and wish.asks.choices:
        route = msgspec.structs.replace(route, things=wish.asks.choices)
    may = not message_route.is_narrow(asked) and asking.may_wish(asked, route)
    asked, heard = said_messages.apart(asked)
    if may and (told := said_messages.tell_first(asked, route, heard)):
        return told if told.calls else _traced(asked, route, told)
    if may and (likely := offers.offer_memory(asked, route)):
        return likely
    step = _decide(asked, route, heard, may=may)
    return _traced(asked, route, step) if step.text and not step.calls else step


def _decide(asked: Asked, route: Route, heard: Conversations, *, may: bool) -> Step:
    """Return the step of a message as a whole; where it `may` wish anything, also of what else its
    words may mean.
    """
    step = list_wishes.change_spoken_of(asked, route, _act) if may else None
    step = step or clauses.change(asked, route, _act, message_route.understand, _step_of, may=may)
    if looks.asks_what_was_refused(asked, step):
        step = list_answers.tell_refusal(asked, route)
    if looks.looks_too_long(asked, step):
        step = Step(route.phrase("nothing", owner=asked.persona.owner), empty=True)
    if may:
        said_by = said_messages.tell_instead(asked, route, step, heard)
        step = step if looks.looks_too_long(asked, said_by) else said_by
    if may and len(asked.results) >= LATE and looks.only_searches(step):
        # So much was looked for in vain: what has a word of a change is asked about instead.
        found = _offer_left_over(asked, route, Step(empty=True))
        step = found if found.text else step
    if not may or not step.text or step.calls:
        return step
    if not _surely_asks(asked):  # “à quelle heure est le rendez-vous” ticks nothing
        step = list_wishes.change_anywhere(asked, route, _act, step) or step
    return step if step.calls else _offer_left_over(asked, route, step)


def _surely_asks(asked: Asked) -> bool:
    """Return whether the reader takes a message for a question, with or without its mark."""
    language = message_route.language_before(asked)
    if not reader.knows(language):
        return False
    weights = reader.read(asked, (), language).weights
    return sum(weights.get(one, 0.0) for one in ASKS) >= SURE


def _offer_left_over(asked: Asked, route: Route, step: Step) -> Step:
    """Return the question of what a message names with other words left over; else the step."""
    if not looks.has_only_looked(asked):
        return step  # something was done, and may be taken back
    language = route.get("written") or route.language
    known = language_data.has_table(language, Changes)
    if known and language_data.load_table(language, Changes).verb_first:
        return verb_first.offer(asked, route, step)
    chosen = which_one.ask(asked, language) if known else Step()
    return chosen if chosen.calls or chosen.text else left_over.offer(asked, route, step)


def _traced(asked: Asked, route: Route, step: Step) -> Step:
    """Return the last step of a turn with what it leaves: how its message was understood, too."""
    left = step.trace or Trace()
    if left.language:  # what was near has said how it was understood
        day = left.day or ("" if left.asks else that_day.told(asked, step, left.language))
        return msgspec.structs.replace(step, trace=msgspec.structs.replace(left, day=day))
    said = {"said": route.said} if route.intent in KEPT and route.said else {}
    trace = msgspec.structs.replace(
        left,
        intent=left.intent or route.intent,
        language=route.language,
        arguments={**said, **left.arguments, **route.arguments},
        day=left.day or that_day.told(asked, step, route.language),
    )
    return msgspec.structs.replace(step, trace=trace)


@keep_latest
def _step_of(asked: Asked, route: Route) -> Step:
    if (step := remote_tool_answers.step(asked, route)) is not None:
        return step
    may = not message_route.is_narrow(asked) and asking.may_wish(asked, route)
    if route.intent in message_route.SAID:
        # “Print the programme: add two steps” names what only seems beyond the agent.
        named = route.intent == "cannot" and changes.may_name(asked, route)
        step = changes.change(asked, route, _act) if named else None
        return step or Step(_phrase(asked, route))
    if route.intent == "mean":
        return INTENTS["mean"](asked, route)
    if asked.persona.messages_only:
        return Step(route.phrase("taken", owner=asked.persona.owner))
    if not may or route.get("followed"):
        return _act(asked, route)
    if route.spoken:
        return spoken_todos.add(asked, route, route.spoken, _act)
    if step := changes.writes_note(asked, route, _act):
        return step
    kinds = list_wishes.kinds_of(asked, route)
    if kinds and _surely_asks(asked):
        kinds = tuple(one for one in kinds if one not in list_wishes.CHANGES)
    if kinds and list_wishes.looks(asked, route, kinds, _act):
        step = list_wishes.read(asked, route, kinds, _act)
        return step or reused.reuse(asked, lambda part: _wished(part, route))
    return _wished(asked, route)


@keep_latest
def _wished(asked: Asked, route: Route) -> Step:
    """Return what is done about a message that may wish to change something."""
    if route.intent == "ask" or route.is_loose:
        # “It is her birthday soon, remind me to buy flowers.”
        ended = offers.wish_at_end(
            asked, route, lambda part: _step_of(part, message_route.understand(part))
        )
        if ended:
            return ended
    only_asks = list_filters.only_asks(asked, route) or route.get("level")
    if only_asks or not changes.may_change(asked, route):
        return _act(asked, route)
    if route.intent in changes.WRITTEN and changes.goes_onto(asked, route):
        # “Eggs to the groceries” is no todo where there is such a list.
        step = changes.change(asked, route, _act, only=True)
        if not step and changes.is_surer(asked, route):
            step = changes.change(asked, route, _act)
        return step or reused.reuse(asked, lambda part: _act(part, route))
    if route.intent in TAKEN_FIRST or route.is_loose or changes.is_surer(asked, route):
        step = changes.change(asked, route, _act)
        return step or reused.reuse(asked, lambda part: _act(part, route))
    step = look_further.replay(asked, lambda part: _act(part, route)).step
    if step.calls or not step.empty or asked.refusal or len(asked.results) > looks.MOST_LOOKS:
        return step
    return changes.change(asked, route, _act, but=route.intent) or step


def _act_traced(asked: Asked, route: Route) -> Step:
    """Return the step of a route, with what it leaves where it is the last of a turn."""
    step = _act(asked, route)
    return _traced(asked, route, step) if step.text and not step.calls else step


@keep_latest
def _act(asked: Asked, route: Route) -> Step:
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
        return look_further.from_notes(asked, route)
    step = (
        look_further.do_instead(asked, route)
        if route.intent == "instead"
        else look_further.look_further(asked, route)
    )
    # The calendar may know nothing of what a note does: “when is the meeting about the roof?”
    if route.intent in OF_DAYS and asked.results and not step.calls:
        is_named = route.intent == "events" and bool(route.get("words"))
        more = look_further.also_from_notes if is_named else look_further.of_day_in_notes
        return more(asked, route, step)
    return step


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
