"""A change of the one thing that a message names, where other words are left over: it is asked."""

import functools
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.answers import targets, todo_changes
from app.agent.rules.changes import days, levels, named, readings, reused, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.near import near
from app.agent.rules.passages import questions
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, ThingKind

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
_NOUN = re.compile(r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}")
LETTERS = 3
"""So many letters, not all together in it, may point at a name."""


def offer(asked: Asked, route: Route, step: Step) -> Step:
    """Return the question whether a change is meant of the one thing that a message names, where it
    came to nothing but has a word of that change; else the step.
    """
    language = route.get("written") or route.language
    asks = step.trace.asks if step.trace else None
    guess = asks.arguments.get("plain", "") if asks and asks.intent == near.INTENT else ""
    if not guess and (asks or (step.trace and step.trace.undo)):
        return step
    if not (guess or step.empty or route.intent in UNSURE) or not _may(asked, language):
        return step
    asked, day = _by_day(asked, language)
    wish = _wish(asked, language)
    if wish is None or (guess and not _is_surer(wish, guess)):
        return step
    if guess and told.may_tell(asked, route, language):
        return step  # “Ben saw to it yesterday” moves nothing
    found = reused.reuse(asked, functools.partial(_ask, wish, day))
    return found if found.text or found.calls else step


def _is_surer(wish: Route, guess: str) -> bool:
    """Return whether a word of a change says more than what is only like it: a wish of another kind
    that says to what.
    """
    like = routing.route_message(guess, before=wish.language)
    return wish.intent != like.intent and bool(wish.get("day") or wish.get("by"))


def _may(asked: Asked, language: Language) -> bool:
    """Return whether a message may wish a change, in a language that says when one is finished."""
    if not language_data.has_table(language, Changes) or len(asked.message) > readings.LONGEST:
        return False
    words, text = words_of(language), Marked(asked.message).text
    asks = words.asks.search(text) or text.rstrip().endswith(("?", "？"))
    table = language_data.load_table(language, Changes)
    return bool(table.finished or table.reason) and not asks


def _wish(asked: Asked, language: Language) -> Route | None:
    """Return the change of which a message has a word, the last where it has several."""
    words, text = words_of(language), Marked(asked.message).text
    cues = {**words.cues, "reschedule": words.shifts}
    found: list[tuple[int, Route]] = []
    for kind in (one for one in readings.kinds_of(asked, language) if one in OF):
        # “… 2 will do” has no word for priorities after a turn about them.
        place = max((one.start() for one in cues[kind].finditer(text)), default=len(text) - 1)
        start, clause = _clause_at(asked.message, place, language)
        # The day stands beside the verb, and another one in a reason.
        wishes = (_of_kind(asked, one, kind, language) for one in (clause, asked.message))
        is_else = kind == "reschedule" and _tells_else(asked, clause, language)
        wish = None if is_else else next(filter(None, wishes), None)
        denied = _is_denied(clause[: place + 1 - start], kind, language)
        found += [(place, wish)] if wish and not denied else []
    if found:
        return max(found, key=lambda one: one[0])[1]
    done = words.finished.search(text)
    if done is None:
        return None
    _, clause = _clause_at(asked.message, done.end() - 1, language)
    if _is_denied(clause, "complete", language):
        return None
    return Route("complete_todo", language, {})


def _tells_else(asked: Asked, clause: str, language: Language) -> bool:
    """Return whether a clause tells that something is done, or wishes it so much earlier, which no
    plain words say.
    """
    done = words_of(language).finished.search(Marked(clause).text)
    return bool(done or days.shift(asked, Marked(clause), language).get("earlier"))


def _clause_at(message: str, place: int, language: Language) -> tuple[int, str]:
    """Return where the clause of a message begins that has a place in it, and that clause."""
    ends = list(words_of(language).join.finditer(Marked(message).text))
    start = max((one.end() for one in ends if one.end() <= place), default=0)
    end = min((one.start() for one in ends if one.start() > place), default=len(message))
    return start, message[start:end]


def _of_kind(asked: Asked, text: str, kind: ChangeKind, language: Language) -> Route | None:
    """Return the change of a kind; None where a text does not say all of it."""
    intent, field, _ = OF[kind]
    marked = Marked(text)
    arguments = {field: "yes"} if field else {}
    if kind == "reschedule":
        arguments = days.shift(asked, marked, language)
        day = "" if arguments else days.new_day(asked, marked, language)
        arguments = {"day": day} if day else arguments
        if not arguments:
            return None
    if kind == "priority":
        level = dialogue_words.priority_of(levels.level(marked, language), language)
        if level is None:
            return None
        arguments = {"number": str(level)}
    return Route(intent, language, arguments)


def _is_denied(clause: str, kind: ChangeKind, language: Language) -> bool:
    """Return whether the clause of a word for a change says that it is not to be."""
    words, marked = words_of(language), Marked(clause)
    for pattern in (words.cues[kind], words.also[kind]):
        marked.fit(pattern, "c")
    return marked.has(words.denies)


def _ask(wish: Route, day: datetime | date | None, asked: Asked) -> Step:
    """Return the question whether a change is meant, or of which of several things."""
    if not near.has_looked(asked):
        return Step(calls=near.looks(asked))
    things = _due_on(asked, day) if day else _things(asked, wish)
    if len(things) > 1:
        about = {name: value for name, value in wish.arguments.items() if name != "number"}
        level = wish.get("number")
        about |= {"priority": level} if level else {}
        return targets.ask_which(Route(wish.intent, wish.language, about), things)
    if not things:
        return Step()
    field = next(iter(wish.arguments), "")
    arguments = {"wish": wish.intent, "field": field, **wish.arguments}
    return near.ask_meant(Route("mean", wish.language, arguments, things)) or Step()


def _things(asked: Asked, wish: Route) -> tuple[Thing, ...]:
    """Return what a message names of the things that a wish may be of; else what the turn before
    was about.
    """
    kinds = next(of for intent, field, of in OF.values() if intent == wish.intent)
    things = near.things(asked)
    is_open = {one.id for one in told.open_todos(asked)}
    may = [
        one
        for one in things
        if one.kind in kinds
        and (one.kind != "todo" or (one.id not in is_open) == bool(wish.get("reopen")))
    ]
    found = [
        one
        for one in named.find(asked, Marked(asked.message), may, kinds, wish.language)
        if wish.arguments
        or not any(
            other.kind == "person" and asked.message[one.start : one.end] in other.title
            for other in things
        )
    ]
    if found:
        sure = [
            one
            for one in found[0].things
            if one.kind == "todo" or _is_whole(asked, one, wish.language)
        ]
        return tuple(sure) if wish.intent == "delete" else found[0].things
    if pointed := _of_letters(asked, may, wish):
        return pointed
    return references.newest(asked, kinds).things if wish.arguments else ()


def _is_whole(asked: Asked, thing: Thing, language: Language) -> bool:
    """Return whether a message names a note itself, and not only what stands in it."""
    return thing.title in asked.message or slots.names_note([asked.message], language)


def _of_letters(asked: Asked, things: Sequence[Thing], wish: Route) -> tuple[Thing, ...]:
    """Return the things whose names have all letters that are left of a message: “the writing one”
    is of those that begin with “write”.
    """
    words, marked = words_of(wish.language), Marked(asked.message)
    for kind, (intent, *_) in OF.items():
        if intent == wish.intent:
            marked.fit(words.cues[kind], "c")
            marked.fit(words.also[kind], "p")
    letters = marked.left(words)
    fitting = tuple(one for one in things if letters and set(letters) <= set(one.title))
    return fitting if len(letters) <= LETTERS else ()


def _by_day(asked: Asked, language: Language) -> tuple[Asked, datetime | date | None]:
    """Return what is said of the one that is due on a day, where no spaces part words, and that
    day: “木曜の6時のやつ、30分遅くなった”.
    """
    the_one = next(dialogue_words.tables(language)).the_one
    found = None if words_of(language).spaced else dialogue_words.find_in(the_one, asked.message)
    # “14日” alone may be a length of time.
    said = (found["words"], f"{found['words']}{days.TO_DAY}") if found else ()
    day = next((one for one in said if dialogue_words.is_day(one, asked, language)), "")
    if not found or not day:
        return asked, None
    read = quickadd.read_line(f"x {day}", now=asked.now, locale=language)
    rest = asked.message[found.end() :].lstrip("はをもが、 ")
    return msgspec.structs.replace(asked, message=rest), read.due


def _due_on(asked: Asked, day: datetime | date) -> tuple[Thing, ...]:
    """Return the open todos that are due on a day, or at that time of it."""
    due = {
        row["id"]: todo_changes.due_moment(row, asked.now)
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
    }
    last = day.date() if isinstance(day, datetime) else day
    then = [
        (one, moment)
        for one in told.open_todos(asked)
        if (moment := due.get(one.id)) and moment.date() == last
    ]
    timed = [one for one, moment in then if moment == day]
    return tuple(timed or [one for one, _ in then])


def is_duty(asked: Asked, route: Route) -> bool:
    """Return whether a message only says what must be done by a day, where no spaces part words:
    what it names may be there already.
    """
    language = route.get("written") or route.language
    if route.intent != "add_todo" or route.get("tasks") or not questions.is_asian(asked.message):
        return False
    words, text = words_of(language), Marked(asked.message).text
    said = any(words.cues[kind].search(text) for kind in ("todo", "append"))
    return bool(words.must.search(text) and not said and days.find(text, asked, language))


def offer_same(asked: Asked, route: Route) -> Step | None:
    """Return the question whether the one todo that a duty names is to be due by its day, and no
    new one is meant: “会費28日までに払わなきゃ”.
    """
    if not is_duty(asked, route):
        return None
    if not near.has_looked(asked):
        return Step(calls=near.looks(asked))
    language = route.get("written") or route.language
    words, marked = words_of(language), Marked(asked.message)
    day = days.new_day(asked, marked, language)
    for one in named.find(asked, marked, told.open_todos(asked), ("todo",), language)[:1]:
        marked.mark([one[1:]], named.NAME)
        for pattern in (words.must, words.courtesy):
            marked.fit(pattern, "p")
        is_all = not _NOUN.search(marked.left(words))
        if len(one.things) == 1 and one.end - one.start >= LETTERS and is_all:
            wish = {"wish": "change_todo", "field": "day", "day": day}
            return near.ask_meant(Route("mean", language, wish, one.things))
    return None
