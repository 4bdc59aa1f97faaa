"""The vectors of notes: every statement that changes them, and what is stored with them.

One row holds all passages of a note in one model: their places in the text, a digest of each,
and their vectors, int8, one after the other. A row is current while the note has the version and
the title that it was made from. So a write to a note writes nothing here, and what is still to
be done is found by comparing.
"""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, in_list
from app.workspace.search.vectors.note_passages import Passage

PLACE = struct.Struct("<II8s")
CURRENT = "p.version = n.version AND p.title = n.title"


class Model(NamedTuple):
    """A model that has vectors here; it is complete once every note has had them."""

    id: int
    name: str
    dimension: int
    complete: bool


class Span(NamedTuple):
    """Where in the text a passage stands, and the digest of what was embedded for it."""

    start: int
    end: int
    digest: bytes


class Pending(NamedTuple):
    """A note, or another text, whose vectors are missing or out of date, with the row it has."""

    id: int
    version: int
    title: str
    content: str
    spans: bytes | None
    vectors: bytes | None


class Known(msgspec.Struct, frozen=True):
    """When a note was changed, whether it is pinned, and the packed spans of its passages if its
    vectors are of its present text.
    """

    updated_at: str
    pinned: bool
    spans: bytes | None


class Row(NamedTuple):
    """What is stored for a note, or for another text."""

    id: int
    version: int
    title: str
    spans: bytes
    vectors: bytes


def models(tx: Tx) -> list[Model]:
    """Return every model that has vectors here, newest first."""
    rows = tx.all("SELECT id, name, dimension, complete FROM embedding_models ORDER BY id DESC")
    return [Model(id_, name, dimension, bool(complete)) for id_, name, dimension, complete in rows]


def drop_unsound(tx: Tx) -> None:
    """Delete vectors that cannot be of their model; they are made anew in the background."""
    tx.run(
        """DELETE FROM note_passages
          WHERE id IN (SELECT p.id FROM note_passages p
          JOIN embedding_models m ON m.id = p.model_id
           WHERE m.dimension < 1 OR length(p.vectors) % m.dimension <> 0
             OR length(p.spans) % 8 <> 0)"""
    )


def ensure_model(tx: Tx, name: str, dimension: int) -> Model:
    """Return the model of that name and dimension, made if it is missing."""
    tx.run(
        "INSERT INTO embedding_models (name, dimension, created_at) "
        "VALUES (:name, :dimension, :now) ON CONFLICT DO NOTHING",
        name=name,
        dimension=dimension,
        now=tx.now,
    )
    return next(model for model in models(tx) if (model.name, model.dimension) == (name, dimension))


def complete(tx: Tx, model_id: int) -> None:
    """Note that every note has had its vectors of a model, and that no other model answers any
    more.
    """
    tx.run(
        "UPDATE embedding_models SET complete = (id = :id) WHERE complete <> (id = :id)",
        id=model_id,
    )


def forget_others(tx: Tx, model_id: int, *, after: int, step: int) -> int:
    """Delete what other models have among the `step` rows after one.

    Give the last of these rows, 0 when there were none.
    """
    last: int | None = tx.value(
        "SELECT max(id) FROM (SELECT id FROM note_passages WHERE id > :after "
        "ORDER BY id LIMIT :step)",
        after=after,
        step=step,
    )
    tx.run(
        "DELETE FROM note_passages WHERE id > :after AND id <= :last AND model_id <> :model",
        after=after,
        last=last or 0,
        model=model_id,
    )
    return last or 0


def any_of_others(tx: Tx, model_id: int) -> bool:
    """Return whether another model still has vectors."""
    return (
        tx.one("SELECT 1 FROM note_passages WHERE model_id <> :model LIMIT 1", model=model_id)
        is not None
    )


def store(tx: Tx, model_id: int, rows: Sequence[Row]) -> list[int]:
    """Keep the vectors of those notes that have not changed since they were read.

    Give their ids.
    """
    kept = [row.id for row in rows if _unchanged(tx, row)]
    for row in rows:
        if row.id in kept:
            tx.run(
                """INSERT INTO note_passages (note_id, model_id, version, title, spans, vectors)
                   VALUES (:id, :model, :version, :title, :spans, :vectors)
                     ON CONFLICT (note_id, model_id)
                   DO UPDATE SET version = :version, title = :title, spans = :spans, vectors =
                     :vectors""",
                model=model_id,
                **row._asdict(),
            )
    return kept


def _unchanged(tx: Tx, row: Row) -> bool:
    found = tx.one(
        "SELECT 1 FROM notes WHERE id = :id AND version = :version AND title = :title",
        id=row.id,
        version=row.version,
        title=row.title,
    )
    return found is not None


def pending(tx: Tx, model_id: int, ids: Sequence[int], *, characters: int) -> list[Pending]:
    """Return those of some notes that are live and have no current vectors, in the order of `ids`,
    with the first `characters` of their text.
    """
    rows = tx.all(
        f"""SELECT n.id, n.version, n.title, substr(n.content, 1, :characters), p.spans, p.vectors
            FROM notes n LEFT JOIN note_passages p ON p.note_id = n.id AND p.model_id = :model
            WHERE n.id IN ({IN_LIST}) AND n.trash_id IS NULL AND ({CURRENT}) IS NOT 1""",
        ids=in_list(list(ids)),
        model=model_id,
        characters=characters,
    )
    found = {row[0]: Pending(*row) for row in rows}
    return [found[id_] for id_ in ids if id_ in found]


def older(tx: Tx, model_id: int, below: int, *, step: int) -> tuple[list[int], int]:
    """Look through the `step` notes before one, newest first.

    Give those without current vectors, and where to look next; 0 is the end.
    """
    first: int | None = tx.value(
        "SELECT min(id) FROM (SELECT id FROM notes WHERE id < :below ORDER BY id DESC LIMIT :step)",
        below=below,
        step=step,
    )
    if first is None:
        return [], 0
    rows = tx.all(
        f"""SELECT n.id FROM notes n
            LEFT JOIN note_passages p ON p.note_id = n.id AND p.model_id = :model
            WHERE n.id < :below AND n.id >= :first AND n.trash_id IS NULL
              AND ({CURRENT}) IS NOT 1 ORDER BY n.id DESC""",
        model=model_id,
        below=below,
        first=first,
    )
    return [row[0] for row in rows], first


def of_owner(tx: Tx, model_id: int, owner: int) -> Iterable[tuple[int, bytes]]:
    """Return (note id, vectors) for each live note of an owner that has vectors, current or not."""
    return tx.run(
        """SELECT n.id, p.vectors FROM notes n CROSS
          JOIN note_passages p ON p.note_id = n.id AND p.model_id = :model
           WHERE n.owner_id = :owner AND n.trash_id IS NULL""",
        model=model_id,
        owner=owner,
    )


def of_some(tx: Tx, model_id: int, ids: Sequence[int]) -> list[tuple[int, int, bytes]]:
    """Return (note id, owner, vectors) for those of some notes that are live and have vectors,
    current or not.
    """
    rows = tx.all(
        f"""SELECT n.id, n.owner_id, p.vectors FROM notes n
          JOIN note_passages p ON p.note_id = n.id AND p.model_id = :model
            WHERE n.id IN ({IN_LIST}) AND n.trash_id IS NULL""",
        model=model_id,
        ids=in_list(list(ids)),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def known(tx: Tx, model_id: int, ids: Sequence[int]) -> dict[int, Known]:
    """Return what ranking asks of those of some notes that are live."""
    rows = tx.all(
        f"""SELECT n.id, n.updated_at, n.pinned, CASE WHEN {CURRENT} THEN p.spans END
            FROM notes n LEFT JOIN note_passages p ON p.note_id = n.id AND p.model_id = :model
            WHERE n.id IN ({IN_LIST}) AND n.trash_id IS NULL""",
        ids=in_list(list(ids)),
        model=model_id,
    )
    return {row[0]: Known(row[1], bool(row[2]), row[3]) for row in rows}


def counted(tx: Tx, model: Model, owner: int) -> tuple[int, int]:
    """Count an owner's live notes that have current vectors, and their passages."""
    row = tx.sure(
        f"""SELECT count(*), ifnull(sum(length(p.vectors)), 0)
          FROM notes n CROSS JOIN note_passages p ON p.note_id = n.id AND p.model_id = :model
            WHERE n.owner_id = :owner AND n.trash_id IS NULL AND {CURRENT}""",
        model=model.id,
        owner=owner,
    )
    return row[0], row[1] // model.dimension


def counted_all(tx: Tx, model: Model) -> tuple[int, int]:
    """Count everyone's live notes that have current vectors, and their passages."""
    row = tx.sure(
        f"""SELECT count(*), ifnull(sum(length(p.vectors)), 0)
          FROM note_passages p JOIN notes n ON n.id = p.note_id
            WHERE p.model_id = :model AND n.trash_id IS NULL AND {CURRENT}""",
        model=model.id,
    )
    return row[0], row[1] // model.dimension


def digest(passage: Passage) -> bytes:
    """Return 8 bytes that tell one embedded text from another."""
    return hashlib.blake2b(
        passage.text.encode("utf-8", "surrogatepass"), digest_size=PLACE.size - 8
    ).digest()


def packed(passages: Iterable[Passage]) -> bytes:
    """Return the places and digests of passages as they are stored."""
    return b"".join(PLACE.pack(passage.start, passage.end, digest(passage)) for passage in passages)


def unpacked(spans: bytes) -> list[Span]:
    """Return the places and digests of what `packed` gave."""
    return [Span(*found) for found in PLACE.iter_unpack(spans)]


def place(spans: bytes | None, ordinal: int) -> tuple[int, int]:
    """Return where the passage of that number stands in the text."""
    found = unpacked(spans or b"")[ordinal : ordinal + 1]
    return (found[0].start, found[0].end) if found else (0, 0)
