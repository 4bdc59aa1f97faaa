"""What the rules get right, a section a module; `scripts/evaluate.py` prints the figures."""

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """How many of a half's cases came out right by one measure."""

    half: str
    measure: str
    right: int
    total: int


def row(half: str, measure: str, judged: Iterable[bool]) -> Row:
    """Return the figures of one measure."""
    results = list(judged)
    return Row(half, measure, sum(results), len(results))
