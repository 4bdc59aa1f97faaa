"""The program that tells a person of a todo at its time: started without a shell, ended in time.

What a todo is called is somebody's text: the program gets it in its environment and on its standard
input, and never as words of its command line, where it could be taken for an option.
"""

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.core.process import process_group

SECONDS = 10.0
MOST_TOLD = 200
READ_BACK = 2_000
PREFIX = "HEARTH_REMIND_"
OSASCRIPT = (
    "on run argv\n"
    'display notification (item 2 of argv) with title "Hearth" subtitle (item 3 of argv)\n'
    "end run"
)


class Reminder(NamedTuple):
    """What is told: the todo's title, when it is due, whose it is, and its address.

    `due` is the day and time as the person's clock shows them, `told` the same in short.
    """

    title: str
    due: str
    told: str
    user: str
    url: str


class Failed(Exception):
    """A program did not tell of a todo: `cause` in a few words, the same each time, and what it
    wrote of that last.
    """

    def __init__(self, cause: str, last_words: str = "") -> None:
        super().__init__(f"{cause}: {last_words}" if last_words else cause)
        self.cause = cause


def desktop_command(reminder: Reminder) -> list[str] | None:
    """Return what shows a notification on the desktop that this process belongs to; None where
    there is none.
    """
    if sys.platform == "darwin":
        # a word of ours first: no option is looked for after it
        return ["osascript", "-e", OSASCRIPT, "Hearth", reminder.title, reminder.told]
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return None
    if (program := shutil.which("notify-send")) is None:
        return None
    return [program, "--app-name=Hearth", "--", reminder.title, reminder.told]


async def run_command(
    command: Sequence[str], reminder: Reminder, *, seconds: float = SECONDS
) -> None:
    """Run a program to its end, at most so long. Raise Failed where it did not do its work."""
    # a file and no pipe: what the program leaves running may hold it open
    with tempfile.TemporaryFile() as errors:
        try:
            process = await process_group.start_group(
                *command,
                env=_environment(reminder),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=errors,
            )
        except (OSError, ValueError) as error:
            trouble = getattr(error, "strerror", None) or str(error)
            raise Failed(f"it cannot be started ({trouble})") from None
        text = f"{reminder.told} {reminder.title}\n".encode(errors="replace")
        try:
            async with asyncio.timeout(seconds):
                await process.communicate(text)
        except TimeoutError:
            raise Failed(f"it took longer than {seconds:g} seconds and was ended") from None
        finally:
            if process.returncode is None:
                await _end(process)
        if process.returncode:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - READ_BACK))
            raise Failed(f"it ended with exit code {process.returncode}", _last_line(errors.read()))


async def _end(process: asyncio.subprocess.Process) -> None:
    process_group.end_group(process)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(process_group.END_SECONDS):
            await process.wait()


def _environment(reminder: Reminder) -> Mapping[str, str]:
    """Return the environment without Hearth's settings, some of which are secret, and with what
    is told.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")}
    said = {name: getattr(reminder, name) for name in ("title", "due", "user", "url")}
    return kept | {PREFIX + name.upper(): value for name, value in said.items()}


def _last_line(written: bytes) -> str:
    """Return the last line of what was written, without what it would tell a terminal."""
    lines = written.decode(errors="replace").strip().splitlines()
    last = lines[-1] if lines else ""
    return "".join(mark if mark.isprintable() else " " for mark in last)[:MOST_TOLD]
