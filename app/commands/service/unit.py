"""What a system's service is told: the command, where it runs and what it is given."""

import dataclasses
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from app.settings import PREFIX, Settings

DESCRIPTION = "Hearth, a home for notes, todos and an agent"


class Unit(NamedTuple):
    """The command of a service and its environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str]


class Manager(Protocol):
    """A system's manager of services."""

    def install(self, unit: Unit) -> Path:
        """Install the service, start it, and return the file that describes it."""

    def remove(self) -> bool:
        """Stop and remove the service; return whether it was there."""

    def status(self) -> str | None:
        """Return a word on how the service stands; None where it is not installed."""

    def text(self, unit: Unit) -> str:
        """Return what the file says that describes the service."""


def own_unit(data: Path, *, port: int | None) -> Unit:
    """Return the service of this very program over a data directory.

    Its environment has the settings that are set now, but no secrets.
    """
    words = [*own_command(), "serve", "--no-open", "--data", str(data)]
    return Unit(tuple(words if port is None else [*words, "--port", str(port)]), _settings_set())


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
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(PREFIX) and name not in secret and name != f"{PREFIX}DATA"
    }
