"""What else a message may mean where the first reading finds nothing, or was of another thing."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from app.agent.quickadd import time_ranges
from app.agent.quickadd.time_ranges import Range
from app.agent.rules import past_days
from app.agent.rules.answers import (
    calendar_answers,
    list_answers,
    note_answers,
    targets,
    todo_states,
    undo,
)
from app.agent.rules.dialogue import day_rows, dialogue_words, resolve_reference, slots, view_words
from app.agent.rules.intents import INTENTS, TRIED
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.reckoning import words, written_dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

SHORTEST = 3
"""So many letters has a word at least by which a todo is told to be meant."""
INSTEAD = "instead"
LISTED = frozenset({calendar_answers.TOOL, "search_todos"})
"""The tools that list what there is on a day."""
"""The argument with the intent that is tried next, and what its own arguments begin with."""


def do_instead(asked: Asked, route: Route) -> Step:
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
        # of “the gas I paid, not the corks” only what was not done
        about = asked.earlier[0].about
        meant = tuple(one for one in found if one not in about) or found
        return Step()

    looked = replay(asked, look)
    if not meant:
        return offer_next(asked, wish, looked.step)
    # “No, the bike not” of several takes that one back.
    back = meant if {*meant} < {*asked.earlier[0].about} else ()
    taken = msgspec.structs.replace(route, things=back)
    undone = replay(looked.rest, lambda part: undo.undo(part, taken))
    if undone.step.calls:
        return offer_next(looked.rest, wish, undone.step)
    if {*meant} <= {*asked.earlier[0].about}:
        return undone.step  # “that was not it yet” of the very thing
    step = INTENTS[intent](undone.rest, msgspec.structs.replace(wish, things=meant))
    if step.calls:
        return offer_next(undone.rest, wish, step)
    trace = msgspec.structs.replace(step.trace or Trace(), intent=intent)
    return msgspec.structs.replace(step, text=f"{undone.step.text}\n{step.text}", trace=trace)


def look_further(asked: Asked, route: Route) -> Step:
    """Return the step of an intent; where that finds nothing, of what else may be meant.

    A question that the notes do not answer may be one of a todo, and what was only likely a wish
    may be a question.
    """
    meant, tried = route, (route.intent, route.is_loose)
    if route.is_loose and route.intent == "todo_state" and _is_about_notes(asked):
        # What was asked of a note is asked of it again: “and when do I return?”
        route = msgspec.structs.replace(route, intent="ask", arguments={})
    if route.intent == "ask" and route.get("followed"):
        # “and how much is it?” of a todo is asked of its description first
        told = replay(asked, lambda part: todo_states.of_told(part, route))
        if not told.step.empty:
            return offer_next(asked, route, told.step)
        asked = told.rest
    first = _until_empty(asked, route)
    if not first.step.empty:
        return offer_next(asked, route, first.step)
    if any(result.failed for result in asked.results) and not route.get("folder"):
        return first.step  # what was refused is not asked for again under another name
    others = [one for one in _others(asked, route) if (one.intent, one.is_loose) != tried]
    if meant is not route:
        others = [meant]
    rest = first.rest
    for other in others:
        found = _until_empty(rest, other)
        if not found.step.empty:
            return offer_next(rest, other, found.step)
        rest = found.rest
        near = first.step.trace and first.step.trace.shown
        if route.get("days") and other.intent == route.intent and not near:
            return msgspec.structs.replace(found.step, empty=False)
        shows = bool(not near and found.step.trace and found.step.trace.shown)
        shows = shows and not questions.is_asian(asked.message)  # two letters are soon near
        if other.intent == "ask" and (shows or route.is_loose) and _reads(asked, route):
            # Where nothing is found at all, it is said of the notes.
            first = Tried(found.step, rest)
    # Of a day that has been, what is due on the next such day says nothing either.
    empty = first.step.empty and route.intent != past_days.INTENT
    return msgspec.structs.replace(first.step, empty=empty)


def _reads(asked: Asked, route: Route) -> bool:
    """Return whether nothing is told to be done: “how many colonies in all” is no such thing."""
    language = route.get("written") or route.language
    return route.intent != "complete_todo" or slots.has_kind(asked.message, language, "asks")


def _is_about_notes(asked: Asked) -> bool:
    """Return whether the turn before quoted or showed a note."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return any(one.kind == "note" for one in last.about)


class Tried(NamedTuple):
    """What came of an intent, and what is asked with the results that it left."""

    step: Step
    rest: Asked


def _until_empty(asked: Asked, route: Route) -> Tried:
    """Return the step of an intent with as many of the results as it takes to find nothing.

    All of them where it finds something, or has more to look at.
    """
    step = INTENTS[route.intent](asked, route)
    if route.intent not in TRIED or not asked.results:
        return Tried(step, asked)
    tried = replay(asked, lambda part: INTENTS[route.intent](part, route))
    return tried if tried.step.empty else Tried(step, asked)


def replay(asked: Asked, act: Callable[[Asked], Step]) -> Tried:
    """Return the step to which something comes that begins without results, and what is asked with
    the results that it did not use.
    """
    count = 0
    while True:
        step = act(msgspec.structs.replace(asked, results=asked.results[:count]))
        used = count + len(step.calls)
        if not step.calls or used > len(asked.results):
            return Tried(step, msgspec.structs.replace(asked, results=asked.results[count:]))
        count = used


def _others(asked: Asked, route: Route) -> list[Route]:
    """Return what else a message may ask for."""
    ask = msgspec.structs.replace(route, intent="ask", arguments={}, is_loose=False)
    words = {"words": _without_days(asked, route)}
    state = msgspec.structs.replace(ask, intent="todo_state", arguments=words)
    if asked.persona.owner or route.get("context"):
        return [ask] if route.is_loose else []
    if route.intent == "ask":
        # A todo's name may tell to whom, but not where or why: its description may.
        kind = questions.read_question(asked.message).kind
        only = {todo_states.DESCRIPTION_ONLY: "yes"} if kind in ("where", "why", "price") else {}
        return [msgspec.structs.replace(state, arguments={**words, **only})]
    if route.intent == "days_left":
        return []  # the notes were asked
    if route.intent == past_days.INTENT:
        return [ask] if questions.read_question(asked.message).kind else []
    if route.intent == "tell_view":
        before = {
            name.removeprefix(INSTEAD): value
            for name, value in route.arguments.items()
            if name.startswith(INSTEAD) and name != INSTEAD
        }
        intent = route.get(INSTEAD) or "ask"
        instead = msgspec.structs.replace(route, intent=intent, arguments=before)
        # That no folder is called so has been seen.
        named = _note_called(ask, before.get("folder", "")) or [instead]
        return list({one.intent: one for one in (*named, ask, state)}.values())
    if route.is_loose and route.get("folder"):
        return [*_note_called(ask, route.get("folder")), ask]
    if route.get("days"):
        # “How does Friday look?” names a day, and no word of what there is.
        return [ask, msgspec.structs.replace(route, is_loose=False)]
    if route.intent == "complete_todo" and (note := _list_before(asked)):
        item = {"text": route.get("words")}
        return [msgspec.structs.replace(route, intent="tick_item", arguments=item, things=note)]
    return [ask, state] if route.is_loose else []


def _note_called(route: Route, folder: str) -> list[Route]:
    """Return that one note of the name of a folder is to be shown: “the garden notes”."""
    named = {"target": folder}
    return [msgspec.structs.replace(route, intent="show_note", arguments=named)] if folder else []


def _without_days(asked: Asked, route: Route) -> str:
    """Return what a question after a day is about, without the days that it names itself."""
    text = dialogue_words.bare(route.said or asked.message)
    language = route.get("written") or route.language
    if "when" not in view_words.sort_words(text, language).said:
        return ""
    days = dialogue_words.find_days(text, asked.now)
    text = f"{text[: days[1]]} {text[days[2] :]}" if days else text
    # Where no spaces part words, those that ask stand between those of the name.
    if not questions.is_asian(text):
        return text
    return " ".join(view_words.sort_words(text, language).rest)


def _beside_day(
    asked: Asked, text: str, when: str, language: Language
) -> tuple[str, str, Range | None]:
    """Return the words of a text that ask for more than what there is on its day, those for the
    day, `when` that is known, and the day; no words where it names no day.
    """
    text = dialogue_words.bare(text)
    if (said := _day_said(asked, text, when)) is None:
        return "", "", None
    day, start, end = said
    rest = f"{text[:start]} {text[end:]}"
    if part := time_ranges.find_part(rest):
        rest = f"{rest[: part[1]]} {rest[part[2] :]}"
    sorted_words = view_words.sort_words(rest, language)
    # what is left where no spaces part words may be a part of one
    is_none = "todo" in sorted_words.said or questions.is_asian(text)
    left = " ".join(sorted_words.rest)
    if not left and questions.read_question(text).kind == "who":
        left = rest.strip(" ?")  # “who's coming on Christmas Eve?”
    return "" if is_none else left, text[start:end].strip(), day


def _day_said(asked: Asked, text: str, when: str) -> tuple[Range | None, int, int] | None:
    """Return the day that a text names, or the part of one, and from where to where it does; of
    `when`, too, where that is known. None where it names none.
    """
    found = dialogue_words.find_days(text, asked.now)
    if found := found or dialogue_words.bare_weekday(text, asked.now):
        return found
    if when and (at := text.find(dialogue_words.bare(when))) >= 0:
        return time_ranges.read(when, asked.now), at, at + len(when)
    if part := time_ranges.find_part(text):
        return time_ranges.next_with(part[0], asked.now), *part[1:]
    return None


def _list_before(asked: Asked) -> tuple[Thing, ...]:
    """Return the note that the turn before was about, where it was one."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return last.about if len(last.about) == 1 and last.about[0].kind == "note" else ()


def offer_next(asked: Asked, route: Route, step: Step) -> Step:
    """Return a step without the calls of tools that are not offered, or what is told instead."""
    missing = [name for name, _ in step.calls if name not in asked.tools]
    if not missing:
        return step
    # At the first step part of what was wanted is better than nothing.
    left = tuple(call for call in step.calls if call[0] in asked.tools)
    if left and not asked.results:
        return Step(calls=left)
    return list_answers.tell_not_allowed(asked, route, missing[0])


def also_from_notes(asked: Asked, route: Route, step: Step) -> Step:
    """Return what the notes say of a named event that is not in the calendar; else that it is not
    there.
    """
    if any(result.content["events"] for result in asked.of(calendar_answers.TOOL)):
        return step
    found = _in_notes(asked, msgspec.structs.replace(route, intent="ask"))
    return found if found.calls or found.quotes else step


def of_day_in_notes(asked: Asked, route: Route, step: Step) -> Step:
    """Return what a note says of a day where more is asked for than what there is on it: “which
    shift do I have on the 8th?”; else the step.
    """
    language = route.get("written") or route.language
    texts = (route.get("text"), asked.message)
    said = (_beside_day(asked, one, route.get("when"), language) for one in texts if one)
    named, day, wanted = next((one for one in said if one[0]), ("", "", None))
    rows = [row for one in asked.of(calendar_answers.TOOL) for row in one.content["events"]]
    rows += [row for one in asked.of("search_todos") for row in one.content["todos"]]
    titles = fold_text("\n".join(row["title"] for row in rows))
    if not named or any(len(word) >= SHORTEST and word in titles for word in named.split()):
        return step
    asks = {"text": f"{named} {day}", "written": language}
    found = _in_notes(asked, Route("ask", route.language, asks))
    plain = words.folded("\n".join(one.text for one in found.quotes))
    days = {one.day for one in written_dates.find(plain, asked.now.date()) if not one.is_month}
    if found.calls or wanted is None:
        return found if found.calls else step
    of_day = functools.partial(day_rows.begins, day=wanted.start.date(), now=asked.now)
    is_of_day = days == {wanted.start.date()} or (found.quotes and of_day(found.quotes[0].text))
    if not is_of_day and not _says(found, day):
        return step
    # “and on the 13th?” asks the same again
    trace = msgspec.structs.replace(
        found.trace or Trace(), intent="events", language=route.language, arguments=asks
    )
    return msgspec.structs.replace(found, trace=trace)


def _says(found: Step, day: str) -> bool:
    """Return whether what notes say of a day has its words: “Christmas Eve”, a column “Morning”."""
    said = {stem(one) for one in split_words(day)} - questions.little()
    text = {stem(one) for one in split_words(found.text)}
    return bool(found.quotes and said) and said <= text


def _in_notes(asked: Asked, route: Route) -> Step:
    """Return what the notes say, whatever the calendar has."""
    results = tuple(one for one in asked.results if one.tool not in LISTED)
    searched = msgspec.structs.replace(asked, results=results)
    return offer_next(searched, route, note_answers.answer_question(searched, route))


def from_notes(asked: Asked, route: Route) -> Step:
    """Return what the notes say of an event, for who may read them and not the calendar.

    Where they say nothing, that the calendar is not theirs.
    """
    step = offer_next(
        asked,
        route,
        note_answers.answer_question(asked, msgspec.structs.replace(route, intent="ask")),
    )
    return (
        step
        if step.calls or step.quotes
        else list_answers.tell_not_allowed(asked, route, calendar_answers.TOOL)
    )
