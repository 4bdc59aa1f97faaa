"""Grep: lines of notes that hold a literal text or match a regular expression, in time linear in the text (RE2)."""

import functools
import re
import time
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import Meta

from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Id, Most, Record, Title
from app.core.tx import Tx
from app.errors import Invalid
from app.workspace import folders
from app.workspace.search import readable

Pattern = Annotated[str, Meta(min_length=1, max_length=1000)]
Context = Annotated[int, Meta(ge=0, le=20)]
SECONDS = 2.0
PIECE = 1 << 16
LINES_BETWEEN_LOOKS = 256
WORD_CLASSES = {"w": r"[\pL\pN\pM_]", "W": r"[^\pL\pN\pM_]", "d": r"\pN", "D": r"\PN"}
_ESCAPE = re.compile(r"\\(.)|\[\^?\]?|\]", re.DOTALL)


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


@operation("POST /os/notes/grep", scope="os.notes:read", category="notes", effect="read", tool=True)
def grep_notes(
    tx: Tx, me: Caller, *, pattern: Pattern, mode: Literal["literal", "regex"] = "literal", context_before: Context = 0,
    context_after: Context = 0, folder_id: Id | None = None, folder_name: Title | None = None, case_sensitive: bool = False,
    limit: Annotated[int, Meta(ge=1), Most(10_000)] = 1000,
) -> Grepped:  # fmt: skip
    """Find the lines of notes that hold a text or match a regular expression (RE2: no look-around, no back-references)."""
    program = compiled(pattern, mode, case_sensitive=case_sensitive)
    folder = folders.named_or_numbered(tx, me, folder_id, folder_name)
    deadline = time.monotonic() + SECONDS
    results: list[Matched] = []
    scanned, left = 0, limit + 1
    for note_id, title, content in _texts(tx, me, None if folder is None else folder["id"]):
        scanned += 1
        _require_time(deadline)
        if matches := _matches(program, content, context_before, context_after, left, deadline):
            left -= len(matches)
            results.append(Matched(note_id, title, matches))
        if left <= 0:
            break
    truncated = left <= 0
    if truncated:
        _cut_last(results)
    return Grepped(results, Summary(scanned, len(results)), truncated)


@functools.lru_cache(maxsize=64)
def compiled(pattern: str, mode: str, *, case_sensitive: bool) -> Any:
    """Give the program for a pattern; raise Invalid with what RE2 has against it."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case_sensitive
    options.max_mem = 16 << 20
    text = re2.escape(pattern) if mode == "literal" else _with_unicode_classes(pattern)
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error.args[0])
        raise Invalid(f"pattern is not a regular expression that RE2 knows: {reason}.", field="pattern") from None


def _texts(tx: Tx, me: Caller, folder_id: int | None) -> Iterator[tuple[int, str, str]]:
    scope, places = readable(tx, me, folder_id)
    cursor = tx.run(f"SELECT n.id, n.title, n.content FROM notes n WHERE n.trash_id IS NULL AND {scope} ORDER BY n.id", me=me.user, ids=places)
    for row in cursor:
        yield row[0], row[1], row[2]


def _matches(program: Any, content: str, before: int, after: int, most: int, deadline: float) -> list[Match]:
    """Give the first `most` matching lines of one text."""
    if not _could_match(program, content, deadline):
        return []
    lines = lines_of(content)
    found: list[Match] = []
    for number, line in enumerate(lines):
        if number % LINES_BETWEEN_LOOKS == 0:
            _require_time(deadline)
        hit = _search(program, line, deadline)
        if hit is not None:
            start, end = hit.span()
            around = lines[max(0, number - before) : number], lines[number + 1 : number + 1 + after]
            found.append(Match(number + 1, start + 1, line, line[start:end], *around))
            if len(found) == most:
                break
    return found


def lines_of(content: str) -> list[str]:
    """Give the lines of a text, ended by LF, CRLF or CR and nothing else; what follows the last end is a line only if it is not empty."""
    lines = (content.replace("\r\n", "\n").replace("\r", "\n") if "\r" in content else content).split("\n")
    return lines if lines[-1] else lines[:-1]


def _could_match(program: Any, content: str, deadline: float) -> bool:
    """Say whether some line could match: one search of the whole text, unless the pattern looks at the ends of a line."""
    return any(mark in program.pattern for mark in ("^", "$", "\\A", "\\z")) or _search(program, content, deadline) is not None


def _search(program: Any, text: str, deadline: float) -> Any:
    """Search a text. No search can be broken off, so that of a long one is tried on growing pieces, whose times tell what the whole would take."""
    size = PIECE
    while size < len(text):
        begun = time.monotonic()
        if program.search(text[:size]) is not None:
            break
        _require_time(deadline - 2 * (time.monotonic() - begun))
        size *= 2
    return program.search(text)


def _require_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise Invalid("pattern needs more than 2 seconds here; give a folder or a rarer pattern.", field="pattern")


def _with_unicode_classes(pattern: str) -> str:
    r"""Write \w, \d and their opposites, which RE2 takes as ASCII, as the Unicode classes that people mean."""
    inside = False

    def replaced(found: re.Match[str]) -> str:
        nonlocal inside
        if found[1] is None:
            inside = found[0] != "]"
            return found[0]
        wide = WORD_CLASSES.get(found[1], found[0])
        return wide[1:-1] if inside and found[1] == "w" else found[0] if inside and found[1] == "W" else wide

    return _ESCAPE.sub(replaced, pattern)


def _cut_last(results: list[Matched]) -> None:
    results[-1].matches.pop()
    if not results[-1].matches:
        results.pop()
