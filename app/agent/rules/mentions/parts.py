"""A message as a row of parts: its words, and in place of names, days and numbers what they are."""

import re
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


@keep_short  # titles are parted again for each message
def split(text: str) -> tuple[Part, ...]:
    """Return the parts of a text; where no spaces part words, its letters."""
    folded = plain_letters(text).lower()
    return tuple(
        Part(found.start(), found.end(), found[0], found["slot"] or "")
        for found in _PIECE.finditer(folded)
    )
