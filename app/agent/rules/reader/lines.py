"""A message as a row of pieces, each with what is known of it before anything is understood."""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import closed_classes
from app.agent.rules.dialogue.dialogue_words import UNSPACED
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import list_words
from app.agent.rules.mentions import mentions, parts
from app.agent.turn.steps import Asked, Thing, ThingKind
from app.core.process.caches import keep_short

CLASSES = (
    "join denies asks courtesy filler put must states done finished open reports chatter moves"
    " earlier later note doubts"
).split()
"""The words for changes that say something of a piece."""
LONGEST_WORD = 40
_PIECE = re.compile(
    rf"[{UNSPACED}]|\d+(?:[.,:]\d+)*[^\W_{UNSPACED}]*"
    rf"|[^\W_{UNSPACED}\d]{{1,2}}['’](?=[^\W_]{{3}})|[^\W_{UNSPACED}]*qu['’](?=[^\W_])"
    rf"|[^\W_{UNSPACED}]+(?:['’][^\W_{UNSPACED}]+)*|[^\w\s]|_"
)
_QUOTES = '"“”„«»「」『』'
_CLAUSE = re.compile("[,;.!?…:，。！？；：、\n]")


class Line(NamedTuple):
    """A message: for each piece where it stands, its folded word, `B` or `I` where it begins or
    goes on with a day, the kind of thing that it names, whether it stands in quotation marks or
    after a colon, the number of its clause, and the classes of words that it is of.
    """

    text: str
    places: list[tuple[int, int]]
    words: list[str]
    days: list[str]
    names: list[str]
    quoted: list[bool]
    after_colon: list[bool]
    clauses: list[int]
    classes: list[list[str]]
    is_spaced: bool


def read(asked: Asked, things: Sequence[Thing], language: Language) -> Line:
    """Return a message as pieces; `things` are those that it may name."""
    return line(asked, named(asked.message, things), language)


def line(asked: Asked, named_at: Iterable[tuple[int, int, str]], language: Language) -> Line:
    """Return a message as pieces; `named_at` are the places that name a thing, with its kind."""
    bare, held = _without_names(asked.message, asked.now, language), list(named_at)
    names = [
        next((kind for start, end, kind in held if start <= at < end), "") for at, _ in bare.places
    ]
    return bare._replace(names=names)


@keep_short  # read with and without what there is to be named
def _without_names(text: str, now: datetime, language: Language) -> Line:
    found = list(_PIECE.finditer(text))
    places = [one.span() for one in found]
    words = [_folded(one[0]) for one in found]
    moments = [(one.start, one.end) for one in mentions.moments(text, now, language)]
    spaced = words_of(language).spaced
    classes = defaultdict(set)
    for name, start, end in _classes(text, language):
        for at, (first, _) in enumerate(places):
            if start <= first < end:
                classes[at].add(name)
    return Line(
        text,
        places,
        words,
        [_begins_or_goes_on(at, moments) for at, _ in places],
        [],
        *_marked(words),
        _clause_numbers(text, places, words, spaced=spaced),
        [sorted(classes[at]) for at in range(len(places))],
        spaced,
    )


def _folded(word: str) -> str:
    """Return a word as the models know it, which take no half of a character."""
    plain = plain_letters(word).lower().replace("’", "'")
    return plain.encode("utf-8", "replace").decode("utf-8")


def _begins_or_goes_on(at: int, spans: Sequence[tuple[int, int]]) -> str:
    start = next((start for start, end in spans if start <= at < end), None)
    return "" if start is None else "B" if at == start else "I"


def _marked(words: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Return of each word whether it stands in quotation marks, and after a colon."""
    quoted, after = [], []
    is_quoted = is_after = False
    for word in words:
        is_mark = word in _QUOTES
        is_quoted ^= is_mark
        quoted.append(is_quoted and not is_mark)
        after.append(is_after)
        is_after = is_after or word in ":："
    return quoted, after


def _clause_numbers(
    text: str, places: Sequence[tuple[int, int]], words: Sequence[str], *, spaced: bool
) -> list[int]:
    """Return the number of the clause of each piece; a space ends one where none part words."""
    numbers, number = [], 0
    for at, word in enumerate(words):
        numbers.append(number)
        gap = at + 1 < len(words) and places[at + 1][0] > places[at][1]
        number += bool(_CLAUSE.match(word)) or (gap and not spaced)
    return numbers


def named(text: str, things: Sequence[Thing]) -> list[tuple[int, int, str]]:
    """Return where a text names things, and their kind."""
    row = parts.split(text)
    unspaced = re.search(f"[{UNSPACED}]", text) is not None
    find = mentions.named_unspaced if unspaced else mentions.named
    kinds: tuple[ThingKind, ...] = ("todo", "note", "folder", "person")
    return [
        (part.start, part.end, kind)
        for kind in kinds
        for part in find(row, [one for one in things if one.kind == kind], kind)
    ]


def _classes(text: str, language: Language) -> Iterable[tuple[str, int, int]]:
    folded = Marked(text).text
    for name, pattern in _patterns(language):
        for found in pattern.finditer(folded):
            if 0 < found.end() - found.start() < LONGEST_WORD:
                yield name, found.start(), found.end()


@functools.cache
def _patterns(language: Language) -> list[tuple[str, re.Pattern[str]]]:
    """Return the classes of words that a language has for changes, lists and what goes on."""
    words, listed = words_of(language), list_words.words_of(language)
    return [
        *((name, getattr(words, name)) for name in CLASSES),
        *((f"k:{kind}", pattern) for kind, pattern in words.cues.items()),
        *((f"l:{kind}", pattern) for kind, pattern in listed.cues.items()),
        ("list", listed.place),
        ("lacks", listed.lacks),
        *((f"f:{name}", pattern) for name, pattern in closed_classes.classes(language)),
    ]
