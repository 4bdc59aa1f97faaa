"""Run somebody's program with a prompt: in a folder, within limits, ended as a whole."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.commands.terminal.command_group import Misused
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.core.process import limited_process, process_group

CHUNK = 1 << 16
MOST_OUTPUT = 8 << 20
"""A program that writes more has lost its way, and is ended."""
LAST_WORDS = 2_000
END_SECONDS = 5.0
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])"
)
"""What terminals take for commands: colours, cursors, titles."""


@dataclass
class Program:
    """A program and how it is run."""

    command: Sequence[str]
    folder: Path
    seconds: float
    most_answer: int

    def __str__(self) -> str:
        return on_one_line(" ".join(self.command), 200)


@dataclass
class Ended:
    """How a run ended: what it wrote, and a sentence of what went wrong, or none."""

    output: str
    trouble: str = ""
    last_words: str = ""


def find_program(command: Sequence[str]) -> None:
    """Raise Misused unless there is a program of that name."""
    if shutil.which(command[0]) is None:
        raise Misused(f"There is no program called {on_one_line(command[0], 100)} on this machine.")


async def run_program(program: Program, prompt: str) -> Ended:
    """Return what the program made of a prompt; cancelled, it ends with all that it started."""
    try:
        async with _started(program) as (process, report):
            return await _listen(program, process, prompt.encode(), report)
    except OSError as error:
        return Ended("", f"It could not be started: {error.strerror or error}.")


async def _listen(
    program: Program, process: asyncio.subprocess.Process, prompt: bytes, report: int
) -> Ended:
    said, feeding = _Heard(program.most_answer), asyncio.create_task(_feed(process, prompt))
    errors = asyncio.create_task(_last_words(process))
    trouble = ""
    try:
        async with asyncio.timeout(program.seconds):
            await said.hear(process)
            await process.wait()
    except TimeoutError:
        trouble = f"It took longer than {program.seconds:g} seconds and was ended."
    except _TooMuch:
        trouble = f"It wrote more than {MOST_OUTPUT >> 20} MiB and was ended."
    finally:
        feeding.cancel()
        await _end(process)
        done, _ = await asyncio.wait([errors], timeout=0.5)
        errors.cancel()
    if not trouble and (code := _exit_code(process, report)):
        trouble = _told(code)
    return Ended(said.text(), trouble, errors.result() if done else "")


class _TooMuch(Exception):
    """The program writes without end."""


class _Heard:
    """The beginning of what a program writes, and how much it was."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = bytearray()
        self._size = 0

    async def hear(self, process: asyncio.subprocess.Process) -> None:
        while process.stdout is not None and (chunk := await process.stdout.read(CHUNK)):
            self._size += len(chunk)
            if len(self._kept) < self._most:
                self._kept += chunk[: self._most - len(self._kept)]
            if self._size > MOST_OUTPUT:
                raise _TooMuch

    def text(self) -> str:
        text = plain_text(self._kept.decode(errors="replace"))
        cut = f"\n[cut: {self._size:,} bytes were written]" if self._size > self._most else ""
        return text + cut


def plain_text(text: str) -> str:
    """Return a text without what it tells a terminal, lines ending as usual."""
    return strip_controls(ESCAPES.sub("", text.replace("\r\n", "\n"))).strip()


async def _feed(process: asyncio.subprocess.Process, prompt: bytes) -> None:
    if process.stdin is None:
        return
    with contextlib.suppress(ConnectionError, OSError):  # not every program reads what it is told
        process.stdin.write(prompt)
        await process.stdin.drain()
    process.stdin.close()


async def _last_words(process: asyncio.subprocess.Process) -> str:
    kept = b""
    while process.stderr is not None and (chunk := await process.stderr.read(CHUNK)):
        kept = (kept + chunk)[-LAST_WORDS:]
    return on_one_line(plain_text(kept.decode(errors="replace")), 500)


def _exit_code(process: asyncio.subprocess.Process, report: int) -> int:
    """Return the program's own exit code; where none is reported, that of its process."""
    with contextlib.suppress(OSError, ValueError):
        return int(os.read(report, 20))
    return process.returncode or 0


def _told(code: int) -> str:
    if code >= 0:
        return f"It ended with exit code {code}."
    with contextlib.suppress(ValueError):
        return f"It was ended by {signal.Signals(-code).name}."
    return f"It was ended by signal {-code}."


@contextlib.asynccontextmanager
async def _started(program: Program) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Start the program and give it, and where its exit code will stand; end what is left of it."""
    pipe = asyncio.subprocess.PIPE
    how: dict[str, Any] = {"stdin": pipe, "stdout": pipe, "stderr": pipe}
    how |= {"cwd": program.folder, "env": _environment()}
    if os.name != "posix":
        command = [shutil.which(program.command[0]) or program.command[0], *program.command[1:]]
        process = await asyncio.create_subprocess_exec(*command, **how)
        try:
            yield process, -1
        finally:
            await _end(process)
        return
    # A process between ends the program even if this one is killed, and tells its exit code.
    with contextlib.ExitStack() as pipes:
        watched, _life = _pipe(pipes)
        reported, reporting = _pipe(pipes)
        command = [sys.executable, "-I", str(Path(limited_process.__file__))]
        process = await process_group.start_group(
            *(*command, str(watched), str(reporting), *program.command),
            pass_fds=(watched, reporting),
            **how,
        )
        os.set_blocking(reported, False)
        try:
            yield process, reported
        finally:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the program and all that it has started."""
    if os.name == "posix":
        process_group.end_group(process)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            process.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            # without reading what is left the end is never seen
            while process.stdout is not None and await process.stdout.read(CHUNK):
                pass
            await process.wait()


def _environment() -> dict[str, str]:
    """Return the environment of this process without Hearth's own variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")}


def _pipe(pipes: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        pipes.callback(os.close, end)
    return ends
