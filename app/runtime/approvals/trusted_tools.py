"""What a trusted policy covers: which tools, and in which folder."""

from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal

from app.tools.approvals.escalation_rows import Level

Preset = Literal["chat-only", "read-project", "edit-project"]
READING = ("Read", "Glob", "Grep", "LS", "NotebookRead", "GitStatus", "GitDiff", "GitLog")
EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit", "GitAdd", "GitCommit")
PRESETS: dict[Preset, tuple[str, ...]] = {
    "chat-only": (),
    "read-project": READING,
    "edit-project": (*READING, *EDITING),
}
"""The tools that each preset covers where none are named."""


def risk_of(tool: str) -> Level:
    """Return how much harm a call of a runtime's tool can do; of an unknown one the most."""
    return "low" if tool in READING else "medium" if tool in EDITING else "high"


def lies_in(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies in it, by its spelling alone.

    A path that climbs (`..`) or is relative lies nowhere.
    """
    flavour = PureWindowsPath if "\\" in folder or ":" in folder[:2] else PurePosixPath
    inner, outer = flavour(path), flavour(folder)
    if ".." in inner.parts or ".." in outer.parts or not outer.is_absolute():
        return False
    return inner.is_absolute() and inner.is_relative_to(outer)
