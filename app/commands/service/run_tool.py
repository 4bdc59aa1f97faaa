"""Running a tool of the system that manages services."""

import shutil
import subprocess
import sys

from app.commands.terminal.command_group import Refused

SECONDS = 60
ENCODING = "oem" if sys.platform == "win32" else "utf-8"
"""On Windows such tools write in the code page of consoles, which is not that of other programs."""


def run_tool(*words: str) -> str:
    """Run a tool and return what it says; raise Refused with that where it fails."""
    done = try_tool(*words)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        why = said[-1].removesuffix(".") if said else f"exit code {done.returncode}"
        raise Refused(f"`{' '.join(words[:3])}` failed: {why}.")
    return done.stdout


def try_tool(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run a tool and return how it ended; raise Refused where it is not there."""
    program = shutil.which(words[0])
    if program is None:
        raise Refused(f"{words[0]} is not installed.")
    try:
        return subprocess.run(  # noqa: S603 - a tool of the system, with words of our own
            [program, *words[1:]],
            check=False,
            capture_output=True,
            encoding=ENCODING,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"{words[0]} did not answer within {SECONDS} seconds.") from None
