"""A pseudo-terminal with the `hearth` command in it: what it shows, and typing into it."""

import contextlib
import os
import pty
import re
import select
import time
from collections.abc import Iterator

from tests.support import ready_programs
from tests.support.ready_programs import Program

IN_ITS_OWN = """
import fcntl, os, termios
from app.__main__ import main
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
main()
"""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
SECONDS = 60.0


class Terminal:
    """One command at work in a terminal of its own."""

    def __init__(self, process: Program, master: int) -> None:
        self.process = process
        self.raw = b""
        self._master = master
        self._read = 0

    @property
    def shown(self) -> str:
        """Everything that was shown so far, without colours and movements."""
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace"))

    def until(self, text: str) -> str:
        """Wait until `text` is shown after what was waited for before; give what came meanwhile."""
        until = time.monotonic() + SECONDS
        while text not in self.shown[self._read :]:
            assert time.monotonic() < until, f"{text!r} was not shown: {self.shown[self._read :]!r}"
            assert self._hear(), f"it ended before {text!r}: {self.shown[self._read :]!r}"
        began, self._read = self._read, self.shown.index(text, self._read) + len(text)
        return self.shown[began : self._read]

    def type(self, keys: str) -> None:
        """Press keys; `\\r` is Enter, `\\x03` Ctrl-C and `\\x04` Ctrl-D."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Wait for the end of the command and give its exit code."""
        until = time.monotonic() + SECONDS
        while self._hear() and time.monotonic() < until:
            pass
        return self.process.wait(SECONDS)

    def _hear(self) -> bool:
        if select.select([self._master], [], [], 0.5)[0]:
            try:
                heard = os.read(self._master, 1 << 16)
            except OSError:  # what Linux says when the other side is closed
                heard = b""
            self.raw += heard
            return bool(heard)
        return True


@contextlib.contextmanager
def terminal(*arguments: str, **environment: str) -> Iterator[Terminal]:
    """Run `hearth` with `arguments` in a terminal of its own for as long as the block runs."""
    master, slave = pty.openpty()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("HEARTH_") and name not in ("NO_COLOR", "COLUMNS")
    }
    settings = {
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "COLUMNS": "100",
        "LINES": "40",
        "HEARTH_DURABILITY": "normal",
    }
    process = ready_programs.start(
        list(arguments), kept | settings | environment, (slave, slave, slave), IN_ITS_OWN
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        process.kill()
        process.wait()
        os.close(master)
