"""Searching notes by their words, best first."""

import re
import sqlite3
import unicodedata
from typing import Annotated, Any

from msgspec import Meta

from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Id, Most, Record, Title
from app.core.tx import Tx
from app.workspace import access, folder_rows, folders
from app.workspace.folder_rows import IN_LIST, in_list

Query = Annotated[str, Meta(min_length=1, max_length=1000)]
RANKED = 5_000
TITLE_WEIGHT, TAGS_WEIGHT, TEXT_WEIGHT = 4.0, 3.0, 1.0
SNIPPET_WORDS = 24
CONTENT_CHARACTERS = 2_000
WORD = re.compile(r"[^\W_]+")


class Hit(Record):
    """A note that was found; a higher score is a better match."""

    id: int
    title: str
    snippet: str
    folder_id: int | None
    score: float
    updated_at: str


class Passage(Record):
    """The beginning of a note that was found."""

    id: int
    title: str
    snippet: str
    content: str


class Passages(Record):
    results: list[Passage]


class Hits(Record):
    results: list[Hit]
    result: Passages


@operation("POST /os/notes/search", scope="os.notes:read", category="notes", effect="read")
def search_notes(
    tx: Tx, me: Caller, *, query: Query, limit: Annotated[int, Meta(ge=1), Most(50)] = 10, folder_id: Id | None = None,
    folder_name: Title | None = None,
) -> Hits:  # fmt: skip
    """Search the notes the caller may read; each word must occur, in any form, in the title, the tags or the text."""
    folder = folders.named_or_numbered(tx, me, folder_id, folder_name)
    words = words_of(query)
    if not words:
        return Hits([], Passages([]))
    scope, places = readable(tx, me, None if folder is None else folder["id"])
    match = " ".join(f'"{word}"' for word in words)
    oldest = _oldest_ranked(tx, match)
    rows = _ranked(tx, match, oldest, scope=scope, me=me.user, ids=places, limit=limit)
    if oldest and len(rows) < limit:  # the newest thousands are mostly of others or of other folders
        rows = _ranked(tx, match, 0, scope=scope, me=me.user, ids=places, limit=limit)
    hits = [Hit(row["id"], row["title"], row["snippet"], row["folder_id"], round(row["score"], 6), row["updated_at"]) for row in rows]
    return Hits(hits, Passages([Passage(row["id"], row["title"], row["snippet"], row["content"]) for row in rows]))


def words_of(query: str) -> list[str]:
    """Give the words of a query, in the form in which they can stand in an FTS5 phrase."""
    return WORD.findall(unicodedata.normalize("NFC", query))


def _ranked(tx: Tx, match: str, oldest: int, *, scope: str, **params: Any) -> list[sqlite3.Row]:
    """Give the best matches among the notes from the id `oldest` on."""
    return tx.all(
        f"""SELECT n.id, n.title, n.folder_id, n.updated_at, substr(n.content, 1, {CONTENT_CHARACTERS}) AS content,
                   -bm25(note_words, {TITLE_WEIGHT}, {TAGS_WEIGHT}, {TEXT_WEIGHT}) AS score,
                   snippet(note_words, 2, '', '', '…', {SNIPPET_WORDS}) AS snippet
            FROM note_words JOIN notes n ON n.id = note_words.rowid
            WHERE note_words MATCH :match AND note_words.rowid >= :oldest AND n.trash_id IS NULL AND {scope}
            ORDER BY score DESC, n.id DESC LIMIT :limit""",
        match=match, oldest=oldest, **params,
    )  # fmt: skip


def _oldest_ranked(tx: Tx, match: str) -> int:
    """Give the id from which matches are ranked: of a common word only the newest thousands are, so that it costs no more than others."""
    oldest: int | None = tx.value(
        f"SELECT rowid FROM note_words WHERE note_words MATCH :match ORDER BY rowid DESC LIMIT 1 OFFSET {RANKED - 1}", match=match
    )
    return oldest or 0


def readable(tx: Tx, me: Caller, folder_id: int | None) -> tuple[str, str]:
    """Give the SQL condition for the notes that may be found, and the folder ids it reads."""
    if folder_id is not None:
        return f"n.folder_id IN ({IN_LIST})", in_list(folder_rows.subtree(tx, folder_id))
    shared = access.shared_folders(tx, me)
    if shared:
        return f"(n.owner_id = :me OR n.folder_id IN ({IN_LIST}))", in_list(list(shared))
    return "n.owner_id = :me", "[]"
