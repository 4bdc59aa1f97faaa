"""A folder or a zip archive as a tree of files, read without following links and without trusting what is said of sizes."""

import errno
import io
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from app.errors import Invalid
from app.portability.items import Folders, NotCarried

DEEPEST = 64
RATIO = 1000
"""How many times larger than in the archive a file may be: text of one letter packs that well, and nothing that people write does."""
RATIO_MATTERS = 10 << 20
"""Smaller files may have packed as well as they like."""
ARCHIVES = (".zip", ".jex", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
LINK = "it is a link, and links are not followed"
_PLAIN = (0, stat.S_IFREG, stat.S_IFDIR)


class Opener(Protocol):
    """A tree, of which a file can be opened."""

    def open(self, path: Folders) -> BinaryIO:
        """Open the file of that path; raise OSError."""
        ...


class Entry(NamedTuple):
    """A file of a tree: its folders and name, and its size."""

    path: Folders
    size: int
    tree: Opener

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path[-1]

    def open(self) -> BinaryIO:
        """Give the file's bytes as a stream; raise OSError."""
        return self.tree.open(self.path)


class Limits(NamedTuple):
    """What an archive may come to."""

    entries: int = 2_000_000
    bytes: int = 1 << 40
    ratio: int = RATIO
    nested: bool = True


UPLOADED = Limits(entries=10_000, bytes=512 << 20, ratio=100, nested=False)


class Tree(Protocol):
    """What is there, in the order of paths."""

    name: str

    def entries(self) -> Iterator[Entry | Folders | NotCarried]:
        """Give the files, the folders as bare paths, and what cannot be read."""
        ...

    def find(self, *path: str) -> Entry | None:
        """Give the file of exactly that path."""
        ...

    def close(self) -> None:
        """Let go of open files."""
        ...


def tree_of(path: Path) -> Tree:
    """Open a folder or a zip archive; raise Invalid for what is neither."""
    if path.is_dir():
        return FolderTree(path)
    if path.is_file():
        return ZipTree(path) if zipfile.is_zipfile(path) else FileTree(path)
    raise Invalid(f"There is no file or folder {path}.", field="path")


def is_hidden(name: str) -> bool:
    """Say whether a file or folder is the system's or a program's own and no note."""
    return name.startswith(".") or name.casefold() in ("thumbs.db", "desktop.ini", "__macosx", "icon\r", "$recycle.bin")


class FolderTree:
    """The files below a folder of the disk."""

    def __init__(self, path: Path) -> None:
        self.name = path.resolve().name
        self._path = path

    def entries(self) -> Iterator[Entry | Folders | NotCarried]:
        """Give all of it, each folder's files before its folders; hidden ones are left out."""
        yield from self._below(os.fspath(self._path), ())

    def find(self, *path: str) -> Entry | None:
        """Give the file of exactly that path."""
        if any(part in ("", ".", "..") or "/" in part or "\\" in part or "\0" in part for part in path):
            return None
        file = self._path.joinpath(*path)
        try:
            found = file.lstat()
        except (OSError, ValueError):
            return None
        return Entry(path, found.st_size, self) if stat.S_ISREG(found.st_mode) else None

    def open(self, path: Folders) -> BinaryIO:
        """Open a file that is no link."""
        return opened(os.path.join(self._path, *path))  # noqa: PTH118 - some ten thousand times

    def close(self) -> None:
        """Let go of nothing: each file is open only while it is read."""

    def _below(self, folder: str, path: Folders) -> Iterator[Entry | Folders | NotCarried]:
        if len(path) > DEEPEST:
            yield NotCarried(name="/".join(path)[:1000], reason=f"it lies deeper than {DEEPEST} folders")
            return
        try:
            with os.scandir(folder) as found:
                listed = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield NotCarried(name="/".join(path) or self.name, reason=f"the folder cannot be read ({error.strerror})")
            return
        folders = []
        for entry in listed:
            if is_hidden(entry.name):
                continue
            if not _is_text(entry.name):
                yield NotCarried(name=repr(os.fsencode(entry.name))[2:-1], reason="its name is not valid UTF-8")
            elif entry.is_symlink():
                yield NotCarried(name="/".join((*path, entry.name)), reason=LINK)
            elif entry.is_dir():
                folders.append(entry)
            elif entry.is_file():
                yield self._entry(entry, path)
        for entry in folders:
            yield (*path, entry.name)
            yield from self._below(entry.path, (*path, entry.name))

    def _entry(self, entry: "os.DirEntry[str]", path: Folders) -> Entry | NotCarried:
        try:
            return Entry((*path, entry.name), entry.stat(follow_symlinks=False).st_size, self)
        except OSError as error:
            return NotCarried(name="/".join((*path, entry.name)), reason=f"it cannot be read ({error.strerror})")


class FileTree:
    """A single file."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._path = path
        self._entry = Entry((path.name,), path.stat().st_size, self)

    def entries(self) -> Iterator[Entry | Folders | NotCarried]:
        """Give the file."""
        yield self._entry

    def find(self, *path: str) -> Entry | None:
        """Give the file if that is its name."""
        return self._entry if path == self._entry.path else None

    def open(self, path: Folders) -> BinaryIO:
        """Open the file."""
        return opened(os.fspath(self._path))

    def close(self) -> None:
        """Let go of nothing."""


class ZipTree:
    """The files of a zip archive, each read to no more than the size that was said of it."""

    def __init__(self, path: Path, limits: Limits | None = None) -> None:
        self.name = path.name.removesuffix(".zip")
        self._zip = checked_zip(path, limits or Limits())
        files = {_parts(info): info for info in self._zip.infolist() if not info.is_dir()}
        shown = [_parts(info) for info in self._zip.infolist() if not is_hidden(_parts(info)[0])]
        alone = len({path[0] for path in shown}) == 1 and (shown[0][0],) not in files
        self._top: Folders = shown[0][:1] if alone else ()  # an archive of one folder is that folder
        self._listed = {path[len(self._top) :]: info for path, info in files.items() if path[: len(self._top)] == self._top}

    def entries(self) -> Iterator[Entry | Folders | NotCarried]:
        """Give all of it, files before the folders beside them; hidden ones are left out."""
        folders: set[Folders] = set()
        for info in self._zip.infolist():
            path = _parts(info)
            if path[: len(self._top)] == self._top:
                inner = path[len(self._top) :]
                folders.update(inner[:end] for end in range(1, len(inner) + info.is_dir()))
        every = [*self._listed, *folders]
        for path in sorted(every, key=lambda path: [(part, number < len(path) - 1 or path in folders) for number, part in enumerate(path)]):
            if any(map(is_hidden, path)):
                continue
            yield path if path in folders else self._entry(path)

    def find(self, *path: str) -> Entry | None:
        """Give the file of exactly that path."""
        return self._entry(path) if path in self._listed else None

    def open(self, path: Folders) -> BinaryIO:
        """Open a file, which fails as an OSError where it is damaged or not of the size that was said."""
        return io.BufferedReader(_Whole(self._zip, self._listed[path]))

    def close(self) -> None:
        """Close the archive."""
        self._zip.close()

    def _entry(self, path: Folders) -> Entry:
        return Entry(path, self._listed[path].file_size, self)


class _Whole(io.RawIOBase):
    """A file of an archive as a stream that fails as an OSError when it is damaged or is not of the size that was said."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        try:
            self._file = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
            raise OSError(errno.EIO, f"it cannot be unpacked: {error}") from None
        self._left = info.file_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        import zlib

        try:
            found = self._file.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
            raise OSError(errno.EIO, f"it is damaged: {error}") from None
        self._left -= len(found)
        if self._left < 0:
            raise OSError(errno.EIO, "it is larger than the archive says")
        if not found and self._left and len(buffer):
            raise OSError(errno.EIO, "it is smaller than the archive says")
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()


def checked_zip(path: Path, limits: Limits) -> zipfile.ZipFile:
    """Open a zip archive whose table of contents is harmless; raise Invalid, saying what is wrong, for any other."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Invalid(f"{path.name} is not a whole zip archive: {error}.", field="path") from None
    try:
        _check(archive, path.stat().st_size, limits)
    except BaseException:
        archive.close()
        raise
    return archive


def proved_zip(path: Path, limits: Limits = UPLOADED) -> None:
    """Unpack all of an archive into nothing and raise Invalid unless it stays within the limits, whatever it says of itself."""
    with checked_zip(path, limits) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            try:
                with io.BufferedReader(_Whole(archive, info)) as file:
                    while file.read(1 << 20):
                        pass
            except OSError as error:
                raise Invalid(f"{info.filename[:300]} in the archive cannot be read: {error.strerror}.", field="body") from None


def opened(path: str) -> BinaryIO:
    """Open a file that is no link."""
    return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)), "rb")


def _check(archive: zipfile.ZipFile, packed: int, limits: Limits) -> None:
    listed = archive.infolist()
    if len(listed) > limits.entries:
        raise Invalid(f"The archive holds {len(listed)} files; it may hold {limits.entries}.", field="path", limit=limits.entries)
    size = sum(info.file_size for info in listed)
    if size > limits.bytes:
        raise Invalid(f"The archive unpacks to {size} bytes; it may come to {limits.bytes}.", field="path", limitBytes=limits.bytes)
    if sum(info.compress_size for info in listed) > packed:
        raise Invalid("The files of the archive overlap, as no program packs them.", field="path")
    for info in listed:
        _check_one(info, limits)


def _check_one(info: zipfile.ZipInfo, limits: Limits) -> None:
    name = info.filename[:300]
    parts = info.filename.rstrip("/").split("/")
    if (
        any(part in ("", ".", "..") for part in parts)
        or "\\" in info.filename
        or (len(parts[0]) == 2 and parts[0][1] == ":")
        or "\0" in info.orig_filename
    ):
        raise Invalid(f"The archive holds the path {name!r}, which leads out of it or nowhere.", field="path")
    if len(parts) > DEEPEST or max(len(part.encode("utf-8", "replace")) for part in parts) > 1000:
        raise Invalid(f"The archive holds a path that is too deep or too long: {name!r}.", field="path")
    if stat.S_IFMT(info.external_attr >> 16) not in _PLAIN:
        raise Invalid(f"The archive holds a link or a device: {name!r}.", field="path")
    if info.flag_bits & 1:
        raise Invalid(f"The archive is locked with a password: {name!r}.", field="path")
    if info.file_size > RATIO_MATTERS and info.file_size > limits.ratio * max(1, info.compress_size):
        raise Invalid(f"{name!r} in the archive is packed more than {limits.ratio} times; it looks like a bomb.", field="path")
    if not limits.nested and parts[-1].lower().endswith(ARCHIVES):
        raise Invalid(f"The archive holds another archive: {name!r}.", field="path")


def _parts(info: zipfile.ZipInfo) -> Folders:
    return tuple(info.filename.rstrip("/").split("/"))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
