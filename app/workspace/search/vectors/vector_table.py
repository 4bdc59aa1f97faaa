"""The statements on the vectors of one kind of text, and what is stored of each.

One row holds all passages of a text in one model: their places in it, a digest of each, and their
vectors, int8, one after the other. A row is current while the text has the version and the title
that it was made from. So a write to a text writes nothing here, and what is still to be done is
found by comparing.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, id_list

CURRENT = """p.version = t.version AND p.title = t.title
    AND NOT (length(p.spans) = 16 AND substr(p.spans, 1, 8) = zeroblob(8))"""
"""A lone passage from 0 to 0 is the title of a note without text, which had a vector once."""


class PendingRow(NamedTuple):
    """A text whose vectors are missing or out of date, with the row it has."""

    id: int
    version: int
    title: str
    content: str
    spans: bytes | None
    vectors: bytes | None


class VectorRow(NamedTuple):
    """What is stored for a text."""

    id: int
    version: int
    title: str
    spans: bytes
    vectors: bytes


class VectorTable(msgspec.Struct, frozen=True):
    """The names of a table of vectors and of the table of its texts.

    `insert` and `delete` begin the statements that write; `live` is true of a text `t` that is
    to have vectors.
    """

    table: str
    key: str
    texts: str
    owner: str
    content: str
    insert: str
    delete: str
    live: str = "true"

    def store(self, tx: Tx, model_id: int, rows: Sequence[VectorRow]) -> list[int]:
        """Keep the vectors of those texts that have not changed since they were read.

        Return their ids.
        """
        # Embedding takes seconds, in no transaction; what was changed meanwhile is made anew.
        kept = [row for row in rows if self._unchanged(tx, row)]
        for row in kept:
            tx.run(
                f"""{self.insert} ({self.key}, model_id, version, title, spans, vectors)
                   VALUES (:id, :model, :version, :title, :spans, :vectors)
                     ON CONFLICT ({self.key}, model_id)
                   DO UPDATE SET version = :version, title = :title, spans = :spans, vectors =
                     :vectors""",
                model=model_id,
                **row._asdict(),
            )
        return [row.id for row in kept]

    def _unchanged(self, tx: Tx, row: VectorRow) -> bool:
        found = tx.one(
            f"SELECT 1 FROM {self.texts} WHERE id = :id AND version = :version AND title = :title",
            id=row.id,
            version=row.version,
            title=row.title,
        )
        return found is not None

    def forget_others(self, tx: Tx, model_id: int, *, after: int, step: int) -> int:
        """Delete what other models have among the `step` rows after one.

        Return the last of these rows, 0 when there were none.
        """
        last: int | None = tx.value(
            f"SELECT max(id) FROM (SELECT id FROM {self.table} WHERE id > :after "
            "ORDER BY id LIMIT :step)",
            after=after,
            step=step,
        )
        tx.run(
            f"{self.delete} WHERE id > :after AND id <= :last AND model_id <> :model",
            after=after,
            last=last or 0,
            model=model_id,
        )
        return last or 0

    def any_of_others(self, tx: Tx, model_id: int) -> bool:
        """Return whether another model still has vectors."""
        found = tx.one(
            f"SELECT 1 FROM {self.table} WHERE model_id <> :model LIMIT 1", model=model_id
        )
        return found is not None

    def drop_unsound(self, tx: Tx) -> None:
        """Delete vectors that cannot be of their model; they are made anew in the background."""
        tx.run(
            f"""{self.delete} WHERE id IN (SELECT p.id FROM {self.table} p
                  JOIN embedding_models m ON m.id = p.model_id
                WHERE m.dimension < 1 OR length(p.vectors) % m.dimension <> 0
                  OR length(p.spans) % 8 <> 0)"""
        )

    def pending(
        self, tx: Tx, model_id: int, ids: Sequence[int], *, characters: int
    ) -> list[PendingRow]:
        """Return those of some texts that are live and have no current vectors, in the order of
        `ids`, with their first `characters`.
        """
        rows = tx.all(
            f"""SELECT t.id, t.version, t.title, substr(t.{self.content}, 1, :characters),
                  p.spans, p.vectors
                FROM {self.texts} t {self._vectors("LEFT JOIN")}
                WHERE t.id IN ({IN_LIST}) AND {self.live} AND ({CURRENT}) IS NOT 1""",
            ids=id_list(list(ids)),
            model=model_id,
            characters=characters,
        )
        found = {row[0]: PendingRow(*row) for row in rows}
        return [found[id_] for id_ in ids if id_ in found]

    def older(self, tx: Tx, model_id: int, below: int, *, step: int) -> tuple[list[int], int]:
        """Look through the `step` texts before one, newest first.

        Return those without current vectors, and where to look next; 0 is the end.
        """
        first: int | None = tx.value(
            f"SELECT min(id) FROM (SELECT id FROM {self.texts} WHERE id < :below "
            "ORDER BY id DESC LIMIT :step)",
            below=below,
            step=step,
        )
        if first is None:
            return [], 0
        rows = tx.all(
            f"""SELECT t.id FROM {self.texts} t {self._vectors("LEFT JOIN")}
                WHERE t.id < :below AND t.id >= :first AND {self.live}
                  AND ({CURRENT}) IS NOT 1 ORDER BY t.id DESC""",
            model=model_id,
            below=below,
            first=first,
        )
        return [row[0] for row in rows], first

    def of_owner(self, tx: Tx, model_id: int, owner: int) -> Iterable[tuple[int, bytes]]:
        """Return (id, vectors) of each live text of an owner that has vectors, current or not."""
        return tx.run(
            f"""SELECT t.id, p.vectors FROM {self.texts} t {self._vectors("CROSS JOIN")}
                WHERE t.{self.owner} = :owner AND {self.live}""",
            model=model_id,
            owner=owner,
        )

    def of_some(self, tx: Tx, model_id: int, ids: Sequence[int]) -> list[tuple[int, int, bytes]]:
        """Return (id, owner, vectors) for those of some texts that are live and have vectors,
        current or not.
        """
        rows = tx.all(
            f"""SELECT t.id, t.{self.owner}, p.vectors FROM {self.texts} t {self._vectors("JOIN")}
                WHERE t.id IN ({IN_LIST}) AND {self.live}""",
            model=model_id,
            ids=id_list(list(ids)),
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def _vectors(self, join: str) -> str:
        return f"{join} {self.table} p ON p.{self.key} = t.id AND p.model_id = :model"
