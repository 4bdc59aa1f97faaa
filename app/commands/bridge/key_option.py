"""The option that names a key of the user's: of an environment variable, a file, or typed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.terminal.command_group import Misused

F = TypeVar("F", bound=Callable[..., Any])
LONGEST = 8_192


def key_option(purpose: str, *, default: str | None) -> Callable[[F], F]:
    """Return a decorator that gives a command a key, read from where the option says."""
    return click.option(
        "--key-from",
        "key",
        metavar="SOURCE",
        default=default,
        show_default=default is not None,
        callback=lambda _ctx, _param, source: None if source is None else read_key(source),
        help=f"{purpose}: env:VARIABLE, file:/PATH, or - to read it now.",
    )


def read_key(source: str) -> str:
    """Return the key that a source names; raise Misused."""
    kind, _, where = source.partition(":")
    try:
        if source == "-":
            found = (
                click.prompt("Key", hide_input=True, err=True)
                if sys.stdin.isatty()
                else sys.stdin.readline()
            )
        elif kind == "env":
            found = os.environ.get(where, "")
        elif kind == "file":
            with Path(where).open(encoding="utf-8") as file:
                found = file.read(LONGEST)
        else:
            raise Misused("--key-from needs env:VARIABLE, file:/PATH or -.")
    except (OSError, UnicodeDecodeError):
        found = ""
    key = str(found).strip()
    if not key or not key.isascii() or not key.isprintable():
        raise Misused(f"There is no key at {source}.")
    return key
