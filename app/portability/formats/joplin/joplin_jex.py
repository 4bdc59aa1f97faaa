"""Joplin's archive: a tar of items and resources."""

from pathlib import Path

from app.errors import Invalid
from app.portability.archives import open_source, tar_reader
from app.portability.content.source_items import Source
from app.portability.formats.joplin import joplin


def recognise(path: Path) -> bool:
    """Return whether a file is such an archive; never raises."""
    return open_source.looks(
        lambda: path.is_file() and tar_reader.is_tar(path) and joplin.looks_like_items(path)
    )


def read(path: Path) -> Source:
    """Open an archive; Invalid if it is none."""
    if not path.is_file() or not open_source.looks(lambda: tar_reader.is_tar(path)):
        raise Invalid(
            f"{path.name} is not a tar archive, as a JEX file of Joplin is.", field="path"
        )
    return joplin.Joplin("joplin-jex", open_source.tree_of(path))
