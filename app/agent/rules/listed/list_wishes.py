"""What a message asks or wishes of a list: what is left on it, an item ticked, taken off or added.

The list is the one spoken of just before, or named; the message must hold nothing but its items,
its name and words of the wish.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

import msgspec

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes import last_spoken, named, reused
from app.agent.rules.changes import marked as changed
from app.agent.rules.changes.marked import Marked, is_provided
from app.agent.rules.dialogue import resolve_reference, view_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.list_tables import ListKind, Lists
from app.agent.rules.listed import (
    added_items,
    corrected_facts,
    item_clauses,
    list_words,
    named_items,
)
from app.agent.rules.listed.item_clauses import Told
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, ThingKind, Trace

Act = Callable[[Asked, Route], Step]
LONGEST = 160
MANY, LATE = 15, 13
"""After so many results nothing else is looked at, and nothing changed."""
RECENT = 3
"""So many turns ago may the list have been spoken of."""
CHANGES: frozenset[ListKind] = frozenset({"tick", "untick", "remove"})
SETTLED = frozenset(
    "decide message ask_agent remember recall share thanks greet help sum date time".split()
)
"""The intents that are no wish about a list, whatever they hold."""
ORDER: tuple[ListKind, ...] = get_args(ListKind)
HOW = "how"
"""The argument of a turn that changed items: what it did to the last of them."""
STEPS = "steps"
"""The argument of a turn that told the steps of a todo, or added one."""
WRITES = frozenset("add_todo make_note append_note make_folder rename move_note add_step".split())
"""What names no list unless a pattern has read it."""
READS = frozenset("ask cannot todo_state list_todos list_notes tell_view show_note".split())
"""What a message may only seem to be that asks for the steps of a todo."""
TICKED = frozenset({"ask", "cannot", "complete_todo", "tick_item", "todo_state", "change_todo"})
"""What a message may only seem to be that ticks an item."""
BOXES: Call = ("grep_notes", {"pattern": item_changes.BOX_LINE, "mode": "regex", "limit": 400})
"""The call that finds all lines of notes with a box."""
ALL_STEPS: Call = ("search_todos", {"includeSteps": True, "completed": False, "limit": 200})
"""The call that finds the steps of all open todos."""
NOTHING = Thing("note", 0, "")
LOOKS: Mapping[ThingKind, str] = {"note": "list_notes", "todo": "search_todos"}


class Wish(msgspec.Struct, frozen=True):
    """A message that may be about a list, as it was routed, with the language of its words."""

    route: Route
    language: Language
    kinds: tuple[ListKind, ...]
    act: Act
    is_last: bool = False
    """Whether nothing else was found that the message could mean, or only a change of these todos:
    """
    of: tuple[Thing, ...] = ()
    more_than: int = 0
    """More words of an item are to be said than so many."""
    is_late: bool = False
    """Whether so much was looked for that no steps of the turn are left to change something."""


def kinds_of(asked: Asked, route: Route) -> tuple[ListKind, ...]:
    """Return what a message may ask or wish of a list, by its words."""
    language = route.get("written") or route.language
    long = len(asked.message) > LONGEST or "\n" in asked.message.strip()
    if long or route.intent in SETTLED or not language_data.has_table(language, Lists):
        return ()
    words, text = list_words.words_of(language), Marked(asked.message).text
    if route.intent in ("undo", "leave"):
        # “What is not bought yet?” and “the tape off again” have words that take back, too.
        kind: ListKind = "left" if any(one in asked.message for one in "?？") else "remove"
        return (kind,) if words.cues[kind].search(text) else ()
    if questions.is_asian(text) and "todo" in view_words.sort_words(text, language).said:
        return ()  # “the todo of the flowers”
    of_changes = changed.words_of(language)
    done = bool(of_changes.done.search(asked.message.lower()) or of_changes.reports.search(text))
    done = done or (route.intent in TICKED and bool(_last_how(asked)))  # “the lentils too”
    cues = {**words.cues, "add": added_items.cue(asked, language)}
    return tuple(kind for kind in ORDER if cues[kind].search(text) or (kind == "tick" and done))


def _last_how(asked: Asked) -> str:
    """Return what the turn before did to an item of a list; empty where it did nothing of that."""
    return asked.earlier[0].arguments.get(HOW, "") if asked.earlier else ""


def read(asked: Asked, route: Route, kinds: tuple[ListKind, ...], act: Act) -> Step | None:
    """Return the step of a question or wish about a list; None where a message is none."""
    wish = _wish(route, kinds, act)
    step = reused.reuse(asked, functools.partial(_next, wish))
    return step if step.calls or step.text else None


def change_spoken_of(asked: Asked, route: Route, act: Act) -> Step | None:
    """Return the step of what a message says of items of the list spoken of; None where it names
    none of them.
    """
    kinds = [one for one in kinds_of(asked, route) if one in CHANGES]
    if not kinds or (thing := spoken_of(asked)) is None:
        return None
    wish, marked = _wish(route, tuple(kinds), act), Marked(asked.message)
    step = reused.reuse(asked, lambda part: _of(wish, part, kinds[0], thing, marked))
    return step if step.calls or step.text else None


def change_anywhere(asked: Asked, route: Route, act: Act, found: Step) -> Step | None:
    """Return the step of what a message says of the one item of all lists that it names, once
    nothing else was found that it could mean, or of a step of the todo that is asked about; None
    where it says nothing of one.
    """
    asks = found.trace.asks if found.trace else None
    of = asks.choices if asks else ()
    is_of_todo = of and all(one.kind == "todo" for one in of)
    # What only tells something is no question that a quotation answers.
    is_told = found.quotes and questions.is_asian(asked.message)
    is_told = is_told and not changed.words_of(route.language).asks.search(asked.message)
    if (asks and not is_of_todo) or not (asks or found.empty or is_told):
        return None
    kinds = tuple(one for one in kinds_of(asked, route) if one in CHANGES)
    known = any(one.arguments == ALL_STEPS[1] for one in asked.results)
    if not known and (asked.is_last or len(asked.results) >= MANY):
        return None
    # a change waits for the owner once the words of others were read
    is_late = len(asked.results) > LATE or asked.has("list_conversations")
    wish = msgspec.structs.replace(_wish(route, kinds, act), is_last=True, of=of, is_late=is_late)
    step = reused.reuse(asked, functools.partial(_anywhere, wish)) if kinds else Step()
    if kinds and of and not (step.calls or step.text):
        # What names more words of an item than of the todo is about that.
        said = max(resolve_reference.words_said(one.title, asked.message) for one in of)
        wish = msgspec.structs.replace(wish, of=(), more_than=said)
        step = reused.reuse(asked, functools.partial(_anywhere, wish))
    return step if step.calls or step.text else None


def looks(asked: Asked, route: Route, kinds: tuple[ListKind, ...], act: Act) -> bool:
    """Return whether a message may be about a list that can be looked at."""
    begun = msgspec.structs.replace(asked, results=())
    step = _next(_wish(route, kinds, act), begun)
    return bool(step.calls or step.text)


def _wish(route: Route, kinds: tuple[ListKind, ...], act: Act) -> Wish:
    return Wish(route, route.get("written") or route.language, kinds, act)


def _next(wish: Wish, asked: Asked) -> Step:
    """Return the next step, as results come; nothing where no list fits."""
    changes = [one for one in wish.kinds if one in CHANGES]
    for kind in wish.kinds:
        if kind in changes[1:]:
            continue  # all that is said of items is read at once
        for thing, marked in _lists(wish, asked, kind):
            step = marked if isinstance(marked, Step) else _of(wish, asked, kind, thing, marked)
            if step.calls or step.text:
                return step
    return _anywhere(wish, asked)


def _lists(wish: Wish, asked: Asked, kind: ListKind) -> Iterator[tuple[Thing, Marked | Step]]:
    """Yield the lists that may be meant, with the message marked where it names one; or the step
    that looks for them.
    """
    if found := spoken_of(asked, steps=kind == "left" and _points(wish, asked)):
        yield found, Marked(asked.message)
    if kind == "correct" and not any(one.isdigit() for one in asked.message):
        return
    text, changes = Marked(asked.message).text, changed.words_of(wish.language)
    place = list_words.words_of(wish.language).place
    of_list = questions.is_asian(text) and place.search(text)
    is_tick = kind == "tick" and wish.route.intent not in ("tick_item", "show_note") and not of_list
    asks = any(one in text for one in "?？") or changes.asks.search(text)
    may_be_placed = is_tick and not asks
    is_placed = may_be_placed and changed.any_place(changes.onto).search(text) is not None
    names_none = wish.route.intent in WRITES and kind not in ("correct", "add")
    adds_else = kind == "add" and not added_items.may_name(asked.message, wish.language)
    has_things = wish.route.things and wish.route.intent != "undo"
    if has_things or names_none or (is_tick and not is_placed) or adds_else:
        return
    of: ThingKind = "todo" if kind == "steps" else "note"
    # Where it is ticked, all is looked at that may be next, so that it takes no further step.
    calls = tuple(one for one in asking.looks(asked) if one[0] == LOOKS[of] or is_tick)
    if not any(one[0] == LOOKS[of] for one in calls):
        return
    if not asked.has(LOOKS[of]):
        yield NOTHING, Step(calls=calls)
        return
    marked, words = Marked(asked.message), changed.words_of(wish.language)
    places = named.find(asked, marked, asking.things(asked), (of,), wish.language)
    if places and last_spoken.is_any_list(asked, marked, places[0], words):
        return
    if places and len(places[0].things) == 1:
        is_beside = named.beside(marked, places[0], words.onto, words)
        if is_tick and not is_beside:
            return
        if not is_beside:
            marked.mark([places[0][1:]], named.NAME)
        yield places[0].things[0], marked


def _anywhere(wish: Wish, asked: Asked) -> Step:
    """Return the change of the one item of all lists that a message names, where no todo is called
    so; nothing where it names none, or several.
    """
    may = CHANGES if wish.is_last else CHANGES - {"remove"}
    changes = [kind for kind in wish.kinds if kind in may]
    asks = any(one in asked.message for one in "?？")
    is_else = wish.route.intent not in TICKED and not wish.is_last
    if not changes or asks or wish.route.things or is_else:
        return Step()
    # All that is looked at where no list has the item, so that it takes no further step.
    looks = asking.looks(asked)
    surely_todo = wish.route.intent == "complete_todo" and not wish.route.is_loose
    if "grep_notes" not in asked.tools or not looks or (surely_todo and not wish.is_last):
        return Step()
    more = (BOXES, ALL_STEPS) if wish.is_last else (BOXES,)
    calls = (*looks, *(one for one in more if one[0] in asked.tools))
    if len(asked.results) < len(calls):
        return Step(calls=calls)
    found = _lists_named(wish, asked, changes)
    if len(found) != 1:
        return Step()
    held, told = found[0]
    takes_off = "remove" in told.changes.values()
    if not told.is_sure or takes_off or wish.is_late:
        return item_changes.ask_changes(wish.route, held, told.changes)
    return _of(wish, asked, changes[0], held.thing, _named(wish, asked, held.thing))


def _lists_named(wish: Wish, asked: Asked, changes: Sequence[ListKind]) -> list[tuple[Held, Told]]:
    """Return the lists of whose items a message says something, and what; none where a todo is
    called so.
    """
    found: list[tuple[Held, Told]] = []
    todos = [{"title": one.title} for one in asking.things(asked) if one.kind == "todo"]
    for thing, items in (*item_changes.all_items(asked), *item_changes.all_steps(asked)):
        is_of = (thing.kind, thing.id) in {(one.kind, one.id) for one in wish.of}
        is_named = questions.is_asian(thing.title) and thing.title in asked.message
        if wish.of and not (is_of or is_named):
            continue
        held = Held(thing, {"title": thing.title}, tuple(items))
        told = item_clauses.read(asked, held, _named(wish, asked, thing), wish.language)
        named_ones: dict[int, ListKind] = {
            one.place: how
            for one in items
            for how in [told.changes.get(one.place)]
            if how and how in changes and (how == "remove" or one.is_done == (how == "untick"))
            if resolve_reference.words_said(one.title, asked.message) > wish.more_than
            or not wish.more_than
        }
        if named_ones:
            found.append((held, told._replace(changes=named_ones)))
        titles = [one.title for one in items if one.place in named_ones]
        if titles and questions.is_asian(titles[0]) and named_items.names_todo(asked, titles):
            return []
        if not wish.of and any(resolve_reference.fitting_rows(one, todos) for one in titles):
            return []
    return found


def _named(wish: Wish, asked: Asked, thing: Thing) -> Marked:
    """Return a message marked where it names a list with words that say so, or a todo."""
    marked, words = Marked(asked.message), changed.words_of(wish.language)
    places = named.find(asked, marked, [thing], (thing.kind,), wish.language)
    if places and places[0].things == (thing,):
        is_beside = named.beside(marked, places[0], words.onto, words)
        whole = questions.is_asian(thing.title) and thing.title in marked.message
        if not is_beside and (thing.kind == "todo" or whole):
            marked.mark([places[0][1:]], named.NAME)
    return marked


def spoken_of(asked: Asked, *, steps: bool = False) -> Thing | None:
    """Return the note that was spoken of just before, or the todo whose steps were, or are now."""
    turns = (one for one in asked.earlier[:RECENT] if one.about or one.shown or one.asks)
    last = next(turns, Trace())
    things = last.about or last.shown or (last.asks.choices if last.asks else ())
    if len(things) != 1 or things[0].kind not in ("note", "todo"):
        return None
    of_steps = steps or STEPS in last.arguments or last.intent in ("add_step", "change_items")
    return things[0] if things[0].kind == "note" or of_steps else None


def _of(wish: Wish, asked: Asked, kind: ListKind, thing: Thing, marked: Marked) -> Step:
    """Return the step of one kind of wish about one list; nothing where it is not meant."""
    if kind == "steps" and wish.route.intent not in READS:
        return Step()
    if kind == "steps":
        return _steps(wish, asked, thing, marked)
    if kind == "correct":
        return corrected_facts.correct(asked, wish.route, wish.language, thing, marked)
    if kind == "add":
        found = added_items.add(asked, wish.route, wish.language, thing, marked)
        return found if isinstance(found, Step) else wish.act(asked, found)
    if kind == "left" and not _is_covered(wish, kind, marked):
        return Step()
    if (tool := item_changes.call_for(thing))[0] not in asked.tools:
        return Step()
    if (held := item_changes.held(asked, thing)) is None:
        return Step() if asked.has(tool[0]) else Step(calls=(tool,))
    if kind == "left":
        return item_changes.tell_left(wish.route, held)
    return _change(wish, asked, held, marked)


def _change(wish: Wish, asked: Asked, held: Held, marked: Marked) -> Step:
    """Return the change of the items that a message names, or the question whether it is meant."""
    changes = changed.words_of(wish.language)
    asks = any(one in marked.message for one in "?？") or changes.asks.search(marked.text)
    if asks and not changes.courtesy.search(marked.text):
        return Step()
    told = item_clauses.read(asked, held, marked, wish.language, _last_how(asked))
    if told.is_sure and is_provided(asked.message, wish.language):
        told = told._replace(is_sure=False)
    items = {one.place: one for one in held.items}
    needed = {
        place: how
        for place, how in told.changes.items()
        if how == "remove" or (items[place].has_box and items[place].is_done == (how == "untick"))
    }
    if not needed:
        ticked = [items[one] for one, how in told.changes.items() if how == "tick"]
        ticked = [one for one in ticked if one.has_box]
        return (
            item_changes.tell_ticked(wish.route, held, ticked)
            if ticked and told.is_sure
            else Step()
        )
    if not told.is_sure:
        return item_changes.ask_changes(wish.route, held, needed)
    step = item_changes.change_items(asked, wish.route, held, needed)
    of_steps = {STEPS: "yes"} if held.thing.kind == "todo" else {}
    how = {HOW: next(reversed(needed.values()))}
    return _left(wish, step, "tick_item", **of_steps, **how) if step.text else step


def _points(wish: Wish, asked: Asked) -> bool:
    """Return whether a message says that it is about what was spoken of, or about its steps."""
    words, text = list_words.words_of(wish.language), Marked(asked.message).text
    step = changed.words_of(wish.language).cues["step"]
    return any(one.search(text) for one in (words.that, words.place, step))


def _is_covered(wish: Wish, kind: ListKind, marked: Marked) -> bool:
    """Return whether a message has words of a wish, and nothing else is left of it."""
    words, changes = list_words.words_of(wish.language), changed.words_of(wish.language)
    marked.fit(words.place, "p")
    marked.fit(changes.courtesy, "p")
    marked.fit(words.also[kind], "p")
    marked.fit(words.that, "p")
    marked.fit(changes.cues["step"], "p")
    return not any(one.isalnum() for one in marked.left(changes))


def _steps(wish: Wish, asked: Asked, thing: Thing, marked: Marked) -> Step:
    """Return the steps of a todo."""
    if thing.kind != "todo":
        return Step()
    tool = item_changes.call_for(thing)
    held = item_changes.held(asked, thing)
    if held is None:
        return Step() if asked.has(tool[0]) else Step(calls=(tool,))
    if not held.items:
        return Step()
    route = msgspec.structs.replace(wish.route, intent="todo_state", arguments={}, things=(thing,))
    return _left(wish, wish.act(asked, route), "todo_state", **{STEPS: "yes"})


def _left(wish: Wish, step: Step, intent: str, **arguments: str) -> Step:
    """Return a step that leaves how its message was understood."""
    trace = msgspec.structs.replace(
        step.trace or Trace(), intent=intent, language=wish.route.language, arguments=arguments
    )
    return msgspec.structs.replace(step, trace=trace)
