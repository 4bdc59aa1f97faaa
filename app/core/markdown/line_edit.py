"""An edited text put together from its old lines and new ones.

Lines that stay keep their bytes, and their line ends with them.
"""

import bisect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

# pairs of lines that difflib looks at; beyond, lines that stand once in both part what it looks at
MOST_COMPARED = 250_000
_LINE_END = re.compile(r"(\r\n?|\n)")

Rewrite = Callable[[range, range], list[str] | None]


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of a text and what ends each; the last is ended by nothing."""
    if "\r" not in text:  # the pattern takes ten times as long, and lets no other thread work
        lines = text.split("\n")
        return lines, [*["\n"] * (len(lines) - 1), ""]
    pieces = _LINE_END.split(text)
    return pieces[::2], [*pieces[1::2], ""]


def join_lines(
    old: list[str], ends: list[str], before: Sequence[str], after: Sequence[str], rewrite: Rewrite
) -> str | None:
    """Put together the untouched lines and the rewritten ones.

    None where some cannot be rewritten.
    """
    usual = ends[0] or "\n"
    text: list[str] = []
    for same, was, now in line_changes(before, after):
        fresh = [old[at] for at in was] if same else rewrite(was, now)
        if fresh is None:
            return None
        kept = [ends[at] or usual for at in was][: len(fresh)]
        for line, end in zip(fresh, kept + [usual] * (len(fresh) - len(kept)), strict=True):
            text += (line, end)
    return "".join(text[:-1])


def line_changes(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[bool, range, range]]:
    """Yield the stretches of lines, in order, and whether they are the same in both."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    was, now = range(head, len(before) - tail), range(head, len(after) - tail)
    yield True, range(head), range(head)
    if len(was) * len(now) <= MOST_COMPARED:
        yield from _compare(before, after, was, now)
    else:
        yield from _compare_between_anchors(before, after, was, now)
    yield True, range(was.stop, len(before)), range(now.stop, len(after))


def _compare(
    before: Sequence[str], after: Sequence[str], was: range, now: range
) -> Iterator[tuple[bool, range, range]]:
    if len(was) * len(now) > MOST_COMPARED:
        yield False, was, now
        return
    old, new = before[was.start : was.stop], after[now.start : now.stop]
    # autojunk would take a line that stands often, as an empty one does, for one to match nowhere
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield kind == "equal", was[a:b], now[c:d]


def _compare_between_anchors(
    before: Sequence[str], after: Sequence[str], was: range, now: range
) -> Iterator[tuple[bool, range, range]]:
    at, to = was.start, now.start
    for old, new in [*_anchors(before, after, was, now), (was.stop, now.stop)]:
        yield from _compare(before, after, range(at, old), range(to, new))
        if old < was.stop:
            yield True, range(old, old + 1), range(new, new + 1)
        at, to = old + 1, new + 1


def _anchors(
    before: Sequence[str], after: Sequence[str], was: range, now: range
) -> list[tuple[int, int]]:
    """Return lines that stand once in both texts, as many as are in the same order."""
    counts = Counter(before[at] for at in was), Counter(after[at] for at in now)
    places = {after[at]: at for at in now}
    pairs = [
        (at, places[before[at]])
        for at in was
        if counts[0][before[at]] == 1 == counts[1][before[at]]
    ]
    ends: list[int] = []  # the least place that so many pairs in order end at, and that pair
    last: list[int] = []
    above: list[int] = []
    for number, (_, place) in enumerate(pairs):
        rank = bisect.bisect_left(ends, place)
        ends[rank : rank + 1], last[rank : rank + 1] = [place], [number]
        above.append(last[rank - 1] if rank else -1)
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = above[number]
    return found[::-1]
