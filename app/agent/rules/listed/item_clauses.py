"""What the clauses of a message say of the items of a list: which is done, open again or taken off.

“The butter too. But take the cat food off, the cat is at my sister's.”
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.agent.rules.answers.item_changes import Held, Item
from app.agent.rules.changes import days
from app.agent.rules.changes import marked as changed
from app.agent.rules.changes.marked import FREE, Marked, Words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.list_tables import ListKind
from app.agent.rules.listed import list_words, named_items
from app.agent.rules.listed.list_words import ListWords
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked

KINDS: tuple[ListKind, ...] = ("untick", "remove", "tick")
"""What may be said of an item, the more special first."""
TELLS = frozenset({"ask", "cannot", "leave", "thanks", "greet", "complete_todo", "todo_state"})
"""What a clause may only seem to be that tells why."""


class Told(NamedTuple):
    """What is said of each item, by the place of the item, and whether nothing else is said."""

    changes: dict[int, ListKind]
    is_sure: bool


class _Clause(NamedTuple):
    """What a clause says: `points` where it means what was named before it, `is_open` where that is
    still to be done, `may_tick` where what takes it off may be meant as done, too.
    """

    items: tuple[Item, ...]
    kind: ListKind | None
    is_covered: bool
    points: bool = False
    is_open: bool = False
    may_tick: bool = False


def read(asked: Asked, held: Held, marked: Marked, language: Language, last: str = "") -> Told:
    """Return what a message says of the items of a list; of the first clause without a verb the
    same as was done `last`.

    A clause that names no item and says what is to be done is about those of the clause before:
    “butter I still have, take it off”.
    """
    words, changes = list_words.words_of(language), changed.words_of(language)
    said: dict[int, ListKind] = {}
    waiting: tuple[Item, ...] = ()
    # “Off the list with it” after what is left on it was told.
    left = tuple(one for one in held.items if one.has_box and not one.is_done)
    only_left = left if len(left) == 1 else ()
    before: tuple[Item, ...] = only_left
    says = any(words.cues[one].search(marked.text) for one in KINDS)
    kind: ListKind | None = next((one for one in KINDS if one == last and not says), None)
    is_sure = True
    for part in _clauses(marked, held, changes):
        one = _read_clause(asked, part, held, words, changes, language)
        if one.is_open:
            before = one.items
            continue
        unsaid = [item for item in before if item.place not in said]
        # “Take the salt off, we have plenty” tells why.
        tells_why = one.kind == "tick" and not unsaid
        if before and one.points and one.kind and not one.items and not tells_why:
            done = one.may_tick and all(said.get(item.place) == "tick" for item in before)
            kind, waiting = "tick" if done else one.kind, ()
            said |= {item.place: kind for item in before}
            is_sure = is_sure and one.is_covered and not (only_left and before is only_left)
            continue
        before = one.items or before
        if one.items and not one.kind and not (kind and one.is_covered):
            is_sure = is_sure and not waiting and not part.has(changes.denies)
            waiting = before = (*waiting, *one.items)
            continue
        if not one.items and not (waiting and one.kind):
            # “… so that one's done” says once more what was said.
            is_sure = is_sure and (one.is_covered or _only_tells(part, language))
            if not (one.is_covered or _only_tells(part, language)):
                return Told({}, False)
            continue
        kind = one.kind or kind
        if kind:
            # “Rope and helmet are in the car.”
            said |= {item.place: kind for item in (*waiting, *one.items)}
        is_sure = is_sure and one.is_covered
        waiting = ()
    is_whole = all(_is_said_whole(one, marked) for one in waiting)
    states = changes.spaced and is_whole and changes.states.search(marked.text)
    if waiting and not said and (states or changes.reports.search(marked.text)):
        # “The handrail is on”, where nothing says that this is what was to be done with it.
        return Told(dict.fromkeys((item.place for item in waiting), "tick"), False)
    return Told(said, is_sure and not waiting)


def _clauses(marked: Marked, held: Held, changes: Words) -> Iterator[Marked]:
    """Yield the clauses of a message, none of which ends within the name of an item."""
    whole = Marked(marked.message)
    whole.marks[:] = marked.marks
    named_items.mark_named(whole, held.items)
    start = 0
    ends = [
        one.span()
        for one in changes.join.finditer(marked.text)
        if set(whole.marks[slice(*one.span())]) == {FREE}
    ]
    for end, after in [*ends, (len(marked.text), 0)]:
        if re.search(r"\w", marked.text[start:end]):
            part = Marked(marked.message[start:end])
            part.marks[:] = marked.marks[start:end]
            yield part
        start = after


def _read_clause(
    asked: Asked, part: Marked, held: Held, words: ListWords, changes: Words, language: Language
) -> _Clause:
    """Return what a clause says of the items that it names, or of those before it."""
    items = tuple(named_items.mark_named(part, held.items))
    _mark_words(part, items)
    part.fit(words.place, "p")
    part.fit(changes.courtesy, "p")
    may = [one for one in KINDS if one != "untick" or not items or any(it.is_done for it in items)]
    if "untick" not in may and part.has(words.cues["untick"]):
        return _Clause(items, None, is_covered=False, is_open=True)  # “I still need the eggs”
    kind = next((one for one in may if part.has(words.cues[one])), None)
    has_box = any(one.has_box for one in items or held.items)
    may_tick = (
        has_box
        and kind == "remove"
        and all(
            words.cues["tick"].match(part.text, one.start())
            for one in words.cues["remove"].finditer(part.text)
        )
    )
    if kind:
        part.fit(words.cues[kind], "c")
    part.mark((one.span() for one in changes.done.finditer(part.message.lower())), "c")
    at = [part.marks[one.start()] for one in words.cues["tick"].finditer(part.text)]
    if kind is None and ("c" in part.marks or named_items.IN_PART in at):
        kind = "tick"
    is_kept = kind is None and words.keeps.search(part.text) is not None
    if items and (is_kept or (kind == "remove" and part.has(changes.denies))):
        return _Clause(items, None, is_covered=False, is_open=True)  # “keep the milk”
    if kind == "tick":
        part.fit(words.cues["tick"], "c")
        if items and (part.has(changes.open) or part.has(changes.denies)):
            return _Clause(items, None, is_covered=False, is_open=True)
    part.fit(words.also[kind or "tick"], "p")
    if kind:
        part.mark(days.find(part.message, asked, language), "d")
    points = part.fit(words.that, "p")
    part.fit(changes.cues["step"], "p")
    is_covered = not any(one.isalnum() for one in part.left(changes))
    points = points or is_covered
    # “Strike the milk” may mean either.
    return _Clause(items, kind, is_covered and not (may_tick and items), points, may_tick=may_tick)


def _mark_words(part: Marked, items: Sequence[Item]) -> None:
    """Mark the other words of items that a clause names: “the old deco is out” says nothing else of
    “Old deco out”.
    """
    words = {word for one in items for word in split_words(one.title)}
    spans = [one.span() for one in re.finditer(r"\w+", part.text) if one[0] in words]
    part.mark(spans, named_items.IN_PART)


def _is_said_whole(item: Item, marked: Marked) -> bool:
    """Return whether a message has all words of an item, in whatever order."""
    return set(split_words(item.title)) <= set(split_words(marked.message))


def _only_tells(part: Marked, language: Language) -> bool:
    """Return whether a clause wishes nothing else."""
    found = routing.route_message(part.message, before=language)
    return found.is_loose or found.intent in TELLS
