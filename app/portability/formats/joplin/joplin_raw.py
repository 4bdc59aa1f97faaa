"""Joplin's folder: items as Markdown files, and a folder of resources."""

from pathlib import Path

from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.content.source_items import Source
from app.portability.formats.joplin import joplin


def recognise(path: Path) -> bool:
    """Return whether a folder is such an export; never raises."""
    return open_source.looks(lambda: path.is_dir() and joplin.looks_like_items(path))


def read(path: Path) -> Source:
    """Open a folder; Invalid if it is none."""
    if not path.is_dir():
        raise Invalid(f"{path.name} is not a folder, as a RAW export of Joplin is.", field="path")
    return joplin.Joplin("joplin-raw", open_source.tree_of(path))
