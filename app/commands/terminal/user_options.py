"""The options of commands that act for a user."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from app.commands.ask.locate_data import settings_option
from app.commands.terminal.tables import json_option

F = TypeVar("F", bound=Callable[..., Any])
user_option = click.option(
    "--user", metavar="NAME", help="Username; optional if there is only one user."
)


def user_options(command: F) -> F:
    """Return a command the options --user, --json and --data."""
    return user_option(json_option(settings_option(command)))
