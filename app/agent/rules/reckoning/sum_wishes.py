"""A message that asks for a sum with amounts of notes, and what such a sum comes to."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import NamedTuple

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.reckoning_tables import Keyword
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import stem
from app.agent.rules.reckoning import numbers, sum_value, words
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.rules.reckoning.numbers import Number
from app.agent.rules.reckoning.sum_value import Reckoned

KEYWORDS: tuple[Keyword, ...] = (
    *("difference", "remaining", "each", "asks", "total", "off", "onto", "split", "for", "filler"),
)
TIMES = {("year", "month"): 12, ("week", "day"): 7, ("week", "night"): 7}
PERIODS = ("night", "day", "week", "month", "year", "hour")
EACH = (*PERIODS, "km", "kg", "l", "person")


class Solved(NamedTuple):
    """What a sum with amounts of a note comes to, and those amounts."""

    reckoned: Reckoned
    facts: tuple[Fact, ...]


class Wanted(NamedTuple):
    """A message that asks for a sum: its text, its numbers, and the words that name amounts."""

    text: str
    language: Language
    numbers: list[Number]
    names: list[str]

    def says(self, keyword: Keyword) -> bool:
        """Return whether the message has a word of that meaning."""
        return words.says(self.language, keyword, self.text) is not None


def read(message: str, language: Language) -> Wanted:
    """Return what a message asks for."""
    text = words.folded(message)
    listed = numbers.find(words.hide_codes(text), language)
    return Wanted(text, language, listed, names_in(text, language, listed))


def names_in(text: str, language: Language, listed: Sequence[Number]) -> list[str]:
    """Return the words of a text that name amounts and notes."""
    for one in sorted(listed, key=lambda one: -one.start):
        text = f"{text[: one.start]} , {text[one.end :]}"
    table = words.table_of(language)
    keywords = (table.words.get(one, "(?!)") for one in KEYWORDS)
    signs = (*table.signs.values(), *table.after.values(), *table.shares.values())
    periods = (table.units[one] for one in PERIODS if one in table.units)
    shares = (table.percent, table.tenths, table.kept)
    weak = table.weak.values()
    rest = words.without(language, text, *signs, *keywords, *shares, *periods, *weak)
    left = words.left_words(language, rest)
    return [one for one in left if stem(one) not in questions.general()]


def has_sign(wanted: Wanted) -> bool:
    """Return whether a message has a word for a sign or a share."""
    table = words.table_of(wanted.language)
    listed = (*table.signs.values(), *table.shares.values())
    return any(words.whole(wanted.language, one).search(wanted.text) for one in listed)


def period_of(wanted: Wanted) -> tuple[Decimal, str] | None:
    """Return how many of which unit of time a message says, without a number one."""
    counted = [(one.value, one.unit) for one in wanted.numbers if one.unit in EACH]
    if wanted.numbers:
        return counted[0] if len(counted) == len(wanted.numbers) == 1 else None
    said = units_said(wanted.text, wanted.language)
    return (Decimal(1), said[0]) if len(said) == 1 else None


def units_said(text: str, language: Language) -> list[str]:
    """Return the units of time that a text names."""
    units = words.table_of(language).units
    return [
        one for one in PERIODS if one in units and words.whole(language, units[one]).search(text)
    ]


def only_adds(wanted: Wanted, but: Collection[Keyword] = ()) -> bool:
    """Return whether a message neither divides nor multiplies nor asks for a share, `but` what may
    be asked for besides.
    """
    table = words.table_of(wanted.language)
    listed = [*table.shares.values()]
    signs = (*table.signs.items(), *table.after.items())
    listed += [pattern for sign, pattern in signs if sign in "*/"]
    listed += [table.percent, table.tenths, table.kept, table.percent_before]
    other = any(words.whole(wanted.language, one).search(wanted.text) for one in listed)
    keywords: tuple[Keyword, ...] = ("split", "each", "difference", "remaining")
    return not (
        other or "%" in wanted.text or any(wanted.says(one) for one in keywords if one not in but)
    )


def times(fact: Fact, steps: list[tuple[str, Decimal]], wanted: Wanted) -> Solved | None:
    """Return an amount multiplied and divided, with the numbers."""
    if not fact.sure:
        return None
    value, shown = fact.amount.value, sum_value.plain_number(fact.amount.value, wanted.language)
    for sign, by in steps:
        value = value * by if sign == "*" else value / by
        shown += f" {'×' if sign == '*' else '÷'} {sum_value.plain_number(by, wanted.language)}"
    return Solved(Reckoned(shown, fact.amount._replace(value=value)), (fact,))


def put_together(parts: Sequence[tuple[int | Decimal, Fact]], wanted: Wanted) -> Solved | None:
    """Return so many of each amount put together, where all are sure and of one unit."""
    facts = tuple(one for _, one in parts)
    if len({one.amount.unit for one in facts}) != 1 or not all(one.sure for one in facts):
        return None
    total, shown = Decimal(0), ""
    for count, fact in parts:
        total += count * fact.amount.value
        number = sum_value.plain_number(fact.amount.value, wanted.language)
        times = "" if abs(count) == 1 else f"{abs(count):f} × "
        sign = (" - " if count < 0 else " + ") if shown else ""
        shown += f"{sign}{times}{number}"
    return Solved(Reckoned(shown, facts[0].amount._replace(value=total)), facts)
