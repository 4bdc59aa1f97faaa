"""`hearth key`: the API keys of the users."""

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands
from app.commands.terminal.key_text import COLUMNS, key_options, key_row, show_new_key
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import ask_about_user, choose_username
from app.settings import Settings


@click.group(cls=Commands)
def key() -> None:
    """Create, list and revoke API keys."""


@key.command()
@user_option
@key_options("all")
@settings_option
def create(
    user: str | None, label: str, scopes: tuple[str, ...], expires: str, settings: Settings
) -> None:
    """Create a key and show it once.

    Only the key goes to standard output.
    """
    username = choose_username(settings, user)
    made = ask(
        settings,
        "issue_key",
        username=username,
        name=label,
        scopes=list(scopes) or None,
        expiresIn=expires,
    )
    show_new_key(made, username)


@key.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List a user's keys, newest first. Secrets are not stored."""
    found = ask_about_user(settings, user, "user_keys")
    print_table(found, COLUMNS, map(key_row, found["keys"]), json_=json_)


@key.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1))
@settings_option
def revoke(id_: int, settings: Settings) -> None:
    """Revoke a key immediately."""
    ask(settings, "end_key", id=id_)
    click.echo(f"Revoked key {id_}.")
