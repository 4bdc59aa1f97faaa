"""A message as a row of parts: its words, and in place of names, days and numbers what they are."""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.dialogue.dialogue_words import UNSPACED
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.turn.steps import Thing
from app.core.process.caches import keep_short

_UNSPACED = re.compile(rf"[{UNSPACED}]")
_PIECE = re.compile(rf"\{{(?P<slot>[a-z]+)\}}|[{UNSPACED}]|[^\W_{UNSPACED}]+|[?？]")


class Part(NamedTuple):
    """A part of a text, from `start` up to `end`: a folded word, or with `slot` what stands there.

    `things` are those that it names.
    """

    start: int
    end: int
    word: str
    slot: str = ""
    things: tuple[Thing, ...] = ()
    is_unsure: bool = False
    """Whether one of the things is meant, and not all of them."""
    is_known: bool = False
    """Whether the examples have the word."""
    is_common: bool = False
    """Whether several have it, so that it is hardly part of a name or text."""


@keep_short  # titles are parted again for each message
def split(text: str) -> tuple[Part, ...]:
    """Return the parts of a text; where no spaces part words, its letters."""
    folded = plain_letters(text).lower()
    return tuple(
        Part(found.start(), found.end(), found[0], found["slot"] or "")
        for found in _PIECE.finditer(folded)
    )


def _is_held(word: str, before: str, after: str, held: frozenset[str]) -> bool:
    if not _UNSPACED.match(word) or not (before or after):
        return word in held
    return before + word in held or word + after in held


def vocabulary(row: Sequence[Part]) -> list[str]:
    """Return the words of parts, and the pairs of letters where no spaces part words."""
    words = ["" if part.slot else part.word for part in row]
    pairs = [
        one + other for one, other in itertools.pairwise(words) if one and _UNSPACED.match(other)
    ]
    return [*filter(None, words), *pairs]


def features(parts: Sequence[Part], *, only_known: bool = False) -> list[str]:
    """Return what parts are known by: their words and runs of two or three of them, and pieces of
    longer words. With `only_known`, what is not is any text.
    """
    words: list[str] = []
    for part in parts:
        word = f"{{{part.slot}}}" if part.slot else part.word
        if only_known and not part.slot and not part.is_known and word not in "?？":
            word = "{text}"
        if word != "{text}" or words[-1:] != ["{text}"]:
            words.append(word)
    row = ["^", *words, "$"]
    found = [*words]
    for length in (2, 3):
        found += [" ".join(row[at : at + length]) for at in range(len(row) - length + 1)]
    for word in words:
        if len(word) > 3 and word[0] != "{":
            marked = f"<{word}>"
            found += [f"~{marked[at : at + 4]}" for at in range(len(marked) - 3)]
    return found
