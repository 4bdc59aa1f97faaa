"""The vectors of episodes: every statement that changes them.

They are stored and come to be as those of notes; see note_vectors.py.
"""

from collections.abc import Iterable, Sequence

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, in_list
from app.workspace.search.vectors.note_vectors import Pending, Row

CURRENT = "p.version = e.version AND p.title = e.title"


def store(tx: Tx, model_id: int, rows: Sequence[Row]) -> list[int]:
    """Keep the vectors of those episodes that have not changed since they were read.

    Give their ids.
    """
    kept = [row.id for row in rows if _unchanged(tx, row)]
    for row in rows:
        if row.id in kept:
            tx.run(
                """INSERT INTO episode_passages
                     (episode_id, model_id, version, title, spans, vectors)
                   VALUES (:id, :model, :version, :title, :spans, :vectors)
                     ON CONFLICT (episode_id, model_id)
                   DO UPDATE SET version = :version, title = :title, spans = :spans, vectors =
                     :vectors""",
                model=model_id,
                **row._asdict(),
            )
    return kept


def _unchanged(tx: Tx, row: Row) -> bool:
    found = tx.one(
        "SELECT 1 FROM episodes WHERE id = :id AND version = :version AND title = :title",
        id=row.id,
        version=row.version,
        title=row.title,
    )
    return found is not None


def forget_others(tx: Tx, model_id: int, *, after: int, step: int) -> int:
    """Delete what other models have among the `step` rows after one.

    Give the last of these rows, 0 when there were none.
    """
    last: int | None = tx.value(
        "SELECT max(id) FROM (SELECT id FROM episode_passages WHERE id > :after "
        "ORDER BY id LIMIT :step)",
        after=after,
        step=step,
    )
    tx.run(
        "DELETE FROM episode_passages WHERE id > :after AND id <= :last AND model_id <> :model",
        after=after,
        last=last or 0,
        model=model_id,
    )
    return last or 0


def any_of_others(tx: Tx, model_id: int) -> bool:
    """Return whether another model still has vectors."""
    return (
        tx.one("SELECT 1 FROM episode_passages WHERE model_id <> :model LIMIT 1", model=model_id)
        is not None
    )


def pending(tx: Tx, model_id: int, ids: Sequence[int], *, characters: int) -> list[Pending]:
    """Return those of some episodes that have no current vectors, in the order of `ids`, with the
    first `characters` of their text.
    """
    rows = tx.all(
        f"""SELECT e.id, e.version, e.title, substr(e.text, 1, :characters), p.spans, p.vectors
            FROM episodes e LEFT JOIN episode_passages p ON p.episode_id = e.id
              AND p.model_id = :model
            WHERE e.id IN ({IN_LIST}) AND ({CURRENT}) IS NOT 1""",
        ids=in_list(list(ids)),
        model=model_id,
        characters=characters,
    )
    found = {row[0]: Pending(*row) for row in rows}
    return [found[id_] for id_ in ids if id_ in found]


def older(tx: Tx, model_id: int, below: int, *, step: int) -> tuple[list[int], int]:
    """Look through the `step` episodes before one, newest first.

    Give those without current vectors, and where to look next; 0 is the end.
    """
    first: int | None = tx.value(
        "SELECT min(id) FROM (SELECT id FROM episodes WHERE id < :below "
        "ORDER BY id DESC LIMIT :step)",
        below=below,
        step=step,
    )
    if first is None:
        return [], 0
    rows = tx.all(
        f"""SELECT e.id FROM episodes e LEFT
          JOIN episode_passages p ON p.episode_id = e.id AND p.model_id = :model
            WHERE e.id < :below AND e.id >= :first AND ({CURRENT}) IS NOT 1 ORDER BY e.id DESC""",
        model=model_id,
        below=below,
        first=first,
    )
    return [row[0] for row in rows], first


def of_owner(tx: Tx, model_id: int, owner: int) -> Iterable[tuple[int, bytes]]:
    """Return (episode id, vectors) of each episode of an owner with vectors, current or not."""
    return tx.run(
        """SELECT e.id, p.vectors FROM episodes e CROSS
          JOIN episode_passages p ON p.episode_id = e.id AND p.model_id = :model
           WHERE e.user_id = :owner""",
        model=model_id,
        owner=owner,
    )


def of_some(tx: Tx, model_id: int, ids: Sequence[int]) -> list[tuple[int, int, bytes]]:
    """Return (episode id, owner, vectors) for those of some episodes that have vectors, current or
    not.
    """
    rows = tx.all(
        f"""SELECT e.id, e.user_id, p.vectors FROM episodes e
          JOIN episode_passages p ON p.episode_id = e.id AND p.model_id = :model
            WHERE e.id IN ({IN_LIST})""",
        model=model_id,
        ids=in_list(list(ids)),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def spans(tx: Tx, model_id: int, ids: Sequence[int]) -> dict[int, bytes | None]:
    """Return the packed spans of the passages of some episodes.

    None where the vectors are not of the present text.
    """
    rows = tx.all(
        f"""SELECT e.id, CASE WHEN {CURRENT} THEN p.spans END FROM episodes e
            LEFT JOIN episode_passages p ON p.episode_id = e.id AND p.model_id = :model
              WHERE e.id IN ({IN_LIST})""",
        ids=in_list(list(ids)),
        model=model_id,
    )
    return {row[0]: row[1] for row in rows}


def drop_unsound(tx: Tx) -> None:
    """Delete vectors that cannot be of their model; they are made anew in the background."""
    tx.run(
        """DELETE FROM episode_passages
          WHERE id IN (SELECT p.id FROM episode_passages p
          JOIN embedding_models m ON m.id = p.model_id
           WHERE m.dimension < 1 OR length(p.vectors) % m.dimension <> 0
             OR length(p.spans) % 8 <> 0)"""
    )
