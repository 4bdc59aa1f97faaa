"""Reads an Obsidian vault, a Markdown folder with Obsidian's own folder in it.

That folder is left out, and the vault's trash too.
"""

import contextlib
from pathlib import Path

from app.portability.archives import open_source
from app.portability.archives.zip_reader import ZipTree, is_zip
from app.portability.formats.markdown_folder import MarkdownFolder

OWN = ".obsidian"


def recognise(path: Path) -> bool:
    """Return whether there is Obsidian's own folder."""
    return open_source.looks(_is_vault, path)


def read(path: Path) -> MarkdownFolder:
    """Open a vault, or an archive of one."""
    return MarkdownFolder(open_source.enter_top_folder(open_source.tree_of(path)), "obsidian")


def _is_vault(path: Path) -> bool:
    if not (path.is_file() and is_zip(path)):
        return (path / OWN).is_dir()
    with contextlib.closing(ZipTree(path)) as tree:
        return any(f"/{OWN}/" in f"/{name}" for name in tree.names())
