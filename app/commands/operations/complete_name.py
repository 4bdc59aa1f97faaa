"""Titles that a shell completes as somebody types, while a server runs that knows them."""

import os

import click
from click.shell_completion import CompletionItem

from app.commands.ask.door import Door, connect_to_server
from app.commands.ask.locate_data import data_directory, read_settings
from app.commands.operations.resolve_name import list_names
from app.commands.terminal.terminal_safe import strip_controls

SECONDS = 2
MOST = 50
UNQUOTED = "/._-+@:,=%"


def complete_name(ctx: click.Context, kind: str, typed: str) -> list[CompletionItem]:
    """Return the things of a kind whose title begins with what was typed; none where nobody
    knows.
    """
    try:
        settings = read_settings(data=ctx.params.get("data"))
        served = connect_to_server(data_directory(settings), seconds=SECONDS)
        if served is None:  # opening the database takes longer than somebody waits for a key
            return []
        with served:
            door = Door(settings, served, served.url)
            username = door.choose_user(ctx.params.get("user"))
            names = list_names(door, username, kind, typed)
    except (click.ClickException, ValueError):
        return []
    begins = typed.casefold()
    return [
        CompletionItem(_quoted(strip_controls(name)))
        for name in dict.fromkeys(names)
        if name.casefold().startswith(begins) and "\n" not in name
    ][:MOST]


def _quoted(name: str) -> str:
    """Return a name as the shell must have it: bash takes it as it is given."""
    if not os.environ.get("_HEARTH_COMPLETE", "").startswith("bash"):
        return name
    return "".join(mark if mark.isalnum() or mark in UNQUOTED else f"\\{mark}" for mark in name)
