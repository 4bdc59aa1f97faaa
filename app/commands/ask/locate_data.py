"""Which settings and which data directory a command works with.

Light, because every command needs it and most need little else.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from app.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
CHECKOUT = Path(__file__).resolve().parents[3]


def data_option(command: F) -> F:
    """Return a command the option that names the data directory."""
    return _data_option(command, "data")


def settings_option(command: F) -> F:
    """Return a command the same option, which gives it the settings with that directory."""

    def read(_: click.Context, __: click.Parameter, data: Path | None) -> Settings:
        return read_settings(data=data)

    return _data_option(command, "settings", callback=read)


def read_settings(**given: Any) -> Settings:
    """Return the settings of the environment with `given`, what the command line said, on top."""
    return Settings.from_environment(os.environ, **given)


def data_directory(settings: Settings) -> Path:
    """Return the data directory: the one that was named, else `data` in the checkout, else the
    system's place for a user's data.
    """
    return (settings.data or _default_directory()).expanduser().absolute()


def in_checkout() -> bool:
    """Return whether this program runs from a checkout of its source."""
    return (CHECKOUT / "pyproject.toml").is_file()


def _default_directory() -> Path:
    if in_checkout():
        return CHECKOUT / "data"
    import platformdirs  # only where it is needed: a start in a checkout is faster without

    return platformdirs.user_data_path("hearth", appauthor=False)


def _data_option(command: F, name: str, **more: Any) -> F:
    return click.option(
        "--data",
        name,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="Data directory [default: HEARTH_DATA, or the standard location].",
        **more,
    )(command)
