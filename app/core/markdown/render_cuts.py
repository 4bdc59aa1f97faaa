"""Where a long Markdown text may be cut so that its parts render as they do in the whole."""

import re
import zlib
from typing import NamedTuple

from app.core.markdown.blocks import LIST_MARK, Line, lines

ITEMS_TOGETHER = 16  # about; to render each item of a list by itself takes twice the time
_BEGINS = re.compile(r"[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?:[ \t\r\n]|\Z))", 256)


class Cut(NamedTuple):
    """A place to cut a text at; `in_list` when both sides are items of one list."""

    at: int
    in_list: bool = False


def cuts(text: str) -> list[Cut]:
    """Give where a text may be cut so that each part renders as it does in the whole.

    That is below empty lines outside of all blocks, and before some items of a tight list at the
    margin, chosen by what they say, so that an edit elsewhere leaves the choice.
    """
    cutter = _Cutter(text)
    for line in lines(text):
        cutter.read(line)
    return [*cutter.found, *cutter.held]


class _Cutter:
    """The cuts that are found, and those of the list at the margin that holds as long as no
    empty line stands in it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Cut] = []
        self.held: list[Cut] = []
        self.mark = ""  # of the list at the margin
        self.loose = False
        self.mixed = False  # with a list whose marks are indented, which may be one with it
        self.empty = False  # the line above

    def read(self, line: Line) -> None:
        """Take the next line."""
        if line.inner == line.end and not self.text[line.start : line.end].strip(" \t\r"):
            self.empty = line.kind == "blank" or line.depth > 0
            return
        code = line.kind in ("code", "end") and (line.kept or not line.depth)
        if self.text[line.start] in " \t" or code:
            if not line.depth:
                self._end_list()
            elif not line.kept and _BEGINS.match(self.text, line.start):
                self._loosen()
                self.mixed = True
            elif self.empty:
                self._loosen()
        elif line.depth and (mark := LIST_MARK.match(self.text, line.start)):
            self._item(line, mark[0][-1])
        elif line.depth == 0 or self.text[line.start] == ">":
            self._end_list()
            if self.empty:
                self.found.append(Cut(line.start))
        # An item that holds nothing ends its list in some places.
        if line.depth and line.inner == line.end:
            self._loosen()
        self.empty = False

    def _item(self, line: Line, mark: str) -> None:
        if self.mixed:
            return
        if mark != self.mark:
            self._end_list()
            self.mark = mark
        elif self.empty:
            self._loosen()
        elif (
            not self.loose
            and zlib.crc32(self.text[line.start : line.end].encode(errors="replace"))
            % ITEMS_TOGETHER
            == 0
        ):
            self.held.append(Cut(line.start, in_list=True))

    def _end_list(self) -> None:
        self.found += self.held
        self.held, self.mark, self.loose, self.mixed = [], "", False, False

    def _loosen(self) -> None:
        self.held, self.loose = [], True
