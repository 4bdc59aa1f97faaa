"""The units of time, in the words of every language."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import get_args

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Pieces, Times, Unit

SHORT_UNITS: tuple[Unit, ...] = ("hour",)
YEAR: Unit = "year"


def unit_of(word: str) -> Unit:
    """Return which unit a word means; ValueError for one that means none."""
    # fullmatch, since the word for one unit may begin that of another.
    for unit, pattern in _units().items():
        if pattern.fullmatch(word):
            return unit
    raise ValueError(word)


def with_units(pattern_of: Callable[[Times], Pieces]) -> str:
    """Return the pattern of any language with its `{unit}` and `{long_unit}` in place."""
    return language_data.either(
        language_data.expand_macros(pattern_of(table), _macros(table))
        for table in language_data.of_all(Times)
    )


def _macros(table: Times) -> Mapping[str, str]:
    known = {unit: words for unit, words in table.units.items() if unit != YEAR}
    long = [words for unit, words in known.items() if unit not in SHORT_UNITS]
    return {"unit": language_data.either(known.values()), "long_unit": language_data.either(long)}


@functools.cache
def _units() -> dict[Unit, re.Pattern[str]]:
    tables = language_data.of_all(Times)
    return {
        unit: re.compile(
            language_data.either(table.units.get(unit, "") for table in tables), re.IGNORECASE
        )
        for unit in get_args(Unit)
    }
