"""`hearth user`: the people whom this server serves."""

from typing import Any

import click

from app.commands.ask.ask_operation import ask, ask_anew
from app.commands.ask.door import ANSWER_SECONDS, open_door
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.tables import json_option
from app.settings import Settings


@click.group(cls=Commands)
def user() -> None:
    """Manage users."""


@user.command()
@click.argument("username", metavar="NAME")
@click.option("--name", metavar="TEXT", help="Full name [default: the username].")
@settings_option
def add(username: str, name: str | None, settings: Settings) -> None:
    """Add a user with an empty workspace."""
    added = ask_anew(settings, "add_user", username=username, name=name)["user"]["username"]
    ask(settings, "init_user", username=added)
    click.echo(f"Added {added}. Create an API key with `hearth key create --user {added}`.")


@user.command(name="list")
@json_option
@settings_option
def list_(json_: bool, settings: Settings) -> None:
    """List the users, oldest first."""
    found = ask(settings, "list_users")
    rows = ((row["username"], row["name"], row["createdAt"][:10]) for row in found["users"])
    print_table(found, ("USER", "NAME", "SINCE"), rows, json_=json_)


@user.command()
@click.argument("old")
@click.argument("new")
@settings_option
def rename(old: str, new: str, settings: Settings) -> None:
    """Change a username; keys and notes are kept."""
    renamed = ask(settings, "rename_user", username=old, to=new)["user"]["username"]
    click.echo(f"Renamed {old} to {renamed}.")


@user.command()
@click.argument("username", metavar="NAME")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@settings_option
def delete(username: str, yes: bool, settings: Settings) -> None:
    """Delete a user permanently, with all notes, todos and keys."""
    # Looked for first: nobody should have to type the confirmation for a name that is wrong.
    if username.strip().lower() not in list_usernames(ask(settings, "list_users")):
        raise Refused(f"There is no user called {username}.")
    if not yes:
        click.echo(
            f"This permanently deletes {username}: notes, snapshots, todos, trash and keys. "
            "It cannot be undone.",
            err=True,
        )
        if click.prompt("Type the username to confirm", err=True) != username:
            raise Refused("The name does not match. Nothing was deleted.")
    notes = ask(settings, "delete_user", username=username)["notes"]
    click.echo(f"Deleted {username} with {notes} {'note' if notes == 1 else 'notes'}.")


@user.command()
@click.argument("username", metavar="NAME")
@click.argument("other")
@settings_option
def connect(username: str, other: str, settings: Settings) -> None:
    """Make two users contacts, so that they can share folders."""
    made = ask(settings, "connect_users", username=username, contact=other)
    click.echo(f"{made['username']} and {made['contact']} are now contacts.")


@user.command()
@click.argument("username", metavar="NAME")
@settings_option
def code(username: str, settings: Settings) -> None:
    """Print a sign-in code.

    It signs the user in on a page of this server, once and within ten minutes. Only the code
    goes to standard output.
    """
    made = ask(settings, "make_sign_in_code", username=username)
    click.echo(
        f"{username} signs in with this code, once and until {made['expiresAt'][11:16]} UTC.",
        err=True,
    )
    click.echo(made["code"])


@user.command(name="sign-out")
@click.argument("username", metavar="NAME")
@settings_option
def sign_out(username: str, settings: Settings) -> None:
    """End every web session of a user."""
    ended = ask(settings, "end_sessions", username=username)["sessions"]
    click.echo(f"Ended {ended} {'session' if ended == 1 else 'sessions'} of {username}.")


def list_usernames(found: dict[str, list[dict[str, str]]]) -> list[str]:
    """Return the usernames in the answer of list_users."""
    return [row["username"] for row in found["users"]]


def ask_about_user(settings: Settings, user: str | None, name: str, /, **params: Any) -> Any:
    """Run an operation about the user that was named, or about the only one there is."""
    return ask(settings, name, username=choose_username(settings, user), **params)


def choose_username(settings: Settings, user: str | None) -> str:
    """Return the username that was given, or the only one that there is."""
    if user is not None:
        return user
    with open_door(settings, seconds=ANSWER_SECONDS) as door:
        return door.choose_user(None)
