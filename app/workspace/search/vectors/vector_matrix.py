"""One owner's vectors in memory, and the passages among them that are nearest to a query.

Vectors are int8, one row for each passage. A small matrix is multiplied whole, in blocks that
stay in the processor's cache. A large one is first turned so that its first columns hold most of
what tells its rows apart; these alone choose some thousands of rows, and only those are
multiplied whole.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy.typing as npt

from app.core.process.numpy_setup import numpy as np

Floats = npt.NDArray["np.float32"]
Bytes = npt.NDArray["np.int8"]
Numbers = npt.NDArray["np.int64"]
Places = npt.NDArray["np.intp"]

BLOCK = 256
BLOCK_NUMBERS = 1024 * 384
"""What of a matrix is multiplied at once: with a quarter of it, it takes a third longer."""
LARGE = 20_000
SAMPLE = 4_096
CHOSEN = 2_000
GONE = 0
TINY = 1e-9


class Near(NamedTuple):
    """How near a note's best passage is (the cosine of the angle, 1 = the same), and which
    passage of the note that is.
    """

    score: float
    ordinal: int


class _Rows(NamedTuple):
    """The vectors in two parts, the columns that choose and the rest of them.

    The note that each is of (0 = gone); the vectors' lengths.
    """

    head: Bytes
    tail: Bytes
    notes: Numbers
    lengths: Floats

    def take_rows(self, which: slice | Places) -> "_Rows":
        return _Rows(self.head[which], self.tail[which], self.notes[which], self.lengths[which])

    def put(self, start: int, rows: "_Rows") -> None:
        place = slice(start, start + len(rows.notes))
        self.head[place], self.tail[place], self.notes[place], self.lengths[place] = rows


class Matrix:
    """The vectors of one owner's notes.

    What has been begun to be read stays readable while others change it.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._rows = _empty_rows(0, dimension, 0)
        self._used = 0
        self._gone = 0
        self._basis: Floats | None = None

    @property
    def passages(self) -> int:
        """How many rows are not gone."""
        return self._used - self._gone

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return sum(part.nbytes for part in self._rows)

    def load(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Hold these (note id, vectors) and nothing else."""
        buffer, notes = bytearray(), []
        for note_id, added in rows:
            buffer += added
            notes += [note_id] * (len(added) // self.dimension)
        vectors = np.frombuffer(buffer, np.int8).reshape(-1, self.dimension)
        self._basis = _principal_directions(vectors) if len(vectors) >= LARGE else None
        self._rows = self._make_rows(vectors, np.array(notes, np.int64))
        self._used, self._gone = len(notes), 0

    def _make_rows(self, vectors: Bytes, notes: Numbers) -> _Rows:
        """Return rows as they are held, turned where this matrix is."""
        if self._basis is None:
            return _Rows(
                vectors, np.zeros((len(vectors), 0), np.int8), notes, _row_lengths(vectors)
            )
        columns = self.dimension // 4
        made = _empty_rows(len(vectors), columns, self.dimension - columns)
        for start in range(0, len(vectors), 4 * BLOCK):
            part = slice(start, start + 4 * BLOCK)
            turned = vectors[part].astype(np.float32) @ self._basis
            # Back to int8, each row as long as it fits; its length makes up for that.
            turned *= 127 / (np.abs(turned).max(axis=1, keepdims=True) + TINY)
            np.rint(turned, out=turned)
            made.head[part], made.tail[part], made.lengths[part] = (
                turned[:, :columns],
                turned[:, columns:],
                _row_lengths(turned),
            )
        return made._replace(notes=notes)

    def replace(self, ids: Iterable[int], rows: Iterable[tuple[int, bytes]]) -> None:
        """Let go of the notes `ids`, then hold these (note id, vectors) too."""
        gone = np.flatnonzero(_rows_of_notes(self._rows.notes[: self._used], ids))
        self._rows.notes[gone] = GONE
        self._gone += len(gone)
        added = [
            (note_id, np.frombuffer(vectors, np.int8).reshape(-1, self.dimension))
            for note_id, vectors in rows
        ]
        if added:
            self._append(
                np.concatenate([vectors for _, vectors in added]),
                np.repeat([id_ for id_, _ in added], [len(part) for _, part in added]),
            )
        # Marked rows still cost a multiplication; copying all is worth it once they are a quarter.
        if self._gone * 4 > self._used:
            kept = np.flatnonzero(self._rows.notes[: self._used] != GONE)
            self._rows = self._rows.take_rows(kept)
            self._used, self._gone = len(kept), 0

    def _append(self, vectors: Bytes, notes: Numbers) -> None:
        end = self._used + len(notes)
        if end > len(self._rows.notes):
            # An eighth more than needed, so that notes that come one by one seldom copy all.
            larger = _empty_rows(end + end // 8, self._rows.head.shape[1], self._rows.tail.shape[1])
            larger.put(0, self._rows.take_rows(slice(self._used)))
            self._rows = larger
        self._rows.put(self._used, self._make_rows(vectors, notes))
        self._used = end

    def nearness(self, query: bytes) -> "Nearness":
        """Measure how near every passage is to a query, a vector of float32."""
        vector = np.frombuffer(query, np.float32)
        return Nearness(
            self._rows.take_rows(slice(self._used)),
            vector if self._basis is None else vector @ self._basis,
        )

    def mean_direction(self, note_id: int) -> bytes | None:
        """Return the direction in which a note's passages point on the whole, as `nearness` takes
        it; None when it has none.
        """
        found = np.flatnonzero(self._rows.notes[: self._used] == note_id)
        if not len(found):
            return None
        vectors = np.concatenate([self._rows.head[found], self._rows.tail[found]], axis=1)
        mean = (vectors / self._rows.lengths[found, None]).mean(axis=0)
        if self._basis is not None:
            mean = self._basis @ mean
        return bytes((mean / (np.linalg.norm(mean) + TINY)).astype(np.float32).tobytes())

    def contents(self) -> dict[int, bytes]:
        """Return each note's vectors as they are held."""
        found: dict[int, bytes] = {}
        for note_id, head, tail in zip(
            self._rows.notes[: self._used].tolist(), self._rows.head, self._rows.tail, strict=False
        ):
            if note_id != GONE:
                found[note_id] = found.get(note_id, b"") + head.tobytes() + tail.tobytes()
        return found


class Nearness:
    """How near the passages of a matrix are to one query."""

    def __init__(self, rows: _Rows, query: Floats) -> None:
        self._rows = rows
        self._query = query
        self._exact = rows.tail.shape[1] == 0
        self._scores = _multiply_rows(rows.head, query[: rows.head.shape[1]]) / rows.lengths

    def nearest(self, most: int) -> dict[int, Near]:
        """Return the nearest notes, at least `most` where there are as many, each with its best
        passage.
        """
        # Several of the nearest passages may be of one note: more are taken until enough notes are.
        some = 2 * most
        while True:
            all_ = some >= len(self._scores)
            found = self._best_passages(*self._choose_rows(some))
            if all_ or len(found) >= most:
                return dict(sorted(found.items(), key=lambda item: -item[1].score)[:most])
            some *= 4

    def of_notes(self, ids: Iterable[int], most: int | None = None) -> dict[int, Near]:
        """Return those of some notes that have vectors, each with its best passage.

        All, or those of the nearest `most` passages.
        """
        rows = np.flatnonzero(_rows_of_notes(self._rows.notes, ids))
        scores = self._exact_scores(rows)
        nearest = _highest_places(scores, len(rows) if most is None else most)
        return self._best_passages(rows[nearest], scores[nearest])

    def _choose_rows(self, some: int) -> tuple[Places, Floats]:
        """Return the nearest rows with their scores."""
        if self._exact:
            rows = _highest_places(self._scores, some)
            return rows, self._scores[rows]
        rows = _highest_places(self._scores, max(CHOSEN, 4 * some))
        scores = self._exact_scores(rows)
        nearest = _highest_places(scores, some)
        return rows[nearest], scores[nearest]

    def _exact_scores(self, rows: Places) -> Floats:
        if self._exact:
            return self._scores[rows]
        columns = self._rows.head.shape[1]
        return (
            self._scores[rows]
            + _multiply_rows(self._rows.tail[rows], self._query[columns:])
            / self._rows.lengths[rows]
        )

    def _best_passages(self, rows: Places, scores: Floats) -> dict[int, Near]:
        best: dict[int, tuple[float, int]] = {}
        for note_id, score, row in zip(
            self._rows.notes[rows].tolist(), scores.tolist(), rows.tolist(), strict=True
        ):
            if note_id != GONE and (note_id not in best or score > best[note_id][0]):
                best[note_id] = score, row
        return {
            note_id: Near(score, self._passage_number(row))
            for note_id, (score, row) in best.items()
        }

    def _passage_number(self, row: int) -> int:
        """Count the rows of the same note before this one: they stand together, in order."""
        notes, first = self._rows.notes, row
        while first and notes[first - 1] == notes[row]:
            first -= 1
        return row - first


def _empty_rows(rows: int, head: int, tail: int) -> _Rows:
    return _Rows(
        np.zeros((rows, head), np.int8),
        np.zeros((rows, tail), np.int8),
        np.zeros(rows, np.int64),
        np.ones(rows, np.float32),
    )


def _highest_places(scores: Floats, some: int) -> Places:
    """Return where the `some` highest scores are, in no order."""
    if some >= len(scores):
        return np.arange(len(scores))
    among = _high_places(scores, some)
    found = np.argpartition(scores if among is None else scores[among], -some)[-some:]
    return found if among is None else among[found]


# To part 100,000 scores takes a millisecond, to leave out most of them first a fifth of that.
def _high_places(scores: Floats, some: int) -> Places | None:
    """Return where the higher scores are, `some` at least, as a sample tells; None where that tells
    too little.
    """
    step = len(scores) // SAMPLE
    if step < 2:
        return None
    # Not the rows from which the basis was made, whose first columns say more than those of others.
    sample = scores[step // 2 :: step]
    most = 2 * some // step
    if most >= len(sample):
        return None
    places = np.flatnonzero(scores >= np.partition(sample, -1 - most)[-1 - most])
    return places if len(places) >= some else None


def _rows_of_notes(notes: Numbers, ids: Iterable[int]) -> npt.NDArray["np.bool_"]:
    """Return for each row whether it is of one of the notes.

    By a table of flags, for sorting would take longer than the product.
    """
    wanted = np.fromiter(ids, np.int64)
    highest = int(notes.max(initial=0))
    flags = np.zeros(highest + 1, np.bool_)
    flags[wanted[(wanted > GONE) & (wanted <= highest)]] = True
    return np.asarray(flags[notes], np.bool_)


def _multiply_rows(vectors: Bytes, query: Floats) -> Floats:
    """Multiply every row with the query, block by block."""
    step = BLOCK_NUMBERS // (vectors.shape[1] or 1)
    block = np.empty((step, vectors.shape[1]), np.float32)
    products = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), step):
        part = vectors[start : start + step]
        np.copyto(block[: len(part)], part)
        np.dot(block[: len(part)], query, out=products[start : start + step])
    return products


def _row_lengths(vectors: npt.NDArray[Any]) -> Floats:
    lengths = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), BLOCK):
        lengths[start : start + BLOCK] = np.linalg.norm(
            vectors[start : start + BLOCK].astype(np.float32), axis=1
        )
    lengths[lengths == 0] = 1
    return lengths


def _principal_directions(vectors: Bytes) -> Floats:
    """Return the directions in which the rows differ most, as columns, the first the most."""
    sample = vectors[:: max(1, len(vectors) // SAMPLE)].astype(np.float32)
    sample /= np.linalg.norm(sample, axis=1, keepdims=True) + TINY
    _, directions = np.linalg.eigh(sample.T @ sample)
    return np.ascontiguousarray(directions[:, ::-1], np.float32)
