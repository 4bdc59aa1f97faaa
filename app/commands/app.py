"""`hearth app`: the applications that users have let in."""

from typing import Any

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_columns
from app.commands.terminal.command_group import Commands
from app.commands.terminal.tables import format_json
from app.commands.terminal.user_options import user_options
from app.commands.user import choose_username
from app.settings import Settings


@click.group(cls=Commands)
def app() -> None:
    """List and disconnect the applications that act for a user."""


@app.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List a user's connected applications, newest first."""
    found = ask(settings, "user_grants", username=choose_username(settings, user))
    if json_:
        click.echo(format_json(found))
    elif not found["grants"]:
        click.echo("No application is connected.")
    else:
        head = ("ID", "APPLICATION", "SCOPES", "SINCE", "LAST USED")
        print_columns(head, map(_table_row, found["grants"]))


@app.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1))
@settings_option
def remove(id_: int, settings: Settings) -> None:
    """Disconnect an application immediately."""
    ended = ask(settings, "end_grant", id=id_)
    click.echo(f"Disconnected {ended['clientName']}.")


def _table_row(found: dict[str, Any]) -> tuple[str, ...]:
    used = (found["lastUsedAt"] or "never")[:16]
    return (
        str(found["id"]),
        found["clientName"],
        " ".join(found["scopes"]),
        found["createdAt"][:10],
        used.replace("T", " "),
    )
