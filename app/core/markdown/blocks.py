"""The lines of a Markdown text, each with what it is in its block.

The one reader for all who ask for headings, code or sections.

It follows the block rules of the renderer (to_html/dialect.py) at a tenth of their cost, and
looks into no line: marks within text are others' work.
"""

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

DEEPEST = 60  # quotes and items in one another; marks of deeper ones are text
CODE_INDENT = 4

Kind = Literal["blank", "text", "heading", "rule", "fence", "code", "end", "indented"]
Span = tuple[int, int]

_STARTS = frozenset(" \t>#`~-+*0123456789")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|\Z)")
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")
LIST_MARK = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t\r\n]|\Z)", re.ASCII)
_TICKS = re.compile(r"`+")
_FENCES_AT_MARGIN = (  # begin with letters, which re finds sixty times as fast as lines
    re.compile(r"```(?<![^\n]```)`*(?=[^`\n]*$)", re.MULTILINE),
    re.compile(r"~~~(?<![^\n]~~~)~*", re.MULTILINE),
)


class Line(NamedTuple):
    """A line [start, end) without its end: `fence` opens fenced code, `end` closes it, `code`
    stands in it.

    Its own text begins at `inner`, behind the marks of quotes, items and the heading; `level` is
    a heading's, `depth` the number of quotes and items around, of which `kept` go on from the
    line above.
    """

    kind: Kind
    start: int
    end: int
    inner: int
    depth: int = 0
    level: int = 0
    kept: int = 0


def read_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a text in order; they end in LF, CRLF or CR."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")  # each place stays where it is
    reader, start = _Reader(), 0
    for line in text.split("\n"):
        yield reader.read(line, start)
        start += len(line) + 1


def headings(text: str) -> list[Line]:
    """Return the lines that are headings."""
    return [line for line in read_lines(text) if line.kind == "heading"] if "#" in text else []


def code_blocks(text: str) -> list[Span]:
    """Return what stands in blocks of code, in order.

    From the marks of a fence to the end of its last line, or a line of indented code.
    """
    if not may_hold_code(text):
        return []
    found = _fences_at_margin(text)
    return _code_by_line(text) if found is None else found


def may_hold_code(text: str) -> bool:
    """Say quickly whether it is worth looking for code in a text."""
    return "`" in text or "~~~" in text or "    " in text or "\t" in text


def code_spans(text: str) -> list[Span]:
    """Give what stands in blocks of code and between backticks, in order."""
    spans: list[Span] = []
    at = 0
    for start, end in [*code_blocks(text), (len(text), len(text))]:
        spans += [*_backtick_spans(text, at, start), (start, end)]
        at = end
    return spans[:-1]


def is_within(spans: Sequence[Span], place: int) -> bool:
    """Return whether a place lies in one of some spans that are in order."""
    before = bisect.bisect_right(spans, place, key=lambda span: span[0])
    return before > 0 and place < spans[before - 1][1]


def is_ticked(text: str, place: int) -> bool:
    """Tell whether a place that is in no block of code stands between backticks."""
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    spans = _backtick_spans(text, start, len(text) if end < 0 else end)
    return any(first <= place < last for first, last in spans)


class _Reader:
    """The quotes and items that are open, the fence in them, and whether the line above is text
    of a paragraph.
    """

    def __init__(self) -> None:
        self.around: list[int] = []  # the width of an item's mark, 0 for a quote
        self.fence = ""
        self.indent = 0  # of the open fence's line; unused otherwise
        self.paragraph = False
        self.bare = False  # the innermost item holds nothing yet

    def read(self, line: str, start: int) -> Line:
        """Return what the next line is."""
        end = start + len(line)
        # the quick way of most lines: nothing is open, and nothing begins here
        if not self.around and not self.fence and line[:1] not in _STARTS:
            self.paragraph = bool(line)
            return Line("text" if line else "blank", start, end, start)
        place = _LineCursor(line)
        matched = self._matched(place)
        if place.at == len(line):
            return Line(self._blank(matched), start, end, end, len(self.around))
        if self.fence and matched == len(self.around):
            closed = place.indent() < CODE_INDENT and self._closes(line[place.at :])
            self.fence = "" if closed else self.fence
            return Line(
                "end" if closed else "code", start, end, start + place.at, matched, kept=matched
            )
        self.fence = ""
        kind, level = self._block(place, matched)
        return Line(kind, start, end, start + place.at, len(self.around), level, matched)

    def _matched(self, place: "_LineCursor") -> int:
        """Go past the marks of the quotes and items around, as far as the line has them, and say
        how many.
        """
        for number, width in enumerate(self.around):
            if width:
                if place.indent() < width and place.at < len(place.line):
                    return number
                place.base += width
            elif not place.quote():
                return number
        return len(self.around)

    def _blank(self, matched: int) -> Kind:
        if self.bare and matched == len(self.around) and not self.fence:
            matched -= 1
        in_fence = bool(self.fence) and matched == len(self.around)
        if not in_fence:
            self.fence = ""
        del self.around[matched:]
        self.paragraph = self.bare = False
        return "code" if in_fence else "blank"

    def _closes(self, text: str) -> bool:
        return text.startswith(self.fence) and not text.lstrip(self.fence[0]).strip(" \t")

    def _block(self, place: "_LineCursor", matched: int) -> tuple[Kind, int]:
        """Read what begins on a line behind the marks of what is around.

        Give its kind and level.
        """
        within = self.paragraph and matched == len(self.around)
        while True:
            rest = place.line[place.at :]
            if not rest:  # a mark that holds nothing yet
                return "text", 0
            if place.indent() >= CODE_INDENT:
                return self._text(matched, code=True), 0
            if len(self.around) < DEEPEST or matched < len(self.around):
                if rest[0] == ">":
                    self._open(matched, 0)
                    place.quote()
                elif not _RULE.match(rest) and (width := self._item(place, rest, within=within)):
                    self._open(matched, width)
                else:
                    return self._leaf(place, rest, matched)
                matched, within = len(self.around), False
                continue
            return self._leaf(place, rest, matched)

    def _open(self, matched: int, width: int) -> None:
        self.around[matched:] = [width]
        self.paragraph = False
        self.bare = self.bare and width > 0

    def _item(self, place: "_LineCursor", rest: str, *, within: bool) -> int:
        """Go past the mark of a list's item and give its width; 0 for none.

        Into a paragraph only a first item with text can break.
        """
        mark = LIST_MARK.match(rest)
        if mark is None or (
            within and (not rest[mark.end() :].strip(" \t") or int(mark[1] or 1) != 1)
        ):
            return 0
        before = place.base
        place.pass_by(mark.end())
        spaces = place.indent()
        self.bare = place.at == len(place.line)
        place.base += spaces if 1 <= spaces <= CODE_INDENT and not self.bare else 1
        return place.base - before

    def _leaf(self, place: "_LineCursor", rest: str, matched: int) -> tuple[Kind, int]:
        kind: Kind = "text"
        level = 0
        if heading := _HEADING.match(rest):
            kind, level = "heading", len(heading[1])
            place.at += heading.end()
        elif fence := _FENCE.match(rest):
            kind, self.fence = "fence", fence[1] or fence[2]
        elif _RULE.match(rest):
            kind = "rule"
        if kind == "text":
            return self._text(matched, code=False), 0
        del self.around[matched:]
        self.paragraph = self.bare = False
        return kind, level

    def _text(self, matched: int, *, code: bool) -> Kind:
        """Take a line of text: of a paragraph, even where marks of what is around are missing,
        or of indented code.
        """
        if self.paragraph:
            return "text"
        del self.around[matched:]
        self.paragraph = not code
        self.bare = False
        return "indented" if code else "text"


class _LineCursor:
    """How far a line is read: the next character that is no space, its column, and the column
    where its block begins.
    """

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = self.column = self.base = 0
        self._skip()

    def indent(self) -> int:
        """Return by how many columns the text is indented in its block."""
        return self.column - self.base

    def quote(self) -> bool:
        """Go past a quote's mark, if it stands here."""
        if self.indent() >= CODE_INDENT or self.line[self.at : self.at + 1] != ">":
            return False
        self.pass_by(1)
        self.base += self.column > self.base
        return True

    def pass_by(self, count: int) -> None:
        """Go past so many characters and the spaces behind them; there the block within begins."""
        self.at += count
        self.column += count
        self.base = self.column
        self._skip()

    def _skip(self) -> None:
        line = self.line
        while (mark := line[self.at : self.at + 1]) == " " or mark == "\t":
            self.column += 1 if mark == " " else 4 - self.column % 4
            self.at += 1


def _code_by_line(text: str) -> list[Span]:
    found: list[Span] = []
    for line in read_lines(text):
        if line.kind in ("code", "end"):
            found[-1] = found[-1][0], line.end
        elif line.kind in ("fence", "indented"):
            found.append((line.inner, line.end))
    return found


def _fences_at_margin(text: str) -> list[Span] | None:
    """Return the fenced code of a text whose only blocks of code are fences at the margin.

    Return None for any other text, which has to be read line by line. Most notes are of the first
    kind, and this takes a tenth of the time: imports and exports ask several times for each note.
    """
    if "\r" in text:
        return None
    found: list[Span] = []
    at = 0
    ahead = [fence.search(text) for fence in _FENCES_AT_MARGIN]
    while opener := min(filter(None, ahead), key=lambda fence: fence.start(), default=None):
        if _may_nest_code(text, at, opener.start()):
            return None
        end = text.find("\n", opener.end())
        fence = re.compile(rf"^ {{0,3}}{opener[0]}{opener[0][0]}*[ \t]*$", re.MULTILINE)
        closer = fence.search(text, end) if end >= 0 else None
        at = closer.end() if closer else len(text)
        found.append((opener.start(), at))
        ahead = [
            fence.search(text, at) if seen and seen.start() < at else seen
            for fence, seen in zip(_FENCES_AT_MARGIN, ahead, strict=True)
        ]
    return None if _may_nest_code(text, at, len(text)) else found


def _may_nest_code(text: str, start: int, end: int) -> bool:
    """Return whether code may be indented, or stand in quotes and items, between two places."""
    return any(text.find(mark, start, end) >= 0 for mark in ("    ", "\t", "```", "~~~"))


def _backtick_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the code spans between two places.

    Each ends in its line with as many backticks as it began with.
    """
    while (tick := text.find("`", start, end)) >= 0:
        start = text.find("\n", tick, end)
        start = end if start < 0 else start
        yield from _pair_backticks([match.span() for match in _TICKS.finditer(text, tick, start)])


def _pair_backticks(runs: list[Span]) -> Iterator[Span]:
    closers: dict[int, int] = {}
    following: dict[int, int] = {}
    for place in range(len(runs) - 1, -1, -1):
        length = runs[place][1] - runs[place][0]
        if length in following:
            closers[place] = following[length]
        following[length] = place
    place = 0
    while place < len(runs):
        closer = closers.get(place)
        if closer is not None:
            yield runs[place][0], runs[closer][1]
            place = closer
        place += 1
