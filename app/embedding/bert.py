"""The forward pass of a small BERT in numpy: all-MiniLM-L6-v2 and multilingual-e5-small.

From the numbers of word pieces to a vector of length one.

The texts of a batch lie side by side without padding, one column for each piece, so the large
products are of whole matrices and only attention goes text by text. What costs a pass over
memory is folded into the weights where that is possible: a row of ones under the columns carries
the biases, the queries are scaled so that softmax takes powers of two, a row of ones among each
head's values gives the sums that softmax divides by, and the wide layer is scaled so that GELU
needs three products and one power of two.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.embedding.model_file import HEADS, WIDTH, ModelFile
from app.embedding.partner_thread import Partner

Floats = NDArray[np.float32]

HEAD = WIDTH // HEADS
WIDE = 4 * WIDTH
AVERAGE = np.full(WIDTH, 1 / WIDTH, np.float32)
EPSILON = np.float32(1e-12)
# 256 times this power of two is still a float32; real texts come near it, but hardly ever above
LARGEST_POWER = 118
BATCH_PIECES = 640
CACHED = 100_000  # float32 numbers that fit well into a core's own cache
FEW_PIECES = 16  # the length of a query; below it the weights' way from memory is what takes time
SMALL_PRODUCT = 800_000  # the largest product that OpenBLAS computes without copying its input

LOG2_E = math.log2(math.e)
# gelu(x) = x / (1 + 2 ** -(c * (x + 0.044715 * x ** 3))); with z = -k * x the exponent is z * (z *
# z + SLOPE).
_C = 2 * LOG2_E * math.sqrt(2 / math.pi)
STRETCH = (_C * 0.044715) ** (1 / 3)
SLOPE = np.float32(_C / STRETCH)


class Norm(NamedTuple):
    """A layer normalisation's gain and bias."""

    gain: Floats
    bias: Floats


class Layer(NamedTuple):
    """One layer's weights, each matrix with its biases as the last column."""

    look: Floats
    seen: Floats
    middle: Norm
    wide: Floats
    narrow: Floats
    end: Norm


class ScratchBuffers:
    """Arrays that are used again from batch to batch, and who takes half of the work on short
    texts; each thread has its own.
    """

    def __init__(self, partner: Partner | None = None) -> None:
        self.partner = partner
        self._held: dict[str, Floats] = {}

    def take(self, name: str, *shape: int) -> Floats:
        """Return the array of that name in this shape, with whatever was left in it."""
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.size < size:
            held = self._held[name] = np.empty(size, np.float32)
        return held[:size].reshape(shape)


class Bert:
    """The loaded model; it may be used by several threads."""

    dimension = WIDTH

    def __init__(self, file: ModelFile) -> None:
        self._words, self._scales = file.rows("words")
        self._places = file.floats("places").reshape(-1, WIDTH)
        self._begin = _read_norm(file, "begin")
        room = _Room(file.layers)
        self._layers = [_read_layer(file, str(number), room) for number in range(file.layers)]

    def embed(self, texts: Sequence[Sequence[int]], scratch: ScratchBuffers) -> Floats:
        """Return one vector for each text of one number or more, a row each."""
        vectors = np.empty((len(texts), WIDTH), np.float32)
        begin = 0
        for batch in split_batches(texts):
            vectors[begin : begin + len(batch)] = self._forward(batch, scratch)
            begin += len(batch)
        return vectors

    def _forward(self, texts: Sequence[Sequence[int]], scratch: ScratchBuffers) -> Floats:
        cuts = list(_slices_of(map(len, texts)))
        # a power of two that is too large makes GELU nought, as it should
        with np.errstate(over="ignore", divide="raise", invalid="raise"):
            columns = self._columns(texts, scratch)
            for layer in self._layers:
                _attend(layer, columns, cuts, scratch)
                _feed_forward(layer, columns, scratch)
        means = np.stack([columns[:WIDTH, cut].mean(axis=1) for cut in cuts])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _columns(self, texts: Sequence[Sequence[int]], scratch: ScratchBuffers) -> Floats:
        numbers = np.concatenate([np.asarray(text, np.intp) for text in texts])
        places = np.concatenate([np.arange(len(text)) for text in texts])
        columns = scratch.take("columns", WIDTH + 1, numbers.size)
        columns[:WIDTH] = (self._words[numbers] * self._scales[numbers] + self._places[places]).T
        columns[WIDTH] = 1
        _normalise(columns[:WIDTH], self._begin)
        return columns


def split_batches(texts: Sequence[Sequence[int]]) -> Iterator[Sequence[Sequence[int]]]:
    """Yield the texts in their order, as many at a time as make a batch."""
    begin = pieces = 0
    for place, text in enumerate(texts):
        if place > begin and pieces + len(text) > BATCH_PIECES:
            yield texts[begin:place]
            begin, pieces = place, 0
        pieces += len(text)
    if begin < len(texts):
        yield texts[begin:]


def _attend(layer: Layer, columns: Floats, cuts: Sequence[slice], scratch: ScratchBuffers) -> None:
    count = columns.shape[1]
    looks = _multiply(
        layer.look, columns, scratch, out=scratch.take("looks", len(layer.look), count)
    )
    mixed = scratch.take("mixed", WIDTH + 1, count)
    mixed[WIDTH] = 1
    for cut in cuts:
        _attend_by_heads(looks[:, cut], mixed[:WIDTH, cut], scratch)
    columns[:WIDTH] += _multiply(layer.seen, mixed, scratch, out=scratch.take("more", WIDTH, count))
    _normalise(columns[:WIDTH], layer.middle)


def _attend_by_heads(looks: Floats, mixed: Floats, scratch: ScratchBuffers) -> None:
    """Attend within one text, a few heads at a time, so that their weights stay in the
    processor's cache.
    """
    length = looks.shape[1]
    queries, keys = (
        looks[first : first + WIDTH].reshape(HEADS, HEAD, length) for first in (0, WIDTH)
    )
    values = looks[2 * WIDTH :].reshape(HEADS, HEAD + 1, length)
    result = mixed.reshape(HEADS, HEAD, length)
    step = min(HEADS, max(1, CACHED // (length * length)))
    for heads in (slice(first, min(first + step, HEADS)) for first in range(0, HEADS, step)):
        count = heads.stop - heads.start
        weights = np.matmul(
            keys[heads].transpose(0, 2, 1),
            queries[heads],
            out=scratch.take("weights", count, length, length),
        )
        # Softmax usually subtracts each column's maximum; that pass is only needed to avoid inf.
        if weights.max() > LARGEST_POWER:
            weights -= weights.max(axis=1, keepdims=True)
        np.exp2(weights, out=weights)
        sums = np.matmul(values[heads], weights, out=scratch.take("sums", count, HEAD + 1, length))
        np.divide(sums[:, :HEAD], sums[:, HEAD:], out=result[heads])


def _feed_forward(layer: Layer, columns: Floats, scratch: ScratchBuffers) -> None:
    count = columns.shape[1]
    wide = scratch.take("wide", WIDE + 1, count)
    wide[WIDE] = 1
    # a part at a time, which stays in the processor's cache
    step = max(WIDTH // 2, CACHED // count)
    for first in range(0, WIDE, step):
        rows = _multiply(
            layer.wide[first : first + step],
            columns,
            scratch,
            out=wide[first : min(first + step, WIDE)],
        )
        _gelu(rows, scratch.take("powers", *rows.shape))
    columns[:WIDTH] += _multiply(
        layer.narrow, wide, scratch, out=scratch.take("more", WIDTH, count)
    )
    _normalise(columns[:WIDTH], layer.end)


def _gelu(rows: Floats, powers: Floats) -> None:
    np.square(rows, out=powers)
    powers += SLOPE
    powers *= rows
    np.exp2(powers, out=powers)
    powers += np.float32(1)
    rows /= powers


def _multiply(weights: Floats, columns: Floats, scratch: ScratchBuffers, *, out: Floats) -> Floats:
    """Multiply; a short text goes in parts, which OpenBLAS takes as they lie instead of copying all
    weights into another order first.

    What a short text waits for is its weights coming from memory, so a partner, if there is one,
    takes half of the rows.
    """
    height, depth = weights.shape
    count = columns.shape[1]
    if count > FEW_PIECES:
        return np.matmul(weights, columns, out=out)
    step = SMALL_PRODUCT // (depth * count)

    def multiply(begin: int, end: int) -> None:
        for first in range(begin, end, step):
            rows = slice(first, min(first + step, end))
            np.matmul(weights[rows], columns, out=out[rows])

    if scratch.partner is None:
        multiply(0, height)
    else:
        scratch.partner.share(multiply, height)
    return out


def _normalise(columns: Floats, norm: Norm) -> None:
    few = columns.shape[1] <= FEW_PIECES
    # numpy walks along what lies together, which with few columns is too short to pay
    rows = columns.T.copy() if few else columns.T
    mean = rows @ AVERAGE
    scale = 1 / np.sqrt(
        np.einsum("ij,ij->i", rows, rows) / np.float32(WIDTH) - mean * mean + EPSILON
    )
    rows *= scale[:, None]
    rows -= (mean * scale)[:, None]
    rows *= norm.gain
    rows += norm.bias
    if few:
        columns[:] = rows.T


def _slices_of(lengths: Iterable[int]) -> Iterator[slice]:
    begin = 0
    for length in lengths:
        yield slice(begin, begin + length)
        begin += length


def _read_norm(file: ModelFile, name: str) -> Norm:
    return Norm(file.floats(f"{name}.gain"), file.floats(f"{name}.bias"))


class _Room:
    """One array that all weights of a model are put into.

    Apart they are too small for the system's large pages, and a load took 33 ms and not 15.
    """

    def __init__(self, layers: int) -> None:
        row = WIDTH + 1
        size = (2 * WIDTH + HEADS * (HEAD + 1) + WIDTH + WIDE) * row + WIDTH * (WIDE + 1)
        self._left = np.empty(layers * size, np.float32)

    def take(self, height: int, width: int) -> Floats:
        """Return the next part of it as a matrix."""
        taken, self._left = self._left[: height * width], self._left[height * width :]
        return taken.reshape(height, width)


def _read_layer(file: ModelFile, name: str, room: _Room) -> Layer:
    wide = _read_with_bias(file, f"{name}.wide", room.take(WIDE, WIDTH + 1))
    wide *= np.float32(-STRETCH)
    narrow = _read_with_bias(file, f"{name}.narrow", room.take(WIDTH, WIDE + 1))
    narrow[:, :WIDE] *= np.float32(-1 / STRETCH)
    seen = _read_with_bias(file, f"{name}.seen", room.take(WIDTH, WIDTH + 1))
    return Layer(
        _read_attention(file, f"{name}.look", room),
        seen,
        _read_norm(file, f"{name}.middle"),
        wide,
        narrow,
        _read_norm(file, f"{name}.end"),
    )


def _read_attention(file: ModelFile, name: str, room: _Room) -> Floats:
    """Return the weights of queries, keys and values.

    Each head's values get a row that is always one.
    """
    look = room.take(2 * WIDTH + HEADS * (HEAD + 1), WIDTH + 1)
    (rows, scales), bias = file.rows(f"{name}.weight"), file.floats(f"{name}.bias")
    np.multiply(rows[: 2 * WIDTH], scales[: 2 * WIDTH], out=look[: 2 * WIDTH, :WIDTH])
    look[: 2 * WIDTH, WIDTH] = bias[: 2 * WIDTH]
    look[:WIDTH] *= np.float32(LOG2_E / math.sqrt(HEAD))
    values = look[2 * WIDTH :].reshape(HEADS, HEAD + 1, WIDTH + 1)
    by_head = (HEADS, HEAD, -1)
    np.multiply(
        rows[2 * WIDTH :].reshape(by_head),
        scales[2 * WIDTH :].reshape(by_head),
        out=values[:, :HEAD, :WIDTH],
    )
    values[:, :HEAD, WIDTH] = bias[2 * WIDTH :].reshape(HEADS, HEAD)
    values[:, HEAD, :WIDTH] = 0
    values[:, HEAD, WIDTH] = 1
    return look


def _read_with_bias(file: ModelFile, name: str, out: Floats) -> Floats:
    file.floats(f"{name}.weight", out=out[:, :-1])
    out[:, -1] = file.floats(f"{name}.bias")
    return out
