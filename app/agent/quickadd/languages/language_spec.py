"""What a language brings to quick add: its words and its patterns.

How they are compiled, and which word stands before and after a match.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from app.core.process.lazy_regex import regex

Where = Literal["free", "phrase", "word", "apart", "beside"]
"""Where a pattern counts: anywhere.

With its own preposition, at the beginning or standing apart; the same without the beginning;
standing apart only; or only beside something else that was found. What is followed by a noun
does not stand apart.
"""

START = r"(?<![\w.$€£#/:+\-\0])"
END = r"(?=$|[\s,;:!?)\]…]|\.(?:\s|$)|-\s)"
_MACRO = regex(r"\{([a-z_]+)\}")


class Rule(NamedTuple):
    """A pattern with the name of what it means; `{word}` in it stands for a macro of its language.

    Its groups are what it says, and `says` what it says always.
    """

    meaning: str
    pattern: str
    where: Where = "free"
    says: Mapping[str, str] = MappingProxyType({})


class Language(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One language: its words folded, `before` what forbids the next word to be a date, `after`
    what may follow one, `against` what makes a statement of it,     `common` words and `signs`
    letters by which it is known.
    """

    code: str
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    numbers: Mapping[str, int]
    units: Mapping[str, str]
    parts: Mapping[str, str]
    days: Mapping[str, int]
    ordinals: Mapping[str, int]
    rules: tuple[Rule, ...]
    macros: Mapping[str, str] = msgspec.field(default_factory=dict)
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    against: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    leads: str = r"(?!)"
    signs: re.Pattern[str] = re.compile(r"(?!)")
    month_first: bool = False
    twelve_hours: bool = True
    spaced: bool = True
    names_capitalised: bool = False

    @functools.cached_property
    def patterns(self) -> tuple[tuple[Rule, re.Pattern[str]], ...]:
        """The rules, compiled when the language is first met."""
        edges = (START, END) if self.spaced else ("", "")
        return tuple(
            (rule, re.compile(f"{edges[0]}(?:{self._expanded(rule.pattern)}){edges[1]}"))
            for rule in self.rules
        )

    @functools.cached_property
    def lead(self) -> re.Pattern[str]:
        """What may come before the task itself, such as the request to be reminded."""
        return re.compile(rf"\s*(?:{self.leads})", re.IGNORECASE)

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """Every word that can begin or make a date, to see quickly whether a text needs the
        language at all.
        """
        named = (self.weekdays, self.months, self.units, self.parts, self.days)
        return frozenset(
            word for words in named for entry in words for word in re.findall(r"[^\W\d_]+", entry)
        )

    @functools.cached_property
    def weekday(self) -> re.Pattern[str]:
        """One weekday of a list of them."""
        return re.compile(alternatives(self.weekdays))

    def number(self, text: str) -> int:
        """Give the number that digits or a word say; KeyError when neither does."""
        return int(text) if text.isdecimal() else self.numbers[text]

    def weekday_numbers(self, text: str) -> list[int]:
        """Give the weekdays of a list, Monday = 0, in order and each once."""
        return sorted({self.weekdays[found] for found in self.weekday.findall(text)})

    def _expanded(self, pattern: str) -> str:
        while _MACRO.search(pattern):
            pattern = _MACRO.sub(lambda match: self._macro(match[1]), pattern)
        return pattern

    def _macro(self, name: str) -> str:
        if name in self.macros:
            return self.macros[name]
        words = {
            "weekday": self.weekdays,
            "month": self.months,
            "unit": self.units,
            "part": self.parts,
            "day_name": self.days,
            "nth": self.ordinals,
        }
        if name in words:
            return f"(?P<{name}>{alternatives(words[name])})"
        if name == "number":
            return rf"(?P<number>[0-9]{{1,3}}|{alternatives(self.numbers)})"
        return _SHARED[name]


_SHARED = {
    "day": r"(?P<day>[12][0-9]|3[01]|0?[1-9])",
    "year": r"(?P<year>(?:19|20|21)[0-9]{2})",
    "hour": r"(?P<hour>2[0-4]|1[0-9]|0?[0-9])",
    "minute": r"(?P<minute>[0-5][0-9])",
}


def word_set(text: str) -> frozenset[str]:
    """Give the words of a text that spaces part."""
    return frozenset(text.split())


def alternatives(words: Mapping[str, object]) -> str:
    """Give a pattern for any of the words, the longer ones first."""
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len, reverse=True)
    )


def word_before(text: str, place: int) -> str:
    """Give the word that ends before a place, with only spaces between."""
    head = text[max(0, place - 40) : place].rstrip(" ")
    return re.split(r"[^\w']", head)[-1] if head else ""


def word_after(text: str, place: int) -> str:
    """Give the word that begins after a place, with only spaces between."""
    match = re.match(r"\s*([^\W\d_][\w']*)", text[place : place + 60])
    return match[1] if match else ""


def words_of(text: str) -> Iterator[str]:
    """Give the words of a folded text."""
    return (match[0] for match in re.finditer(r"[^\W\d_]+", text))
