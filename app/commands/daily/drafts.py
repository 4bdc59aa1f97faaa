"""Texts that are being edited, kept in the data directory until they are saved."""

import contextlib
import os
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from app.commands.terminal.command_group import Refused
from app.commands.terminal.editor import file_name, run_editor
from app.commands.terminal.process_state import is_alive
from app.core.database.data_dir import DRAFTS

BASE = ".base"
HOLDER = ".pid"


class Draft(NamedTuple):
    """A note's text as a person edits it, and as it was when they began."""

    folder: Path
    file: Path

    @property
    def text(self) -> str:
        """The text as it was saved last."""
        return _read(self.file)

    @property
    def base(self) -> str:
        """The text with which the editing began."""
        return _read(self.folder / BASE)

    @property
    def changed(self) -> bool:
        """Whether there is something in it that the note did not have.

        The end of the last line, which editors add, is nothing.
        """
        return self.text.removesuffix("\n") != self.base.removesuffix("\n")

    def claim(self) -> None:
        """Let no other process edit the same draft; raise Refused where one does."""
        holder = self.folder / HOLDER
        with contextlib.suppress(OSError, ValueError):
            number = int(holder.read_text("ascii"))
            # elsewhere nothing tells a process that was killed from one at work
            if os.name == "posix" and number != os.getpid() and is_alive(number):
                raise Refused(
                    f"This note is being edited already, by process {number}. Finish that first."
                )
        try:
            write_text(holder, str(os.getpid()))
        except OSError as error:
            raise Refused(f"Cannot write {holder}: {error.strerror}.") from None

    def release(self) -> None:
        """Let others go on with the draft."""
        (self.folder / HOLDER).unlink(missing_ok=True)

    def begin_from(self, base: str, text: str) -> None:
        """Write what the note has now, and the text to go on with."""
        try:
            write_text(self.folder / BASE, base)
            write_text(self.file, text)
        except OSError as error:
            raise Refused(f"Cannot write {self.file}: {error.strerror}.") from None

    def drop(self) -> None:
        """Delete the draft, whose text stands in the note."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder)


def find_draft(data: Path, username: str, note: int, title: str) -> tuple[Draft, bool]:
    """Return the draft of a note, and whether it was there already with changes in it."""
    folder = data / DRAFTS / f"{username}-{note}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = sorted(one for one in folder.iterdir() if one.suffix == ".md")
    except OSError as error:
        raise Refused(f"Cannot write {folder}: {error.strerror}.") from None
    draft = Draft(folder, files[0] if files else folder / f"{file_name(title)}.md")
    draft.claim()
    return draft, bool(files) and (folder / BASE).exists() and draft.changed


@contextlib.contextmanager
def written_in_editor(data: Path, title: str) -> Iterator[str]:
    """Let a person write a new text, and keep its draft until the block has done with it."""
    folder = data / DRAFTS / f"new-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    draft = Draft(folder, folder / f"{file_name(title)}.md")
    try:
        folder.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise Refused(f"Cannot write {folder}: {error.strerror}.") from None
    draft.begin_from("", "")
    with kept_until_done(draft, f"`hearth note add < {shlex.quote(str(draft.file))}` adds it."):
        run_editor(draft.file)
        yield draft.text
        draft.drop()


@contextlib.contextmanager
def kept_until_done(draft: Draft, how: str) -> Iterator[None]:
    """Say where the text is when the block fails, and how to go on with it."""
    try:
        yield
    except (click.ClickException, click.Abort) as error:
        if not draft.file.exists() or not draft.changed:
            draft.drop()
            raise
        draft.release()
        said = error.message if isinstance(error, click.ClickException) else "Stopped."
        raise Refused(f"{said} Your text is kept in {draft.file}; {how}") from None


def write_text(file: Path, text: str) -> None:
    """Write a text for its owner alone, with the ends of lines that it has."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
        out.write(text)


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace", newline="") as found:
            return found.read()
    except OSError as error:
        raise Refused(f"Cannot read {file}: {error.strerror}.") from None
