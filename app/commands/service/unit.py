"""What a system's service is told: the command, where it runs and what it is given."""

import dataclasses
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from app.commands.ask.locate_data import CHECKOUT, in_checkout
from app.settings import PREFIX, Settings

PLACES = {
    f"{PREFIX}{field.name.upper()}"
    for field in dataclasses.fields(Settings)
    if field.type in (Path | None, "Path | None")
}
"""Settings that name a place on the disk."""
DESCRIPTION = "Hearth, a home for notes, todos and an agent"


class Unit(NamedTuple):
    """The command of a service and its environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str]

    @property
    def data(self) -> str:
        """The data directory that the command names."""
        return self.command[self.command.index("--data") + 1]


class Manager(Protocol):
    """A system's manager of services."""

    def install(self, unit: Unit) -> Path:
        """Install the service, start it, and return the file that describes it."""

    def remove(self) -> bool:
        """Stop and remove the service; return whether it was there."""

    def status(self) -> str | None:
        """Return a word on how the service stands; None where it is not installed."""

    def program(self) -> Path | None:
        """Return the program that the installed service runs; None where nobody can tell."""

    def text(self, unit: Unit) -> str:
        """Return what the file says that describes the service."""


def own_unit(data: Path, *, port: int | None) -> Unit:
    """Return the service of this very program over a data directory.

    Its environment has the settings that are set now, but no secrets.
    """
    words = [*own_command(), "serve", "--no-open", "--data", str(data)]
    if port is not None:
        words += ["--port", str(port)]
    # what runs as a module of a checkout is found only from there
    found = {"PYTHONPATH": str(CHECKOUT)} if "-m" in own_command() and in_checkout() else {}
    return Unit(tuple(words), found | _settings_set())


def own_command() -> tuple[str, ...]:
    """Return how this program is run: by its own file, or as a module of this Python."""
    program = Path(sys.argv[0])
    if program.stem == "hearth" and program.is_absolute() and program.exists():
        return (str(program),)
    beside = Path(sys.executable).with_name("hearth.exe" if os.name == "nt" else "hearth")
    return (str(beside),) if beside.exists() else (sys.executable, "-m", "app")


def _settings_set() -> dict[str, str]:
    """Return the settings that are set, without secrets, and where programs are found, which
    services of POSIX systems are not told.
    """
    secret = {
        f"{PREFIX}{field.name.upper()}"
        for field in dataclasses.fields(Settings)
        if field.metadata["secret"]
    }
    path = {"PATH": os.environ["PATH"]} if os.name == "posix" and "PATH" in os.environ else {}
    return path | {
        name: _absolute(name, value)
        for name, value in sorted(os.environ.items())
        if name.startswith(PREFIX) and name not in secret and name != f"{PREFIX}DATA"
    }


def _absolute(name: str, value: str) -> str:
    """Return a setting for a service, which is started in another folder than this one."""
    of_file = name.endswith("_FILE") or name in PLACES
    return os.path.abspath(Path(value).expanduser()) if of_file and value else value  # noqa: PTH100 - keeps links
