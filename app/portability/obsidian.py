"""Reads an Obsidian vault: a Markdown folder with Obsidian's own folder in it, which is left out with its trash."""

import zipfile
from pathlib import Path

from app.portability.markdown_folder import MarkdownFolder
from app.portability.tree import tree_of

OWN = ".obsidian"


def recognise(path: Path) -> bool:
    """Say whether there is Obsidian's own folder."""
    try:
        if path.is_dir():
            return (path / OWN).is_dir()
        if not zipfile.is_zipfile(path):
            return False
        with zipfile.ZipFile(path) as archive:
            return any(name.startswith(f"{OWN}/") or f"/{OWN}/" in name for name in archive.namelist())
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


def read(path: Path) -> MarkdownFolder:
    """Open a vault, or an archive of one."""
    return MarkdownFolder(tree_of(path), "obsidian")
