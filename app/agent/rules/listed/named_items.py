"""Which items of a list a message names."""

import re
from collections.abc import Sequence

from app.agent.rules.answers.item_changes import Item, narrowest
from app.agent.rules.changes.marked import FREE, Marked
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.mentions import asking, mentions, parts
from app.agent.rules.mentions.parts import Part
from app.agent.rules.passages import note_lines, questions
from app.agent.turn.steps import Asked, Thing

ITEM, IN_PART = "i", "j"
"""The marks of an item with its whole name, and with some words of it or others for them."""
SAME = 4
"""So many letters at the beginning have the forms of a word."""
MOST = 12
"""So many items does a message name at most."""


def mark_named(marked: Marked, items: Sequence[Item]) -> list[Item]:
    """Return the items that a message names, and mark where; nothing where one name could be of
    several.
    """
    found = [one for one in sorted(items, key=lambda one: -len(one.title)) if _mark(marked, one)]
    things = {Thing("todo", at, one.title): one for at, one in enumerate(items)}
    things = {thing: one for thing, one in things.items() if one not in found}
    find = mentions.named_unspaced if questions.is_asian(marked.message) else mentions.named
    while things and len(found) < MOST:
        row = [one for one in parts.split(marked.message) if marked.marks[one.start] == FREE]
        places = [
            one
            for one in find(row, list(things), "todo")
            if _is_free(marked, one) and _shares_word(marked.message[one.start : one.end], one)
        ]
        if not places:
            break
        named = narrowest([things[one] for one in places[0].things])
        if len(named) > 1:
            return []
        marked.mark([places[0][:2]], IN_PART)
        found.append(named[0])
        things = {thing: one for thing, one in things.items() if one is not named[0]}
    found = [part for one in found for part in _parts_said(one, items, marked.message)]
    return sorted(narrowest(found), key=lambda one: one.place)


def _parts_said(item: Item, items: Sequence[Item], message: str) -> list[Item]:
    """Return the parts of a line that a message has words of, if it has of some alone: “drop Ben's
    size” is not all of “Ben: size 33, height 128”; else the line itself.
    """
    mine = [one for one in items if one.place < 0 and one.line == item.place]
    words = [note_lines.content(one.title) for one in mine]
    same = set.intersection(*words) if words else set[str]()
    held = note_lines.content(message) - same
    said = [one for one, its in zip(mine, words, strict=True) if its & held]
    return said if 0 < len(said) < len(mine) else [item]


def _is_free(marked: Marked, part: Part) -> bool:
    return set(marked.marks[part.start : part.end]) == {FREE}


def _shares_word(said: str, place: Part) -> bool:
    """Return whether some words have one of a name of several, and not only others for its verb:
    “picked them up” is no “collect the urn”.
    """
    if questions.is_asian(said):
        return True
    words = note_lines.content(said)
    names = [note_lines.content(one.title) for one in place.things]
    return any(
        len(name) < 2 or any(one[:SAME] == word[:SAME] for one in name for word in words)
        for name in names
    )


def _mark(marked: Marked, item: Item) -> bool:
    """Mark an item where it stands with its whole name."""
    name = re.escape(plain_letters(item.title).lower())
    spaced = not questions.is_asian(marked.message)
    pattern = re.compile(rf"(?<!\w){name}(?!\w)" if spaced else name)
    spans = [one.span() for one in pattern.finditer(marked.text)]
    free = [one for one in spans if set(marked.marks[slice(*one)]) == {FREE}]
    return marked.mark(free[:1], ITEM)


def names_todo(asked: Asked, titles: Sequence[str]) -> bool:
    """Return whether a message has more letters of a todo's name than of each of these items, none
    of which it has whole, or all letters of such a name in another order.
    """
    if any(one in asked.message for one in titles):
        return False
    todos = [one for one in asking.things(asked) if one.kind == "todo"]
    if any({*one.title} <= {*asked.message} for one in todos):
        return True
    row = parts.split(asked.message)
    items = [Thing("todo", at, one) for at, one in enumerate(titles)]
    longest, of_items = (
        max((one.end - one.start for one in mentions.named_unspaced(row, of, "todo")), default=0)
        for of in (todos, items)
    )
    return longest > of_items
