"""Grep: lines of notes that hold a text or match a regular expression, in linear time."""

import asyncio
import copy
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.process.background_tasks import report_failure
from app.core.schema import NO_NUL, DocumentedPattern, Id, Most, NameOrPath, Record
from app.workspace.folders import access, folders
from app.workspace.search.grep import re2_programs, text_scan
from app.workspace.search.grep import snapshot_history as histories
from app.workspace.search.grep.re2_programs import Hit, Mode, Program, TimeBudget

Pattern = Annotated[str, Meta(min_length=1, max_length=1000), DocumentedPattern(NO_NUL)]
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


class LineTrace(histories.Trace):
    """What a note's newest snapshot that matches holds: its matching lines."""

    matches: list[Match]


class Grepped(Record):
    """`truncated` says that there were more lines than `limit`.

    With history: what snapshots hold, and whether all of them were searched.
    """

    results: list[Matched]
    summary: Summary
    truncated: bool
    history: list[LineTrace] | UnsetType = UNSET
    history_complete: bool | UnsetType = UNSET


@operation(
    "POST /os/notes/grep",
    scope="os.notes:read",
    effect="read",
    http=Http(
        refuses={
            "pattern": "in the mode regex it is none of RE2, or needs more than its time; it "
            "holds a NUL",
            "folderName": "both it and folderId are given, or it names several folders",
        },
        stoppable=True,
    ),
    tool=Tool(risk="R"),
)
async def grep_notes(
    app: App,
    me: Caller,
    *,
    pattern: Pattern,
    mode: Mode = "literal",
    context_before: Context = 0,
    context_after: Context = 0,
    folder_id: Id | None = None,
    folder_name: NameOrPath | None = None,
    case_sensitive: bool = False,
    limit: Annotated[int, Meta(ge=1), Most(10_000)] = 1000,
    history: bool = False,
) -> Grepped:
    """Find the lines of notes that hold a text or match a regular expression.

    Regular expressions are RE2's, without look-around and back-references.

    With `history` the snapshots are searched too: of each note the newest that matches, who made
    it and when, and since when the note no longer does. When that takes longer than 2 seconds it
    is left unfinished.
    """
    me = app.quick(access.hide_policy_notes, me)
    wanted = GrepRequest(pattern, mode, case_sensitive, folder_id, folder_name)
    grep = GrepSearch(me, wanted, around=(context_before, context_after), limit=limit)
    await grep.run(app)
    truncated = grep.cut_to_limit()
    scanned = grep.scope.total
    if truncated:
        last = grep.results[-1].note_id
        scanned = len(await app.read(text_scan.list_note_ids, grep.scope, last))
    answer = Grepped(grep.results, Summary(scanned, len(grep.results)), truncated)
    if history:
        traces = await histories.find_lines(app, me, grep.scope, grep.program, limit=limit)
        answer.history = [_line_trace(found, grep.around) for found in traces.found]
        answer.history_complete = traces.complete
    return answer


class GrepRequest(msgspec.Struct, frozen=True):
    """What is searched for, and where.

    In all notes the caller has at least that role for, in a folder, or in some notes.
    """

    pattern: str
    mode: Mode
    case_sensitive: bool
    folder_id: int | None
    folder_name: str | None
    least: Literal["viewer", "writer"] = "viewer"
    note_ids: tuple[int, ...] | None = None


class GrepSearch:
    """A search under way: it goes on slice by slice, and holds what it has found."""

    program: Program
    scope: text_scan.Scope
    walk: text_scan.NoteWalk
    _tx: Tx

    def __init__(
        self, me: Caller, wanted: GrepRequest, *, around: tuple[int, int], limit: int
    ) -> None:
        self.me = me
        self.wanted = wanted
        self.around = around
        self.limit = limit
        self.found = 0
        self.results: list[Matched] = []
        self.budget = TimeBudget(re2_programs.SECONDS)
        self._work = self._search()

    async def run(self, app: App) -> None:
        """Search to the end; in two lanes at once, each for half of the notes, where all of them
        are to be read.
        """
        # SQLite works without the GIL, so two readers' threads read at the same time.
        if await app.read(self.begin):
            return
        other = self._split_off_half()
        if other is None:
            await app.read_in_slices(self.slice)
            return
        later = asyncio.ensure_future(app.read_in_slices(other.slice))
        # When both lanes refuse, one of them is heard; that nobody heard the other is no trouble.
        later.add_done_callback(report_failure)
        try:
            await app.read_in_slices(self.slice)
            if not self._has_enough():
                await later
                self.results += other.results
                self.found += other.found
        finally:
            later.cancel()

    def begin(self, tx: Tx) -> bool:
        """Find out what is to be read and search a first slice; return whether that was all."""
        self.budget.begin_slice()
        wanted = self.wanted
        self.program = re2_programs.compile_program(
            wanted.pattern, wanted.mode, case_sensitive=wanted.case_sensitive
        )
        folder = folders.find_by_name_or_id(tx, self.me, wanted.folder_id, wanted.folder_name)
        if folder is not None:
            access.require_rank(access.folder_rank(tx, self.me, folder), wanted.least)
        self.scope = text_scan.notes_in_scope(
            tx, self.me, None if folder is None else folder["id"], wanted.least
        )
        self.walk = text_scan.NoteWalk(tx, self.scope, self.program.needs, only=wanted.note_ids)
        return self.slice(tx)

    def slice(self, tx: Tx) -> bool:
        """Search for some tens of milliseconds; return whether that was all.

        Raise Invalid when the time for the whole is over.
        """
        self._tx = tx
        self.budget.begin_slice()
        for _ in self._work:
            if self.budget.is_slice_over():
                self.budget.end_slice()
                return False
        return True

    def cut_to_limit(self) -> bool:
        """Leave out the lines above the limit; return whether there were any."""
        over = self.found - self.limit
        while over > 0:
            last = self.results[-1].matches
            dropped = min(over, len(last))
            del last[len(last) - dropped :]
            over -= dropped
            if not last:
                self.results.pop()
        return self.found > self.limit

    def _has_enough(self) -> bool:
        # One more than is shown, which tells that there are more.
        return self.found > self.limit

    def _split_off_half(self) -> "GrepSearch | None":
        """Return another search for the later half of what is left to read, if that is worth it."""
        rest = self.walk.split_off_half()
        if rest is None:
            return None
        other = copy.copy(self)
        other.walk, other.results, other.budget = rest, [], TimeBudget(self.budget.left)
        other.limit, other.found = self.limit - self.found, 0
        other._work = other._search()
        return other

    def _search(self) -> Iterator[None]:
        """Search batch after batch; each step may be in another transaction than the last."""
        while not (self._has_enough() or self.walk.ended):
            batch = self.walk.next_batch(self._tx)
            before, content, names = -1, b"", None
            for found in re2_programs.find_hits(self.program, batch.texts, self.budget):
                if found is None:
                    yield
                    continue
                which, hit = found
                if which != before:
                    names = names or batch.names()
                    before, content = which, batch.texts[which]
                    self.results.append(Matched(*names[which], []))
                self.results[-1].matches.append(match_with_lines(content, hit, *self.around))
                self.found += 1
                if self._has_enough():
                    break
            yield
        self._add_titles(self._tx)

    def _add_titles(self, tx: Tx) -> None:
        nameless = [matched for matched in self.results if not matched.title]
        titles = (
            text_scan.read_titles(tx, [matched.note_id for matched in nameless]) if nameless else {}
        )
        for matched in nameless:
            matched.title = titles.get(matched.note_id, "")


def _line_trace(found: histories.FoundSnapshot, around: tuple[int, int]) -> LineTrace:
    text = found.content
    return LineTrace(
        **msgspec.structs.asdict(found.trace),
        matches=[match_with_lines(text, hit, *around) for hit in found.hits],
    )


def match_with_lines(text: bytes, hit: Hit, before: int, after: int) -> Match:
    """Return a line that matches, with so many of the lines before and after it."""
    line = text[hit.start : hit.end].decode()
    return Match(
        hit.line,
        hit.first + 1,
        line,
        line[hit.first : hit.last],
        _lines_before(text, hit.start, before),
        _lines_after(text, hit.end, after),
    )


def _lines_before(text: bytes, end: int, most: int) -> list[str]:
    """Return the lines before the one that begins at `end`."""
    found: list[str] = []
    while len(found) < most and end > 0:
        start = text.rfind(b"\n", 0, end - 1) + 1
        found.append(text[start : end - 1].decode())
        end = start
    return found[::-1]


def _lines_after(text: bytes, start: int, most: int) -> list[str]:
    """Return the lines after the one that ends at `start`."""
    found: list[str] = []
    while len(found) < most and start + 1 < len(text):
        end = text.find(b"\n", start + 1)
        end = len(text) if end < 0 else end
        found.append(text[start + 1 : end].decode())
        start = end
    return found
