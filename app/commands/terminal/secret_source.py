"""Secrets that a command is not given as words, which others could see, but told where to find."""

import os
import sys
from pathlib import Path

import click

from app.commands.terminal.command_group import Misused

LONGEST = 8_192


def read_secret(source: str, option: str, what: str) -> str:
    """Return the secret that `env:VARIABLE`, `file:/PATH` or `-` (typed now) names.

    Raise Misused, with the option and what it should name.
    """
    kind, _, where = source.partition(":")
    try:
        if source == "-":
            found = (
                click.prompt(what.capitalize(), hide_input=True, err=True)
                if sys.stdin.isatty()
                else sys.stdin.readline()
            )
        elif kind == "env":
            found = os.environ.get(where, "")
        elif kind == "file":
            with Path(where).open(encoding="utf-8") as file:
                found = file.read(LONGEST)
        else:
            raise Misused(f"{option} needs env:VARIABLE, file:/PATH or -.")
    except (OSError, UnicodeDecodeError):
        found = ""
    secret = str(found).strip()
    if not secret or not secret.isascii() or not secret.isprintable():
        raise Misused(f"There is no {what} at {source}.")
    return secret
