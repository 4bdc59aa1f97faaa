"""The passage of a note that shows best why it was found."""

import itertools
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

WORDS = 24
MOST_CHARACTERS = 240
NEAR = 160
LEAD = 48
MOST_SPOTS = 200  # of one word in one text: what is that common decides nothing


def snippet(text: str, words: Sequence[str]) -> str:
    """Return some words of a text, beginning a little before the place where most of `words` stand together."""
    at = _best(_plain(text), [_stem(_plain(word)) for word in words])
    start = _start(text, at)
    found = re.compile(rf"\s*(?:\S+\s*){{1,{WORDS}}}").match(text, start, start + MOST_CHARACTERS)
    if found is None:
        return ""
    return ("…" if start else "") + found[0].strip() + ("…" if text[found.end() :].strip() else "")


def _best(text: str, stems: Sequence[str]) -> int:
    """Give the place from which, within a few lines, the rarest and the most of the words come."""
    spots: list[tuple[int, int]] = []
    weights: list[float] = []
    for number, stem in enumerate(stems):
        begun = re.escape(stem)  # first the letters, then what stands before them: re looks for letters much faster
        own = [found.start() for found in itertools.islice(re.finditer(rf"{begun}(?<![^\W_]{begun})", text), MOST_SPOTS)]
        weights.append(1 / (len(own) or 1))
        spots += [(at, number) for at in own]
    spots.sort()
    best, best_weight, end = 0, 0.0, 0
    inside = [0] * len(stems)
    for at, number in spots:
        while end < len(spots) and spots[end][0] <= at + NEAR:
            inside[spots[end][1]] += 1
            end += 1
        weight = sum(weights[which] for which, count in enumerate(inside) if count)
        if weight > best_weight:
            best, best_weight = at, weight
        inside[number] -= 1
    return best


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


def _stem(word: str) -> str:
    """Give the beginning that a word's forms share."""
    return word[: max(4, len(word) - 3)]


def _plain(text: str) -> str:
    """Give a text without accents and capitals, each character still in its place."""
    if text.isascii():
        return text.lower()
    return text.translate({ord(character): _base(character) for character in set(text)})


@cache
def _base(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0].lower()
    return base if len(base) == 1 else character
