"""Where a long Markdown text may be cut so that its parts render as they do in the whole."""

import functools
import re
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal, NamedTuple

from app.core.markdown.blocks import LIST_MARK, Line, read_lines
from app.core.process.turns import give_turn

Block = Literal["", "list", "loose list", "table", "quote", "paragraph"]

LINES_TOGETHER = 16  # about; to render each item of a list by itself takes twice the time
MOST_UNCUT = 10_000  # characters of a paragraph in which marks may go on from line to line
_BEGINS = re.compile(r"[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?:[ \t\r\n]|\Z))", 256)
_MAY_BE_DELIMITERS = re.compile(r"[ \t]*[|:-][-:| \t\r]*\Z")
_DELIMITERS = {"left": ":---", "center": ":---:", "right": "---:", "": "---"}


class Cut(NamedTuple):
    """A place to cut a text at.

    `within` is the block that goes on over it; what stands below renders as in the whole when it
    is put under `head`.
    """

    at: int
    within: Block = ""
    head: str = ""


def find_cuts(text: str) -> list[Cut]:
    """Return where a text may be cut so that each part renders as it does in the whole.

    That is below empty lines outside of all blocks or in a quote, and before some items of a list
    at the margin, rows of a table and lines of a paragraph, chosen by what they say, so that an
    edit elsewhere leaves the choice.
    """
    every = list(_read_by_turns(text))
    cutter = _Cutter(text)
    for line, below in zip_longest(every, every[1:]):
        cutter.read(line, below)
        give_turn()
    found = sorted([*cutter.found, *cutter.list.held])
    if "\r" not in text:
        return found
    return [cut._replace(head=_with_ends(cut.head, text, cut.at)) for cut in found]


def _read_by_turns(text: str) -> Iterator[Line]:
    for line in read_lines(text):
        yield line
        give_turn()


def _with_ends(head: str, text: str, at: int) -> str:
    """Return lines with the ends that the line above a place has."""
    above = text[max(0, at - 2) : at]
    return head.replace("\n", above if above == "\r\n" else above[-1:])


class _Cutter:
    """The cuts that are found, and what the lines read so far leave open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Cut] = []
        self.list = _List()
        self.run = _Run(text)
        self.empty = False  # the line above
        self.empty_in_quote = False
        self.since_item = 0

    def read(self, line: Line, below: Line | None) -> None:
        """Take the next line; one stands below it."""
        shown = self.text[line.start : line.end]
        self.since_item += 1
        if line.inner == line.end and not shown.strip(" \t\r"):
            self.empty = line.kind == "blank" or line.depth > 0
            if line.kind == "blank":
                self.run.end()
            return
        code = line.kind in ("code", "end") and (line.kept or not line.depth)
        if shown[0] in " \t" or code:
            self._indented(line)
        elif line.depth and (mark := LIST_MARK.match(shown)):
            self._item(line, mark[0])
        elif line.depth == 0 or shown[0] == ">":
            self._block(line)
        else:  # of a paragraph within; where that is a table, a block of its own
            self.list.give_up()
        # An item that holds nothing ends its list in some places.
        if line.depth and line.inner == line.end and self.list.mark:
            self.list.give_up()
        if cut := self.run.read(line, below):
            self.found.append(cut)
        if not line.depth and self.run.state != "paragraph" and LIST_MARK.match(shown):
            self.list.give_up()  # a list, where it ends a table
        self.empty = False
        self.empty_in_quote = shown[0] == ">" and line.kind == "blank"

    def _indented(self, line: Line) -> None:
        if not line.depth:
            self._end_list()
        elif not line.kept and _BEGINS.match(self.text, line.start):
            self.list.give_up()
        elif self.empty:
            self.list.loosen()

    def _item(self, line: Line, mark: str) -> None:
        chosen = _is_chosen(self.text, line) or self.since_item > LINES_TOGETHER
        self.since_item = 0
        if self.list.mixed:
            return
        if mark[-1] != self.list.mark:
            self._end_list()
            self.list.mark = mark[-1]
        elif self.empty and self.list.state != "loose":
            self.list.note_loose()
        elif chosen:
            self.list.cut(line.start, mark)

    def _block(self, line: Line) -> None:
        self._end_list()
        if self.empty:
            self.found.append(Cut(line.start))
        elif self.empty_in_quote and line.depth == line.kept == 1 and line.kind != "indented":
            self.found.append(Cut(line.start, "quote"))

    def _end_list(self) -> None:
        self.found += self.list.held
        self.list = _List()


class _List:
    """The list at the margin, and the cuts in it that hold if nothing more comes.

    Empty lines between its items make all of them paragraphs; those within an item may.
    """

    def __init__(self) -> None:
        self.held: list[Cut] = []
        self.mark = ""
        self.state: Literal["tight", "unsure", "loose"] = "tight"
        self.mixed = False  # with a list whose marks are indented, which may be one with it

    def cut(self, at: int, mark: str) -> None:
        """Take a place before an item."""
        if self.state == "tight":
            self.held.append(Cut(at, "list"))
        elif self.state == "loose":
            number = str(max(int(mark[:-1]) - 1, 0)) if len(mark) > 1 else ""
            self.held.append(Cut(at, "loose list", f"{number}{mark[-1]} x\n\n"))

    def note_loose(self) -> None:
        """Take the first empty line between two items."""
        self.held, self.state = [], "loose"

    def loosen(self) -> None:
        """Take an empty line within an item."""
        if self.state != "loose":
            self.held, self.state = [], "unsure"

    def give_up(self) -> None:
        """Cut nowhere in this list."""
        self.held, self.mixed = [], True


class _Run:
    """The paragraph or table at the margin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.state: Literal["border", "paragraph", "head", "table", "unsure"] = "border"
        self.begun = 0  # the paragraph, or its part below the last cut
        self.rows = 0
        self.head = ""

    def end(self) -> None:
        """Take an empty line."""
        self.state = "border"

    def read(self, line: Line, below: Line | None) -> Cut | None:
        """Take the next line, and give the cut above it."""
        if self.state == "head":
            self.state, self.rows = "table", 0
        elif line.depth or line.kind != "text":
            # What looks like a rule is the second row of some tables.
            ended = line.kind in ("heading", "end") or (
                line.kind == "rule" and self.state != "unsure"
            )
            self.state = "border" if ended and not line.depth else "unsure"
        elif self.state == "table":
            return self._row(line)
        elif self.state != "unsure":
            return self._line(line, below)
        return None

    def _row(self, line: Line) -> Cut | None:
        if self._may_be_other(line):
            self.state = "unsure"
            return None
        self.rows += 1
        chosen = self.rows > 1 and _is_chosen(self.text, line)
        return Cut(line.start, "table", self.head) if chosen else None

    def _may_be_other(self, line: Line) -> bool:
        """Return whether a line begins a block where it does not stand below a paragraph."""
        return self.text[line.start] in " \t" or LIST_MARK.match(self.text, line.start) is not None

    def _line(self, line: Line, below: Line | None) -> Cut | None:
        aligns = None if below is None else _table_aligns(self.text, line, below)
        if aligns is not None:
            self.state = "unsure" if self._may_be_other(line) else "head"
            self.head = _table_head(aligns)
        elif self.state == "border":
            self.state, self.begun = "paragraph", line.start
        elif not self._may_be_other(line) and _is_chosen(self.text, line):
            above = self.text[self.begun : line.start]
            if not _goes_on(above):
                self.begun = line.start
                return Cut(line.start, "paragraph")
            if len(above) > MOST_UNCUT:
                self.state = "unsure"
        return None


def _is_chosen(text: str, line: Line) -> bool:
    shown = text[line.start : line.end]
    return zlib.crc32(shown.encode(errors="replace")) % LINES_TOGETHER == 0


def _table_aligns(text: str, line: Line, below: Line) -> list[str] | None:
    """Return the alignments of the table that two lines begin, as the renderer sees them."""
    row = text[below.start : below.end]
    if "|" not in text[line.start : line.end] or not _MAY_BE_DELIMITERS.match(row):
        return None
    from app.core.markdown.to_html.dialect import table_aligns

    return table_aligns(text[line.start : line.end].strip(" \t\r"), row.strip(" \t\r"))


def _table_head(aligns: list[str]) -> str:
    delimiters = " | ".join(_DELIMITERS[align] for align in aligns)
    return f"|{'  |' * len(aligns)}\n| {delimiters} |\n"


# 14 microseconds: a text that is rendered again has mostly the same paragraphs.
@functools.lru_cache(maxsize=2_000)
def _goes_on(paragraph: str) -> bool:
    """Return whether a mark of some lines may end below them."""
    from app.core.markdown.to_html.to_html import ends_open

    return ends_open(paragraph.strip(" \t\r\n"))
