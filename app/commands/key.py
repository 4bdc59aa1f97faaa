"""`hearth key`: the API keys of the users."""

from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.data_directory import data_option, read_settings
from app.commands.terminal.command_group import Commands
from app.commands.terminal.tables import json_option, print_table
from app.commands.user import ask_about_user, choose_username, user_option

LIVES = ("1h", "24h", "7d", "30d", "90d", "1y", "never")


@click.group(cls=Commands)
def key() -> None:
    """Create, list and revoke API keys."""


@key.command()
@user_option
@click.option(
    "--label", metavar="TEXT", default="command line", show_default=True, help="Label of the key."
)
@click.option(
    "--scope",
    "scopes",
    metavar="SCOPE",
    multiple=True,
    help="Scope to grant, such as os.notes:read; repeatable [default: all].",
)
@click.option(
    "--expires",
    type=click.Choice(LIVES),
    default="never",
    show_default=True,
    help="When the key expires.",
)
@data_option
def create(
    user: str | None, label: str, scopes: tuple[str, ...], expires: str, data: Path | None
) -> None:
    """Create a key and show it once.

    Only the key goes to standard output.
    """
    settings = read_settings(data=data)
    username = choose_username(settings, user)
    made = ask(
        settings,
        "issue_key",
        username=username,
        name=label,
        scopes=list(scopes) or None,
        expiresIn=expires,
    )
    # To stderr, so that the output of the command is the key and can be put into a file.
    click.echo(
        f'Key {made["key"]["id"]}, "{made["key"]["name"]}", of {username}. Keep it '
        "now: it is not shown again.",
        err=True,
    )
    click.echo(made["secret"])


@key.command(name="list")
@user_option
@json_option
@data_option
def list_(user: str | None, json_: bool, data: Path | None) -> None:
    """List a user's keys, newest first. Secrets are not stored."""
    found = ask_about_user(data, user, "user_keys")
    head = ("ID", "LABEL", "KEY", "SCOPES", "CREATED", "LAST USED", "EXPIRES")
    print_table(found, head, map(_table_row, found["keys"]), json_=json_)


@key.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1))
@data_option
def revoke(id_: int, data: Path | None) -> None:
    """Revoke a key immediately."""
    ask(read_settings(data=data), "end_key", id=id_)
    click.echo(f"Revoked key {id_}.")


def _table_row(found: dict[str, Any]) -> tuple[str, ...]:
    ends = (
        f"revoked {found['revokedAt'][:10]}"
        if found["revokedAt"]
        else (found["expiresAt"] or "never")[:16]
    )
    used = (found["lastUsedAt"] or "never")[:16]
    secret = f"{found['prefix']}…{found['last4']}"
    return (
        str(found["id"]),
        found["name"],
        secret,
        " ".join(found["scopes"]),
        found["createdAt"][:10],
        used.replace("T", " "),
        ends.replace("T", " "),
    )
