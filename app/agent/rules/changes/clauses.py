"""Wishes of which one clause names the thing and another says what is to be done with it."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from app.agent.rules.answers import targets
from app.agent.rules.changes import changes, days, named, readings, reused, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, ThingKind, Trace

Act = Callable[[Asked, Route], Step]
Understand = Callable[[Asked, Language], Route]
OF: Mapping[str, tuple[ThingKind, ...]] = {
    "change_todo": ("todo",),
    "complete_todo": ("todo",),
    "add_step": ("todo",),
    "delete": ("todo", "note"),
    "pin_note": ("note",),
    "move_note": ("note",),
    "change_note": ("note",),
}
"""The changes that a clause may wish of what another names, and the kinds of things they are of."""
TOLD = frozenset({"ask", "leave", "cannot", "todo_state", "complete_todo", "list_todos", "events"})
"""What a clause may only seem to be that tells about a thing."""
HARMLESS: frozenset[ChangeKind] = frozenset({"reschedule", "message", "move"})
"""The kinds of change whose words tell about a thing, too."""
CHANGES = frozenset({"change_todo", "rename"})
"""The changes of a todo that may be wished together."""
FIELDS = {"day", "by", "priority", "reopen", "clear", "title"}
"""The arguments of which each changes something else of a todo."""
GOES_ON = frozenset(
    {"change_todo", "complete_todo", "add_step", "append_note", "tick_item", "delete", "pin_note"}
)
"""The changes by which a clause may go on from the turn before, of what that was about."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]")
_LOANED = re.compile("[\u30a1-\u30ff]{2}|[a-zA-Z]{2}")  # “ロング走” is not named by its one letter
SOMETHING = (Thing("todo", -1, "\ue000"), Thing("note", -1, "\ue000"))
"""What a clause is about as long as nobody knows which."""


class Parted(NamedTuple):
    """A clause that may name a thing, the one that wishes something of it, and that wish."""

    lead: str
    rest: str
    wish: Route


def wishes(asked: Asked, route: Route, understand: Understand) -> list[Parted]:
    """Return how a message may be parted into clauses of one wish: “the trip is off, delete it”."""
    language = route.get("written") or route.language
    if route.intent == "complete_todo" and not route.is_loose:
        return []
    return [
        Parted(lead, rest, wish)
        for lead, rest in _parted(asked.message, language)
        if (wish := _about_it(asked, rest, language, understand))
        and (_only_tells(lead, language) or _duty(lead, language))
    ]


def go_on(
    asked: Asked, language: Language, continue_from: Callable[[Asked, Language], Route | None]
) -> Route | None:
    """Return what one clause asks for in the light of the turn before, where the other only tells
    something: “oh wait, they gave me feldspar, put it back”. Where spaces part words only that it
    be undone, as else a clause may end anywhere.
    """
    known = language_data.has_table(language, Changes)
    if not asked.earlier or asked.earlier[0].asks or not known:
        return None
    words = words_of(language)
    for one, other in _parted(asked.message, language):
        for wish, rest in ((other, one), (one, other)):
            part = msgspec.structs.replace(asked, message=wish)
            points = slots.has_kind(wish, language, "it")
            if _wishes_nothing(asked, rest, language, points) and (
                found := continue_from(part, language)
            ):
                is_text = found.intent in ("append_note", "add_step") and wish == one
                # “自行车，2” names another thing, “不急，2” states something of the last.
                names = wish.isdecimal() and not words.states.search(Marked(rest).text)
                settled = found.things and found.intent in GOES_ON and not (is_text or names)
                drops = not words.spaced and dialogue_words.whole(language, "drop", wish)
                undoes = slots.has_kind(wish, language, "undo") or drops
                # “That one's not done after all”
                denied = all(slots.has_kind(wish, language, one) for one in ("not_", "done"))
                undoes = undoes or (denied and asked.earlier[0].intent == "complete_todo")
                if (found.intent == "undo" and undoes) or (settled and not words.spaced):
                    return found
    return None


def _wishes_nothing(asked: Asked, text: str, language: Language, may_be_duty: bool) -> bool:
    """Return whether a clause neither wishes nor asks anything, but for what somebody has to do."""
    part = msgspec.structs.replace(asked, message=text, results=())
    words, plain = words_of(language), Marked(text).text
    asks = words.asks.search(plain) or re.search("[?？]", plain)
    wishes = set(readings.kinds_of(part, language)) - HARMLESS
    return not asks and not wishes and (may_be_duty or not words.must.search(plain))


def change(
    asked: Asked, route: Route, act: Act, understand: Understand, otherwise: Act, *, may: bool
) -> Step:
    """Return the step of a message whose clauses `may` be one wish, or what comes of it
    `otherwise`.
    """
    language = route.get("written") or route.language
    if not may or not language_data.has_table(language, Changes):
        return otherwise(asked, route)
    if wish := _both(asked, language, understand):
        return changes.traced(
            wish, act(asked, msgspec.structs.replace(wish, language=route.language))
        )
    found = wishes(asked, route, understand)
    tells = told.may_tell(asked, route, language)
    known = [(one.tool, one.arguments) for one in asked.results]
    if not (found or tells):
        if not any(call in known for call in asking.looks(asked)):
            return otherwise(asked, route)
        # what was looked up to find out is no answer to what is asked for
        return reused.reuse(asked, functools.partial(_settled, otherwise, route))
    if missing := tuple(call for call in asking.looks(asked) if call not in known):
        return Step(calls=missing)
    step = _change(asked, found, act)
    if step is None and tells:
        asks = told.ask(asked, language)
        if asks and not told.is_settled(asked, route, language, asks):
            return asks
        tried = reused.reuse(asked, functools.partial(_settled, otherwise, route))
        done = tried.trace is not None and tried.trace.undo
        step = tried if tried.calls or done else asks
    return step or reused.reuse(asked, functools.partial(_settled, otherwise, route))


def _both(asked: Asked, language: Language, understand: Understand) -> Route | None:
    """Return the two changes of one todo that a message wishes: “to Saturday, priority 3”."""
    for lead, rest in _parted(asked.message, language):
        part = msgspec.structs.replace(asked, message=lead, results=())
        if not readings.kinds_of(part, language):
            continue
        first = _understood(part, language, understand)
        if first.intent not in CHANGES or first.is_loose or not FIELDS & set(first.arguments):
            continue
        second = _about_it(asked, rest, language, understand)
        if second is None or second.intent != "change_todo" or second.is_loose:
            continue
        new = {name: value for name, value in second.arguments.items() if name != "target"}
        low = dialogue_words.tables(language)[0].filters["low"]
        if "day" in new and dialogue_words.find_in(low, lead) and not re.search(r"\d", lead):
            continue  # “换球拍线不急，放到30号吧” only says why
        if new and new.keys().isdisjoint(first.arguments):
            arguments = {**first.arguments, **new}
            return msgspec.structs.replace(first, intent="change_todo", arguments=arguments)
    return None


def _change(asked: Asked, found: Sequence[Parted], act: Act) -> Step | None:
    """Return the step of the first of these wishes whose thing is there; None where none is."""
    for lead, rest, wish in found:
        things = _named(asked, lead, wish)
        if not things or (len(things) > 1 and asked.earlier):
            continue
        if wish.get("priority") and not wish.get("day") and days.find(lead, asked, wish.language):
            continue  # “… should be done tomorrow, priority 5” has both
        if words_of(wish.language).cues["todo"].match(Marked(lead).text):
            continue  # “put the tarps on my list for Friday, priority 3”
        duty = "" if _only_tells(lead, wish.language) else _duty(lead, wish.language)
        if duty and not all(told.is_all_named(duty, one.title) for one in things):
            continue  # “I must buy bread, put it on Friday” is a new todo beside “Buy flour”
        settled = msgspec.structs.replace(wish, things=things)
        if len(things) > 1 or not _is_sure(things[0], lead, wish) or _is_open(asked, things, lead):
            return targets.ask_meant(settled, things)
        part = msgspec.structs.replace(asked, message=rest)
        step = reused.reuse(part, functools.partial(_settled, act, settled))
        return step if step.calls else changes.traced(settled, step)
    return None


def _is_open(asked: Asked, things: Sequence[Thing], lead: str) -> bool:
    """Return whether “it” may as well be what was spoken of last, which a clause names only in
    part: “no, dad's away then. Put it on the 4th”.
    """
    last = references.newest(asked, ("todo", "note")).things
    question = asked.earlier[0].asks if asked.earlier else None
    last = last or (question.choices if question else ())
    return (
        bool(last) and set(last).isdisjoint(things) and not told.is_all_named(things[0].title, lead)
    )


def _settled(act: Act, wish: Route, asked: Asked) -> Step:
    return act(asked, wish)


def _parted(message: str, language: Language) -> Iterator[tuple[str, str]]:
    """Yield what stands before and after each end of a clause, where both have words."""
    if len(message) > readings.LONGEST or "\n" in message.strip() or re.search('["“«「]', message):
        return
    for found in words_of(language).join.finditer(Marked(message).text):
        lead, rest = message[: found.start()].strip(), message[found.end() :].strip()
        if re.search(r"\w", lead) and re.search(r"\w", rest):
            yield lead, rest


def _about_it(asked: Asked, text: str, language: Language, understand: Understand) -> Route | None:
    """Return the change that a clause wishes of what was just spoken of; None where it names
    something itself, or wishes none.
    """
    if not readings.kinds_of(msgspec.structs.replace(asked, message=text), language):
        return None
    before = Trace(language=language, about=SOMETHING)
    part = msgspec.structs.replace(asked, message=text, results=(), earlier=(before,))
    wish = _understood(part, language, understand)
    tells = wish.intent == "complete_todo" and (wish.is_loose or wish.get("did"))
    if wish.intent not in OF or tells:
        return None
    if wish.intent == "change_todo" and FIELDS.isdisjoint(wish.arguments):
        return None
    if wish.things:
        return wish if set(wish.things) <= set(SOMETHING) else None
    target = wish.get("target") or wish.get("words")
    meant = references.refer(part, target, OF[wish.intent][:1], language) if target else None
    is_it = not target or (meant and set(meant.things) & set(SOMETHING))
    return wish if is_it or not Marked(target).left(words_of(language)) else None


def _understood(part: Asked, language: Language, understand: Understand) -> Route:
    """Return what a clause asks for, or the change that its words wish in any order."""
    found = understand(part, language)
    if found.intent != "ask":
        return found
    kinds = [one for one in readings.kinds_of(part, language) if one in readings.PLAIN]
    return next(iter(readings.read(part, kinds, (), language)), found)


def _only_tells(lead: str, language: Language) -> bool:
    """Return whether a clause wishes nothing itself, or only that something is not done."""
    words, text = words_of(language), Marked(lead).text
    if words.denies.search(text):
        return True
    found = routing.route_message(lead, before=language)
    return found.is_loose or found.intent in TOLD


def _duty(lead: str, language: Language) -> str:
    """Return what a clause says must be done; empty where it says nothing of that."""
    words = words_of(language)
    first = Marked(words.join.split(Marked(lead).text, maxsplit=1)[0])
    return first.left(words) if first.fit(words.must, "p") else ""


def _named(asked: Asked, lead: str, wish: Route) -> tuple[Thing, ...]:
    """Return what a clause names of the things that a wish may be of; several if one of them is
    meant.
    """
    part = msgspec.structs.replace(asked, message=lead)
    marked, things = Marked(lead), _that_may(asked, wish)
    # “That is of no use” names nothing by its verb.
    found = [
        one
        for one in named.find(part, marked, things, OF[wish.intent], wish.language)
        if told.names_one(lead[one.start : one.end], one.things, wish.language)
    ]
    places = [*found[:1], *(one for one in found[1:] if _is_other(one, found[0]))]
    if not places and questions.is_asian(lead):
        return _of_single_letters(lead, things)
    return tuple(dict.fromkeys(thing for one in places for thing in one.things))


def _is_other(one: named.Named, first: named.Named) -> bool:
    """Return whether something is named beside the first, and not that once more."""
    apart = one.end <= first.start or first.end <= one.start
    return apart and set(one.things).isdisjoint(first.things)


def _of_single_letters(lead: str, things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the things all of whose Chinese letters a clause has: “书其实还没还” of “还书”."""
    letters = {one: _HAN.findall(one.title) for one in things if not _LOANED.search(one.title)}
    return tuple(one for one, has in letters.items() if has and all(to in lead for to in has))


def _is_sure(thing: Thing, lead: str, wish: Route) -> bool:
    """Return whether a thing is surely meant: what is deleted has its whole name there."""
    if wish.intent != "delete":
        return True
    if questions.is_asian(thing.title):
        return thing.title in lead
    return set(resolve_reference.word_stems(thing.title)) <= set(resolve_reference.word_stems(lead))


def _that_may(asked: Asked, wish: Route) -> Sequence[Thing]:
    """Return the things that a wish may be of: what is done is opened again, and nothing else."""
    done = {
        row["id"]
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
        if row["completed"]
    }
    opens = bool(wish.get("reopen"))
    return [
        one
        for one in asking.things(asked)
        if one.kind in OF[wish.intent]
        and (one.kind != "todo" or (one.id in done) == opens or wish.intent == "delete")
    ]
