"""The vectors of notes, the models that made them, and how the places of passages are stored."""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.search.vectors.note_passages import Passage
from app.workspace.search.vectors.vector_table import CURRENT, VectorTable

PLACE = struct.Struct("<II8s")
TABLE = VectorTable(
    table="note_passages",
    key="note_id",
    texts="notes",
    owner="owner_id",
    content="content",
    insert="INSERT INTO note_passages",
    delete="DELETE FROM note_passages",
    live="t.trash_id IS NULL",
)


class Model(NamedTuple):
    """A model that has vectors here; it is complete once every note has had them."""

    id: int
    name: str
    dimension: int
    complete: bool


class StoredSpan(NamedTuple):
    """Where in the text a passage stands, and the digest of what was embedded for it."""

    start: int
    end: int
    digest: bytes


class RankingFacts(msgspec.Struct, frozen=True):
    """Whose a note is, when it was changed, whether it is pinned, and the packed spans of its
    passages if its vectors are of its present text.
    """

    owner: int
    updated_at: str
    pinned: bool
    spans: bytes | None


def list_models(tx: Tx) -> list[Model]:
    """Return every model that has vectors here, newest first."""
    rows = tx.all("SELECT id, name, dimension, complete FROM embedding_models ORDER BY id DESC")
    return [Model(id_, name, dimension, bool(complete)) for id_, name, dimension, complete in rows]


def ensure_model(tx: Tx, name: str, dimension: int) -> Model:
    """Return the model of that name and dimension, made if it is missing."""
    tx.run(
        "INSERT INTO embedding_models (name, dimension, created_at) "
        "VALUES (:name, :dimension, :now) ON CONFLICT DO NOTHING",
        name=name,
        dimension=dimension,
        now=tx.now,
    )
    return next(
        model for model in list_models(tx) if (model.name, model.dimension) == (name, dimension)
    )


def mark_complete(tx: Tx, model_id: int) -> None:
    """Note that every note has had its vectors of a model, and that no other model answers any
    more.
    """
    tx.run(
        "UPDATE embedding_models SET complete = (id = :id) WHERE complete <> (id = :id)",
        id=model_id,
    )


def ranking_facts(tx: Tx, model_id: int, ids: Sequence[int]) -> dict[int, RankingFacts]:
    """Return what ranking asks of those of some notes that are live."""
    rows = tx.all(
        f"""SELECT t.id, t.owner_id, t.updated_at, t.pinned, CASE WHEN {CURRENT} THEN p.spans END
            FROM notes t LEFT JOIN note_passages p ON p.note_id = t.id AND p.model_id = :model
            WHERE t.id IN ({IN_LIST}) AND t.trash_id IS NULL""",
        ids=id_list(list(ids)),
        model=model_id,
    )
    return {row[0]: RankingFacts(row[1], row[2], bool(row[3]), row[4]) for row in rows}


def count_current(tx: Tx, model: Model, owner: int | None) -> tuple[int, int]:
    """Count the live notes, of an owner or of all, with current vectors, and their passages."""
    source = "note_passages p JOIN notes t ON t.id = p.note_id WHERE p.model_id = :model"
    if owner is not None:  # from the owner's notes to their vectors, not through everyone's
        source = """notes t CROSS JOIN note_passages p ON p.note_id = t.id AND p.model_id = :model
            WHERE t.owner_id = :owner"""
    row = tx.require_row(
        f"""SELECT count(*), ifnull(sum(length(p.vectors)), 0)
            FROM {source} AND t.trash_id IS NULL AND {CURRENT}""",
        model=model.id,
        owner=owner,
    )
    return row[0], row[1] // model.dimension  # a vector is a byte for each dimension


def passage_digest(passage: Passage) -> bytes:
    """Return 8 bytes that tell one embedded text from another."""
    return hashlib.blake2b(
        passage.text.encode("utf-8", "surrogatepass"), digest_size=PLACE.size - 8
    ).digest()


def pack_spans(passages: Iterable[Passage]) -> bytes:
    """Return the places and digests of passages as they are stored."""
    return b"".join(
        PLACE.pack(passage.start, passage.end, passage_digest(passage)) for passage in passages
    )


def unpack_spans(spans: bytes) -> list[StoredSpan]:
    """Return the places and digests that `pack_spans` has packed."""
    return [StoredSpan(*found) for found in PLACE.iter_unpack(spans)]


def passage_span(spans: bytes | None, ordinal: int) -> tuple[int, int]:
    """Return where the passage of that number stands in the text."""
    found = unpack_spans(spans or b"")[ordinal : ordinal + 1]
    return (found[0].start, found[0].end) if found else (0, 0)
