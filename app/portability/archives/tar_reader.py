"""Tar archives, plain and gzipped.

After damage the reading goes on at the next file that is whole.

The standard library reads each header, but does not walk from one to the next: of an upload that
nobody vouches for, 67 KB of one extended header take `tarfile` 11 s of every Python before 3.11.10
and 3.12.6, and 4 MB over a minute; here they take 0.3 ms. Nothing is extracted to a path, so its
filters have nothing to do.
"""

import contextlib
import gzip
import io
import tarfile
import tempfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from app.core.database.disk_reserve import is_disk_full
from app.errors import Invalid, StorageFull
from app.portability.archives.source_tree import (
    IS_LINK,
    LOCAL_LIMITS,
    NOT_REGULAR,
    ArchiveTree,
    Entry,
    Folder,
    Found,
    Limits,
    SizedStream,
    fault_of,
)
from app.portability.content import hidden_files
from app.portability.content.clean_text import report_name
from app.portability.content.source_items import NotCarried

BLOCK = 512
MOST_NAME = 1 << 16
_GZIP_BROKEN = (OSError, EOFError, zlib.error)
_STEP = 1 << 17
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_LINKS = (tarfile.LNKTYPE, tarfile.SYMTYPE)
_NAMED_BEFORE = (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE)


def is_tar(path: Path) -> bool:
    """Return whether a file begins with a whole header of a tar archive."""
    with path.open("rb") as file:
        return _parse_header(file.read(BLOCK)) is not None


def is_gzip(path: Path) -> bool:
    """Return whether a file begins as gzip does."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def read_beginning(path: Path, most: int) -> "TarTree":
    """Return as much of a gzipped archive as is in its first `most` bytes."""
    found = io.BytesIO()
    with contextlib.suppress(*_GZIP_BROKEN), gzip.open(path) as packed:
        while found.tell() < most and (part := packed.read1(_STEP)):
            found.write(part)
    return TarTree(found)


def unpack(path: Path, limits: Limits = LOCAL_LIMITS) -> "TarTree":
    """Return a gzipped archive, unpacked to a temporary file.

    Raise Invalid for one that is damaged at its beginning or is a bomb.
    """
    # A file and not memory: files are read out of order later, and gzip cannot be read backwards.
    with contextlib.ExitStack() as opened:
        file = opened.enter_context(tempfile.TemporaryFile())
        cut = False
        try:
            with gzip.open(path) as packed:
                while part := packed.read1(_STEP):
                    limits.require_room(path, file.tell() + len(part))
                    file.write(part)
        except _GZIP_BROKEN as error:
            if isinstance(error, OSError) and is_disk_full(error):
                room = (
                    f"{path.name} is unpacked to the system's folder for temporary files, which "
                    "is full. Make room there and try again."
                )
                raise StorageFull(room) from None
            if not file.tell():
                raise Invalid(f"{path.name} is damaged or incomplete.", field="path") from None
            cut = True
        opened.pop_all()  # the tree closes the file from here on
    return TarTree(file, limits, cut=cut)


class TarTree(ArchiveTree):
    """A tar archive that lies in a file which can be read anywhere.

    `cut` says that its end is missing.
    """

    def __init__(
        self, file: IO[bytes], limits: Limits = LOCAL_LIMITS, *, cut: bool = False
    ) -> None:
        super().__init__(limits)
        self._file = file
        # One file position for all: seek and read of two threads must not cross.
        self._lock = threading.Lock()
        self._end = file.seek(0, io.SEEK_END)
        self._cut = cut

    def members(self) -> Iterator[Found | hidden_files.Hidden]:
        """Yield the files in the order of the archive."""
        place, name, count = 0, "", 0
        while place + BLOCK <= self._end:
            block = self.read_at(place, BLOCK)
            head = _parse_header(block)
            if head is None:
                # Blocks of zeros end an archive, but two archives put together have them in the
                # middle.
                if not block.strip(b"\0"):
                    place += BLOCK
                    continue
                name, found = "", self._next_head(place + BLOCK)
                yield NotCarried(
                    f"bytes {place} to {found}",
                    "the archive is damaged here; what it contained is unknown",
                )
                place = found
                continue
            count += 1
            if count > self.limits.entries or place > self.limits.bytes:
                yield NotCarried(
                    "the rest",
                    f"the archive has more than {self.limits.entries:,} files or "
                    f"{self.limits.bytes:,} bytes",
                )
                return
            data = place + BLOCK
            # Contents are padded to whole blocks; -(-a // b) rounds up.
            place = data + -(-head.size // BLOCK) * BLOCK
            if head.type in _NAMED_BEFORE:
                # A long name is an entry of its own right before the file that it belongs to.
                name = self._long_name(head, data) or name
            elif head.type != tarfile.GNUTYPE_LONGLINK:
                yield from self._member(head, name or head.name, data)
                name = ""
        if place > self._end or self._cut:
            yield NotCarried("the end of the archive", "the archive was cut off")

    def open(self, entry: Entry) -> BinaryIO:
        """Open a file."""
        return io.BufferedReader(
            SizedStream(
                lambda place, size: self.read_at(
                    entry.place + place, min(size, entry.size - place)
                ),
                entry.size,
            ),
            1 << 16,
        )

    def close(self) -> None:
        """Close the archive's file."""
        self._file.close()

    def read_at(self, place: int, size: int) -> bytes:
        """Return bytes from a place of the archive."""
        with self._lock:
            self._file.seek(place)
            return self._file.read(size)

    def _member(
        self, head: tarfile.TarInfo, name: str, data: int
    ) -> Iterator[Found | hidden_files.Hidden]:
        path = name.removeprefix("./").rstrip("/")
        is_folder = head.isdir() or name.endswith("/")
        if path in ("", "."):
            return
        if hidden_files.hidden_part(path):
            yield hidden_files.Hidden(path, is_folder)
        elif fault := fault_of(path, self.limits):
            yield NotCarried(report_name(path), fault)
        elif is_folder:
            yield Folder(path)
        elif head.type not in _FILES:
            yield NotCarried(report_name(path), IS_LINK if head.type in _LINKS else NOT_REGULAR)
        elif data + head.size > self._end:
            yield NotCarried(
                report_name(path), "it is cut off, or its size in the archive is wrong"
            )
        else:
            yield Entry(path, head.size, head.mtime or None, self, data)

    def _long_name(self, head: tarfile.TarInfo, data: int) -> str:
        text = self.read_at(data, min(head.size, MOST_NAME))
        if head.type == tarfile.GNUTYPE_LONGNAME:
            return text.rstrip(b"\0").decode("utf-8", "surrogateescape")
        # A global header holds for all files that follow, so it cannot name one.
        return "" if head.type == tarfile.XGLTYPE else _pax_path(text)

    def _next_head(self, place: int) -> int:
        while place + BLOCK <= self._end:
            if _parse_header(self.read_at(place, BLOCK)) is not None:
                return place
            place += BLOCK
        return self._end


def _parse_header(block: bytes) -> tarfile.TarInfo | None:
    """Return a header; None for what is none, by its checksum."""
    try:
        head = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return None
    if block[257:263] == b"ustar ":  # GNU's, where times stand in the place of a longer name
        head.name = block[:100].split(b"\0")[0].decode("utf-8", "surrogateescape")
    return head if head.size >= 0 else None


def _pax_path(text: bytes) -> str:
    """Return the path that an extended header tells, if it tells one."""
    while text:
        # Records are "LENGTH NAME=VALUE\n", and the length counts itself.
        length, space, _ = text.partition(b" ")
        if (
            not space
            or not length.isdigit()
            or len(length) > 6
            or not len(length) < int(length) <= len(text)
        ):
            return ""
        name, _, value = text[len(length) + 1 : int(length)].rstrip(b"\n").partition(b"=")
        if name == b"path":
            return value.decode("utf-8", "surrogateescape")
        text = text[int(length) :]
    return ""
