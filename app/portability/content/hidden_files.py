"""What of a folder or an archive is a program's or the system's own and no one's content.

Passed over, and told by name.
"""

import os
from typing import NamedTuple

from app.portability.content.clean_text import report_name
from app.portability.content.source_items import PassedOver

MOST_COUNTED = 100_000
_SYSTEMS = frozenset(
    {"thumbs.db", "desktop.ini", "__macosx", "icon\r", "$recycle.bin", ".ds_store"}
)
_KNOWN = {
    ".obsidian": "Obsidian's settings are not imported",
    ".trash": "Obsidian's trash is not imported; restore notes in Obsidian first",
    ".git": "Git's history is not imported",
    ".stfolder": "Syncthing's own files are not imported",
    ".stversions": "Syncthing's old versions are not imported",
}


class Hidden(NamedTuple):
    """A hidden file or folder of an archive, or what lies in a hidden folder."""

    path: str
    is_folder: bool


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of that name is passed over."""
    return (name.startswith(".") and name not in (".", "..")) or name.casefold() in _SYSTEMS


def hidden_part(path: str) -> str:
    """Return the outermost hidden folder of a path in an archive, or its hidden file, else ""."""
    parts = path.split("/")
    if ".." in parts:  # refused as a path later, which must be said and not passed over
        return ""
    return next(
        ("/".join(parts[: number + 1]) for number, part in enumerate(parts) if is_hidden(part)), ""
    )


def passed_over(path: str, count: int | None) -> PassedOver:
    """Return the line about a hidden file, or with `count` about a hidden folder of so many."""
    name = path.rpartition("/")[2].casefold()
    reason = _KNOWN.get(name) or (
        "system files are not imported" if name in _SYSTEMS else "hidden files are not imported"
    )
    if count is not None:
        reason += (
            f" ({'more than ' * (count > MOST_COUNTED)}{min(count, MOST_COUNTED):,} "
            f"{'file' if count == 1 else 'files'})"
        )
    return PassedOver(report_name(path), reason)


def count_files(folder: str) -> int:
    """Count the files below a folder on disk, as far as they can be seen."""
    count = 0
    for _, _, files in os.walk(folder):
        count += len(files)
        if count > MOST_COUNTED:  # a .git or node cache of millions must not hold up the import
            break
    return count
