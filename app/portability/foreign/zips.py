"""Zip archives, read without trusting what they say of themselves."""

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from app.errors import Invalid
from app.portability.foreign import trees
from app.portability.foreign.trees import Damaged, Entry, Part
from app.portability.foreign.wording import named
from app.portability.items import NotCarried

MOST_ENTRIES = 200_000
MOST_DIRECTORY = 64 << 20
MOST_RATIO = 100
FREE = 1 << 20
"""A file may have so many bytes whatever its ratio."""
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError)
_TAIL = 66_000
_LOCAL = 30
"""Bytes of a file's own header before its name."""


def is_zip(path: Path) -> bool:
    """Say whether a file begins as zip archives do."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


class Zip:
    """A zip archive; raises Invalid if it is damaged as a whole or made to do harm."""

    def __init__(self, path: Path) -> None:
        _require_small_directory(path)
        try:
            self._archive = zipfile.ZipFile(path)
        except (OSError, *_BROKEN):
            raise _damaged(path) from None
        try:
            _require_honest(path, self._archive.infolist())
        except Invalid:
            self._archive.close()
            raise

    def entries(self) -> Iterator[Entry | NotCarried]:
        """Give the files by name."""
        seen: set[str] = set()
        for info in sorted(self._archive.infolist(), key=lambda one: one.filename):
            path = unicodedata.normalize("NFC", info.filename)
            if info.is_dir() or any(trees.hidden(part) for part in path.split("/")):
                continue
            fault = _fault(info) or ("The archive has another file of this name." if path in seen else "")
            if fault:
                yield NotCarried(name=named(path), reason=fault)
            else:
                seen.add(path)
                yield Entry(path=path, size=info.file_size, modified=_moment(info), open=lambda info=info: self._open(info))  # type: ignore[misc]

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()

    def _open(self, info: zipfile.ZipInfo) -> BinaryIO:
        try:
            stream = self._archive.open(info)
        except _BROKEN as error:
            raise Damaged(f"it is damaged: {error}") from None
        return cast(BinaryIO, io.BufferedReader(Part(cast(BinaryIO, stream), info.file_size, _BROKEN), 1 << 16))


def _fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if fault := trees.fault_of(info.filename):
        return fault
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "It is a link or no file at all; only files are read."
    if info.flag_bits & 1:
        return "It is encrypted."
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "It is compressed in a way that is not read here."
    if info.file_size > max(FREE, MOST_RATIO * info.compress_size):
        return f"It would grow to more than {MOST_RATIO} times its size."
    return ""


def _require_small_directory(path: Path) -> None:
    """Raise Invalid if the list of files is missing or too long to be read at once."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, io.SEEK_END) - _TAIL))
        tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) < place + 22:
        raise _damaged(path)
    entries, size = struct.unpack_from("<HI", tail, place + 10)
    longer = tail.rfind(b"PK\x06\x06", 0, place)
    if longer >= 0 and len(tail) >= longer + 56:
        entries, size = struct.unpack_from("<QQ", tail, longer + 32)
    if entries > MOST_ENTRIES or size > MOST_DIRECTORY:
        raise Invalid(f"{path.name} has more than {MOST_ENTRIES:,} files; unpack it and import the folder.", field="path")


def _require_honest(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    """Raise Invalid for files that lie over each other, which is how a few bytes become many."""
    end = 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        if info.header_offset < end:
            raise Invalid(f"{path.name} is refused: files in it share the same bytes.", field="path")
        end = info.header_offset + _LOCAL + info.compress_size


def _damaged(path: Path) -> Invalid:
    return Invalid(f"{path.name} is no whole zip archive; it is damaged or was cut off.", field="path")


def _moment(info: zipfile.ZipInfo) -> float | None:
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return None
