"""The passage of a note that shows best why it was found, and where in it the hits are."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.core.markdown.front_matter import body_start
from app.workspace.index.spellings import (
    Pattern,
    find_tokens,
    fold_in_place,
    token_end,
    word_key,
    word_parts,
    word_pattern,
)
from app.workspace.search.ranking.query_language import Query

WORDS = 24
MOST_CHARACTERS = 240
NEAR = 160
LEAD = 48
MOST_SPOTS = 200  # of one word in one text: what is that common decides nothing
MOST_LOOKED_AT = 2_000
LONGEST_TOKEN = 80
MOST_FOLDED = 1 << 20
_INK = re.compile(r"\S")
Span = tuple[int, int]


# 9 microseconds, and recall asks for them with each conversation that it shows.
@lru_cache(maxsize=512)
def query_patterns(query: Query) -> tuple[Pattern, ...]:
    """Return how the terms of a query are found again in a text.

    A run without spaces also by its parts.
    """
    found = [word_pattern(term.text, prefix=term.kind == "prefix") for term in query.terms]
    found += [
        word_pattern(part)
        for word in query.words
        if len(parts := word_parts(word)) > 1
        for part in parts
    ]
    return tuple(dict.fromkeys(found))


def count_hits(text: str, pattern: Pattern, most: int = MOST_SPOTS) -> int:
    """Count how often a pattern stands in a text, up to a number at which more of it tells no
    more.
    """
    return len(_find_spans(text, _fold_text(text), pattern, 0, len(text), most))


class Snippet(NamedTuple):
    """Some words of a text; `marks` are the [start, end) of the hits in it, in characters."""

    text: str
    marks: list[Span]


def make_snippet(text: str, patterns: Sequence[Pattern]) -> Snippet:
    """Return some words of a text, beginning a little before the place where most of `patterns`
    stand together; of its front matter only where they stand nowhere else.
    """
    lowered, body = _fold_text(text), body_start(text)
    spots = _find_spots(text, lowered, patterns, body)
    if body and not any(spots):
        spots = _find_spots(text, lowered, patterns, 0)
    at = _best_place(spots, body)
    start = max(_passage_start(text, at), body if at >= body else 0)
    first, last = _passage_span(text, start)
    if first == last:
        return Snippet("", [])
    before = "…" if start not in (0, body) else ""
    after = "…" if _INK.search(text, last) else ""
    by = len(before) - first
    inside = [
        (at + by, min(end, last) + by)
        for pattern, own in zip(patterns, spots, strict=True)
        for at, end in (
            own
            if len(own) < MOST_SPOTS
            else _find_spans(text, lowered, pattern, first, last, last - first)
        )
        if first <= at < last
    ]
    return Snippet(
        before + text[first:last] + after, inside if len(inside) < 2 else _merge_spans(inside)
    )


def first_words(text: str, start: int = 0, end: int | None = None) -> str:
    """Return the first words of a part of a text."""
    return mark_snippet(text, start, len(text) if end is None else end, ()).text


def mark_snippet(text: str, start: int, end: int, spans: Iterable[Span]) -> Snippet:
    """Return the first words of a part of a text, with marks for what of `spans` is in them."""
    first, last = _passage_span(text[:end], start)
    if first >= last:
        return Snippet("", [])
    before, after = "…" if text[:first].strip() else "", "…" if _INK.search(text, last) else ""
    by = len(before) - first
    inside = [(max(at, first) + by, min(to, last) + by) for at, to in spans]
    return Snippet(before + text[first:last] + after, [(at, to) for at, to in inside if at < to])


def _fold_text(text: str) -> str:
    """Return a text without capitals and accents, of a very long one only the beginning.

    That of one in ASCII costs little.
    """
    return fold_in_place(text if text.isascii() else text[:MOST_FOLDED])


def _passage_span(text: str, start: int) -> Span:
    """Return where the passage of a few words lies that begins at this place, without the white
    space around it.
    """
    piece = text[start : start + MOST_CHARACTERS]
    parts = piece.split(None, WORDS)
    if len(parts) > WORDS:
        piece = piece[: -len(parts[WORDS])]
    said = piece.lstrip()
    first = start + len(piece) - len(said)
    return first, first + len(said.rstrip())


def _merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _find_spots(
    text: str, lowered: str, patterns: Sequence[Pattern], begin: int
) -> list[list[Span]]:
    """Return where each of the patterns stands after `begin`, the first places of each."""
    end = len(text)
    return [_find_spans(text, lowered, pattern, begin, end, MOST_SPOTS) for pattern in patterns]


def _best_place(places: Sequence[Sequence[Span]], otherwise: int) -> int:
    """Return the place from which, within a few lines, the rarest and the most of the patterns
    come, given where each stands.
    """
    held = [own for own in places if own]
    if len(held) < 2:  # any of its places is as good as another
        return held[0][0][0] if held else otherwise
    spots = sorted((at, number) for number, own in enumerate(held) for at, _ in own)
    weights = [1 / len(own) for own in held]
    best, best_weight, end = 0, 0.0, 0
    inside = [0] * len(held)
    for at, number in spots:
        while end < len(spots) and spots[end][0] <= at + NEAR:
            inside[spots[end][1]] += 1
            end += 1
        weight = sum(weights[which] for which, count in enumerate(inside) if count)
        if weight > best_weight:
            best, best_weight = at, weight
        inside[number] -= 1
    return best


def _find_spans(
    text: str, lowered: str, pattern: Pattern, start: int, stop: int, most: int
) -> list[Span]:
    """Return the first `most` places at which a pattern stands in a part of a text.

    Where its letters begin a word whose key is the pattern's.
    """
    found = _find_spans_from(text, lowered, pattern, pattern.begun, start, stop, most)
    # Points and marks may part the letters; then the first one has to do.
    if not found and not text.isascii():
        return _find_spans_from(text, lowered, pattern, pattern.begun[:1], start, stop, most)
    return found


# A list and not a generator: of a search's time a tenth goes into finding words again.
def _find_spans_from(
    text: str, lowered: str, pattern: Pattern, begun: str, start: int, stop: int, most: int
) -> list[Span]:
    found: list[Span] = []
    spaced = begun[:1].isascii()
    at = lowered.find(begun, start, stop) if begun else -1
    # A short beginning stands almost everywhere in a text of megabytes: so many are enough.
    looked = 0
    while at >= 0 and looked < MOST_LOOKED_AT:
        looked += 1
        before = lowered[at - 1] if spaced and at else " "
        end = 0 if before.isalnum() and before.isascii() else _match_end(text, at, pattern)
        if end:
            found.append((at, min(end, stop)))
            if len(found) == most:
                break
        at = lowered.find(begun, max(end, at + 1), stop)
    return found


def _match_end(text: str, at: int, pattern: Pattern) -> int:
    """Return where a pattern that begins at this place ends; 0 where it does not stand there."""
    keys = pattern.keys
    if len(keys) == 1 and not pattern.prefix:
        end = token_end(text, at)
        return end if end and word_key(text[at:end]) == keys[0] else 0
    for number, token in enumerate(find_tokens(text, at, at + LONGEST_TOKEN * len(keys))):
        goes_on = (
            pattern.prefix
            and number == len(keys) - 1
            and fold_in_place(text[token.start : token.end]).startswith(keys[-1])
        )
        if (number == 0 and token.start != at) or not (goes_on or token.key == keys[number]):
            return 0
        if number == len(keys) - 1:
            return token.end
    return 0


def _passage_start(text: str, at: int) -> int:
    """Return where the passage begins.

    At the line's or a sentence's start where that is near, else between two words.
    """
    if at <= LEAD:
        return 0
    since = at - LEAD
    if (line := text.rfind("\n", since, at)) >= 0:
        return line + 1
    if (sentence := text.rfind(". ", since, at)) >= 0:
        return sentence + 2
    if (word := text.find(" ", since, at)) >= 0:
        return word + 1
    return at
