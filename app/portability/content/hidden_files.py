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
    ".obsidian": "it holds the settings of Obsidian",
    ".trash": "it is the trash of Obsidian; restore what is wanted there first",
    ".git": "it holds the history of git",
    ".stfolder": "it is Syncthing's own",
    ".stversions": "it holds the older versions that Syncthing keeps",
}


class Hidden(NamedTuple):
    """A hidden file or folder of an archive, or what lies in a hidden folder."""

    path: str
    is_folder: bool


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of that name is passed over."""
    return (name.startswith(".") and name not in (".", "..")) or name.casefold() in _SYSTEMS


def hidden_part(path: str) -> str:
    """Return the outermost hidden folder of a path in an archive, or its hidden file.

    Empty if nothing of it is hidden.
    """
    parts = path.split("/")
    if ".." in parts:
        return ""
    return next(
        ("/".join(parts[: number + 1]) for number, part in enumerate(parts) if is_hidden(part)), ""
    )


def passed_over(path: str, count: int | None) -> PassedOver:
    """Tell of a hidden file, or with `count` of a hidden folder of so many files."""
    name = path.rpartition("/")[2].casefold()
    reason = _KNOWN.get(name) or (
        "it is the system's own"
        if name in _SYSTEMS
        else "it is hidden, as programs hide what is their own"
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
        if count > MOST_COUNTED:
            break
    return count
