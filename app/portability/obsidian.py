"""Reads an Obsidian vault: a Markdown folder with Obsidian's own folder in it, which is left out with its trash."""

import contextlib
from pathlib import Path

from app.portability import archives
from app.portability.markdown_folder import MarkdownFolder
from app.portability.zips import ZipTree, is_zip

OWN = ".obsidian"


def recognise(path: Path) -> bool:
    """Say whether there is Obsidian's own folder."""
    return archives.looks(_is_vault, path)


def read(path: Path) -> MarkdownFolder:
    """Open a vault, or an archive of one."""
    return MarkdownFolder(archives.within(archives.tree_of(path)), "obsidian")


def _is_vault(path: Path) -> bool:
    if not (path.is_file() and is_zip(path)):
        return (path / OWN).is_dir()
    with contextlib.closing(ZipTree(path)) as tree:
        return any(f"/{OWN}/" in f"/{name}" for name in tree.names())
