"""Words of a wish that were mistyped, “remnid me”, or that only a region has: “haceme …”."""

import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.languages.wording_tables import Wording

LONGEST = 300
SHORTEST_DAY = 6
"""So many letters has the name of a day or month at least that is mended."""
SHORTEST, LONG = 5, 6
"""So many letters has a lead of one word at least, and one of another language."""
LONG_DAY = 8
"""So long a name is still known without one of its letters."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_TWICE = re.compile(r"(.)\1")
_VOWELS = frozenset("aeiouy")


@functools.lru_cache(maxsize=64)  # each step of a turn begins from the message anew
def mend(message: str, languages: tuple[Language, ...]) -> str:
    """Return a message with a lead of a wish, and names of days, as they are spelled in the first
    of these languages or in another that has the lead, as what is mistyped may not tell its own;
    and with the forms of any region as they are elsewhere.

    A lead is known where its first word is one letter off, or two letters swapped, and its others
    are there; one of a single word only at the beginning.
    """
    if len(message) > LONGEST:
        return message
    plain = plain_letters(message).lower()
    words = [(found[0], found.start(), found.end()) for found in _WORD.finditer(plain)]
    first, *others = (one for one in languages if language_data.has_table(one, Wording))
    # Only a long lead tells that another language is meant.
    other = (
        one for one in others if any(len(word) >= LONG for word in _lead_slips(words, one).values())
    )
    said = first if _lead_slips(words, first) else next(other, first)
    mended = _lead_slips(words, said)
    for at, (word, start, end) in reversed(list(enumerate(words))):
        form = _forms(languages).get(message[start:end].lower())
        if name := form or mended.get(at) or _mended_day(word, said):
            message = message[:start] + name + message[end:]
    return message


@functools.cache
def _forms(languages: tuple[Language, ...]) -> dict[str, str]:
    tables = (
        language_data.load_table(one, Wording).forms
        for one in languages
        if language_data.has_table(one, Wording)
    )
    return {form: usual for table in tables for form, usual in table.items()}


def _lead_slips(words: Sequence[tuple[str, int, int]], language: Language) -> dict[int, str]:
    """Return the first words of leads that were mistyped, by their places."""
    mended: dict[int, str] = {}
    for at, (word, _, _) in enumerate(words):
        for first, others in _leads(language).get(word[0], ()):
            rest = tuple(one for one, _, _ in words[at + 1 : at + 1 + len(others)])
            begins = bool(others) or (not at and len(word) >= SHORTEST)
            if rest == others and begins and word != first and _is_slip(word, first):
                mended.setdefault(at, first)
    return mended


@functools.cache
def _leads(language: Language) -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """Return the first word of each lead and its others, by its first letter."""
    leads = defaultdict(list)
    for first, *others in (
        one.split() for one in language_data.load_table(language, Wording).leads
    ):
        leads[first[0]].append((first, tuple(others)))
    return leads


@functools.cache
def _days(language: Language) -> frozenset[str]:
    """Return the names of days and months that are long enough."""
    table = language_data.load_table(language, Dates)
    named = {
        name
        for field in (table.weekdays, table.months)
        for names in field.values()
        for name in names
        if len(name) >= SHORTEST_DAY
    }
    return frozenset(named) if table.spaced else frozenset()


@functools.lru_cache(maxsize=1024)
def _mended_day(word: str, language: Language) -> str:
    """Return the name of a day that a word was meant to be; empty where it is none."""
    names = _days(language)
    if len(word) < SHORTEST_DAY - 1 or word in names:
        return ""
    return next((name for name in sorted(names) if _is_day_slip(word, name)), "")


def _is_day_slip(word: str, name: str) -> bool:
    """Return whether a word is a name with two letters swapped, a letter doubled or not, a wrong
    vowel, or, of a long name, one letter left out: “domino” is not “domingo”.
    """
    if word[0] != name[0] or word[-1] != name[-1]:
        return False
    if _swapped(word, name) or _single(word) == _single(name):
        return True
    if len(word) == len(name):
        wrong = [pair for pair in zip(word, name, strict=True) if pair[0] != pair[1]]
        return len(wrong) == 1 and _VOWELS.issuperset(wrong[0])
    return len(name) >= LONG_DAY and len(word) == len(name) - 1 and _without_one(name, word)


def _is_slip(word: str, lead: str) -> bool:
    """Return whether a word is a lead with one letter wrong, missing or too many before its end, or
    two swapped; doubled letters and a mute “e” at its end count for nothing.
    """
    said, meant = (_single(one).removesuffix("e") for one in (word, lead))
    if said == meant:
        return True
    if not said or said[0] != meant[0] or abs(len(said) - len(meant)) > 1:
        return False
    if len(said) == len(meant):
        wrong = sum(one != other for one, other in zip(said, meant, strict=True))
        return wrong == 1 or _swapped(said, meant)
    longer, shorter = (said, meant) if len(said) > len(meant) else (meant, said)
    # “That reminds me” reminds of nothing.
    ends = longer is said and longer[:-1] == shorter
    return not ends and _without_one(longer, shorter)


def _single(word: str) -> str:
    return _TWICE.sub(r"\1", word)


def _swapped(word: str, name: str) -> bool:
    wrong = [at for at, pair in enumerate(zip(word, name, strict=False)) if pair[0] != pair[1]]
    return (
        len(word) == len(name)
        and len(wrong) == 2
        and wrong[1] == wrong[0] + 1
        and word[wrong[0]] == name[wrong[1]]
        and word[wrong[1]] == name[wrong[0]]
    )


def _without_one(longer: str, shorter: str) -> bool:
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(1, len(longer)))
