"""`hearth init`, `migrate` and `settings`: what is done before and between runs of the server."""

import dataclasses
from typing import Any

import click

from app.commands.ask.ask_operation import ask_anew
from app.commands.ask.data_directory import bring_up_to_date
from app.commands.ask.locate_data import data_directory, read_settings, settings_option
from app.commands.server.first_start import first_key_lines, username_for
from app.settings import PREFIX, Settings


@click.command()
@settings_option
@click.option(
    "--user", metavar="NAME", help="Username of the first user [default: your login name]."
)
def init(settings: Settings, user: str | None) -> None:
    """Create the database, the first user and an API key.

    The key is the last line of the output. If there is a user already, nothing changes.
    """
    first = ask_anew(settings, "begin_server", username=username_for(user))
    if first["secret"] is None:
        click.echo(
            f"{data_directory(settings)} is already set up. "
            "`hearth key create` creates another key.",
            err=True,
        )
    else:
        click.echo(first_key_lines(first["username"], first["secret"]))


@click.command(name="migrate")
@settings_option
def migrate_(settings: Settings) -> None:
    """Update the database to this version of Hearth.

    The server and all other commands do this themselves when they open it.
    """
    steps = bring_up_to_date(settings)
    click.echo("\n".join(f"Done: {step}" for step in steps) or "The database is up to date.")


@click.command(name="settings")
def settings_() -> None:
    """List all settings with their defaults and current values.

    Settings are environment variables. Append _FILE to a name to read the value from a file.
    """
    now = read_settings()
    for field in dataclasses.fields(Settings):
        value = getattr(now, field.name)
        shown = "set" if field.metadata["secret"] else _value_text(value)  # screens are shared
        state = f"default {_value_text(field.default)}" + (
            f", now {shown}" if value != field.default else ""
        )
        click.echo(f"{PREFIX}{field.name.upper()} ({state})\n    {field.metadata['help']}")


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)
