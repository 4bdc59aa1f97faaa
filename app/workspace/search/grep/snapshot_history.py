"""Searching what notes held before.

Of each note the newest snapshot that holds what is searched for, and since when the note no
longer does.
"""

import functools
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.schema import Record
from app.errors import Invalid
from app.workspace.folders import folders
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.search.grep import re2_programs, text_scan
from app.workspace.search.grep.re2_programs import Hit, Program, TimeBudget
from app.workspace.search.grep.text_scan import Scope

SCOPES = ("os.snapshots:read",)
MOST_WORDS, LONGEST_BEGINNING = 16, 30
SNIPPET_CHARACTERS, LEAD = 240, 60
FIRST_BATCH, LARGEST_BATCH = 128, 2048
QUICK_SECONDS, SLOW_SECONDS = 0.004, 0.015
LETTERS = ((0xC0, 0x250), (0x370, 0x530), (0x1E00, 0x2000))
Author = Annotated[msgspec.Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Actor"})]
Look = Callable[[bytes, TimeBudget], Iterator[Hit | None]]
"""Gives what it finds in a text, and None now and then."""


class Trace(Record):
    """The newest snapshot of a note that holds what was searched for.

    `live`: the note holds it still. `goneSince`: since when it does not, as far as snapshots tell.
    """

    note_id: int
    title: str
    seq: int
    created_at: str
    author: Author
    label: str | None
    live: bool
    gone_since: str | None


class FoundSnapshot(msgspec.Struct, frozen=True):
    """A trace with the text of its snapshot, and where that holds what was searched for."""

    trace: Trace
    content: bytes
    hits: list[Hit]


class Traces(msgspec.Struct, frozen=True):
    """What was found, the last seen first; `complete`: every snapshot was looked at."""

    found: list[FoundSnapshot]
    complete: bool


async def find_lines(app: App, me: Caller, scope: Scope, program: Program, *, limit: int) -> Traces:
    """Return the notes whose snapshots hold a line that matches, with these lines.

    At most so many lines.
    """
    return await _search(
        app, me, scope, functools.partial(_matching_lines, program), program.needs.likes, limit
    )


async def find_words(
    app: App, me: Caller, place: tuple[int | None, str | None], wanted: Sequence[str], *, limit: int
) -> Traces:
    """Return the notes whose snapshots hold words that begin like each of `wanted`, in any case and
    with any accents: at most so many notes.

    `place` is the id or the name of the folder they lie in, if any.
    """
    scope = await app.read(_history_scope, me, *place)
    if not wanted:
        me.require(SCOPES)
        return Traces([], complete=True)
    # Snapshots are in no index: words are sought as patterns of how they and their forms begin.
    patterns = dict.fromkeys(_word_start_pattern(word) for word in wanted[:MOST_WORDS])
    looked_for = [
        re2_programs.compile_program(pattern, "regex", case_sensitive=False) for pattern in patterns
    ]
    return await _search(app, me, scope, functools.partial(_find_all_words, looked_for), (), limit)


def snapshot_snippet(found: FoundSnapshot) -> str:
    """Return some words of the snapshot around the first place that was found."""
    text = found.content.decode()
    at = len(found.content[: found.hits[0].start].decode()) + found.hits[0].first
    start = text.find(" ", at - LEAD, at) + 1 if at > LEAD else 0
    shown = text[start : start + SNIPPET_CHARACTERS]
    return (
        ("…" if start else "")
        + " ".join(shown.split())
        + ("…" if start + SNIPPET_CHARACTERS < len(text) else "")
    )


def _history_scope(tx: Tx, me: Caller, folder_id: int | None, folder_name: str | None) -> Scope:
    folder = folders.find_by_name_or_id(tx, me, folder_id, folder_name)
    return text_scan.notes_in_scope(tx, me, None if folder is None else folder["id"])


async def _search(
    app: App, me: Caller, scope: Scope, look: Look, likes: Sequence[str], limit: int
) -> Traces:
    me.require(SCOPES)
    search = _Search(scope, look, likes, limit)
    await app.read_in_slices(search.slice)
    return Traces(search.found, search.complete)


class _Search:
    """A search through snapshots under way, from the newest to the oldest.

    It ends without the rest when its time is over.
    """

    def __init__(self, scope: Scope, look: Look, likes: Sequence[str], limit: int) -> None:
        self.scope = scope
        self.look = look
        self.left = limit
        self.budget = TimeBudget(re2_programs.SECONDS)
        self.found: list[FoundSnapshot] = []
        self.complete = True
        self._condition, self._params = text_scan.holds_condition("s.content", likes)
        self._known: set[int] = set()
        self._before: int | None = None
        self._listed: list[int] | None = None
        self._size = FIRST_BATCH
        self._tx: Tx
        self._work = self._search()

    def slice(self, tx: Tx) -> bool:
        """Search for some tens of milliseconds; return whether that was all."""
        self._tx = tx
        self.budget.begin_slice()
        try:
            for _ in self._work:
                if self.budget.is_slice_over():
                    self.budget.end_slice()
                    return False
        except Invalid:  # the time is over: what was found is the answer, and it says so
            self.complete = False
        return True

    def _search(self) -> Iterator[None]:
        """Look through the snapshots; each step may be in another transaction than the last."""
        self._begin(self._tx)
        while self._before:
            yield
            for snapshot_id, note_id, stored in self._rows(self._tx):
                if note_id in self._known:
                    continue
                content = stored.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                hits: list[Hit] = []
                for hit in self.look(content, self.budget):
                    if hit is None:
                        yield
                    elif len(hits) < self.left:
                        hits.append(hit)
                if not hits:
                    continue
                self._known.add(note_id)
                now = self._tx.value(
                    "SELECT CAST(content AS BLOB) FROM notes WHERE id = :id", id=note_id
                )
                live = False
                for hit in self.look(now or b"", self.budget):
                    live = hit is not None
                    if live:
                        break
                    yield
                self._keep(self._tx, snapshot_id, content, hits, live=live)
                yield
                if self.left <= 0:
                    self.complete = False
                    return

    def _begin(self, tx: Tx) -> None:
        """Decide how to walk: by the snapshots of the scope where that is a small part of all."""
        self._before = (tx.value("SELECT max(id) FROM snapshots") or 0) + 1
        if self.scope.total * 8 < self._before:
            ids = text_scan.list_note_ids(tx, self.scope, (1 << 63) - 1)
            rows = tx.all(
                "SELECT s.id FROM json_each(:ids) w CROSS "
                f"JOIN snapshots s ON s.note_id = w.value WHERE s.id < {self._before}",
                ids=id_list(ids),
            )
            self._listed = sorted((row[0] for row in rows), reverse=True)

    def _rows(self, tx: Tx) -> list[Any]:
        """Return the next snapshots."""
        begun = time.monotonic()
        source, params = self._source()
        rows = tx.all(
            f"""SELECT s.id, s.note_id, CAST(s.content AS BLOB)
                FROM {source} CROSS JOIN notes n ON n.id = s.note_id
                WHERE n.trash_id IS NULL AND {self.scope.condition}{self._condition}
                  ORDER BY s.id DESC""",
            **self.scope.params,
            **self._params,
            **params,
        )
        seconds = time.monotonic() - begun
        if seconds < QUICK_SECONDS:
            self._size = min(LARGEST_BATCH, 2 * self._size)
        elif seconds > SLOW_SECONDS:
            self._size = max(1, self._size // 2)
        return rows

    def _source(self) -> tuple[str, dict[str, Any]]:
        """Return the part of the query that names the next snapshots, with its parameters."""
        if self._listed is not None:
            ids, self._listed = self._listed[: self._size], self._listed[self._size :]
            self._before = 1 if self._listed else 0
            return (
                # :ids is the scope's own list of folders
                f"(SELECT * FROM snapshots WHERE id IN ({IN_LIST.replace(':ids', ':wanted')})) s",
                {"wanted": id_list(ids)},
            )
        end = self._before or 0
        self._before = max(0, end - self._size) if end > 1 else 0
        return "(SELECT * FROM snapshots WHERE id >= :start AND id < :end) s", {
            "start": self._before,
            "end": end,
        }

    def _keep(
        self, tx: Tx, snapshot_id: int, content: bytes, hits: list[Hit], *, live: bool
    ) -> None:
        row = tx.one(
            """SELECT s.note_id, n.title, s.seq, s.created_at, s.author, s.label, s.automatic,
                  n.updated_at FROM snapshots s JOIN notes n ON n.id = s.note_id
               WHERE s.id = :id""",
            id=snapshot_id,
        )
        if row is None:  # deleted since it was read, in an earlier slice
            return
        note_id, title, seq, created_at, author, label, automatic, updated_at = row
        gone = None
        if not live:
            # An automatic one was taken in the change that did away with the text; a saved one
            # says only that it was there then, so the next one or the note tells.
            gone = created_at if automatic else _next_seen(tx, note_id, seq) or updated_at
        author = msgspec.Raw(author.encode())
        trace = Trace(note_id, title, seq, created_at, author, label, live, gone)
        self.found.append(FoundSnapshot(trace, content, hits))
        self.left -= len(hits)


def _next_seen(tx: Tx, note_id: int, seq: int) -> str | None:
    """Return the time of a note's first snapshot after that one.

    One that is taken before a change holds the text until then.
    """
    found: str | None = tx.value(
        "SELECT created_at FROM snapshots WHERE note_id = :note AND seq > :seq "
        "ORDER BY seq LIMIT 1",
        note=note_id,
        seq=seq,
    )
    return found


def _matching_lines(program: Program, content: bytes, budget: TimeBudget) -> Iterator[Hit | None]:
    for place in re2_programs.find_hits(program, re2_programs.join_texts([content]), budget):
        yield None if place is None else place[1]


def _find_all_words(wanted: list[Program], content: bytes, _: TimeBudget) -> Iterator[Hit | None]:
    """Return where the first of the words stands, if all do."""
    first = len(content)
    for program in wanted:
        found = program.exact.search(content)
        if found is None:
            return
        first = min(first, found.start())
        yield None
    yield Hit(1, first, first, 0, 0)


def _word_start_pattern(word: str) -> str:
    """Return a pattern for words that begin like one, as its other forms do, in any case and with
    any accents.
    """
    plain = "".join(_base_letter(character) for character in unicodedata.normalize("NFC", word))
    begun = "".join(
        f"{_accent_class(character)}\\pM*"
        for character in plain[: min(LONGEST_BEGINNING, max(4, len(plain) - 3))]
    )
    return (r"(?:^|[^\pL\pN])" if plain[0].lower() != plain[0].upper() else "") + begun


def _accent_class(character: str) -> str:
    forms = character + _accented_forms().get(character, "")
    return f"[{forms}]" if character.isalnum() else f"\\x{{{ord(character):X}}}"


@functools.cache
def _accented_forms() -> dict[str, str]:
    """Return the accented letters of each letter."""
    found: dict[str, str] = {}
    for first, last in LETTERS:
        for character in map(chr, range(first, last)):
            if character.isalpha() and (base := _base_letter(character)) != character:
                found[base] = found.get(base, "") + character
    return found


def _base_letter(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0].lower()
    return base if len(base) == 1 else character
