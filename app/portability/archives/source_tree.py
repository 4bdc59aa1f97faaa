"""What is imported as a tree of files, be it a folder, a file or an archive.

Links are never followed, names checked, sizes held to.
"""

import errno
import io
import os
import stat
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

from app.errors import Invalid
from app.portability.content import hidden_files
from app.portability.content.clean_text import clean, named, unreadable, why
from app.portability.content.source_items import Folders, NotCarried

DEEPEST = 64
LONGEST = 255
"""The characters of a name."""
FREE = 16 << 20
"""So many bytes may an archive, and each file of it, unpack to, however well they are packed.

A note of one letter is no bomb.
"""
PACKED = frozenset({"zip", "jex", "tar", "gz", "tgz", "bz2", "xz", "7z", "rar"})
LINK = "it is a link, and links are not followed"
ODD = "it is no ordinary file"
_TWICE = "another file of the archive has this name"


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
        """Give how many bytes so many of an archive, or of a file in it, may unpack to."""
        return min(self.bytes, max(FREE, self.ratio * packed))

    def require_room(self, path: Path, unpacked: int) -> None:
        """Raise Invalid for an archive that would unpack to so many bytes, if these are too
        many.
        """
        room = self.room(path.stat().st_size)
        if unpacked > room:
            most = (
                f"more than {room:,} bytes, which is {self.ratio} times its size or the most "
                "that is taken"
            )
            raise Invalid(
                f"{path.name} is refused: it would unpack to {most}.", field="path", limitBytes=room
            )


OWN = Limits()
"""For what lies on this machine."""
UPLOADED = Limits(entries=10_000, bytes=512 << 20, nested=False)


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
        """Give its bytes as a stream, which raises OSError where they are damaged."""
        return self.tree.open(self)

    def read(self, most: int) -> bytes:
        """Give all its bytes; raise OSError if they are damaged or more than `most`."""
        content = b""
        if self.size <= most:
            with self.open() as stream:
                content = stream.read(
                    self.size + 1
                )  # a reader makes room at once for what it is asked
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
        """Give each file and folder once, in an order that stays, folders before what is in
        them, and what of it is refused.
        """
        ...

    def find(self, path: str) -> Entry | None:
        """Give the file of exactly that path."""
        ...

    def close(self) -> None:
        """Let go of open files."""
        ...


def files(tree: Tree) -> Iterator[Entry | NotCarried]:
    """Give the files of a tree, and what of it is refused."""
    return (one for one in tree.entries() if not isinstance(one, Folder))


class FolderTree:
    """A folder on disk and everything below it."""

    def __init__(self, path: Path) -> None:
        self._top = os.fspath(path)

    def entries(self) -> Iterator[Found]:
        """Give all of it, each folder's files before its folders, each by name."""
        waiting = [("", "")]
        while waiting:
            path, place = waiting.pop()
            if path.count("/") >= DEEPEST:
                yield NotCarried(name=named(path), reason=f"it lies deeper than {DEEPEST} folders")
                continue
            if path:
                yield Folder(path)
            below: list[tuple[str, str]] = []
            yield from self._inside(path, place, below)
            waiting.extend(reversed(below))

    def find(self, path: str) -> Entry | None:
        """Give the file of exactly that path."""
        if fault_of(path):
            return None
        parts = path.split("/")
        try:
            *folders, file = [
                Path(self._top, *parts[:end]).lstat() for end in range(1, len(parts) + 1)
            ]
        except OSError:
            return None
        if not stat.S_ISREG(file.st_mode) or not all(
            stat.S_ISDIR(folder.st_mode) for folder in folders
        ):
            return None
        return Entry(path, file.st_size, file.st_mtime, self, path)

    def open(self, entry: Entry) -> BinaryIO:
        """Open a file that is no link."""
        return _opened(os.path.join(self._top, entry.place))  # noqa: PTH118 - some ten thousand times

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _inside(self, path: str, place: str, below: list[tuple[str, str]]) -> Iterator[Found]:
        """Give the files of a folder; those that are folders are put into `below`."""
        try:
            with os.scandir(os.path.join(self._top, place)) as found:  # noqa: PTH118
                listed = {one.name: one for one in found}
        except OSError as error:
            yield unreadable(path or Path(self._top).name, error)
            return
        taken: set[str] = set()
        before, inside = path and f"{path}/", place and f"{place}/"
        for called in sorted(listed, key=None if all(map(str.isascii, listed)) else _by_form):
            if hidden_files.is_hidden(called):
                yield self._hidden(before + called, listed[called])
                continue
            one, name, own = listed[called], before + distinct(called, taken), inside + called
            try:
                if not _is_text(called):
                    yield NotCarried(name=named(name), reason="its name is not valid UTF-8")
                elif one.is_symlink():
                    yield NotCarried(name=named(name), reason=LINK)
                elif one.is_dir(follow_symlinks=False):
                    below.append((name, own))
                elif stat.S_ISREG((state := one.stat(follow_symlinks=False)).st_mode):
                    yield Entry(
                        name, state.st_size, state.st_mtime, self, name if name == own else own
                    )
                else:
                    yield NotCarried(name=named(name), reason=ODD)
            except OSError as error:
                yield unreadable(name, error)

    def _hidden(self, path: str, found: "os.DirEntry[str]") -> NotCarried:
        try:
            return hidden_files.told(
                path,
                hidden_files.count_of(found.path) if found.is_dir(follow_symlinks=False) else None,
            )
        except OSError as error:
            return unreadable(path, error)


class FileTree:
    """One file as a tree of its own."""

    def __init__(self, path: Path) -> None:
        state = path.stat()
        self._entry = Entry(
            unicodedata.normalize("NFC", clean(path.name)),
            state.st_size,
            state.st_mtime,
            self,
            os.fspath(path.resolve()),
        )

    def entries(self) -> Iterator[Found]:
        """Give the file."""
        yield self._entry

    def find(self, path: str) -> Entry | None:
        """Give the file if that is its name."""
        return self._entry if path == self._entry.path else None

    def open(self, entry: Entry) -> BinaryIO:
        """Open the file."""
        return _opened(entry.place)

    def close(self) -> None:
        """Do nothing: no file stays open."""


class ArchiveTree(ABC):
    """The files of an archive, of which its kind gives the members as they are called there."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._top = ""

    @abstractmethod
    def members(self) -> Iterator[Found | hidden_files.Hidden]:
        """Give the files, such folders as the archive has, what of it is hidden, and what is
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
                if len(tops) > 1 or "" in tops:
                    return
        self._top = "".join(f"{top}/" for top in tops)

    def entries(self) -> Iterator[Found]:
        """Give the files with their paths in NFC, each path once, folders before what is in
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
            if len(folders) < self.limits.entries:
                folder = own.rpartition("/")[0] if isinstance(one, Entry) else own
                yield from _new_folders(unicodedata.normalize("NFC", folder), folders)
            if isinstance(one, Entry):
                path = distinct(own, taken)
                if not path:
                    yield NotCarried(name=named(own), reason=_TWICE)
                else:
                    yield one if path == one.path else msgspec.structs.replace(one, path=path)
        for path, count in passed.items():
            yield hidden_files.told(path, count)

    def find(self, path: str) -> Entry | None:
        """Give the file of exactly that path."""
        return next(
            (one for one in self.entries() if isinstance(one, Entry) and one.path == path), None
        )


class Part(io.RawIOBase):
    """A stream of exactly so many bytes, which are read by place and number.

    Fewer or more of them are damage.
    """

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
        """Say that it can be read."""
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill the buffer; raise Damaged for damage."""
        left = self._size - self._place
        try:
            found = self._read(self._place, min(len(buffer), left) if left else 1)
        except self._broken as error:
            raise Damaged(f"it is damaged: {why(error)}") from None
        if bool(found) != bool(left):
            raise Damaged("it is damaged: its size is not the one that the archive tells")
        self._place += len(found)
        buffer[: len(found)] = found
        return len(found)


def fault_of(path: str, limits: Limits = OWN) -> str:
    """Say what is wrong with the path of a file in an archive; empty if nothing is."""
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return "its path leads out of the import or nowhere"
    if "\\" in path or (path[1:2] == ":" and path[0].isascii() and path[0].isalpha()):
        return "its path is one of another system, with a backslash or a drive"
    if not path.isprintable() and any(unicodedata.category(mark) in ("Cc", "Cs") for mark in path):
        return "its path holds control characters or bytes that are no text"
    if path.count("/") > DEEPEST or max(map(len, segments)) > LONGEST:
        return (
            f"its path is deeper than {DEEPEST} folders, or a name in it is longer than "
            f"{LONGEST} characters"
        )
    if (
        not limits.nested
        and "." in segments[-1]
        and segments[-1].rpartition(".")[2].lower() in PACKED
    ):
        return "it is an archive in an archive"
    return ""


def distinct(name: str, taken: set[str]) -> str:
    """Give a name in NFC, or as it is where another has taken that; empty if both are taken."""
    found = unicodedata.normalize("NFC", name)
    if found in taken:
        found = name if name not in taken else ""
    taken.add(found)
    return found


def _new_folders(path: str, given: set[str]) -> Iterator[Folder]:
    """Give those of a folder and of what it lies in that have not been given."""
    if path and path not in given:
        yield from _new_folders(path.rpartition("/")[0], given)
        given.add(path)
        yield Folder(path)


def _pass_over(one: hidden_files.Hidden, top: str, passed: dict[str, int | None]) -> None:
    """Count a hidden file of an archive by what is hidden as a whole.

    None stands for a file that is no folder.
    """
    part = hidden_files.hidden_part(one.path.removeprefix(top))
    alone = one.path.removeprefix(top) == part and not one.is_folder
    passed[part] = None if alone else (passed.get(part) or 0) + (not one.is_folder)


def _by_form(name: str) -> tuple[str, bool]:
    """Give what names are sorted by, so that they have the same order on every system."""
    form = unicodedata.normalize("NFC", name)
    return form, form != name


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in name)


def _opened(path: str) -> BinaryIO:
    """Open a file and never what a link of that name points to, nor wait for a pipe."""
    descriptor = os.open(
        path,
        os.O_RDONLY
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_BINARY", 0),
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Damaged("it is no file")
    return os.fdopen(descriptor, "rb")
