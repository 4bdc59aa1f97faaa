"""Deterministic Markdown notes of about 1 KB and words that occur in them.

Note i depends on the seed and i only.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

SEED = 411
VOCABULARY = 40_000
FOLDERS = 20
SYLLABLES = tuple(consonant + vowel for consonant in "bcdfghjklmnprstvwxyz" for vowel in "aeiou")


@dataclass(frozen=True)
class Note:
    """One note of the corpus."""

    title: str
    markdown: str
    folder: int
    tags: tuple[str, ...]


def word(rank: int) -> str:
    """Spell the word of a rank, counted from 0.

    Frequent words are short, and no two ranks share a spelling.
    """
    spelling = ""
    while rank >= 0:
        rank, digit = divmod(rank, len(SYLLABLES))
        spelling = SYLLABLES[digit] + spelling
        rank -= 1
    return spelling


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Give all words by rank and their cumulative Zipf weights."""
    weights = (1 / (rank + 3) for rank in range(VOCABULARY))
    return [word(rank) for rank in range(VOCABULARY)], list(itertools.accumulate(weights))


@lru_cache(maxsize=20_000)
def note(number: int) -> Note:
    """Make note number i; its title ends in the number, so that titles are unique."""
    dice = random.Random(f"{SEED}:{number}")
    words, weights = _vocabulary()
    stream = iter(dice.choices(words, cum_weights=weights, k=1_200))
    title = f"{_phrase(stream, dice.randint(2, 5)).capitalize()} {number}"
    blocks = [f"# {title}"]
    length = min(4_000, max(200, int(dice.lognormvariate(6.8, 0.5))))
    while sum(map(len, blocks)) < length:
        blocks.append(_block(stream, dice, number))
    return Note(
        title,
        "\n\n".join(blocks) + "\n",
        number % FOLDERS,
        tuple(dice.sample(words[100:200], dice.randint(0, 3))),
    )


def _phrase(stream: Iterator[str], count: int) -> str:
    return " ".join(itertools.islice(stream, count))


def _block(stream: Iterator[str], dice: random.Random, number: int) -> str:
    """Give a heading, a list (some items with a box), a line with a link, or a paragraph."""
    kind = dice.random()
    if kind < 0.15:
        return f"## {_phrase(stream, 3).capitalize()}"
    if kind < 0.40:
        marks = (dice.choice(("-", "-", "-", "- [ ]")) for _ in range(dice.randint(2, 6)))
        return "\n".join(f"{mark} {_phrase(stream, dice.randint(3, 8))}" for mark in marks)
    if kind < 0.47:
        return (
            "See "
            f"[{_phrase(stream, 2)}](https://example.org/{number}/{dice.randint(1, 99)}) "
            f"for *{_phrase(stream, 2)}*."
        )
    return _phrase(stream, dice.randint(15, 45)).capitalize() + "."


def queries(words: int, count: int) -> list[str]:
    """Give searches of so many words each, all of middling frequency.

    Each word stands in about 1 % of the notes.
    """
    dice = random.Random(f"{SEED}:queries:{words}")
    return [" ".join(word(dice.randint(500, 4_000)) for _ in range(words)) for _ in range(count)]


def literals(count: int) -> list[str]:
    """Give rare words to grep for."""
    dice = random.Random(f"{SEED}:literals")
    return [word(dice.randint(12_000, 30_000)) for _ in range(count)]


def common_words(count: int) -> list[str]:
    """Give words that a third or more of the notes hold."""
    return [word(rank) for rank in range(10, 10 + count)]


def openings(count: int) -> list[str]:
    """Give what people type to open a note.

    The beginnings of one or two words of a title, every third with two letters exchanged.
    """
    typed = []
    for number in range(count):
        first, second, *_ = note(number).title.lower().split()
        text = f"{first} {second[:4]}" if number % 2 else first[:4]
        typed.append(
            f"{text[:2]}{text[3]}{text[2]}{text[4:]}" if number % 3 == 0 and len(text) > 3 else text
        )
    return typed
