"""The wishes that a message may mean, with what they are about filled in, the nearest first."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from app.agent.rules.dialogue import references
from app.agent.rules.languages.example_tables import Wish
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.near import mentions, nearness, parts
from app.agent.rules.near.parts import Part
from app.agent.rules.passages import questions
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked, Thing, ThingKind

_SLOT = re.compile(r"\{([a-z]+)\}")
_PARTICLE = re.compile(r"^[にをはがもへ]+(?=[\u30a1-\u30ff\u3400-\u9fff])")
"""What is of the words before a text where no spaces part them."""
KINDS: Mapping[str, tuple[ThingKind, ...]] = {
    "todo": ("todo",),
    "note": ("note",),
    "thing": ("todo", "note"),
}
"""The things of which one is meant, by the slot that they fill."""
UNTOLD = 0.15
"""What each word counts against a wish that it has no place for; thrice where none of its examples
has a place for any.
"""
UNNAMED = 0.1
"""What counts against a wish whose thing is only what was spoken of last."""
BESIDE = 6
"""So many letters stand between two names of one list, “and” and the like."""
BESIDE_TWO, BESIDE_ONE, BESIDE_LETTER, BESIDE_OTHERS = 1.5, 1.0, 0.3, -1.0
"""What speaks for a text's begin or end where the examples have one after or before the same two
words, one word, one letter where no spaces part words, and none.
"""


class Reading(NamedTuple):
    """A wish that a message may mean: how sure, in plain words, and the one thing it is about.

    In `plain`, the thing has its name; in `asked_for` only a mark, as it is settled.
    """

    sure: float
    wish: Wish | None
    plain: str = ""
    asked_for: str = ""
    things: tuple[Thing, ...] = ()
    text: str = ""
    sample: str = ""
    """The same with any text in place of its own."""
    is_pointed: bool = True
    """Whether the message itself has words for the thing, if there is one."""


HIGHEST = 10
"""The highest priority."""
MARK, ANY = "Q1", "Q2"
"""What stands in the words that the patterns read for a settled thing, and for any text."""


def readings(asked: Asked, things: Sequence[Thing], language: Language) -> list[Reading]:
    """Return what a message may mean, the surest first, where its slots can be filled."""
    message = asked.message
    table = nearness.of(language)
    row = parts.mark_known(parts.split(message), table.known, table.common)
    fixed = [*mentions.quoted(message), *mentions.moments(message, row, asked, language)]
    fixed = [*mentions.lengths(message, row, asked, language), *fixed]
    find = mentions.named_unspaced if questions.is_asian(message) else mentions.named
    named = {
        kind: find(row, [one for one in things if one.kind == kind], kind)
        for kind in ("todo", "note", "folder", "person")
    }
    told = [part for kind in ("todo", "note") for part in named[kind][:1]]
    pointed = {
        kind: [
            one
            for one in mentions.pointed(asked, row, kind, table.it, language)
            if not _is_article(one, found)
        ]
        for kind, found in named.items()
    }
    best: dict[int, Reading] = {}
    for filled in _fillings(fixed, named, pointed):
        blanked = parts.put_in(row, filled)
        blanked = parts.put_in(blanked, [*filled, *mentions.numbers(blanked)])
        for number, score in enumerate(nearness.scores(language, blanked)):
            wish = table.wishes[number]
            if number in best and best[number].sure >= score:
                continue
            if wish is None:
                best[number] = Reading(score, None)
                continue
            read = _filled(asked, wish, blanked, table, number, score)
            if read and (read.is_pointed or not _leaves_out(read, told, message)):
                best[number] = max(read, best.get(number, read), key=lambda one: one.sure)
    return sorted(best.values(), key=lambda one: -one.sure)


def _is_article(pointed: Part, named: Sequence[Part]) -> bool:
    """Return whether a word such as “la” stands right before a name."""
    return any(0 <= one.start - pointed.end <= 1 for one in named)


def _leaves_out(reading: Reading, named: Sequence[Part], message: str) -> bool:
    """Return whether a wish is about what was spoken of last though a message names another."""
    return any(
        not set(one.things) & set(reading.things)
        and message[one.start : one.end] not in reading.text
        for one in named
    )


def _fillings(
    fixed: Sequence[Part],
    named: Mapping[str, Sequence[Part]],
    pointed: Mapping[str, Sequence[Part]],
) -> Iterator[list[Part]]:
    """Yield what may stand in place of a message's words: its todos before its notes and the other
    way round, before its days and after them, and neither; and what its words point at.
    """
    others = [*pointed["person"], *named["person"]][:1] + [*pointed["folder"], *named["folder"]][:1]
    yield [*fixed, *others] if others else [*fixed]
    if others:
        yield [*fixed]
    if any(one.slot == "text" for one in fixed):
        # “The passport: priority 2” has no text after its colon.
        told = [one for one in fixed if one.slot != "text"]
        yield [*told, *_joined(named["todo"]), *others]
        yield [*told, *_joined(named["note"]), *others]
    for first, second in (("todo", "note"), ("note", "todo")):
        for mine in (pointed[first], _joined(named[first])):
            if mine:
                yield [*fixed, *mine, *others, *named[second][:1]]
                yield [*mine, *fixed, *others]


def _joined(found: Sequence[Part]) -> list[Part]:
    """Return the surest of what is named; several that stand side by side are one."""
    mine = [*found[:1]]
    for one in found[1:]:
        near = max(one.start, mine[0].start) - min(one.end, mine[0].end) if mine else 0
        if (
            len(one.things) == 1
            and 0 < near <= BESIDE
            and not set(one.things) & set(mine[0].things)
        ):
            start, end = min(one.start, mine[0].start), max(one.end, mine[0].end)
            mine = [Part(start, end, "", one.slot, (*mine[0].things, *one.things))]
    return mine


def _filled(
    asked: Asked,
    wish: Wish,
    row: Sequence[Part],
    table: nearness.Nearness,
    number: int,
    score: float,
) -> Reading | None:
    """Return a wish with its slots filled by the parts of a message; None where one stays open."""
    values: dict[str, str] = {}
    things: tuple[Thing, ...] = ()
    used: list[Part] = []
    is_pointed = True
    names = _SLOT.findall(wish.plain)
    for name in names:
        if name == "text":
            continue
        kinds = KINDS.get(name, ())
        part = next((one for one in row if one.slot == name or one.slot in kinds), None)
        if kinds:
            meant = part.things if part else mentions.spoken_of(asked, kinds)
            if not meant or (len(meant) > 1 and part and part.is_unsure):
                return None
            things, values[name] = meant, ", ".join(one.title for one in meant)
            score -= 0 if part else UNNAMED
            is_pointed = part is not None
        elif part is None and name == "person" and (last := references.last_person(asked)):
            score -= UNNAMED
            values[name] = last
        elif part is None or (name == "number" and not _is_level(asked.message, part)):
            return None
        else:
            values[name] = _said(asked, part)
        used += [part] if part else []
    if "text" in names:
        span = _person_as_text(wish, row) or _text_span(row, used, table, number)
        if not span or not any(one.word in table.words[number] for one in row if one not in span):
            return None  # a text alone is no wish
        values["text"] = _text(asked, span, row, used)
        used += span
    marked = {**values, **{name: MARK for name in KINDS if name in values}}
    bare = [name for name in KINDS if name in values and f"「{{{name}}}" not in wish.plain]
    quoted = {name: f"“{values[name]}”" for name in bare if f"“{{{name}}}" not in wish.plain}
    left = sum(_is_untold(one) for one in row if one not in used)
    return Reading(
        score - UNTOLD * left * (1 if names or table.beside[number] else 3),
        wish,
        fill(wish.plain, {**values, **quoted}),
        fill(wish.plain, marked),
        things,
        routing.trim_name(values.get("text", "")),
        fill(wish.plain, {**marked, "text": ANY}),
        is_pointed,
    )


def _is_level(message: str, part: Part) -> bool:
    """Return whether a number in digits may be a priority."""
    said = message[part.start : part.end]
    return not said.isdecimal() or int(said) <= HIGHEST


def _person_as_text(wish: Wish, row: Sequence[Part]) -> list[Part]:
    """Return who is named, where a wish has no other place for a person: “todos about Ben”."""
    if wish.writes or "{person}" in wish.plain:
        return []
    return [one for one in row if one.slot == "person"][:1]


def _is_untold(part: Part) -> bool:
    if part.slot:
        return part.slot in ("todo", "note", "person", "by", "number", "text")
    return not part.is_common and part.word not in questions.little() and part.word not in "?？"


def _said(asked: Asked, part: Part) -> str:
    if part.slot in ("folder", "person") and len(part.things) == 1:
        return part.things[0].title
    if part.slot == "day":
        return mentions.shortest_day(asked, asked.message[part.start : part.end])
    return asked.message[part.start : part.end].strip()


def _text_span(
    row: Sequence[Part], used: Sequence[Part], table: nearness.Nearness, number: int
) -> list[Part]:
    """Return the parts that are most likely a text and not words of the wish itself: the quoted,
    or those between words that stand beside a text in the examples.
    """
    if quote := [one for one in row if one.slot == "text" and one.word]:
        return quote[:1]
    names = ["^", *(nearness.name_of(part) for part in row), "$"]
    inside = [_cost_inside(part, table, number) for part in row]
    outside = [0.0 if part in used else _cost_outside(part, table, number) for part in row]
    best: tuple[float, list[Part]] = -math.inf, []
    beside = table.beside[number]
    for start in range(len(row)):
        total = _beside(beside, names[start - 1 : start + 1] if start else names[:1], first=True)
        total -= sum(outside)
        for end in range(start + 1, len(row) + 1):
            if row[end - 1] in used:
                break
            total += outside[end - 1] - inside[end - 1]
            after = _beside(beside, names[end + 1 : end + 3], first=False)
            is_text = any(not one.slot or one.slot == "person" for one in row[start:end])
            if is_text and total + after > best[0]:
                best = total + after, [*row[start:end]]
    return best[1]


def _beside(beside: frozenset[str], names: Sequence[str], *, first: bool) -> float:
    """Return how well a text begins after one or two words, or ends before them."""
    near = names[-1] if first else names[0]
    mark = "<" if first else ">"
    if len(names) > 1 and f"{mark}{' '.join(names)}" in beside:
        return BESIDE_TWO
    if f"{mark}{near}" not in beside:
        return BESIDE_OTHERS
    return BESIDE_LETTER if questions.is_asian(near) else BESIDE_ONE


def _cost_inside(part: Part, table: nearness.Nearness, number: int) -> float:
    """Return what it costs that a text has a part."""
    if part.word in ("?", "？"):
        return 1.0
    if part.slot or not part.is_common:
        return 0.0
    return 0.3 if part.word in table.words[number] else 0.1


def _cost_outside(part: Part, table: nearness.Nearness, number: int) -> float:
    """Return what it costs that a text lacks a part."""
    if part.slot:
        return 0.0 if part.slot in ("day", "text") else 1.2
    if part.word in ("?", "？") or part.word in table.words[number]:
        return 0.0
    return 0.4 if part.is_common or part.word in questions.little() else 1.2


def _text(asked: Asked, span: Sequence[Part], row: Sequence[Part], used: Sequence[Part]) -> str:
    """Return a text as it was written, with the day that stands apart from it."""
    whole = asked.message[span[0].start : span[-1].end]
    said = span[0].word if span[0].slot == "text" else _PARTICLE.sub("", whole)
    apart = [one for one in row if one.slot == "day" and one not in span and one not in used]
    return " ".join([said.strip(), *(_said(asked, one) for one in apart)])


def fill(plain: str, values: Mapping[str, str]) -> str:
    """Return the plain words of a wish with its slots filled."""
    return _SLOT.sub(lambda found: values[found[1]], plain)
