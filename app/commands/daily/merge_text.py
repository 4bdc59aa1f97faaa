"""Two changes of one text put together, line by line."""

from collections.abc import Iterator
from difflib import Match, SequenceMatcher
from typing import NamedTuple

MINE, MIDDLE, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> the note as it is now"


class Merged(NamedTuple):
    """The text with both changes; where they contradict both stand between marks."""

    text: str
    conflicts: int


class _Stretch(NamedTuple):
    """Lines that all three texts share: where they begin in each, and how many."""

    base: int
    mine: int
    theirs: int
    length: int


def merge_texts(base: str, mine: str, theirs: str) -> Merged:
    """Return both changes of `base` in one text."""
    texts = [text.splitlines(keepends=True) for text in (base, mine, theirs)]
    parts: list[str] = []
    conflicts = 0
    at = (0, 0, 0)
    for shared in _shared_stretches(*texts):
        until = shared[:3]
        changed = ["".join(text[a:b]) for text, a, b in zip(texts, at, until, strict=True)]
        part = _merge_part(*changed)
        if part is None:
            conflicts += 1
            part = _marked(changed[1], changed[2])
        parts.append(part)
        parts.extend(texts[0][shared.base : shared.base + shared.length])
        at = tuple(place + shared.length for place in until)  # type: ignore[assignment]
    return Merged("".join(parts), conflicts)


def has_marks(text: str) -> bool:
    """Return whether marks of a conflict stand in a text."""
    return any(line.startswith((MINE, THEIRS)) for line in text.splitlines())


def _merge_part(base: str, mine: str, theirs: str) -> str | None:
    if mine in (base, theirs):
        return theirs
    return mine if theirs == base else None


def _marked(mine: str, theirs: str) -> str:
    ended = [text if text.endswith("\n") or not text else f"{text}\n" for text in (mine, theirs)]
    return f"{MINE}\n{ended[0]}{MIDDLE}\n{ended[1]}{THEIRS}\n"


def _shared_stretches(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[_Stretch]:
    """Yield in order the stretches of the base that both changes kept, and at last the end."""
    own, other = _matches(base, mine), _matches(base, theirs)
    first = second = 0
    while first < len(own) and second < len(other):
        one, two = own[first], other[second]
        begin = max(one.a, two.a)
        end = min(one.a + one.size, two.a + two.size)
        if begin < end:
            yield _Stretch(begin, one.b + begin - one.a, two.b + begin - two.a, end - begin)
        if one.a + one.size < two.a + two.size:
            first += 1
        else:
            second += 1
    yield _Stretch(len(base), len(mine), len(theirs), 0)


def _matches(base: list[str], changed: list[str]) -> list[Match]:
    """Return the lines that a change kept: those at both ends, and what is alike between them.

    Comparing takes the square of the lines that are left, so a long text is not compared whole.
    """
    head = _common_length(base, changed)
    tail = _common_length(base[head:][::-1], changed[head:][::-1])
    middle = SequenceMatcher(
        None, base[head : len(base) - tail], changed[head : len(changed) - tail], autojunk=False
    )
    inner = [
        Match(one.a + head, one.b + head, one.size) for one in middle.get_matching_blocks()[:-1]
    ]
    ends = Match(len(base) - tail, len(changed) - tail, tail)
    return [Match(0, 0, head), *inner, ends]


def _common_length(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next(
        (number for number, (left, right) in enumerate(pairs) if left != right),
        min(len(one), len(other)),
    )
