"""What was uploaded to be imported.

Archives are unpacked into nothing first, so that no reader ever meets a hostile one.
"""

import shutil
from pathlib import Path

from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.archives.source_tree import UPLOAD_LIMITS, Entry, Tree
from app.portability.content.clean_text import not_readable
from app.portability.content.file_names import safe_name
from app.portability.content.source_items import NotCarried, PassedOver


def check_upload(path: Path, folder: Path, name: str) -> Path:
    """Return the upload under its own name in a folder of its own, proved to stay within the
    limits; raise Invalid for what does not.
    """
    folder.mkdir(mode=0o700)
    file = folder / safe_name(name.replace("\\", "/").rpartition("/")[2])
    path.rename(file)
    if not open_source.is_alone(file):
        tree = open_source.tree_of(file, UPLOAD_LIMITS)
        try:
            _prove(tree)
        finally:
            tree.close()
    return file


def remove(path: Path, folder: Path) -> None:
    """Delete an upload."""
    path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _prove(tree: Tree) -> None:
    """Read all of a tree and raise Invalid if anything of it is refused or damaged, whatever it
    says of itself.
    """
    # Read, not only listed: what an archive says of sizes is no proof.
    for one in tree.entries():
        refused = _read_through(one) if isinstance(one, Entry) else one
        if isinstance(refused, NotCarried) and not isinstance(refused, PassedOver):
            raise Invalid(
                f"The archive is refused because of {refused.name}: {refused.reason}.", field="body"
            )


def _read_through(entry: Entry) -> NotCarried | None:
    try:
        with entry.open() as file:
            while file.read(1 << 20):
                pass
    except OSError as error:
        return not_readable(entry.path, error)
    return None
