"""The passage of a note that shows best why it was found, and where in it the hits are."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.workspace.spellings import Pattern, Token, plain, tokens_in

WORDS = 24
MOST_CHARACTERS = 240
NEAR = 160
LEAD = 48
MOST_SPOTS = 200  # of one word in one text: what is that common decides nothing
MOST_LOOKED_AT = 2_000
LONGEST_TOKEN = 80
_PASSAGE = re.compile(rf"\s*(?:\S+\s*){{1,{WORDS}}}")


class Snippet(NamedTuple):
    """Some words of a text; `marks` are the [start, end) of the hits in it, in characters."""

    text: str
    marks: list[tuple[int, int]]


def snippet(text: str, patterns: Sequence[Pattern]) -> Snippet:
    """Return some words of a text, beginning a little before the place where most of `patterns` stand together."""
    at = _best(text, patterns)
    start = _start(text, at)
    found = _PASSAGE.match(text, start, start + MOST_CHARACTERS)
    if found is None:
        return Snippet("", [])
    shown = found[0].strip()
    before = "…" if start else ""
    after = "…" if text[found.end() :].strip() else ""
    return Snippet(before + shown + after, [(first + len(before), end + len(before)) for first, end in marks(shown, patterns)])


def beginning(text: str, start: int = 0, end: int | None = None) -> str:
    """Give the first words of a passage of a text."""
    end = len(text) if end is None else end
    found = _PASSAGE.match(text, start, min(end, start + MOST_CHARACTERS))
    if found is None:
        return ""
    return ("…" if text[:start].strip() else "") + found[0].strip() + ("…" if text[found.end() :].strip() else "")


def marks(text: str, patterns: Sequence[Pattern]) -> list[tuple[int, int]]:
    """Give where the patterns stand in a short text, as [start, end), in order; what touches or overlaps is one."""
    tokens = list(tokens_in(text))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for pattern in patterns for span in _spans(text, tokens, pattern)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _spans(text: str, tokens: Sequence[Token], pattern: Pattern) -> Iterator[tuple[int, int]]:
    length = len(pattern.keys)
    first = pattern.keys[0] if length else ""
    for at in range(len(tokens) - length + 1):
        if (tokens[at].key == first or (pattern.prefix and length == 1)) and length and _fits(text, tokens[at : at + length], pattern):
            yield tokens[at].start, tokens[at + length - 1].end


def _fits(text: str, tokens: Sequence[Token], pattern: Pattern) -> bool:
    keys = pattern.keys
    if len(tokens) < len(keys):
        return False
    whole = len(keys) - pattern.prefix
    if any(tokens[at].key != keys[at] for at in range(whole)):
        return False
    return not pattern.prefix or plain(text[tokens[whole].start : tokens[whole].end]).startswith(keys[-1])


def _best(text: str, patterns: Sequence[Pattern]) -> int:
    """Give the place from which, within a few lines, the rarest and the most of the patterns come."""
    lowered = plain(text)
    spots: list[tuple[int, int]] = []
    weights: list[float] = []
    for number, pattern in enumerate(patterns):
        own = _places(text, lowered, pattern)
        weights.append(1 / (len(own) or 1))
        spots += [(at, number) for at in own]
    if len(spots) < 2:
        return spots[0][0] if spots else 0
    spots.sort()
    best, best_weight, end = 0, 0.0, 0
    inside = [0] * len(patterns)
    for at, number in spots:
        while end < len(spots) and spots[end][0] <= at + NEAR:
            inside[spots[end][1]] += 1
            end += 1
        weight = sum(weights[which] for which, count in enumerate(inside) if count)
        if weight > best_weight:
            best, best_weight = at, weight
        inside[number] -= 1
    return best


def _places(text: str, lowered: str, pattern: Pattern) -> list[int]:
    """Give where a pattern stands in a text, the first few times: where its letters begin a word whose key is the pattern's."""
    found: list[int] = []
    begun = pattern.begun
    at = lowered.find(begun) if begun else -1
    for _ in range(MOST_LOOKED_AT):
        if at < 0 or len(found) == MOST_SPOTS:
            break
        if (at == 0 or not lowered[at - 1].isalnum() or not begun[0].isascii()) and _fits(text, _tokens_from(text, at, len(pattern.keys)), pattern):
            found.append(at)
        at = lowered.find(begun, at + 1)
    return found


def _tokens_from(text: str, at: int, count: int) -> list[Token]:
    tokens: list[Token] = []
    for token in tokens_in(text, at, at + LONGEST_TOKEN * count):
        tokens.append(token)
        if len(tokens) == count or tokens[0].start != at:
            break
    return tokens if tokens and tokens[0].start == at else []


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
