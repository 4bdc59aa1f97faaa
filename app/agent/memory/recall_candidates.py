"""Candidates of a recall: the episodes and notes that hold its words or are near in meaning."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from app.agent.memory import episode_vectors, episodes
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.workspace.folders import folder_rows
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import word_index
from app.workspace.index.spellings import Pattern
from app.workspace.search.ranking import rank_by_meaning
from app.workspace.search.ranking.findable import has_index
from app.workspace.search.ranking.fts_expressions import match_some, telling_words
from app.workspace.search.ranking.query_language import Query, Term
from app.workspace.search.ranking.snippets import query_patterns
from app.workspace.search.vectors import note_vectors
from app.workspace.search.vectors.note_vectors import Model

if TYPE_CHECKING:
    from app.workspace.search.vectors.vector_matrix import Near, Nearness

FEWEST = 30
RANKED = 5_000
"""How many of the episodes that hold the words are ranked at most, the newest."""
LOOKED_AT = 100_000
"""How many characters of a note are looked at, from its beginning."""

Key = tuple[Literal["note", "episode"], int]


class RecallQuery(msgspec.Struct, frozen=True):
    """What is looked for: words in any form, the text for its meaning, a condition on `e`, an
    episode, the folder of facts, and how many.
    """

    query: Query
    text: str
    condition: str
    params: dict[str, Any]
    folder_id: int | None
    limit: int

    @property
    def pool(self) -> int:
        """How many by either measure are compared with one another, of each kind."""
        return max(FEWEST, 3 * self.limit)

    @property
    def wanted(self) -> tuple[Pattern, ...]:
        """How the telling words are found again in a text."""
        telling = Query(tuple((Term(word),) for word in telling_words(self.query)))
        return query_patterns(telling if telling.clauses else self.query)


class NearnessByKind(msgspec.Struct, frozen=True):
    """How near all notes and all episodes are, by a model."""

    model: Model
    notes: "list[Nearness]"
    episodes: "list[Nearness]"


class Found(msgspec.Struct, frozen=True):
    """A note or an episode with all that is shown of it."""

    kind: str
    title: str
    text: str
    path: str
    note_id: int | None
    conversation_id: int | None
    at: str


def keys_with_words(tx: Tx, me: Caller, ask: RecallQuery, facts: Collection[int]) -> list[Key]:
    """Return the episodes, and the notes among the facts, that hold some of the words."""
    keys: list[Key] = [("episode", id_) for id_ in _episodes_with_words(tx, me, ask)]
    keys += [("note", id_) for id_ in _notes_with_words(tx, me, ask, facts)]
    return keys


def _notes_with_words(tx: Tx, me: Caller, ask: RecallQuery, facts: Collection[int]) -> list[int]:
    if not facts or not has_index(tx, me.user):
        return []
    name = word_index.table_name(me.user)
    # The + keeps SQLite from asking the index for one note after another.
    rows = tx.all(
        f"SELECT rowid FROM {name} WHERE {name} MATCH :match AND +rowid IN ({IN_LIST}) "
        "ORDER BY rank, rowid DESC LIMIT :most",
        match=match_some(ask.query, telling_words(ask.query)),
        ids=id_list(list(facts)),
        most=ask.pool,
    )
    return [row[0] for row in rows]


def _episodes_with_words(tx: Tx, me: Caller, ask: RecallQuery) -> list[int]:
    if not episodes.has_words(tx, me.user):
        return []
    name = episodes.table_name(me.user)
    newest = (
        f"SELECT rowid AS id, rank AS score FROM {name} WHERE {name} MATCH :match "
        f"ORDER BY rowid DESC LIMIT {RANKED}"
    )
    if ask.query.filters.periods:  # the newest may all be of other days
        newest = f"""SELECT {name}.rowid AS id, {name}.rank AS score FROM {name} CROSS
          JOIN episodes e ON e.id = {name}.rowid
            WHERE {name} MATCH :match AND {ask.condition} LIMIT {RANKED}"""
    rows = tx.all(
        # CROSS JOIN fixes the order: a few ranked ids, each looked up, and never a scan of all.
        f"""SELECT e.id FROM (SELECT id FROM ({newest}) ORDER BY score, id DESC
          LIMIT {RANKED}) ranked CROSS JOIN episodes e ON e.id = ranked.id
            WHERE {ask.condition} LIMIT :most""",
        match=match_some(ask.query, telling_words(ask.query)),
        most=ask.pool,
        **ask.params,
    )
    return [row[0] for row in rows]


def nearest_keys(
    tx: Tx, ask: RecallQuery, measured: NearnessByKind, keys: Iterable[Key], facts: Collection[int]
) -> "dict[Key, Near]":
    """Return how near the nearest are that may be found, and those that hold the words."""
    near: dict[Key, Near] = {}
    for place in measured.notes:
        best = {
            id_: one
            for id_, one in place.of_notes(facts, ask.pool).items()
            if one.score >= rank_by_meaning.LEAST
        }
        near |= {
            ("note", id_): one
            for id_, one in (
                place.of_notes(id_ for kind, id_ in keys if kind == "note") | best
            ).items()
        }
    for place in measured.episodes:
        best = _nearest_ids(tx, ask, place)
        near |= {
            ("episode", id_): one
            for id_, one in (
                place.of_notes(id_ for kind, id_ in keys if kind == "episode") | best
            ).items()
        }
    return near


def _nearest_ids(tx: Tx, ask: RecallQuery, nearness: "Nearness") -> "dict[int, Near]":
    best = nearness.nearest(ask.pool)
    # The nearest of all may be of other days; only then are all that are allowed measured.
    allowed = _allowed_ids(tx, ask, list(best))
    if len(allowed) < ask.limit and len(best) >= ask.pool:
        allowed = {
            row[0]
            for row in tx.all(f"SELECT e.id FROM episodes e WHERE {ask.condition}", **ask.params)
        }
        best = nearness.of_notes(allowed, ask.pool)
    return {
        id_: one
        for id_, one in best.items()
        if id_ in allowed and one.score >= rank_by_meaning.LEAST
    }


def _allowed_ids(tx: Tx, ask: RecallQuery, ids: Sequence[int]) -> set[int]:
    rows = tx.all(
        "SELECT e.id FROM json_each(:asked) asked CROSS "
        f"JOIN episodes e ON e.id = asked.value WHERE {ask.condition}",
        asked=id_list(ids),
        **ask.params,
    )
    return {row[0] for row in rows}


def spans_of(tx: Tx, model: Model, keys: Sequence[Key]) -> dict[Key, bytes | None]:
    """Return the packed spans of those that have current vectors."""
    notes = note_vectors.ranking_facts(tx, model.id, [id_ for kind, id_ in keys if kind == "note"])
    held = episode_vectors.spans(tx, model.id, [id_ for kind, id_ in keys if kind == "episode"])
    return {("note", id_): known.spans for id_, known in notes.items()} | {
        ("episode", id_): spans for id_, spans in held.items()
    }


def found_of(tx: Tx, me: Caller, keys: Sequence[Key]) -> dict[Key, Found]:
    """Return what is known of notes and episodes of the caller, as far as they are still there."""
    found: dict[Key, Found] = {}
    for row in tx.all(
        "SELECT id, kind, title, text, path, conversation_id, at FROM episodes "
        f"WHERE user_id = :me AND id IN ({IN_LIST})",
        me=me.user,
        ids=id_list([id_ for kind, id_ in keys if kind == "episode"]),
    ):
        found["episode", row["id"]] = copy_fields(Found, row, note_id=None)
    notes = tx.all(
        f"""SELECT id, title, folder_id, updated_at, substr(content, 1, {LOOKED_AT}) AS content
            FROM notes WHERE id IN ({IN_LIST}) AND owner_id = :me AND trash_id IS NULL""",
        me=me.user,
        ids=id_list([id_ for kind, id_ in keys if kind == "note"]),
    )
    # Many notes share a folder, whose path takes a query for each level.
    paths = {
        folder_id: folder_rows.folder_path(tx, folder_id)
        for folder_id in {row["folder_id"] for row in notes}
    }
    for row in notes:
        path = f"{paths[row['folder_id']]}/{row['title']}"
        found["note", row["id"]] = Found(
            "memory_note", row["title"], row["content"], path, row["id"], None, row["updated_at"]
        )
    return found
