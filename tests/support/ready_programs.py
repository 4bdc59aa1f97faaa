"""Programs that are there at once: copies of a process that has imported Hearth already.

Most of what `hearth serve` takes to start, a third of a second of a processor, are imports. Tests
that need a real process, to kill it or to fill its disk, but not a fresh Python, start it here.
What a program imports by itself, and when, only a fresh Python shows.
"""

import array
import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from app.__main__ import COMMANDS
from app.__main__ import main as hearth
from tests.support import ready_program
from tests.support.ready_program import NUMBER, ask, number, whole

ROOT = Path(__file__).parents[2]
IMPORTED = (
    *("app.main", "app.commands.server.http_server", "uvloop", "apscheduler.schedulers.asyncio"),
    *("httpx2", "anyio._backends._asyncio", "h11", "idna", "truststore", "stringprep"),
    *("app.commands.operations.noun_group", "app.agent.rules.rules_loop", "app.vault.enrol"),
    *("app.interfaces.mcp.hearth_endpoint", "app.interfaces.mcp.byte_stream"),
    *("app.commands.chat.chat_session", "rich.markdown"),
    *{place.partition(":")[0] for place in COMMANDS.values()},
)
SOCKET = "programs"


class Program:
    """A running copy, with what tests use of `subprocess.Popen`."""

    def __init__(
        self, link: socket.socket, stdout: IO[str] | None = None, stderr: IO[str] | None = None
    ) -> None:
        self._link = link
        self.pid = number(link)
        self.returncode: int | None = None
        self.stdout, self.stderr = stdout, stderr

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its exit code; raise TimeoutExpired where it is too long."""
        if self.returncode is None:
            if not select.select([self._link], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("hearth", timeout or 0)
            self.returncode = number(self._link)
            self._link.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end and return what it said on both streams."""
        assert self.stdout is not None
        assert self.stderr is not None
        self.wait(timeout)
        with self.stdout, self.stderr:
            return self.stdout.read(), self.stderr.read()

    def send_signal(self, which: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, which)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a crash does."""
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """End it where it still runs, and leave what it said unread."""
        self.kill()
        self.wait(20)
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def start(
    arguments: list[str],
    environment: Mapping[str, str],
    files: tuple[int, int, int],
    script: str = "",
) -> Program:
    """Start `hearth`, or a script in its place, with these arguments.

    `files` are its input, output and errors.
    """
    return Program(ask(str(address()), arguments, environment, str(ROOT), files, script))


def command() -> list[str]:
    """Return the words that run `hearth` from a shell or another program."""
    return [sys.executable, "-I", "-S", ready_program.__file__, str(address())]


def piped(arguments: list[str], environment: Mapping[str, str]) -> Program:
    """Start `hearth` with these arguments, and take what it says."""
    (stdout, its_stdout), (stderr, its_stderr) = os.pipe(), os.pipe()
    with Path(os.devnull).open("rb") as nothing:
        files = nothing.fileno(), its_stdout, its_stderr
        link = ask(str(address()), arguments, environment, str(ROOT), files)
    os.close(its_stdout)
    os.close(its_stderr)
    streams = [os.fdopen(each, encoding="utf-8", errors="replace") for each in (stdout, stderr)]
    return Program(link, *streams)


class Done(NamedTuple):
    """What came of a command: its exit code, its output and its errors."""

    code: int
    said: str
    complained: str


def run(arguments: list[str], *, timeout: float, script: str = "", **environment: str) -> Done:
    """Run `hearth`, or a script in its place, with these arguments to its end."""
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as complained,
    ):
        files = nothing.fileno(), said.fileno(), complained.fileno()
        program = start(arguments, {**os.environ, **environment}, files, script)
        try:
            program.wait(timeout)
        finally:
            program.kill()
        texts = []
        for file in (said, complained):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return Done(program.wait(), *texts)


@functools.cache
def address() -> Path:
    """Return where copies are asked for; the first who asks starts the process that they copy."""
    folder = Path(tempfile.mkdtemp(prefix="hearth-tests-"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.ready_programs", str(folder / SOCKET)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()

    def end() -> None:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)
        shutil.rmtree(folder)

    atexit.register(end)
    return folder / SOCKET


def main() -> None:
    """Import, then make copies until nobody is there any more who asks for one."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    print("ready", flush=True)  # noqa: T201 - it is waited for
    while True:
        readable, _, _ = select.select([listener, sys.stdin], [], [], 1.0)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        if sys.stdin in readable:
            return
        if listener in readable:
            link, _ = listener.accept()
            # a process of its own waits for the program and tells how it ended
            if os.fork() == 0:
                listener.close()
                _keep(link)
            link.close()


def _keep(link: socket.socket) -> NoReturn:
    """Start what is asked for, and tell its number and how it ended.

    It ends with whoever asked for it.
    """
    size, ancillary, _, _ = link.recvmsg(NUMBER, socket.CMSG_SPACE(3 * 4))
    files = array.array("i", ancillary[0][2])
    asked = json.loads(whole(link, int.from_bytes(size, "big")))
    child = os.fork()
    if child == 0:
        link.close()
        _become(asked, files)
    for file in files:
        os.close(file)
    code = 0
    with contextlib.suppress(OSError):
        link.sendall(child.to_bytes(NUMBER, "big", signed=True))
        threading.Thread(target=_end_with, args=(link, child), daemon=True).start()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        link.sendall(code.to_bytes(NUMBER, "big", signed=True))
    os._exit(0)


def _end_with(link: socket.socket, child: int) -> None:
    if not link.recv(1):
        # whoever asked for it also leaves once it has ended
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _become(asked: dict[str, Any], files: "array.array[int]") -> NoReturn:
    """Run the command as a fresh process does, and leave with its exit code."""
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    # those of the process that is copied may have taken something in already
    sys.stdin, sys.stdout, sys.stderr = (
        open(place, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        for place, mode in enumerate("rww")
    )
    # even where the tests were started to ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["folder"])
    sys.argv = ["hearth", *asked["arguments"]]
    code = 1
    try:
        if asked["script"]:
            exec(asked["script"], {"__name__": "__main__"})  # what a test would give to Python
        else:
            hearth()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    # as Python ends a process, in its order
    for last in (threading._shutdown, atexit._run_exitfuncs, sys.stdout.flush, sys.stderr.flush):  # type: ignore[attr-defined]
        with contextlib.suppress(Exception):
            last()
    os._exit(code)


if __name__ == "__main__":
    main()
