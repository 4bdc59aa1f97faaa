"""What is imported as a tree of files, be it a folder, a file or an archive.

Links are never followed, names checked, sizes held to.
"""

import errno
import io
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

from app.errors import Invalid
from app.portability.content import hidden_files
from app.portability.content.clean_text import reason_text, report_name
from app.portability.content.source_items import Folders, NotCarried

DEEPEST = 64
LONGEST = 255
"""The characters of a name."""
ALWAYS_ALLOWED = 16 << 20
"""So many bytes may an archive, and each file of it, unpack to, however well they are packed.

A note of one letter is no bomb.
"""
PACKED = frozenset({"zip", "jex", "tar", "gz", "tgz", "bz2", "xz", "7z", "rar"})
IS_LINK = "links are not followed"
NOT_REGULAR = "it is not a regular file"
_TWICE = "another file in the archive has the same name"


class Damaged(OSError):
    """Something of an import cannot be read; says why in words alone."""

    def __init__(self, why: str) -> None:
        super().__init__(errno.EIO, why)

    def __str__(self) -> str:
        return str(self.strerror)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive may come to."""

    entries: int = 1_000_000
    bytes: int = 1 << 40
    ratio: int = 100
    nested: bool = True

    def room(self, packed: int) -> int:
        """Return how many bytes so many of an archive, or of a file in it, may unpack to."""
        return min(self.bytes, max(ALWAYS_ALLOWED, self.ratio * packed))

    def require_room(self, path: Path, unpacked: int) -> None:
        """Raise Invalid for an archive that would unpack to so many bytes, if these are too
        many.
        """
        room = self.room(path.stat().st_size)
        if unpacked > room:
            most = (
                f"more than {room:,} bytes, {self.ratio} times its size or the most that is allowed"
            )
            raise Invalid(
                f"{path.name} is refused: it would unpack to {most}.", field="path", limitBytes=room
            )


LOCAL_LIMITS = Limits()
"""For what lies on this machine."""
UPLOAD_LIMITS = Limits(entries=10_000, bytes=512 << 20, nested=False)


class Opener(Protocol):
    """Opens the files of a tree."""

    def open(self, entry: "Entry") -> BinaryIO:
        """Open a file; raise OSError."""
        ...


class Entry(msgspec.Struct, frozen=True):
    """A file of a tree: its path in NFC with slashes, its bytes, and when it was changed in
    seconds since 1970.
    """

    path: str
    size: int
    modified: float | None
    tree: Opener
    place: Any
    """Where the tree has it."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The path without the last part, and empty at the top."""
        return self.path.rpartition("/")[0]

    @property
    def folders(self) -> Folders:
        """The names of the folders it lies in."""
        return tuple(self.path.split("/")[:-1])

    @property
    def ending(self) -> str:
        """What stands behind the last dot of the name, in small letters."""
        return self.name.rpartition(".")[2].lower() if "." in self.name else ""

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self.name.rpartition(".")[0] or self.name

    def open(self) -> BinaryIO:
        """Return its bytes as a stream, which raises OSError where they are damaged."""
        return self.tree.open(self)

    def read(self, most: int) -> bytes:
        """Return all its bytes; raise OSError if they are damaged or more than `most`."""
        # The size that an archive tells may be a lie, so it is asked both of it and of the bytes.
        content = b""
        if self.size <= most:
            with self.open() as stream:
                # a reader makes room at once for what it is asked
                content = stream.read(self.size + 1)
                if self.size < len(content) <= most:
                    content += stream.read(most - self.size)  # it has grown since it was listed
        if max(self.size, len(content)) > most:
            raise Damaged(f"it is larger than {most >> 20} MiB")
        return content


class Folder(msgspec.Struct, frozen=True):
    """A folder of a tree, by its path."""

    path: str


Found = Entry | Folder | NotCarried


class Tree(Protocol):
    """What is to be read; hidden files are passed over, and told."""

    def entries(self) -> Iterator[Found]:
        """Return each file and folder once, in an order that stays, folders before what is in
        them, and what of it is refused.
        """
        ...

    def find(self, path: str) -> Entry | None:
        """Return the file of exactly that path."""
        ...

    def close(self) -> None:
        """Let go of open files."""
        ...


def files(tree: Tree) -> Iterator[Entry | NotCarried]:
    """Return the files of a tree, and what of it is refused."""
    return (one for one in tree.entries() if not isinstance(one, Folder))


class ArchiveTree(ABC):
    """The files of an archive; each kind of archive gives its members under their names there."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._top = ""

    @abstractmethod
    def members(self) -> Iterator[Found | hidden_files.Hidden]:
        """Return the files, such folders as the archive has, what of it is hidden, and what is
        refused, each judged by `fault_of`.
        """

    def enter(self) -> None:
        """Make the folder in which everything lies the top, where there is such a one."""
        tops: set[str] = set()
        for one in self.members():
            if not isinstance(one, NotCarried | hidden_files.Hidden):
                tops.add(
                    one.path.partition("/")[0] if isinstance(one, Folder) or "/" in one.path else ""
                )
                # Two at the top, or a file there, and nothing is to be entered.
                if len(tops) > 1 or "" in tops:
                    return
        self._top = "".join(f"{top}/" for top in tops)

    def entries(self) -> Iterator[Found]:
        """Yield the files with their paths in NFC, each path once, folders before what is in
        them; at last tell of the hidden ones.
        """
        taken: set[str] = set()
        folders: set[str] = set()
        passed: dict[str, int | None] = {}
        for one in self.members():
            if isinstance(one, NotCarried):
                yield one
                continue
            if isinstance(one, hidden_files.Hidden):
                _pass_over(one, self._top, passed)
                continue
            own = one.path[len(self._top) :]
            # Paths such as a/b/c/… hide many folders in one entry; no more are made than entries
            # are allowed.
            if len(folders) < self.limits.entries:
                folder = own.rpartition("/")[0] if isinstance(one, Entry) else own
                yield from _new_folders(unicodedata.normalize("NFC", folder), folders)
            if isinstance(one, Entry):
                path = distinct(own, taken)
                if not path:
                    yield NotCarried(report_name(own), _TWICE)
                else:
                    yield one if path == one.path else msgspec.structs.replace(one, path=path)
        for path, count in passed.items():
            yield hidden_files.passed_over(path, count)

    def find(self, path: str) -> Entry | None:
        """Return the file of exactly that path."""
        return next(
            (one for one in self.entries() if isinstance(one, Entry) and one.path == path), None
        )


class SizedStream(io.RawIOBase):
    """A stream of exactly so many bytes; fewer or more of them are damage."""

    def __init__(
        self,
        read: Callable[[int, int], bytes],
        size: int,
        broken: tuple[type[BaseException], ...] = (OSError, ValueError),
    ) -> None:
        super().__init__()
        self._read = read
        self._place = 0
        self._size = size
        self._broken = broken

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill the buffer; raise Damaged for damage."""
        left = self._size - self._place
        try:
            # At the end one byte more is asked for: an archive that gives it lied about the size.
            found = self._read(self._place, min(len(buffer), left) if left else 1)
        except self._broken as error:
            raise Damaged(f"it is damaged: {reason_text(error)}") from None
        if bool(found) != bool(left):
            raise Damaged("it is damaged: its size differs from the one in the archive")
        self._place += len(found)
        buffer[: len(found)] = found
        return len(found)


def fault_of(path: str, limits: Limits = LOCAL_LIMITS) -> str:
    """Return what is wrong with the path of a file in an archive; empty if nothing is."""
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return "its path leads outside the archive"
    if "\\" in path or (path[1:2] == ":" and path[0].isascii() and path[0].isalpha()):
        return "its path has a backslash or drive letter"
    # isprintable is much faster and right for nearly every path; it also refuses odd spaces,
    # though.
    if not path.isprintable() and any(unicodedata.category(mark) in ("Cc", "Cs") for mark in path):
        return "its path contains control characters or invalid text"
    if path.count("/") > DEEPEST or max(map(len, segments)) > LONGEST:
        return (
            f"its path is nested deeper than {DEEPEST} folders or has a name longer than "
            f"{LONGEST} characters"
        )
    if (
        not limits.nested
        and "." in segments[-1]
        and segments[-1].rpartition(".")[2].lower() in PACKED
    ):
        return "it is an archive within the archive"
    return ""


def distinct(name: str, taken: set[str]) -> str:
    """Return a name in NFC, or as it is where another has taken that; empty if both are taken."""
    found = unicodedata.normalize("NFC", name)
    if found in taken:
        found = name if name not in taken else ""
    taken.add(found)
    return found


def _new_folders(path: str, given: set[str]) -> Iterator[Folder]:
    """Yield those of a folder and of what it lies in that have not been given."""
    if path and path not in given:
        yield from _new_folders(path.rpartition("/")[0], given)
        given.add(path)
        yield Folder(path)


def _pass_over(one: hidden_files.Hidden, top: str, passed: dict[str, int | None]) -> None:
    """Count a hidden file by the outermost hidden folder; None stands for a file by itself."""
    part = hidden_files.hidden_part(one.path.removeprefix(top))
    alone = one.path.removeprefix(top) == part and not one.is_folder
    passed[part] = None if alone else (passed.get(part) or 0) + (not one.is_folder)
