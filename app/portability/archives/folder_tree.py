"""A folder on disk, or a single file, as a tree of files to import.

Links are never followed.
"""

import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from app.portability.archives import source_tree
from app.portability.archives.source_tree import Entry, Folder, Found
from app.portability.content import hidden_files
from app.portability.content.clean_text import clean_text, not_readable, report_name
from app.portability.content.source_items import NotCarried


class FolderTree:
    """A folder on disk and everything below it."""

    def __init__(self, path: Path) -> None:
        self._top = os.fspath(path)

    def entries(self) -> Iterator[Found]:
        """Yield all of it, each folder's files before its folders, each by name."""
        # The path in NFC for us, and the name as the disk has it: APFS and ext4 spell the same name
        # apart.
        waiting = [("", "")]
        while waiting:
            path, place = waiting.pop()
            if path.count("/") >= source_tree.DEEPEST:
                yield NotCarried(
                    report_name(path), f"it is nested deeper than {source_tree.DEEPEST} folders"
                )
                continue
            if path:
                yield Folder(path)
            below: list[tuple[str, str]] = []
            yield from self._inside(path, place, below)
            waiting.extend(reversed(below))  # a stack: the first folder by name comes out first

    def find(self, path: str) -> Entry | None:
        """Return the file of exactly that path."""
        if source_tree.fault_of(path):
            return None
        parts = path.split("/")
        try:
            # lstat of each part: a link in the middle of a path would lead out of the folder.
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
        """Yield the files of a folder; those that are folders are put into `below`."""
        try:
            with os.scandir(os.path.join(self._top, place)) as found:  # noqa: PTH118
                listed = {one.name: one for one in found}
        except OSError as error:
            yield not_readable(path or Path(self._top).name, error)
            return
        taken: set[str] = set()
        before, inside = path and f"{path}/", place and f"{place}/"
        # ASCII names, which most are, sort as they are.
        for called in sorted(listed, key=None if all(map(str.isascii, listed)) else _by_form):
            if hidden_files.is_hidden(called):
                yield self._hidden(before + called, listed[called])
                continue
            one, own = listed[called], inside + called
            name = before + source_tree.distinct(called, taken)
            try:
                if not _is_text(called):
                    yield NotCarried(report_name(name), "its name is not valid UTF-8")
                elif one.is_symlink():
                    yield NotCarried(report_name(name), source_tree.IS_LINK)
                elif one.is_dir(follow_symlinks=False):
                    below.append((name, own))
                elif stat.S_ISREG((state := one.stat(follow_symlinks=False)).st_mode):
                    # `name if name == own`: one string for both, a path each of many thousand files
                    place = name if name == own else own
                    yield Entry(name, state.st_size, state.st_mtime, self, place)
                else:
                    yield NotCarried(report_name(name), source_tree.NOT_REGULAR)
            except OSError as error:
                yield not_readable(name, error)

    def _hidden(self, path: str, found: "os.DirEntry[str]") -> NotCarried:
        try:
            return hidden_files.passed_over(
                path,
                hidden_files.count_files(found.path)
                if found.is_dir(follow_symlinks=False)
                else None,
            )
        except OSError as error:
            return not_readable(path, error)


class FileTree:
    """One file as a tree of its own."""

    def __init__(self, path: Path) -> None:
        state = path.stat()
        self._entry = Entry(
            unicodedata.normalize("NFC", clean_text(path.name)),
            state.st_size,
            state.st_mtime,
            self,
            os.fspath(path.resolve()),
        )

    def entries(self) -> Iterator[Found]:
        """Yield the file."""
        yield self._entry

    def find(self, path: str) -> Entry | None:
        """Return the file if that is its name."""
        return self._entry if path == self._entry.path else None

    def open(self, entry: Entry) -> BinaryIO:
        """Open the file."""
        return _opened(entry.place)

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _by_form(name: str) -> tuple[str, bool]:
    """Return what names are sorted by, so that they have the same order on every system."""
    form = unicodedata.normalize("NFC", name)
    return form, form != name


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in name)


def _opened(path: str) -> BinaryIO:
    """Open a file and never what a link of that name points to, nor wait for a pipe."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # not every system has each of them
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags)
    # Asked of what is open now: it may have been exchanged since the folder was listed.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise source_tree.Damaged("it is not a file")
    return os.fdopen(descriptor, "rb")
