"""Where an export goes: a folder or a zip archive.

It takes its name only when it is whole, and holds the same bytes for the same things.
"""

import contextlib
import os
import shutil
import struct
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from app.core.database.small_files import sync_folder
from app.errors import AlreadyExists
from app.portability.archives.zip_reader import FIRST, TIMES

PART = ".hearth-part"
EPOCH = FIRST
LAST = 1 << 31
"""The second since 1970 that the field for it no longer holds."""
LEVEL = 6
PACKED = tuple(
    (
        ".png .jpg .jpeg .gif .webp .mp4 .mov .mp3 .m4a .ogg .zip .gz .7z .pdf .docx .xlsx .pptx"
    ).split()
)


class Sink(Protocol):
    """Takes files by their path in the tree; folders come by themselves."""

    def put(self, path: str, parts: Iterable[bytes], modified: float | None = None) -> None:
        """Write one file, as changed at a moment in seconds since 1970."""
        ...

    def folder(self, path: str) -> None:
        """Make a folder, also where no file lies in it."""
        ...


@contextlib.contextmanager
def sink_for(path: Path) -> Iterator[Sink]:
    """Yield what writes to a folder, or to an archive where the name ends in .zip.

    A failure leaves nothing there. Raises AlreadyExists.
    """
    path = path.absolute()
    if path.exists() and not (
        path.is_dir() and not path.suffix == ".zip" and not any(path.iterdir())
    ):
        raise AlreadyExists(
            f"{path} is there already; name another place, or move it away first.", field="path"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + PART)
    _remove(part)
    try:
        with _archive(part) if path.suffix == ".zip" else _folder(part) as sink:
            yield sink
        if path.is_dir():
            path.rmdir()
        # Under its own name only when it is whole: a half export looks like a good one otherwise.
        part.rename(path)
        sync_folder(path.parent)
    except BaseException:
        _remove(part)
        raise


class FolderSink:
    """Writes files below a folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made: set[str] = set()

    def put(self, path: str, parts: Iterable[bytes], modified: float | None = None) -> None:
        """Write one file, as changed at a moment in seconds since 1970."""
        self.folder(path.rpartition("/")[0])
        with open(os.path.join(self._path, path), "xb") as file:  # noqa: PTH118, PTH123 - some ten thousand times
            for part in parts:
                file.write(part)
        if modified is not None:
            with contextlib.suppress(OSError, OverflowError):  # not every disk takes every time
                os.utime(os.path.join(self._path, path), (modified, modified))  # noqa: PTH118

    def folder(self, path: str) -> None:
        """Make a folder."""
        if path not in self._made:
            (self._path / path).mkdir(parents=True, exist_ok=True)
            self._made.add(path)


class ArchiveSink:
    """Writes files into a zip archive, all with the same rights."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def put(self, path: str, parts: Iterable[bytes], modified: float | None = None) -> None:
        """Write one file, as changed at a moment in seconds since 1970."""
        info = _info(path, modified)
        if path.lower().endswith(PACKED):
            info.compress_type = zipfile.ZIP_STORED
        # Its size is not known before it is written, and may pass 4 GB.
        with self._archive.open(info, "w", force_zip64=True) as file:
            for part in parts:
                file.write(part)

    def folder(self, path: str) -> None:
        """Make a folder."""
        info = _info(path + "/")
        info.compress_type = zipfile.ZIP_STORED
        info.external_attr = (0o40755 << 16) | 0x10
        self._archive.writestr(info, b"")


@contextlib.contextmanager
def _folder(part: Path) -> Iterator[Sink]:
    part.mkdir()
    yield FolderSink(part)
    if hasattr(os, "sync"):
        # some ten thousand files at once; one by one would take a second for every hundred
        os.sync()


@contextlib.contextmanager
def _archive(part: Path) -> Iterator[Sink]:
    with part.open("xb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
            yield ArchiveSink(archive)
        file.flush()
        os.fsync(file.fileno())


def _info(path: str, modified: float | None = None) -> zipfile.ZipInfo:
    """Return the entry of a file: its time in UTC as the place for it has no zone, and exactly in
    the field that most programs read.
    """
    info = zipfile.ZipInfo(path, EPOCH)
    if (
        modified is not None
        and LAST > modified > 0
        and (moment := datetime.fromtimestamp(modified, UTC)).year >= EPOCH[0]
    ):
        info.date_time = (
            moment.year,
            moment.month,
            moment.day,
            moment.hour,
            moment.minute,
            moment.second,
        )
        info.extra = struct.pack("<HHBi", TIMES, 5, 1, int(modified))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # as on Unix, wherever it is made
    info.external_attr = 0o100644 << 16
    return info


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
