"""Zip archives, read without trusting what they say of themselves."""

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from app.errors import Invalid
from app.portability.archives.source_tree import (
    IS_LINK,
    LOCAL_LIMITS,
    NOT_REGULAR,
    ArchiveTree,
    Damaged,
    Entry,
    Folder,
    Found,
    Limits,
    SizedStream,
    fault_of,
)
from app.portability.content import hidden_files
from app.portability.content.clean_text import reason_text, report_name
from app.portability.content.source_items import NotCarried

MOST_ENTRIES = 200_000
"""What is known of each file is held in memory."""
MOST_DIRECTORY = 64 << 20
_OF_ENTRY = 512
"""Bytes that the list of files may take for each file there may be."""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
FIRST = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip archive can tell; programs that want to tell none write it."""
TIMES = 0x5455
"""The kind of the extra field that holds times in seconds since 1970."""
_FIELD, _SECONDS = struct.Struct("<HH"), struct.Struct("<i")
_HEADER = 30
"""Bytes of a file's own header before its name."""
_UTF8_FLAG = 0x800


def is_zip(path: Path) -> bool:
    """Return whether a file begins as zip archives do."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


class ZipTree(ArchiveTree):
    """A zip archive; raises Invalid if it is damaged as a whole or made to do harm."""

    def __init__(self, path: Path, limits: Limits = LOCAL_LIMITS) -> None:
        super().__init__(limits)
        self._file = _LimitedFile(path, min(MOST_ENTRIES, limits.entries))
        try:
            # Reads the whole list at once, whatever size it claims; that is what _LimitedFile is
            # for.
            self._archive = zipfile.ZipFile(self._file)
            self._file.listed(self._archive)
            for info in self._archive.infolist():
                info.filename = _name(info)
            _require_harmless(path, self._archive.infolist(), limits)
        except _BROKEN:
            self._file.close()
            raise Invalid(f"{path.name} is damaged or incomplete.", field="path") from None
        except Invalid:
            self._file.close()
            raise

    def names(self) -> list[str]:
        """Return the names of all files and folders, also of hidden ones, as the archive has
        them."""
        return self._archive.namelist()

    def members(self) -> Iterator[Found | hidden_files.Hidden]:
        """Yield the files of each folder before its folders, each by name."""
        for info in sorted(self._archive.infolist(), key=_order):
            path = info.filename.rstrip("/")
            if hidden_files.hidden_part(path):
                yield hidden_files.Hidden(path, info.is_dir())
            elif fault := self._fault(info, path):
                yield NotCarried(report_name(path), fault)
            elif info.is_dir():
                yield Folder(path)
            else:
                yield Entry(path, info.file_size, _moment(info), self, info)

    def open(self, entry: Entry) -> BinaryIO:
        """Open a file, which fails as an OSError where it is damaged or not of the size that the
        archive tells.
        """
        try:
            stream = self._archive.open(entry.place)
        except _BROKEN as error:
            raise Damaged(f"it is damaged: {reason_text(error)}") from None
        return io.BufferedReader(
            SizedStream(lambda _, size: stream.read(size), entry.size, _BROKEN), 1 << 16
        )

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()
        self._file.close()

    def _fault(self, info: zipfile.ZipInfo, path: str) -> str:
        # zipfile cuts at NUL and turns backslashes, so it would use another path than this
        if "\0" in info.orig_filename or "\\" in info.orig_filename:
            return fault_of(info.orig_filename)
        if (fault := fault_of(path, self.limits)) or info.is_dir():
            return fault
        # The upper half holds Unix's mode, 0 where another system packed it.
        if (kind := stat.S_IFMT(info.external_attr >> 16)) not in (0, stat.S_IFREG):
            return IS_LINK if kind == stat.S_IFLNK else NOT_REGULAR
        if info.flag_bits & 1:
            return "it is encrypted"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return "its compression method is not supported"
        if info.file_size > self.limits.room(info.compress_size):
            return f"it would unpack to more than {self.limits.ratio} times its size"
        return ""


class _LimitedFile(io.BufferedReader):
    """The file of an archive; while the library reads its list of files, reads are limited."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(io.FileIO(path))
        self._too_long = Invalid(
            f"{path.name} has more than {most:,} files; unpack it and import the folder.",
            field="path",
        )
        self._most = most
        self._room: int | None = min(MOST_DIRECTORY, most * _OF_ENTRY)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes; raise Invalid for a list that is too long."""
        if self._room is not None and size is not None and size > self._room:
            raise self._too_long
        return super().read(size)

    def listed(self, archive: zipfile.ZipFile) -> None:
        """Let all be read, now that the list has been, or raise Invalid if it is too long."""
        self._room = None
        if len(archive.infolist()) > self._most:
            raise self._too_long


def _require_harmless(path: Path, infos: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Raise Invalid for files that lie over each other, which is how a few bytes become many,
    and for a bomb.
    """
    packed = path.stat().st_size
    end = size = 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        # The classic bomb: thousands of entries that all unpack the same few bytes.
        if info.header_offset < end:
            raise Invalid(
                f"{path.name} is refused: files in it share the same bytes.", field="path"
            )
        end = info.header_offset + _HEADER + info.compress_size
        size += info.file_size
    if end > packed:
        raise Invalid(
            f"{path.name} is refused: files in it are larger than all of it.", field="path"
        )
    limits.require_room(path, size)


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name of a file: as UTF-8 where it can be that, else as zipfile read it."""
    # Linux's zip and macOS write UTF-8 without the flag that says so, and zipfile then takes the
    # bytes for cp437. A name that a field beside it already corrected is left alone.
    if info.flag_bits & _UTF8_FLAG or info.filename != info.orig_filename:
        return info.filename
    try:
        return info.orig_filename.encode("cp437").decode()
    except UnicodeDecodeError:
        return info.filename


def _order(info: zipfile.ZipInfo) -> tuple[str, bool]:
    """Return a key by which files come before folders, in NFC to be the same everywhere."""
    # \1 before the names of files and \2 before those of folders; \0 ends a name, so that "a b"
    # does not come between "a" and what lies in it.
    path = unicodedata.normalize("NFC", info.filename)
    folder, slash, name = path.rpartition("/")
    marked = f"\2{folder.replace('/', chr(0) + chr(2))}\0" if slash else ""
    return f"{marked}\1{name}", path != info.filename


def _moment(info: zipfile.ZipInfo) -> float | None:
    """Return when a file was changed: the exact moment that most programs add, else the wall time
    as of this machine's zone; None for the earliest, which stands for no time.
    """
    # Extra fields: two bytes of kind, two of size, then as many bytes; in ours bit 0 says that
    # the time of change is there.
    extra, place = info.extra, 0
    while place + _FIELD.size <= len(extra):
        kind, size = _FIELD.unpack_from(extra, place)
        place += _FIELD.size
        if kind == TIMES and 5 <= size <= len(extra) - place and extra[place] & 1:
            return float(_SECONDS.unpack_from(extra, place + 1)[0])
        place += size
    if info.date_time <= FIRST:
        return None
    try:
        return datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
