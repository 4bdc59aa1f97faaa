"""Grep: lines of notes that hold a literal text or match a regular expression, in time linear in the text (RE2)."""

import bisect
import itertools
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Id, Most, Record, Title
from app.core.tx import Tx
from app.workspace import folders, programs, scans
from app.workspace.programs import Hit, Mode, Pace, Program
from app.workspace.scans import Text

Pattern = Annotated[str, Meta(min_length=1, max_length=1000)]
Context = Annotated[int, Meta(ge=0, le=20)]


class Match(Record):
    """One matching line, whole; `line` and `column` count from 1, the column in characters."""

    line: int
    column: int
    text: str
    match: str
    before: list[str]
    after: list[str]


class Matched(Record):
    note_id: int
    title: str
    matches: list[Match]


class Summary(Record):
    notes_scanned: int
    notes_matched: int


class Grepped(Record):
    """`truncated` says that there were more lines than `limit`."""

    results: list[Matched]
    summary: Summary
    truncated: bool


@operation("POST /os/notes/grep", scope="os.notes:read", category="notes", effect="read", tool=True, stoppable=True)
async def grep_notes(
    app: App, me: Caller, *, pattern: Pattern, mode: Mode = "literal", context_before: Context = 0, context_after: Context = 0,
    folder_id: Id | None = None, folder_name: Title | None = None, case_sensitive: bool = False,
    limit: Annotated[int, Meta(ge=1), Most(10_000)] = 1000,
) -> Grepped:  # fmt: skip
    """Find the lines of notes that hold a text or match a regular expression (RE2: no look-around, no back-references)."""
    grep = Grep(
        me, Wanted(pattern, mode, case_sensitive, folder_id, folder_name), around=(context_before, context_after), limit=limit,
        indexed=app.settings.grep_index,
    )  # fmt: skip
    await app.read_in_slices(grep.slice)
    return grep.answer()


class Wanted(NamedTuple):
    """What is searched for, and where."""

    pattern: str
    mode: Mode
    case_sensitive: bool
    folder_id: int | None
    folder_name: str | None


class Grep:
    """A search under way: it goes on slice by slice, and holds what it has found."""

    def __init__(self, me: Caller, wanted: Wanted, *, around: tuple[int, int], limit: int, indexed: bool) -> None:
        self.me = me
        self.wanted = wanted
        self.around = around
        self.indexed = indexed
        self.pace = Pace(programs.SECONDS)
        self.results: list[Matched] = []
        self.scanned = 0
        self.left = limit + 1
        self._begun: _Begun | None = None
        self._work: Iterator[None] = iter(())

    def slice(self, tx: Tx) -> bool:
        """Search for some tens of milliseconds and say whether that was all; raise Invalid when the time for the whole is over."""
        self.pace.begin_slice()
        if self._begun is None:
            self._begun = self._begin(tx)
        while not self.pace.slice_over():
            if self._advance(tx, self._begun):
                return True
        self.pace.end_slice()
        return False

    def answer(self) -> Grepped:
        """Give what was found."""
        truncated = self.left <= 0
        if truncated:
            self.results[-1].matches.pop()
            if not self.results[-1].matches:
                self.results.pop()
        return Grepped(self.results, Summary(self.scanned, len(self.results)), truncated)

    def _begin(self, tx: Tx) -> "_Begun":
        wanted = self.wanted
        program = programs.compiled(wanted.pattern, wanted.mode, case_sensitive=wanted.case_sensitive)
        folder = folders.named_or_numbered(tx, self.me, wanted.folder_id, wanted.folder_name)
        scope = scans.scope(tx, self.me, None if folder is None else folder["id"])
        return _Begun(program, scope, scans.Walk(tx, scope, program.needs, indexed=self.indexed))

    def _advance(self, tx: Tx, begun: "_Begun") -> bool:
        """Do a little more and say whether that was all."""
        if next(self._work, self) is not self:
            return False
        if self.left <= 0:
            self.scanned = scans.considered(tx, begun.scope, self.results[-1].note_id)
            return True
        if begun.walk.ended:
            self.scanned = begun.scope.total
            return True
        self._work = self._look(begun.program, begun.walk.texts(tx))
        return False

    def _look(self, program: Program, texts: list[Text]) -> Iterator[None]:
        """Look through texts as if they were one, and at each that could match by itself."""
        contents = [text[2] for text in texts]
        whole = b"\n".join(contents)
        if b"\r" in whole:
            contents = [programs.joined_lines(content) for content in contents]
            whole = b"\n".join(contents)
        search = program.exact if program.marked is None or whole.isascii() else program.loose
        starts = list(itertools.accumulate((len(content) + 1 for content in contents), initial=0))
        at = 0
        while (span := (yield from programs.search_lines(search, whole, at, self.pace))) is not None:
            which = bisect.bisect_right(starts, span[0]) - 1
            yield from self._keep(program, *texts[which][:2], contents[which])
            if self.left <= 0:
                return
            at = starts[which + 1]

    def _keep(self, program: Program, note_id: int, title: str, content: bytes) -> Iterator[None]:
        matches: list[Match] = []
        for hit in programs.hits(program, content, self.pace):
            yield None
            if hit is not None:
                matches.append(shown(content, hit, *self.around))
                self.left -= 1
            if self.left <= 0:
                break
        if matches:
            self.results.append(Matched(note_id, title, matches))


class _Begun(NamedTuple):
    program: Program
    scope: scans.Scope
    walk: scans.Walk


def shown(text: bytes, hit: Hit, before: int, after: int) -> Match:
    """Give a line that matches, with so many of the lines before and after it."""
    line = text[hit.start : hit.end].decode()
    return Match(hit.line, hit.first + 1, line, line[hit.first : hit.last], _before(text, hit.start, before), _after(text, hit.end, after))


def _before(text: bytes, end: int, most: int) -> list[str]:
    """Give the lines before the one that begins at `end`."""
    found: list[str] = []
    while len(found) < most and end > 0:
        start = text.rfind(b"\n", 0, end - 1) + 1
        found.append(text[start : end - 1].decode())
        end = start
    return found[::-1]


def _after(text: bytes, start: int, most: int) -> list[str]:
    """Give the lines after the one that ends at `start`."""
    found: list[str] = []
    while len(found) < most and start + 1 < len(text):
        end = text.find(b"\n", start + 1)
        end = len(text) if end < 0 else end
        found.append(text[start + 1 : end].decode())
        start = end
    return found
