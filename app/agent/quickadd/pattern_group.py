"""Many patterns, of which those that may fit a text are found without asking each.

Most texts have no date: to ask for any of a dozen at once takes a third of the time of asking one
after the other.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
TOGETHER = 12
"""So many patterns are asked together."""
_GROUP = re.compile(r"\(\?P<(\w+)>")
_CONDITION = re.compile(r"\(\?\((\w+)\)")


class PatternGroup(Generic[T]):
    """Patterns with what each is of, between a beginning and an end that all share."""

    def __init__(self, rows: Sequence[tuple[T, str]], begin: str, end: str) -> None:
        self._rows = rows
        self._begin, self._end = begin, end
        self._compiled: dict[int, re.Pattern[str]] = {}

    def __iter__(self) -> Iterator[tuple[T, re.Pattern[str]]]:
        return ((of, self._pattern(at)) for at, (of, _) in enumerate(self._rows))

    def fitting(self, text: str) -> Iterator[tuple[int, T, re.Pattern[str]]]:
        """Yield the patterns that may fit a text, each with its number and what it is of."""
        for number, together in enumerate(self._together):
            if together.search(text) is not None:
                first = number * TOGETHER
                for at in range(first, min(first + TOGETHER, len(self._rows))):
                    yield at, self._rows[at][0], self._pattern(at)

    def _pattern(self, at: int) -> re.Pattern[str]:
        """Return a pattern, compiled when a text first may fit it: all take a tenth of a second."""
        if at not in self._compiled:
            self._compiled[at] = self._within(self._rows[at][1])
        return self._compiled[at]

    @functools.cached_property
    def _together(self) -> list[re.Pattern[str]]:
        count = len(self._rows)
        return [self._of(range(at, min(at + TOGETHER, count))) for at in range(0, count, TOGETHER)]

    def _of(self, numbers: range) -> re.Pattern[str]:
        each = (_without_groups(self._rows[at][1], f"_{at}") for at in numbers)
        return self._within("|".join(f"(?:{pattern})" for pattern in each))

    def _within(self, pattern: str) -> re.Pattern[str]:
        return re.compile(f"{self._begin}(?:{pattern}){self._end}")


def _without_groups(pattern: str, ending: str) -> str:
    """Return a pattern without groups but those of its conditions, whose names end so.

    A name may stand in a pattern only once, and groups keep a choice from looking at what each
    begins with.
    """
    kept = {*_CONDITION.findall(pattern)}
    pattern = _CONDITION.sub(rf"(?(\g<1>{ending})", pattern)
    return _GROUP.sub(
        lambda found: f"(?P<{found[1]}{ending}>" if found[1] in kept else "(?:", pattern
    )
