"""Searching notes, best first."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Id, Most, Record, Title
from app.core.tx import Tx
from app.workspace import access, findable, folder_rows, folders, lexical, words
from app.workspace.folder_rows import IN_LIST, in_list
from app.workspace.queries import Query
from app.workspace.snippets import patterns, snippet

Wanted = Annotated[str, Meta(min_length=1, max_length=1000)]
Mode = Literal["words", "meaning", "hybrid"]
CONTENT_CHARACTERS = 2_000
CATCH_UP_STEPS = 8
LIGHT_BYTES = 1 << 18
NO_MEANING = "Meaning is not searched here, so words alone rank."
STALE = "The search index is being made anew; older notes may be missing for a while."


class Hit(Record):
    """A note that was found; a higher score is a better match, above 1 where all that was asked for occurs.

    `marks` are the places of the hits in the snippet, as [start, end) in characters.
    """

    id: int
    title: str
    snippet: str
    marks: list[tuple[int, int]]
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
    """`mode` says what ranked in fact, `notice` what there is to know of it."""

    results: list[Hit]
    result: Passages
    mode: Mode = "words"
    notice: str | None = None


@operation("POST /os/notes/search", scope="os.notes:read", category="notes", effect="read", tool=True)
async def search_notes(
    app: App, me: Caller, *, query: Wanted, limit: Annotated[int, Meta(ge=1), Most(50)] = 10, folder_id: Id | None = None,
    folder_name: Title | None = None, mode: Mode = "hybrid",
) -> Hits:  # fmt: skip
    """Search the notes the caller may read, by words in any form; notes with every word come first, below them those with some.

    Operators: "a phrase", -without, a OR b, begin*, title:word, tag:name, folder:name or folder:"path/to", in:pinned, is:todo (open checkboxes),
    updated:, created:, before:, after: with a date (2026-11-01, 2026-11, 2026) or today, yesterday, monday, last week, this month, "3 days".
    What does not parse is searched as words. `mode`: words, meaning, or hybrid, which is both.
    """
    notice = None if mode == "words" else NO_MEANING
    if folder_id is None and folder_name is None and (hits := app.quick(_at_once, me, query, limit, notice)) is not None:
        return hits
    stale = await caught_up(app)
    return await app.read(_search, me, query, limit, folder_id, folder_name, STALE if stale else notice)


async def caught_up(app: App) -> bool:
    """Index the notes that wait, and some of the stale ones; say whether there are more of those."""
    if not app.glance(words.any_waiting):
        return False
    for _ in range(CATCH_UP_STEPS):
        await app.write(words.index_waiting)
        if not app.glance(words.any_waiting):
            return False
    while not app.glance(words.is_stale) and app.glance(words.any_waiting):
        await app.write(words.index_waiting)
    return app.glance(words.is_stale)


def readable(tx: Tx, me: Caller, folder_id: int | None) -> tuple[str, str]:
    """Give the SQL condition for the notes that may be found, and the folder ids it reads."""
    if folder_id is not None:
        return f"n.folder_id IN ({IN_LIST})", in_list(folder_rows.subtree(tx, folder_id))
    shared = access.shared_folders(tx, me)
    if shared:
        return f"(n.owner_id = :me OR n.folder_id IN ({IN_LIST}))", in_list(list(shared))
    return "n.owner_id = :me", "[]"


def _at_once(tx: Tx, me: Caller, text: str, limit: int, notice: str | None) -> Hits | None:
    """Search where it is so little work that to hand it to a thread would cost more; else give None."""
    if not findable.alone(tx, me) or (found := lexical.best_of_few(tx, me, query := lexical.read(tx, me, text), limit=limit)) is None:
        return None
    if sum(one.size for one in found) > LIGHT_BYTES:
        return None
    return shown(tx, query, {one.id: one.score for one in found}, notice=notice)


def _search(tx: Tx, me: Caller, text: str, limit: int, folder_id: int | None, folder_name: str | None, notice: str | None) -> Hits:
    folder = folders.named_or_numbered(tx, me, folder_id, folder_name)
    query = lexical.read(tx, me, text)
    found = lexical.best(tx, me, query, limit=limit, folder_id=None if folder is None else folder["id"])
    if query.narrowed:
        notice = f"{', '.join(query.narrowed)} begins too many words, so only the word itself was searched for; give more letters."
    return shown(tx, query, {one.id: one.score for one in found}, notice=notice)


def shown(tx: Tx, query: Query, scores: dict[int, float], *, notice: str | None = None) -> Hits:
    """Give notes as the answer shows them, in the order of `scores`."""
    rows = tx.all(f"SELECT id, title, folder_id, updated_at, content FROM notes WHERE id IN ({IN_LIST})", ids=in_list(list(scores)))
    by_id: dict[int, Any] = {row["id"]: row for row in rows}
    wanted = patterns(query)
    hits: list[Hit] = []
    passages: list[Passage] = []
    for note_id, score in scores.items():
        _, title, folder_id, updated_at, content = by_id[note_id]
        # Not FTS5's own snippet(): in a text of megabytes that holds a word thousands of times it takes seconds.
        text, marks = snippet(content, wanted)
        hits.append(Hit(note_id, title, text, marks, folder_id, round(score, 6), updated_at))
        passages.append(Passage(note_id, title, text, content[:CONTENT_CHARACTERS]))
    return Hits(hits, Passages(passages), notice=notice)
