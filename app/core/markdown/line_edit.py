"""An edited text put together from its old lines and new ones.

Lines that stay keep their bytes, and their line ends with them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

# pairs of lines that difflib looks at; beyond, all between the first and the last change is one
# change
MOST_COMPARED = 250_000
_LINE_END = re.compile(r"(\r\n?|\n)")

Rewrite = Callable[[range, range], list[str] | None]


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of a text and what ends each; the last is ended by nothing."""
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
    for same, was, now in _line_changes(before, after):
        fresh = [old[at] for at in was] if same else rewrite(was, now)
        if fresh is None:
            return None
        kept = [ends[at] or usual for at in was][: len(fresh)]
        for line, end in zip(fresh, kept + [usual] * (len(fresh) - len(kept)), strict=True):
            text += (line, end)
    return "".join(text[:-1])


def _line_changes(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[bool, range, range]]:
    """Yield the stretches of lines, in order, and whether they are the same in both."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    was, now = range(head, len(before) - tail), range(head, len(after) - tail)
    yield True, range(head), range(head)
    if len(was) * len(now) > MOST_COMPARED:
        yield len(was) == 0 == len(now), was, now
    else:
        matcher = SequenceMatcher(
            None, before[head : was.stop], after[head : now.stop], autojunk=False
        )
        for kind, a, b, c, d in matcher.get_opcodes():
            yield kind == "equal", range(head + a, head + b), range(head + c, head + d)
    yield True, range(was.stop, len(before)), range(now.stop, len(after))
