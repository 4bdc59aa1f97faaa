"""Opens what an import is given, be it a folder, an archive or a single file.

Looking into it never fails.
"""

from collections.abc import Callable, Container, Iterator
from itertools import islice
from pathlib import Path
from typing import ParamSpec

from app.errors import Invalid
from app.portability.archives import tar_reader, zip_reader
from app.portability.archives.folder_tree import FileTree, FolderTree
from app.portability.archives.source_tree import (
    LOCAL_LIMITS,
    ArchiveTree,
    Entry,
    Limits,
    Tree,
    files,
)
from app.portability.content.clean_text import UNREADABLE, reason_text

P = ParamSpec("P")
MOST_LOOKED_AT = 500
MOST_UNPACKED = 4 << 20


def looks(like: Callable[P, bool], *given: P.args, **named: P.kwargs) -> bool:
    """Return what a look at something says; False where it cannot be read."""
    try:
        return like(*given, **named)
    except UNREADABLE:
        return False


def is_alone(path: Path) -> bool:
    """Return whether it is one file and no archive; its content tells what it is, not its name."""
    return path.is_file() and not (
        zip_reader.is_zip(path) or tar_reader.is_gzip(path) or tar_reader.is_tar(path)
    )


def tree_of(path: Path, limits: Limits = LOCAL_LIMITS) -> Tree:
    """Return the files of a folder, a zip, a tar, a gzipped tar, or one file.

    Raise Invalid for what is not there or damaged as a whole.
    """
    try:
        # By content and never by the ending of the name: backups are often renamed.
        if path.is_dir():
            return FolderTree(path)
        if not path.is_file():
            raise Invalid(f"There is no file or folder {path}.", field="path")
        if zip_reader.is_zip(path):
            return zip_reader.ZipTree(path, limits)
        if tar_reader.is_gzip(path):
            return tar_reader.unpack(path, limits)
        return (
            tar_reader.TarTree(path.open("rb"), limits)
            if tar_reader.is_tar(path)
            else FileTree(path)
        )
    except OSError as error:
        raise Invalid(f"{path.name} cannot be read: {reason_text(error)}.", field="path") from None


def beginning_of(path: Path) -> Tree:
    """Return the files so as to look at some; of a gzipped archive those near its beginning."""
    # To list a whole tar.gz means to unpack it, and each format of the list looks at it once.
    return (
        tar_reader.read_beginning(path, MOST_UNPACKED)
        if path.is_file() and tar_reader.is_gzip(path)
        else tree_of(path)
    )


def first_entries(
    path: Path, most: int = MOST_LOOKED_AT, opened: Callable[[Path], Tree] = beginning_of
) -> Iterator[Entry]:
    """Yield the first files, so as to look at them."""
    tree = opened(path)
    try:
        yield from (one for one in islice(files(tree), most) if isinstance(one, Entry))
    finally:
        tree.close()


def all_are(path: Path, like: Callable[[Entry], bool], endings: Container[str]) -> bool:
    """Return whether a file is such a one, whatever its name is, or the first ones of a folder or
    archive are, all by their names and some by a look.
    """
    alone = is_alone(path)
    found = False
    for number, entry in enumerate(first_entries(path)):
        # Ten are opened, the names of the others must do: a look should take no longer than a
        # moment.
        if not (alone or entry.ending in endings) or (number < 10 and not like(entry)):
            return False
        found = True
    return found


def enter_top_folder(tree: Tree) -> Tree:
    """Return the one folder that an archive holds; of every other tree all of it."""
    if isinstance(tree, ArchiveTree):
        tree.enter()
    return tree
