"""Joplin's archive: a tar of items and resources."""

from pathlib import Path

from app.errors import Invalid
from app.portability import archives, tars
from app.portability.foreign import joplin
from app.portability.items import Source


def recognise(path: Path) -> bool:
    """Say whether a file is such an archive; never raises."""
    return archives.looks(lambda: path.is_file() and tars.is_tar(path) and joplin.looks_like_items(path))


def read(path: Path) -> Source:
    """Open an archive; Invalid if it is none."""
    if not path.is_file() or not archives.looks(lambda: tars.is_tar(path)):
        raise Invalid(f"{path.name} is no tar archive, which a JEX file of Joplin is.", field="path")
    return joplin.Joplin("joplin-jex", archives.tree_of(path))
