"""The `hearth` command in this process, and servers that it starts."""

import dataclasses
import os
import signal
from pathlib import Path

from click.testing import CliRunner, Result

from app import __main__ as program
from tests.support import ready_programs
from tests.support.ready_programs import Program

started: list[Program] = []


@dataclasses.dataclass
class Running:
    """A server process with its data directory, and what it said when it started."""

    process: Program
    data: Path
    said: str

    @property
    def url(self) -> str:
        return self.said.split()[3]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send the signal and give the exit code."""
        self.process.send_signal(number)
        return self.process.wait(20)


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")} | {
        "HEARTH_DURABILITY": "normal",
        **more,
    }


def start(data: Path, *options: str, **more: str) -> Running:
    """Start a server in a process of its own and wait until it has said its address.

    It is killed when the tests leave it.
    """
    command = ["serve", "--data", str(data), "--port", "0", *options]
    process = ready_programs.piped(command, environment(**more))
    started.append(process)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return Running(process, data, line)


def rest(server: Running) -> tuple[str, str]:
    """Give what an ended server said after its first line, on stdout and on stderr."""
    return server.process.communicate(timeout=20)


def hearth(*args: str, data: Path | None = None, sent: str | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(
        program.hearth,
        [*args, *(["--data", str(data)] if data else [])],
        input=sent,
        env={"HEARTH_DURABILITY": "normal"},
    )


def done(*args: str, data: Path | None = None, sent: str | None = None) -> str:
    """Give the standard output of a command that must succeed."""
    result = hearth(*args, data=data, sent=sent)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*args: str, data: Path | None = None, code: int = 1, sent: str | None = None) -> str:
    """Give the one line that a command which must be refused says."""
    result = hearth(*args, data=data, sent=sent)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("Error: ").rstrip("\n")
