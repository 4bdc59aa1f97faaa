"""Opening what an import is given, whether folder, archive or single file, and looking into it without ever failing."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import ParamSpec

from app.errors import Invalid
from app.portability.foreign import tars, zips
from app.portability.foreign.trees import UNREADABLE, Entry, Folder, Single, Tree

P = ParamSpec("P")
MOST_LOOKED_AT = 500
MOST_UNPACKED = 4 << 20


def looks(like: Callable[P, bool], *given: P.args, **named: P.kwargs) -> bool:
    """Say what a look says, and no where nothing can be read."""
    try:
        return like(*given, **named)
    except UNREADABLE:
        return False


def is_alone(path: Path) -> bool:
    """Say whether it is one file and no archive; what such a file is its content tells, whatever its name is."""
    return path.is_file() and not (zips.is_zip(path) or tars.is_gzip(path) or tars.is_tar(path))


def open_tree(path: Path) -> Tree:
    """Give the files of a folder, a zip, a tar, a gzipped tar, or one file; raise Invalid for what is not there or damaged as a whole."""
    try:
        if path.is_dir():
            return Folder(path)
        if zips.is_zip(path):
            return zips.Zip(path)
        if tars.is_gzip(path):
            return tars.unpacked(path)
        return tars.Tar(path.open("rb")) if tars.is_tar(path) else Single(path)
    except OSError as error:
        raise Invalid(f"{path.name} cannot be read: {error.strerror or error}.", field="path") from None


def first_entries(path: Path, most: int = MOST_LOOKED_AT) -> Iterator[Entry]:
    """Give the first files, so as to look at them; of a gzipped archive those that are near its beginning."""
    packed = path.is_file() and tars.is_gzip(path)
    tree: Tree = tars.beginning(path, MOST_UNPACKED) if packed else open_tree(path)
    try:
        for one in islice(tree.entries(), most):
            if isinstance(one, Entry):
                yield one
    finally:
        tree.close()
