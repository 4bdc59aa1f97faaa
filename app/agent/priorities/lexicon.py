"""What words tell of a thing, in several languages at once: which senses a text has.

The words are those of `agent/rules/languages/*/lexicon.toml`. The language of a text is never asked
for: its words are looked up in all lists, so a mixed text works too. Accents and case are ignored.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache

import msgspec

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Lexicon
from app.workspace.todos.todo_rows import fold_text

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
    EXPIRY = "expiry"  # something ends on a day
    ASKED = "asked"  # an answer is wanted
    OFFER = "offer"  # somebody wants to sell
    HIGH = "high"
    LOW = "low"


Senses = Mapping[Sense, frozenset[str]]
_WORD = re.compile(r"\w+")
_ENDINGS = ("", "s", "es")


class _Phrase(msgspec.Struct, frozen=True):
    """A list's entry: its sense, and the words that must follow the first one."""

    sense: Sense
    entry: str
    rest: tuple[str, ...]


class _Index(msgspec.Struct, frozen=True):
    """The entries by their first word, by its beginning, and by what stands inside it."""

    whole: dict[str, list[_Phrase]]
    begun: dict[str, list[_Phrase]]
    inside: list[tuple[str, _Phrase]]


# Six measures of each thing ask for the senses of its text, 13 microseconds each time.
@lru_cache(4096)
def find_senses(text: str) -> Senses:
    """Return the senses of a text, each with the entries that have it.

    What stands beyond 600 characters does not count.
    """
    words = _WORD.findall(fold_text(text[:LONGEST]))
    found: dict[Sense, set[str]] = defaultdict(set)
    for place, word in enumerate(words):
        for phrase in _phrases_beginning(word):
            following = words[place + 1 : place + 1 + len(phrase.rest)]
            if len(following) == len(phrase.rest) and all(map(_word_fits, phrase.rest, following)):
                found[phrase.sense].add(phrase.entry)
    return {sense: frozenset(entries) for sense, entries in found.items()}


# 10 microseconds a word, each of which comes again and again.
@lru_cache(16_384)
def _phrases_beginning(word: str) -> tuple[_Phrase, ...]:
    index = _index()
    # A plural in the text for a singular in the list.
    bare = {word} | {word.removesuffix(ending) for ending in _ENDINGS[1:]}
    found = [phrase for form in bare for phrase in index.whole.get(form, ())]
    found += [
        phrase
        for length in range(3, len(word) + 1)
        for phrase in index.begun.get(word[:length], ())
    ]
    # A short word inside of a longer one is mostly chance.
    if len(word) > 3:
        found += [phrase for part, phrase in index.inside if part in word]
    return tuple(found)


def _word_fits(wanted: str, word: str) -> bool:
    if wanted.endswith("*"):
        return word.startswith(wanted[:-1])
    return word.startswith(wanted) and word[len(wanted) :] in _ENDINGS


@cache
def _index() -> _Index:
    index = _Index(defaultdict(list), defaultdict(list), [])
    for lexicon in language_data.of_all(Lexicon):
        for sense in Sense:
            for entry in _entries(lexicon.senses[sense.value]):
                first, *rest = re.findall(r"\w+\*?", entry)
                phrase = _Phrase(sense, entry, tuple(rest))
                if lexicon.joins_words and not rest and not entry.startswith("="):
                    index.inside.append((first, phrase))
                elif first.endswith("*"):
                    index.begun[first[:-1]].append(phrase)
                else:
                    index.whole[first].append(phrase)
    return index


def _entries(listed: str) -> Iterator[str]:
    return (fold_text(entry.strip()) for entry in listed.split(",") if entry.strip())
