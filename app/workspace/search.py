"""Searching notes by their words, best first."""

import re
import unicodedata
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Id, Most, Record, Title
from app.core.tx import Tx
from app.workspace import access, folder_rows, folders, words
from app.workspace import history as histories
from app.workspace.folder_rows import IN_LIST, in_list
from app.workspace.snippets import snippet

Query = Annotated[str, Meta(min_length=1, max_length=1000)]
RANKED = 5_000
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


class WordTrace(histories.Trace):
    """What a note's newest snapshot that holds the words says around them."""

    snippet: str


class Hits(Record):
    """With history: what snapshots hold, and whether all of them were searched."""

    results: list[Hit]
    result: Passages
    history: list[WordTrace] | UnsetType = UNSET
    history_complete: bool | UnsetType = UNSET


@operation("POST /os/notes/search", scope="os.notes:read", category="notes", effect="read", tool=True, stoppable=True)
async def search_notes(
    app: App, me: Caller, *, query: Query, limit: Annotated[int, Meta(ge=1), Most(50)] = 10, folder_id: Id | None = None,
    folder_name: Title | None = None, history: bool = False,
) -> Hits:  # fmt: skip
    """Search the notes the caller may read; each word must occur, in any form, in the title, the tags or the text.

    With `history` the snapshots are searched too: of each note the newest that holds the words, who made it and when, and since when the note no
    longer does. When that takes longer than 2 seconds it is left unfinished.
    """
    while app.glance(words.any_waiting):
        await app.write(words.index_waiting)
    hits = await app.read(_search, me, words_of(query), limit, folder_id, folder_name)
    if history:
        traces = await histories.words(app, me, (folder_id, folder_name), words_of(query), limit=limit)
        hits.history = [WordTrace(**msgspec.structs.asdict(found.trace), snippet=histories.snippet(found)) for found in traces.found]
        hits.history_complete = traces.complete
    return hits


def _search(tx: Tx, me: Caller, wanted: list[str], limit: int, folder_id: int | None, folder_name: str | None) -> Hits:
    folder = folders.named_or_numbered(tx, me, folder_id, folder_name)
    if not wanted:
        return Hits([], Passages([]))
    scope, places = readable(tx, me, None if folder is None else folder["id"])
    match = " ".join(f'"{word}"' for word in wanted)
    scores = _best(tx, match, scope, me=me.user, ids=places, limit=limit)
    rows = tx.all(f"SELECT id, title, folder_id, updated_at, content FROM notes WHERE id IN ({IN_LIST})", ids=in_list(list(scores)))
    rows.sort(key=lambda row: (-scores[row["id"]], -row["id"]))
    # Not FTS5's own snippet(): in a text of megabytes that holds a word thousands of times it takes seconds.
    shown = [(row, snippet(row["content"], wanted)) for row in rows]
    hits = [Hit(row["id"], row["title"], text, row["folder_id"], round(scores[row["id"]], 6), row["updated_at"]) for row, text in shown]
    return Hits(hits, Passages([Passage(row["id"], row["title"], text, row["content"][:CONTENT_CHARACTERS]) for row, text in shown]))


def words_of(query: str) -> list[str]:
    """Give the words of a query, in the form in which they can stand in an FTS5 phrase."""
    return WORD.findall(unicodedata.normalize("NFC", query))


def _best(tx: Tx, match: str, scope: str, **params: Any) -> dict[int, float]:
    """Give the ids of the best matches with their scores: of the newest thousands, or of all where those are mostly of others or lie elsewhere."""
    for oldest in dict.fromkeys((_oldest_ranked(tx, match), 0)):
        rows = tx.all(
            f"""SELECT w.rowid, w.rank FROM note_words w CROSS JOIN notes n ON n.id = w.rowid
                WHERE w.note_words MATCH :match AND n.id >= :oldest AND n.trash_id IS NULL AND {scope} ORDER BY w.rank LIMIT :limit""",
            match=match, oldest=oldest, **params,
        )  # fmt: skip
        if len(rows) == params["limit"]:
            break
    return {row[0]: -row[1] for row in rows}


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
