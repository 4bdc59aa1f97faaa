"""A long text in parts, so that no page has to hold ten million characters."""

from typing import NamedTuple

LONG = 200_000
"""Characters; shorter texts are one part."""
PART = 80_000
MOST = 120_000


class Part(NamedTuple):
    """A piece of a text: its number from 1, of how many, and where it stands."""

    number: int
    of: int
    start: int
    end: int

    def of_text(self, text: str) -> str:
        """Return the piece."""
        return text[self.start : self.end]


def part_of(text: str, number: int) -> Part:
    """Return a part by its number; the last one for a number that is too high."""
    cuts = cuts_of(text)
    number = max(1, min(number, len(cuts) - 1))
    return Part(number, len(cuts) - 1, cuts[number - 1], cuts[number])


def cuts_of(text: str) -> list[int]:
    """Return where the parts of a text begin, and its end: between paragraphs where there are."""
    if len(text) <= LONG:
        return [0, len(text)]
    cuts = [0]
    while len(text) - cuts[-1] > MOST:
        at = cuts[-1] + PART
        for gap in ("\n\n", "\n", " "):
            found = text.find(gap, at, cuts[-1] + MOST)
            if found >= 0:
                at = found + len(gap)
                break
        cuts.append(at)
    return [*cuts, len(text)]
