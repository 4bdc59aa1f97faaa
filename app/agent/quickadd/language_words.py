"""A language as quick add reads it: its words and its compiled patterns.

They come from `agent/rules/languages/*/quickadd.toml`. Also which word stands before and after a
match.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from app.agent.quickadd.pattern_group import PatternGroup
from app.agent.rules.languages import language_data
from app.agent.rules.languages.quickadd_tables import DatePattern, Dates, Unread

V = TypeVar("V", int, str)
# Before a date no currency, colon or slash may stand: “$5”, “1:2”, “a/b”.
START = r"(?<![\w.$€£#/:+\-\0])"
END = r"(?=$|[\s,;:!?)\]…]|\.(?:\s|$)|-\s)"
LEAST_OF_WEEKDAY = 5
"""No weekday that is written out has fewer letters."""
_GROUP = re.compile(r"\(\?P<\w+>")
_SHARED = {
    "day": r"(?P<day>[12][0-9]|3[01]|0?[1-9])",
    "year": r"(?P<year>(?:19|20|21)[0-9]{2})",
    "hour": r"(?P<hour>2[0-4]|1[0-9]|0?[0-9])",
    "minute": r"(?P<minute>[0-5][0-9])",
}
"""The macros that every language has, beside those made of its words."""


class Language(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One language: its words by what they mean, and its patterns.

    `before` forbids the next word to be a date, `after` may follow one, `against` makes a
    statement of it; by `common` words and `signs` the language is known.
    """

    code: str
    dates: Dates
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    numbers: Mapping[str, int]
    units: Mapping[str, str]
    parts: Mapping[str, str]
    days: Mapping[str, int]
    ordinals: Mapping[str, int]
    holidays: Mapping[str, str]
    before: frozenset[str]
    after: frozenset[str]
    against: frozenset[str]
    common: frozenset[str]
    signs: re.Pattern[str]
    month_first: bool

    @property
    def spaced(self) -> bool:
        """Whether spaces part its words."""
        return self.dates.spaced

    @functools.cached_property
    def patterns(self) -> PatternGroup[DatePattern]:
        """The rules, compiled when something first fits one."""
        shared = language_data.shared_dates()
        own = {**self._word_macros(), **_SHARED, **self.dates.macros}
        included = [rule for group in self.dates.include for rule in getattr(shared, group)]
        expanded = [
            (rule, language_data.expand_macros(rule.pattern, macros))
            for rules, macros in ((included, {**own, **shared.macros}), (self.dates.rules, own))
            for rule in rules
        ]
        return PatternGroup(expanded, *((START, END) if self.dates.spaced else ("", "")))

    @functools.cached_property
    def unread(self) -> PatternGroup[Unread]:
        """What stays in the title, compiled like the rules."""
        macros = {**self._word_macros(), **_SHARED, **self.dates.macros}
        # What their words say is not asked for, and a group may stand in a pattern only once.
        expanded = [
            (one, _GROUP.sub("(?:", language_data.expand_macros(one.pattern, macros)))
            for one in self.dates.unread
        ]
        return PatternGroup(expanded, *((START, r"(?!\w)") if self.dates.spaced else ("", "")))

    @functools.cached_property
    def between_days(self) -> re.Pattern[str]:
        """What stands between several days of which none is meant alone."""
        return re.compile(rf"[\s,;/&+、，・]*(?:(?:{'|'.join(self.dates.joins.split())})\s*)?")

    @functools.cached_property
    def left_weekday(self) -> re.Pattern[str]:
        """A weekday written out, or two short ones with a mark between: “mon-fri”, “Sa/So”."""
        if not self.spaced:
            return re.compile("(?!)")
        full = "|".join(word for word in self.weekdays if len(word) >= LEAST_OF_WEEKDAY)
        some = alternatives(self.weekdays)
        return re.compile(rf"(?<!\w)(?:(?:{full})s?|(?:{some})\.?\s?[/-]\s?(?:{some}))(?!\w)")

    @functools.cached_property
    def tail(self) -> re.Pattern[str]:
        """What may follow the task itself."""
        return re.compile(
            rf"(?<=\S)(?:{language_data.join_pattern(self.dates.tails)})[\s。.!！]*$", re.IGNORECASE
        )

    @functools.cached_property
    def lead(self) -> re.Pattern[str]:
        """What may come before the task itself, such as the request to be reminded."""
        return re.compile(rf"\s*(?:{language_data.join_pattern(self.dates.leads)})", re.IGNORECASE)

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """Every word that can begin or make a date."""
        named = (self.weekdays, self.months, self.units, self.parts, self.days, self.holidays)
        return frozenset(
            word for words in named for entry in words for word in re.findall(r"[^\W\d_]+", entry)
        )

    @functools.cached_property
    def known_words(self) -> frozenset[str]:
        """Those and the common ones, to see quickly whether a text needs the language at all."""
        return self.words | self.common

    @functools.cached_property
    def weekday(self) -> re.Pattern[str]:
        """One weekday of a list of them."""
        return re.compile(alternatives(self.weekdays))

    def number(self, text: str) -> int:
        """Return the number that digits or a word say; KeyError when neither does."""
        return int(text) if text.isdecimal() else self.numbers[text]

    def numbers_in(self, text: str) -> list[int]:
        """Return the numbers of a list of them."""
        return [
            self.number(one) for one in re.findall(rf"[0-9]+|{alternatives(self.numbers)}", text)
        ]

    def ordinals_in(self, text: str) -> list[int]:
        """Return which ones a list such as “first and third” names, each once."""
        found = re.findall(alternatives(self.ordinals), text)
        return list(dict.fromkeys(self.ordinals[" ".join(one.split())] for one in found))

    def part_named(self, groups: Mapping[str, str | None]) -> str | None:
        """Return the part of the day that a match names, if it does."""
        part = groups.get("part")
        return self.parts[part] if part else None

    def weekday_numbers(self, text: str) -> list[int]:
        """Return the weekdays of a list, Monday = 0, in order and each once."""
        return sorted({self.weekdays[found] for found in self.weekday.findall(text)})

    def _word_macros(self) -> dict[str, str]:
        named: dict[str, Mapping[str, object]] = {
            "weekday": self.weekdays,
            "month": self.months,
            "unit": self.units,
            "part": self.parts,
            "day_name": self.days,
            "nth": self.ordinals,
            "holiday": self.holidays,
        }
        macros = {name: f"(?P<{name}>{alternatives(words)})" for name, words in named.items()}
        return macros | {"number": rf"(?P<number>[0-9]{{1,3}}|{alternatives(self.numbers)})"}


@functools.cache
def load_language(code: str, *, month_first: bool | None = None) -> Language:
    """Return a language; `month_first` says which way a date such as 4/5 is read there."""
    dates = language_data.load_table(code, Dates)
    values = ("weekdays", "months", "numbers", "units", "parts", "days", "ordinals", "holidays")
    lists = ("before", "after", "against", "common")
    words: dict[str, Any] = {name: _by_word(getattr(dates, name)) for name in values}
    words |= {name: frozenset(getattr(dates, name).split()) for name in lists}
    return Language(
        code=code,
        dates=dates,
        **words,
        signs=re.compile(language_data.join_pattern(dates.signs)),
        month_first=dates.month_first if month_first is None else month_first,
    )


def _by_word(words: Mapping[V, tuple[str, ...]]) -> dict[str, V]:
    return {word: value for value, listed in words.items() for word in listed}


def alternatives(words: Mapping[str, object]) -> str:
    """Return a pattern for any of the words, the longer ones first."""
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s+")
        # A regular expression takes the first that fits, not the longest.
        for word in sorted(words, key=lambda word: (-len(word), word))
    )


def word_before(text: str, place: int) -> str:
    """Return the word that ends before a place, with only spaces between."""
    # No word is longer, and the text may be.
    head = text[max(0, place - 40) : place].rstrip(" ")
    return re.split(r"[^\w']", head)[-1] if head else ""


def word_after(text: str, place: int) -> str:
    """Return the word that begins after a place, with only spaces between."""
    match = re.match(r"\s*([^\W\d_][\w']*)", text[place : place + 60])
    return match[1] if match else ""


def words_of(text: str) -> Iterator[str]:
    """Return the words of a folded text."""
    return (match[0] for match in re.finditer(r"[^\W\d_]+", text))
