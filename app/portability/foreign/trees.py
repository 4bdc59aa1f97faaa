"""Files of an import as one tree, be they in a folder, a zip or a tar: names are checked, links are never followed, sizes are held to."""

import errno
import io
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec

from app.errors import Invalid
from app.portability.foreign.wording import named
from app.portability.items import NotCarried

DEEPEST = 32
LONGEST_SEGMENT = 255
UNREADABLE = (OSError, ValueError, EOFError, RecursionError, NotImplementedError, Invalid)
"""What reading something that is not as it should be raises; ValueError has in it whatever is no text, JSON or number."""
_OURS = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


class Damaged(OSError):
    """Something of an import cannot be read; says why in words alone."""

    def __init__(self, why: str) -> None:
        super().__init__(errno.EIO, why)

    def __str__(self) -> str:
        return str(self.strerror)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the tree: its path in NFC with slashes, and its bytes as a stream that raises OSError where they are damaged."""

    path: str
    size: int
    open: Callable[[], BinaryIO]
    modified: float | None = None
    """Seconds since 1970."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The path without the last part, and empty at the top."""
        return self.path.rpartition("/")[0]

    @property
    def ending(self) -> str:
        """What stands behind the last dot of the name, in small letters."""
        return self.name.rpartition(".")[2].lower() if "." in self.name else ""

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self.name.rpartition(".")[0] or self.name

    def read(self, most: int) -> bytes:
        """Give all its bytes; raise OSError if they are damaged or more than `most`."""
        if self.size > most:
            raise Damaged(f"it has more than {most >> 20} MB")
        with self.open() as stream:
            return stream.read(self.size + 1)


class Tree(Protocol):
    """What is to be read: each file once, and what of it is refused."""

    def entries(self) -> Iterator[Entry | NotCarried]:
        """Give every file in an order that stays, hidden ones left out."""
        ...

    def close(self) -> None:
        """Let go of open files."""
        ...


class Folder:
    """A folder on disk and everything below it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def entries(self) -> Iterator[Entry | NotCarried]:
        """Give the files below, folder by folder, each by name."""
        waiting = [(self._path, "")]
        while waiting:
            place, before = waiting.pop()
            try:
                with os.scandir(place) as found:
                    inside = sorted(found, key=lambda one: one.name)
            except OSError as error:
                yield NotCarried(name=named(before or place.name), reason=f"The folder cannot be read: {error.strerror}.")
                continue
            below: list[tuple[Path, str]] = []
            for one in inside:
                if not hidden(one.name):
                    yield from self._looked_at(one, before, below)
            waiting.extend(reversed(below))

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _looked_at(self, one: "os.DirEntry[str]", before: str, below: list[tuple[Path, str]]) -> Iterator[Entry | NotCarried]:
        path = before + one.name
        fault = fault_of(path)
        try:
            state = one.stat(follow_symlinks=False)
            if fault or not (stat.S_ISDIR(state.st_mode) or stat.S_ISREG(state.st_mode)):
                yield NotCarried(name=named(path), reason=fault or "It is a link or no file at all; only files and folders are read.")
            elif stat.S_ISDIR(state.st_mode):
                below.append((Path(one.path), path + "/"))
            else:
                file = Path(one.path)
                yield Entry(
                    path=unicodedata.normalize("NFC", path), size=state.st_size, modified=state.st_mtime, open=lambda: _opened(file)
                )  # fmt: skip
        except OSError as error:
            yield NotCarried(name=named(path), reason=f"It cannot be read: {error.strerror}.")


class Single:
    """One file as a tree of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def entries(self) -> Iterator[Entry | NotCarried]:
        """Give the file."""
        state = self._path.stat()
        yield Entry(path=self._path.name, size=state.st_size, modified=state.st_mtime, open=lambda: _opened(self._path))

    def close(self) -> None:
        """Do nothing: no file stays open."""


class Part(io.RawIOBase):
    """A stream of exactly so many bytes out of another one; fewer or more of them are damage."""

    def __init__(self, stream: BinaryIO, size: int, broken: tuple[type[BaseException], ...]) -> None:
        super().__init__()
        self._stream = stream
        self._left = size
        self._broken = broken

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill the buffer; raise Damaged for damage."""
        try:
            found = self._stream.read(min(len(buffer), self._left) if self._left else 1)
        except self._broken as error:
            raise Damaged(f"it is damaged: {error}") from None
        if bool(found) != bool(self._left):
            raise Damaged("it is damaged: its size is not the one that the archive tells")
        self._left -= len(found)
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        """Close the stream beneath too."""
        self._stream.close()
        super().close()


def why(error: BaseException) -> str:
    """Give the end of a sentence that says why something cannot be read, without paths of this machine."""
    return str(error.strerror) if isinstance(error, OSError) and error.strerror else str(error).rstrip(".") or "it ends too early"


def hidden(name: str) -> bool:
    """Say whether a file of that name is the system's and no one's content."""
    return (name.startswith(".") and name not in (".", "..")) or name in _OURS


def fault_of(path: str) -> str:
    """Give a sentence about what is wrong with the path of a file in an import; empty if nothing is."""
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return "Its path leads out of the import."
    if "\\" in path or (len(path) > 1 and path[1] == ":" and path[0].isascii() and path[0].isalpha()):
        return "Its path is one of another system, with a backslash or a drive."
    if any(unicodedata.category(mark) in ("Cc", "Cs") for mark in path if not mark.isprintable()):
        return "Its path holds control characters or bytes that are no text."
    if len(segments) > DEEPEST or any(len(segment.encode()) > LONGEST_SEGMENT for segment in segments):
        return f"Its path is deeper than {DEEPEST} folders, or a name in it is longer than {LONGEST_SEGMENT} bytes."
    return ""


def _opened(path: Path) -> BinaryIO:
    """Open a file and never what a link of that name points to, nor wait for a pipe."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Damaged("it is no file")
    return os.fdopen(descriptor, "rb")
