"""The Markdown of blocks, and how many empty lines part them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass
class Piece:
    """The Markdown of one block, and how it may stand beside others."""

    kind: str
    lines: list[str]
    start: int  # lines of the HTML
    end: int
    lead: int = 0  # lines of its own before its text
    trail: int = 0  # lines of its own after its text
    lazy: bool = False  # ends in a paragraph, which a line of text below would join
    holds: bool = False  # would take indented text below as its own
    mark: str = ""  # of a list
    interrupts: bool = True  # a list that may stand right below a line of text


def join_pieces(pieces: Sequence[Piece], end: int) -> str:
    """Return the Markdown of the blocks of an HTML text with so many line ends."""
    if not pieces:
        return "\n" * end
    above = max(pieces[0].start - pieces[0].lead, 0)
    tail = end - pieces[-1].end - pieces[-1].trail
    return "\n".join(stack_pieces(pieces, gaps_between(pieces), above)) + "\n" * max(tail, 0)


def gaps_between(pieces: Sequence[Piece], usual: int = 2) -> list[int]:
    """Return the line ends between each piece and the next.

    As the HTML has them, where that is possible.
    """
    return [
        max(gap_between(above, below, usual), least_gap(above, below))
        for above, below in pairwise(pieces)
    ]


def gap_between(above: Piece, below: Piece, usual: int) -> int:
    """Return the line ends between two blocks as the HTML has them, else as is usual."""
    lines = below.start - above.end
    return lines - above.trail - below.lead if lines > 0 else usual


def least_gap(above: Piece, below: Piece) -> int:
    """Return how many line ends must part two blocks so that they stay two."""
    if above.kind in ("paragraph", "text"):
        return (
            1
            if below.kind in ("heading", "hr", "fence", "quote", "table")
            or (below.kind == "list" and below.interrupts)
            else 2
        )
    if above.kind == "quote" and below.kind == "quote":
        return 2
    if above.kind == "table":
        return 2 if below.kind in ("paragraph", "text", "table") else 1
    return 2 if above.lazy and below.kind in ("paragraph", "text", "indented", "table") else 1


def stack_pieces(pieces: Sequence[Piece], gaps: Sequence[int], offset: int) -> list[str]:
    """Return the lines of blocks below so many empty ones."""
    lines = [""] * offset
    for piece, gap in zip(pieces, [1, *gaps][: len(pieces)], strict=True):
        lines += [""] * (gap - 1)
        lines += piece.lines
    return lines
