"""Notes that are about the same as a note.

By meaning where it has vectors, else by the rarest of its words and its tags.
"""

import dataclasses
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Most, Record
from app.core.text import fold_name
from app.workspace.folders import access
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import word_index
from app.workspace.index.spellings import find_words, fts_phrase
from app.workspace.index.stop_words import STOP_WORDS
from app.workspace.search import search
from app.workspace.search.ranking import allowed_notes, findable, rank_by_meaning, rank_by_words
from app.workspace.search.ranking.query_language import Query, Term
from app.workspace.search.ranking.snippets import first_words
from app.workspace.search.vectors import note_vectors
from app.workspace.search.vectors.note_vectors import Model
from app.workspace.search.vectors.vector_maker import VectorMaker

if TYPE_CHECKING:
    from app.workspace.search.vectors.vector_matrix import Matrix

LEAST = 0.2
SPARE = 50
LOOKED_AT = 20_000
WORDS_COUNTED = 60
RAREST = 12
COMMON = 500
OF_A_TAG = 200
TAG_SCORE = 4.0


class RelatedNote(Record):
    """A note about the same; a higher score is nearer, at most 1."""

    id: int
    title: str
    folder_id: int | None
    score: float
    updated_at: str
    snippet: str


class RelatedNotes(Record):
    """`basis` says by what they were found.

    By `meaning`, or by `words` where the note has no vectors.
    """

    results: list[RelatedNote]
    basis: Literal["meaning", "words"]


@operation("GET /os/notes/{id}/related", scope="os.notes:read")
async def related_notes(
    app: App, me: Caller, *, id: Id, limit: Annotated[int, Meta(ge=1), Most(50)] = 10
) -> RelatedNotes:
    """List the notes the caller may read that are about the same as a note, nearest first."""
    me = app.quick(access.hide_policy_notes, me)
    # Its owner may ask of a policy note itself; only as an answer to another it would surprise.
    me = dataclasses.replace(me, withheld=me.withheld - {id})
    meaning = app.part(VectorMaker)
    owners, has_vectors = await app.read(_owners_to_compare, me, id, meaning.answering)
    if has_vectors and meaning.answering is not None:
        model = meaning.answering
        matrices = await meaning.matrices.matrices_of(app, model, owners)
        return await app.read(_by_meaning, me, id, limit, model, matrices)
    await search.catch_up(app)
    return await app.read(_by_words, me, id, limit)


def _owners_to_compare(
    tx: Tx, me: Caller, note_id: int, model: Model | None
) -> tuple[list[int], bool]:
    """Return the owners of what the caller may read, and whether the note, which the caller must
    be able to read, has vectors.
    """
    access.require_note(tx, me, note_id, columns="owner_id, folder_id")
    known = {} if model is None else note_vectors.ranking_facts(tx, model.id, [note_id])
    has_vectors = note_id in known and bool(known[note_id].spans)  # a note without text has none
    return [place.owner for place in findable.findable_places(tx, me)], has_vectors


def _by_meaning(
    tx: Tx, me: Caller, note_id: int, limit: int, model: Model, matrices: "Sequence[Matrix]"
) -> RelatedNotes:
    access.require_note(tx, me, note_id, columns="owner_id, folder_id")
    mean = next(
        (found for matrix in matrices if (found := matrix.mean_direction(note_id)) is not None),
        None,
    )
    if mean is None:
        return _by_words(tx, me, note_id, limit)
    ask = rank_by_meaning.RankRequest(Query(), None, limit + 1, by_words=False)
    near = rank_by_meaning.nearest_findable(
        tx, me, ask, [matrix.nearness(mean) for matrix in matrices]
    )
    known = note_vectors.ranking_facts(tx, model.id, list(near))
    fit = {
        id_: one
        for id_, one in near.items()
        if id_ != note_id and one.score >= LEAST and id_ in known and known[id_].spans is not None
    }
    best = sorted(fit, key=lambda id_: (-fit[id_].score, -id_))[:limit]
    places = {id_: note_vectors.passage_span(known[id_].spans, fit[id_].ordinal) for id_ in best}
    return RelatedNotes(
        _related_records(tx, {id_: fit[id_].score for id_ in best}, places), "meaning"
    )


def _by_words(tx: Tx, me: Caller, note_id: int, limit: int) -> RelatedNotes:
    note = access.require_note(
        tx,
        me,
        note_id,
        columns=f"owner_id, folder_id, title, tags, substr(content, 1, {LOOKED_AT}) AS content",
    )
    query = Query(tuple((Term(word),) for word in _rarest_words(tx, note)))
    raw = rank_by_words.raw_scores(tx, me, query, limit=limit + SPARE)
    tags = [fold_name(tag) for tag in msgspec.json.decode(note["tags"], type=list[str])]
    shared = _notes_sharing_tags(tx, note["owner_id"], tags)
    for id_ in allowed_notes.allowed_among(tx, me, Query(), list(shared)):
        raw[id_] = raw.get(id_, 0.0) + TAG_SCORE * shared[id_]
    raw.pop(note_id, None)
    best = sorted(raw, key=lambda id_: (-raw[id_], -id_))[:limit]
    return RelatedNotes(
        _related_records(
            tx, {id_: raw[id_] / (raw[id_] + rank_by_words.HALF_SCORE) for id_ in best}, {}
        ),
        "words",
    )


def _rarest_words(tx: Tx, note: sqlite3.Row) -> list[str]:
    """Return the words of a note that stand in the fewest others."""
    every = dict.fromkeys(
        word
        for word in find_words(f"{note['title']} {note['content']}")
        if word.lower() not in STOP_WORDS
    )
    name = word_index.table_name(note["owner_id"])
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {name} WHERE {name} MATCH :match LIMIT {COMMON})"
    counts = {
        word: tx.value(sql, match=fts_phrase(word))
        for word in sorted(every, key=len, reverse=True)[:WORDS_COUNTED]
    }
    # A word of this note alone relates it to nothing, a common one to everything.
    return sorted(
        (word for word, count in counts.items() if 1 < count < COMMON),
        key=lambda word: counts[word],
    )[:RAREST]


def _notes_sharing_tags(tx: Tx, owner: int, tags: Sequence[str]) -> dict[int, int]:
    """Return the owner's newest notes under some tags, with the number of these that each has."""
    found: dict[int, int] = {}
    for tag in tags:
        sql = (
            "SELECT note_id FROM note_tags WHERE owner_id = :owner AND tag_key = :tag "
            "ORDER BY note_id DESC LIMIT :most"
        )
        for row in tx.all(sql, owner=owner, tag=tag, most=OF_A_TAG):
            found[row[0]] = found.get(row[0], 0) + 1
    return found


def _related_records(
    tx: Tx, scores: dict[int, float], places: dict[int, tuple[int, int]]
) -> list[RelatedNote]:
    rows = tx.all(
        f"SELECT id, title, folder_id, updated_at, content FROM notes WHERE id IN ({IN_LIST})",
        ids=id_list(list(scores)),
    )
    by_id = {row["id"]: row for row in rows}
    return [
        RelatedNote(
            id_,
            row["title"],
            row["folder_id"],
            round(score, 6),
            row["updated_at"],
            first_words(row["content"], *places.get(id_, ())),
        )
        for id_, score in scores.items()
        if (row := by_id.get(id_)) is not None
    ]
