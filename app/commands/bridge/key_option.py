"""The option that names a key of the user's: of an environment variable, a file, or typed."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from app.commands.terminal.secret_source import read_secret

F = TypeVar("F", bound=Callable[..., Any])
OPTION = "--key-from"


def key_option(purpose: str, *, default: str | None) -> Callable[[F], F]:
    """Return a decorator that gives a command a key, read from where the option says."""
    return click.option(
        OPTION,
        "key",
        metavar="SOURCE",
        default=default,
        show_default=default is not None,
        callback=lambda _ctx, _param, source: source and read_secret(source, OPTION, "key"),
        help=f"{purpose}: env:VARIABLE, file:/PATH, or - to read it now.",
    )
