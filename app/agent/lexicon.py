"""What words tell of a thing, in several languages at once: which senses a text has.

The language of a text is never asked for: its words are looked up in all lists, so a mixed text works too. Accents and case are ignored.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache

from app.agent import lexicon_de, lexicon_en, lexicon_es, lexicon_fr
from app.workspace.todo_rows import folded

LONGEST = 600


class Sense(StrEnum):
    """What a word can tell."""

    ALARM = "alarm"  # it burns
    OVERDUE = "overdue"
    NOW = "now"
    BLOCKED = "blocked"  # somebody or something waits
    SOON = "soon"
    CALM = "calm"  # no hurry, no duty
    SETTLED = "settled"  # over and done
    WEIGHT = "weight"  # money, law, health, work: it has consequences
    GROWTH = "growth"  # learning, planning, building up
    LIGHT = "light"  # nothing is lost without it
    ASKED = "asked"  # an answer is wanted
    OFFER = "offer"  # somebody wants to sell
    HIGH = "high"
    LOW = "low"


Senses = Mapping[Sense, frozenset[str]]
Lists = Mapping[str, str]
_WHOLE = (lexicon_en.WORDS, lexicon_fr.WORDS, lexicon_es.WORDS)
_PARTS = (lexicon_de.WORDS,)  # German joins words, so they are found inside others


@lru_cache(4096)
def senses(text: str) -> Senses:
    """Return the senses of a text, each with the words that have it."""
    plain = folded(text[:LONGEST]).replace("’", "'")
    return {sense: words for sense in Sense if (words := frozenset(match[0] for match in _pattern(sense).finditer(plain)))}


@cache
def _pattern(sense: Sense) -> re.Pattern[str]:
    whole = [word for words in _WHOLE for word in _read(words, sense)]
    inside = [word for words in _PARTS for word in _read(words, sense)]
    parts = [rf"(?<!\w)(?:{'|'.join(map(_whole, whole))})(?:e?s)?(?!\w)" if whole else "", "|".join(map(_part, inside))]
    return re.compile("|".join(part for part in parts if part))


def _read(words: Lists, sense: Sense) -> list[str]:
    return sorted((folded(word.strip()) for word in words.get(sense.value, "").split(",") if word.strip()), key=len, reverse=True)


def _whole(word: str) -> str:
    return re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")


def _part(word: str) -> str:
    """Give the pattern of a German word: anywhere inside another, but after `=` only as a word of its own."""
    if word.startswith("="):
        return rf"(?<!\w){_whole(word[1:])}(?!\w)"
    return _whole(word)
