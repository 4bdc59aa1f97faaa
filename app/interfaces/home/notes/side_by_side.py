"""Two versions of a text side by side, made of a unified diff."""

import difflib
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

MOST_ROWS = 2000
LONGEST_COMPARED = 2000
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
Run = tuple[str, bool]
"""A piece of a line, and whether it is another on the other side."""


class Cell(NamedTuple):
    """A line of one side; number 0 where it has none."""

    number: int
    runs: list[Run]


class Line(NamedTuple):
    """A row: `gap` where lines that are alike were left out before it."""

    before: Cell
    after: Cell
    is_change: bool
    gap: bool = False


NOTHING = Cell(0, [])


def side_by_side(diff: str) -> list[Line]:
    """Return the rows of a unified diff, at most 2,000."""
    rows: list[Line] = []
    for row in _rows(diff):
        rows.append(row)
        if len(rows) == MOST_ROWS:
            break
    return rows


def _rows(diff: str) -> Iterator[Line]:
    left = right = 0
    gone: list[str] = []
    come: list[str] = []
    gap = False
    for line in diff.split("\n")[2:]:
        if match := _HUNK.match(line):
            yield from _changed(gone, come, left, right)
            gone, come = [], []
            left, right = int(match[1]), int(match[2])
            gap = left > 1 or right > 1
        elif line.startswith("-"):
            gone.append(line[1:])
        elif line.startswith("+"):
            come.append(line[1:])
        else:
            yield from _changed(gone, come, left, right)
            left, right = left + len(gone), right + len(come)
            gone, come = [], []
            alike: list[Run] = [(line[1:], False)]
            yield Line(Cell(left, alike), Cell(right, alike), is_change=False, gap=gap)
            left, right, gap = left + 1, right + 1, False
    yield from _changed(gone, come, left, right)


def _changed(gone: list[str], come: list[str], left: int, right: int) -> Iterator[Line]:
    for place, (before, after) in enumerate(zip_longest(gone, come)):
        if before is None:
            yield Line(NOTHING, Cell(right + place, [(after, True)]), is_change=True)
        elif after is None:
            yield Line(Cell(left + place, [(before, True)]), NOTHING, is_change=True)
        else:
            old, new = _compare(before, after)
            yield Line(Cell(left + place, old), Cell(right + place, new), is_change=True)


def _compare(before: str, after: str) -> tuple[list[Run], list[Run]]:
    """Return the pieces of two lines; where little is alike, each as a whole."""
    if max(len(before), len(after)) > LONGEST_COMPARED:
        return [(before, True)], [(after, True)]
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.3:
        return [(before, True)], [(after, True)]
    left: list[Run] = []
    right: list[Run] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        left.append(("".join(old[a:b]), kind != "equal"))
        right.append(("".join(new[c:d]), kind != "equal"))
    return [run for run in left if run[0]], [run for run in right if run[0]]
