"""The person's editor."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from app.commands.terminal.command_group import Refused

USUAL = {"win32": "notepad", "darwin": "nano"}


def run_editor(file: Path) -> None:
    """Let the person edit a file with $VISUAL or $EDITOR, until the editor ends.

    Raise Refused where it cannot be run or ends with an error.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or USUAL.get(sys.platform, "vi")
    words = shlex.split(editor, posix=os.name == "posix")
    try:
        done = subprocess.run([*words, str(file)], check=False)  # noqa: S603 - the person's editor
    except OSError as error:
        raise Refused(
            f"Cannot run the editor {editor}: {error.strerror}. "
            "Set EDITOR to one that is installed."
        ) from None
    if done.returncode:
        raise Refused(f"The editor {editor} ended with {done.returncode}.")


def file_name(title: str) -> str:
    """Return a title as the name of a file that every system takes."""
    plain = "".join(mark if mark.isalnum() or mark in " ._-" else "_" for mark in title)
    return plain.strip(" .")[:80] or "note"
