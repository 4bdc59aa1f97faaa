"""A change of what a message names or goes on from, where other words are left over: it is asked.

A word of the change tells which, else the day: what has one of its own is moved to it.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.answers import targets
from app.agent.rules.changes import days, levels, named, plain_tasks, readings, reused, told
from app.agent.rules.changes.marked import Marked, clause_at, is_old, words_of
from app.agent.rules.changes.named import Named
from app.agent.rules.dialogue import dialogue_words, references, slots
from app.agent.rules.dialogue.references import Reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.mentions import asking, mentions, parts
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Step, Thing, ThingKind, Trace

OF: Mapping[ChangeKind, tuple[str, str, tuple[ThingKind, ...]]] = {
    "undate": ("change_todo", "clear", ("todo",)),
    "priority": ("change_todo", "number", ("todo",)),
    "unpin": ("pin_note", "unpin", ("note",)),
    "pin": ("pin_note", "", ("note",)),
    "reopen": ("change_todo", "reopen", ("todo",)),
    "complete": ("complete_todo", "", ("todo",)),
    "delete": ("delete", "", ("todo", "note")),
    "reschedule": ("change_todo", "day", ("todo",)),
}
"""The changes that may be asked about: the intent, what it changes, and the things it is of."""
UNSURE = frozenset({"ask", "cannot"})
WRITES: tuple[ChangeKind, ...] = ("todo", "todos", "note", "append", "step", "message")
"""The changes whose words say that something is written down."""


def offer(asked: Asked, route: Route, step: Step) -> Step:
    """Return the question whether a change is meant of the one thing that a message names, where it
    came to nothing but has a word of that change; else the step.
    """
    language = route.get("written") or route.language
    asks = step.trace.asks if step.trace else None
    guess = asks.arguments.get("plain", "") if asks and asks.intent == asking.INTENT else ""
    # “Nothing fits … Do you mean …?”
    unfit = asks is not None and len(asks.choices) == 1 and not asks.lacks
    # “What do you mean?”
    unfit = unfit or (asks is not None and asks.lacks == "thing" and not asks.choices)
    if (asks and not (guess or unfit)) or (step.trace and step.trace.undo):
        return step
    may = asks or step.empty or route.intent in UNSURE or _moves_all(asked, language)
    if not may or not _may(asked, language):
        return step
    asked, day = days.by_day(asked, language)
    wish = _wish(asked, language)
    if wish is None:
        return step
    surer = not asks or bool(guess and _is_surer(asked, wish, guess))
    if guess and not is_to_come(asked, wish.get("day")) and told.may_tell(asked, route, language):
        return step  # “Ben saw to it yesterday” moves nothing
    found = reused.reuse(asked, functools.partial(_ask, wish, day))
    mine = found.trace.asks if found.trace else None
    return found if found.calls or (found.text and (surer or _says_more(mine, asks))) else step


def _says_more(mine: Question | None, asks: Question | None) -> bool:
    """Return whether a question is about more things than another, or a day beside it: “the flour
    and the butter, both to Friday”.
    """
    if (
        mine is None
        or asks is None
        or mine.lacks != "yes"
        or not {*mine.choices} >= {*asks.choices}
    ):
        return False
    more = (
        "day" in mine.arguments and "plain" not in asks.arguments and not asks.arguments.get("day")
    )
    return {*mine.choices} > {*asks.choices} or more


def _is_surer(asked: Asked, wish: Route, guess: str) -> bool:
    """Return whether a word of a change says more than what is only like it: a wish of another kind
    that says to what, or another day of those that a message names.
    """
    like = routing.route_message(guess, before=wish.language)
    adds = words_of(wish.language).cues["todo"].search(Marked(asked.message).text)
    if adds and like.intent == "add_todo":
        return False
    if wish.intent == like.intent:  # what is only like it may have the day that was
        old = like.get("day")
        return bool(old and wish.get("day") not in ("", old) and old in asked.message)
    return bool(wish.get("day") or wish.get("by"))


def _may(asked: Asked, language: Language) -> bool:
    """Return whether a message may wish a change; “Thursday's full. Friday?” asks nothing else."""
    if not language_data.has_table(language, Changes) or len(asked.message) > readings.LONGEST:
        return False
    words, text = words_of(language), Marked(asked.message).text
    asks = words.asks.search(text) is not None
    if not asks and text.rstrip().endswith(("?", "？")):
        _, last = clause_at(asked.message, len(text.rstrip(" ?？")) - 1, language)
        asks = not slots.only_days(last.strip(" ?？"), asked, language)
    return not asks


def _wish(asked: Asked, language: Language) -> Route | None:
    """Return the change of which a message has a word, the last where it has several."""
    words, text = words_of(language), Marked(asked.message).text
    cues = {**words.cues, "reschedule": words.shifts}
    found: list[tuple[int, Route]] = []
    for kind in (one for one in readings.kinds_of(asked, language) if one in OF):
        # “… 2 will do” has no word for priorities after a turn about them.
        place = max((one.start() for one in cues[kind].finditer(text)), default=len(text) - 1)
        start, clause = clause_at(asked.message, place, language)
        # The day stands beside the verb, and another one in a reason.
        whole = 0, len(asked.message)
        places = ((start, start + len(clause)), whole)
        # “Not that urgent, 3 is plenty” says how much it is.
        is_beside = kind == "priority" and not re.search(r"\d", clause)
        places = places[::-1] if is_beside and re.search(r"\d", asked.message) else places
        wishes = (_of_kind(asked, *one, kind, language) for one in places)
        is_else = kind == "reschedule" and tells_else(asked, clause, language)
        wish = None if is_else else next(filter(None, wishes), None)
        denied = kind != "priority" and is_denied(clause[: place + 1 - start], kind, language)
        found += [(place, wish)] if wish and not denied else []
    if found:
        return max(found, key=lambda one: one[0])[1]
    done = words.finished.search(text)
    if done is None:
        return _moved(asked, language)
    _, clause = clause_at(asked.message, done.end() - 1, language)
    if is_denied(clause, "complete", language):
        return None
    return Route("complete_todo", language, {})


def _moved(asked: Asked, language: Language) -> Route | None:
    """Return that something gets the last day that a message names, where no word says a change:
    “the vaccination, I keep forgetting … tomorrow then”.
    """
    found = days.find(asked.message, asked, language)
    words, text = words_of(language), Marked(asked.message).text
    if not found or any(words.cues[kind].search(text) for kind in WRITES):
        return None
    start, clause = clause_at(asked.message, found[-1][0], language)
    if words.done.search(clause.lower()) or Marked(clause).has(words.denies):
        return None
    day = _day_within(asked, start, start + len(clause), language)
    if all(one.kind == "time" for one in quickadd.read_line(f"x {day}", now=asked.now).spans):
        day = _day_within(asked, 0, len(asked.message), language)  # “tomorrow after work, 17:30”
    return Route("change_todo", language, {"day": day}) if is_to_come(asked, day) else None


def _day_within(asked: Asked, start: int, end: int, language: Language) -> str:
    """Return the day that begins in a part of a message, and is not one from which is moved."""
    text, words = Marked(asked.message).text, words_of(language)
    said = [
        asked.message[slice(*one)].strip(" ,，、")
        for one in days.find(asked.message, asked, language)
        if start <= one[0] < end and not is_old(text, *one, words)
    ]
    day = " ".join(mentions.shortest_day(asked, one) for one in said)
    # “All of today to Wednesday” names two.
    return day if not said or dialogue_words.is_day(day, asked, language) else said[-1]


def _day_of(due: date | datetime) -> date:
    return due.date() if isinstance(due, datetime) else due


def is_to_come(asked: Asked, day: str) -> bool:
    """Return whether a day or time is not past."""
    due = quickadd.read_line(f"x {day}", now=asked.now).due
    return due is not None and _day_of(due) >= asked.now.date()


def tells_else(asked: Asked, clause: str, language: Language) -> bool:
    """Return whether a clause tells that something is done, or wishes it so much earlier, which no
    plain words say.
    """
    done = words_of(language).finished.search(Marked(clause).text)
    return bool(done or days.shift(asked, Marked(clause), language).get("earlier"))


def _of_kind(
    asked: Asked, start: int, end: int, kind: ChangeKind, language: Language
) -> Route | None:
    """Return the change of a kind; None where that part of a message does not say all of it."""
    intent, field, _ = OF[kind]
    marked = Marked(asked.message[start:end])
    arguments = {field: "yes"} if field else {}
    if kind == "reschedule":
        arguments = days.shift(asked, marked, language)
        day = "" if arguments else _day_within(asked, start, end, language)
        arguments = {"day": day} if day else arguments
        if not arguments:
            return None
    if kind == "priority":
        level = dialogue_words.priority_of(levels.level(marked, language), language)
        if level is None:
            return None
        day = _day_within(asked, 0, len(asked.message), language)
        arguments = {"number": str(level), **({"day": day} if is_to_come(asked, day) else {})}
    return Route(intent, language, arguments)


def is_denied(clause: str, kind: ChangeKind, language: Language) -> bool:
    """Return whether the clause of a word for a change says that it is not to be."""
    words, marked = words_of(language), Marked(clause)
    for pattern in (words.cues[kind], words.also[kind]):
        marked.fit(pattern, "c")
    return marked.has(words.denies)


def _ask(wish: Route, day: datetime | date | None, asked: Asked) -> Step:
    """Return the question whether a change is meant, or of which of several things."""
    if not asking.has_looked(asked):
        return Step(calls=asking.looks(asked))
    meant = _due_then(asked, day) if day else _meant(asked, wish)
    things = meant.things or meant.unsure
    if wish.get("day") and plain_tasks.is_new(asked, things, wish.language):
        return Step()  # “I must call the garage by Friday” moves no other call
    return ask_of(wish, meant)


def ask_of(wish: Route, meant: Reference) -> Step:
    """Return the question whether a change of things is meant, or of which; nothing without any."""
    if meant.unsure:
        about = {name: value for name, value in wish.arguments.items() if name != "number"}
        level = wish.get("number")
        about |= {"priority": level} if level else {}
        return targets.ask_which(Route(wish.intent, wish.language, about), meant.unsure)
    if not meant.things:
        return Step()
    fields = [one for one in wish.arguments if one != "earlier"]
    arguments = {"wish": wish.intent, "field": " ".join(fields), **wish.arguments}
    return asking.ask_meant(Route("mean", wish.language, arguments, meant.things)) or Step()


def may_be_of(asked: Asked, wish: Route) -> list[Thing]:
    """Return the things that a wish may be of: what is done only where that is opened again."""
    kinds = kinds_of(wish)
    is_open = {one.id for one in told.open_todos(asked)}
    return [
        one
        for one in asking.things(asked)
        if one.kind in kinds
        and (one.kind != "todo" or (one.id not in is_open) == bool(wish.get("reopen")))
    ]


def kinds_of(wish: Route) -> tuple[ThingKind, ...]:
    """Return the kinds of things that a wish may be of."""
    return next(of for intent, _, of in OF.values() if intent == wish.intent)


def named_in(asked: Asked, text: str, wish: Route) -> list[Named]:
    """Return what a text names of the things that a wish may be of, and not only a person."""
    part = msgspec.structs.replace(asked, message=text)
    people = [one.title for one in asking.things(asked) if one.kind == "person"]
    return [
        one
        for one in named.find(
            part, Marked(text), may_be_of(asked, wish), kinds_of(wish), wish.language
        )
        if wish.arguments or not any(text[one.start : one.end] in name for name in people)
    ]


def surely(asked: Asked, things: Sequence[Thing], wish: Route) -> tuple[Thing, ...]:
    """Return the things that a wish may be of: a note only goes where it is named itself."""
    if wish.intent != "delete":
        return tuple(things)
    return tuple(
        one for one in things if one.kind == "todo" or _is_whole(asked, one, wish.language)
    )


def _meant(asked: Asked, wish: Route) -> Reference:
    """Return what a message names of the things that a wish may be of; else what the turn before
    was about.
    """
    may = may_be_of(asked, wish)
    spans = days.find(asked.message, asked, wish.language)
    shifts = words_of(wish.language).shifts.search(Marked(asked.message).text)
    bare = wish.get("day") and not shifts

    def said(one: Named) -> str:
        return asked.message[one.start : one.end]

    # “Friday” does not name “Book a table for Friday”.
    found = [
        one
        for one in named_in(asked, asked.message, wish)
        if not any(start <= one.start and one.end <= end for start, end in spans)
        and not (bare and told.says_verb(said(one), one.things, wish.language))
    ]
    if day := _all_of_day(asked, may, wish):
        return Reference(day)
    late = days.overdue(asked, may, wish.language)
    if late and not found:
        return Reference(late)
    rest = asked.message
    for start, end in spans:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    if bare:
        verbs = [one for one in split_words(rest) if told.says_verb(one, may, wish.language, any)]
        rest = " ".join(one for one in split_words(rest) if one not in verbs)
    parts_of = told.named_in_part(rest, may, wish.language)
    if parts_of and not (found and named.has_word(asked.message, found[0])):
        return one_of(parts_of)
    if found:
        if both := _both(asked, found, wish.language):
            return Reference(both)
        return one_of(surely(asked, found[0].things, wish))
    if wish.intent == "complete_todo" and (one := told.by_verb(asked, may, wish.language)):
        return Reference(one)
    last = asked.earlier[0] if asked.earlier else Trace()
    is_it = last.undo and slots.has_kind(asked.message, wish.language, "it")
    return Reference(
        references.newest(asked, kinds_of(wish)).things if wish.arguments or is_it else ()
    )


def one_of(things: tuple[Thing, ...]) -> Reference:
    """Return that one of these is meant."""
    return Reference((), things) if len(things) > 1 else Reference(things)


def _moves_all(asked: Asked, language: Language) -> bool:
    """Return whether a message moves all of one day, or all that is overdue, to another."""
    late = dialogue_words.tables(language)[0].filters["overdue"]
    is_late = dialogue_words.find_in(late, dialogue_words.bare(asked.message)) is not None
    says_all = references.says_all(asked.message, language)
    if not (is_late or says_all):
        return False
    moves = (is_late and says_all) or "reschedule" in readings.kinds_of(asked, language)
    return moves and len(days.find(asked.message, asked, language)) > (not is_late)


def _all_of_day(asked: Asked, todos: Sequence[Thing], wish: Route) -> tuple[Thing, ...]:
    """Return the todos of the day that a message names first, where it moves all of them."""
    found = days.find(asked.message, asked, wish.language)
    if not wish.get("day") or len(found) < 2 or not _moves_all(asked, wish.language):
        return ()
    old = quickadd.read_line(f"x {asked.message[slice(*found[0])]}", now=asked.now).due
    return days.due_on(asked, _day_of(old), todos) if old else ()


def _both(asked: Asked, found: Sequence[Named], language: Language) -> tuple[Thing, ...]:
    """Return the two things that a message names side by side, or that a word for both means."""
    first = found[0]
    others = [
        one
        for one in found[1:]
        if len(one.things) == len(first.things) == 1
        and one.things != first.things
        and (one.end <= first.start or first.end <= one.start)
        and (references.both_in(asked.message, language) or _is_beside(asked, one, first))
    ]
    both = sorted([first, *others[:1]], key=lambda one: one.start)
    return tuple(thing for one in both for thing in one.things) if others else ()


def _is_beside(asked: Asked, one: Named, other: Named) -> bool:
    """Return whether only little words stand between two names: “and the”."""
    between = asked.message[min(one.end, other.end) : max(one.start, other.start)]
    return (
        bool(between.strip())
        and not re.search("[.;!?]", between)
        and all(part.word in questions.little() for part in parts.split(between))
    )


def _is_whole(asked: Asked, thing: Thing, language: Language) -> bool:
    """Return whether a message names a note itself, and not only what stands in it."""
    is_named = plain_letters(thing.title).lower() in Marked(asked.message).text
    return is_named or slots.names_note([asked.message], language)


def _due_then(asked: Asked, day: datetime | date) -> Reference:
    """Return the todo that is due on a day, or those of which one is meant."""
    found = days.due_on(asked, day, told.open_todos(asked))
    return Reference(found) if len(found) == 1 else Reference((), found)
