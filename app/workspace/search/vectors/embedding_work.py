"""What is left to embed: texts cut into passages, and the rows that store their vectors."""

from collections.abc import Sequence

import msgspec

from app.core.database.tx import Tx
from app.core.embedder import EmbeddingFailed
from app.workspace.search.vectors import note_passages, note_vectors
from app.workspace.search.vectors.vector_table import PendingRow, VectorRow, VectorTable


class PendingText(msgspec.Struct, frozen=True):
    """A note or other text with its passages, the vectors of those passages that did not
    change, and the passages that need new ones.
    """

    of: PendingRow
    passages: list[note_passages.Passage]
    known: dict[bytes, bytes]
    texts: list[str]


def prepare_texts(
    tx: Tx, table: VectorTable, model_id: int, ids: Sequence[int], characters: int
) -> list[PendingText]:
    """Return those of some texts that need vectors, cut into passages."""
    found = table.pending(tx, model_id, ids, characters=note_passages.MOST * 2 * characters)
    return [
        _pending_text(
            one, note_passages.cut_passages(one.title, one.content, characters=characters)
        )
        for one in found
    ]


def _pending_text(of: PendingRow, cut: list[note_passages.Passage]) -> PendingText:
    # An edit changes few passages of a long note: only those whose text is another are embedded.
    known = {}
    if of.spans and of.vectors:
        spans = note_vectors.unpack_spans(of.spans)
        size = len(of.vectors) // len(spans)
        known = {
            span.digest: of.vectors[place * size : (place + 1) * size]
            for place, span in enumerate(spans)
        }
    return PendingText(
        of._replace(content="", vectors=None),
        cut,
        known,
        [one.text for one in cut if note_vectors.passage_digest(one) not in known],
    )


def vector_row(work: PendingText, fresh: dict[str, bytes], dimension: int) -> VectorRow:
    """Return the row that stores all vectors of a text: those it keeps and the fresh ones.

    Raise EmbeddingFailed when a vector has another length than the model's.
    """
    found = [
        fresh[one.text] if one.text in fresh else work.known[note_vectors.passage_digest(one)]
        for one in work.passages
    ]
    if any(len(vector) != dimension for vector in found):
        raise EmbeddingFailed(f"The model gave a vector that is not {dimension} numbers long.")
    return VectorRow(
        work.of.id,
        work.of.version,
        work.of.title,
        note_vectors.pack_spans(work.passages),
        b"".join(found),
    )
