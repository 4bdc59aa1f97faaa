"""The passage of a note that shows best why it was found, and where in it the hits are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from app.workspace.spellings import Pattern, Token, plain, tokens_in

WORDS = 24
MOST_CHARACTERS = 240
NEAR = 160
LEAD = 48
MOST_SPOTS = 200  # of one word in one text: what is that common decides nothing
MOST_LOOKED_AT = 2_000
LONGEST_TOKEN = 80
_INK = re.compile(r"\S")
Span = tuple[int, int]


class Snippet(NamedTuple):
    """Some words of a text; `marks` are the [start, end) of the hits in it, in characters."""

    text: str
    marks: list[Span]


def snippet(text: str, patterns: Sequence[Pattern]) -> Snippet:
    """Return some words of a text, beginning a little before the place where most of `patterns` stand together."""
    lowered = plain(text)
    spans = [list(islice(_spans(text, lowered, pattern), MOST_SPOTS)) for pattern in patterns]
    start = _start(text, _best(spans))
    first, last = _passage(text, start)
    if first == last:
        return Snippet("", [])
    before, after = "…" if start else "", "…" if _INK.search(text, last) else ""
    inside = (
        span
        for pattern, known in zip(patterns, spans, strict=True)
        for span in (known if len(known) < MOST_SPOTS else _spans(text, lowered, pattern, first, last))
    )
    return Snippet(before + text[first:last] + after, _shifted(_merged(inside), first, last, len(before)))


def _passage(text: str, start: int) -> Span:
    """Give where the passage of a few words lies that begins at this place, without the white space around it."""
    piece = text[start : start + MOST_CHARACTERS]
    parts = piece.split(None, WORDS)
    if len(parts) > WORDS:
        piece = piece[: -len(parts[WORDS])]
    first = start + len(piece) - len(piece.lstrip())
    return first, max(first, start + len(piece.rstrip()))


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Give spans in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _shifted(spans: Sequence[Span], first: int, last: int, by: int) -> list[Span]:
    """Give what of the spans lies between two places of a text, as places of that part with `by` characters before it."""
    return [(max(start, first) - first + by, min(end, last) - first + by) for start, end in spans if start < last and end > first]


def _best(spans: Sequence[Sequence[Span]]) -> int:
    """Give the place from which, within a few lines, the rarest and the most of the patterns come; each has its own spans."""
    spots = sorted((span[0], number) for number, own in enumerate(spans) for span in own)
    if len(spots) < 2:
        return spots[0][0] if spots else 0
    weights = [1 / (len(own) or 1) for own in spans]
    best, best_weight, end = 0, 0.0, 0
    inside = [0] * len(spans)
    for at, number in spots:
        while end < len(spots) and spots[end][0] <= at + NEAR:
            inside[spots[end][1]] += 1
            end += 1
        weight = sum(weights[which] for which, count in enumerate(inside) if count)
        if weight > best_weight:
            best, best_weight = at, weight
        inside[number] -= 1
    return best


def _spans(text: str, lowered: str, pattern: Pattern, start: int = 0, stop: int | None = None) -> Iterator[Span]:
    """Find where a pattern stands in a part of a text: where its letters begin a word whose key is the pattern's."""
    begun = pattern.begun
    spaced = begun[:1].isascii()
    at = lowered.find(begun, start, stop) if begun else -1
    for _ in range(MOST_LOOKED_AT):
        if at < 0:
            return
        end = 0 if spaced and at and lowered[at - 1].isalnum() and lowered[at - 1].isascii() else _end(text, at, pattern)
        if end:
            yield at, end
        at = lowered.find(begun, max(end, at + 1), stop)


def _end(text: str, at: int, pattern: Pattern) -> int:
    """Give where a pattern that begins at this place ends; 0 where it does not stand there."""
    keys = pattern.keys
    if len(keys) == 1 and not pattern.prefix:
        token = next(tokens_in(text, at, at + LONGEST_TOKEN), None)
        return token.end if token is not None and token.start == at and token.key == keys[0] else 0
    tokens: list[Token] = []
    for token in tokens_in(text, at, at + LONGEST_TOKEN * len(keys)):
        key = keys[len(tokens)]
        goes_on = pattern.prefix and len(tokens) == len(keys) - 1 and plain(text[token.start : token.end]).startswith(key)
        if (not tokens and token.start != at) or not (goes_on or token.key == key):
            return 0
        tokens.append(token)
        if len(tokens) == len(keys):
            return token.end
    return 0


def _start(text: str, at: int) -> int:
    """Give where the passage begins: at the line's or a sentence's start where that is near, else between two words."""
    if at <= LEAD:
        return 0
    before = text[at - LEAD : at]
    for mark in ("\n", ". ", " "):
        found = before.find(mark) if mark == " " else before.rfind(mark)
        if found >= 0:
            return at - LEAD + found + len(mark)
    return at
