"""The first start of a server: its first user, their key, and the link that signs a browser in."""

import getpass
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from app.commands.terminal.browser import can_open_browser, sign_in_link
from app.core.caller import OPERATOR
from app.core.database import data_dir

if TYPE_CHECKING:
    from app.core.app import App


class FirstStart(NamedTuple):
    """Who the first user is to be, whether somebody chose that name, and whether the browser may
    be opened.
    """

    username: str
    named: bool = False
    opens: bool = False


def username_for(given: str | None) -> str:
    """Return the name of the first user: as said, else the login name made to fit."""
    if given is not None:
        return given
    from app.account.users import fit_username

    try:
        return fit_username(getpass.getuser())
    except (OSError, KeyError, ImportError):  # a system that has no name for whoever runs this
        return fit_username("")


def first_key_lines(username: str, secret: str) -> str:
    """Return what is said about the first key, the key itself left to the last line."""
    return f'API key for the user "{username}". Save it now: it is not shown again.\n\n{secret}'


async def welcome(parts: "App", path: Path, url: str, made: Any, *, opens: bool) -> str:
    """Return what tells the first user the key and, where a person reads, the link that signs a
    browser in; elsewhere the key is in its file then.
    """
    if not _is_read_by_person():
        told = _keep_first_key(path, made.username, made.secret)
        return f"\n{told} `hearth open` signs a browser in.\n"
    code = await parts.call(OPERATOR, "make_sign_in_code", {"username": made.username})
    link = sign_in_link(url, code.code)
    if opens and can_open_browser():
        import webbrowser

        # beside the server, for which it may not wait
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    return (
        f"\nThis link signs a browser in, once and within ten minutes:\n{link}\n\n"
        f"{first_key_lines(made.username, made.secret)}\n"
    )


async def warn_of_other_name(parts: "App", username: str) -> None:
    """Say that --user made nobody, where there are users already and none of that name."""
    names = [one.username for one in (await parts.call(OPERATOR, "list_users", {})).users]
    if username.strip().lower() not in names:
        click.echo(
            f"There is a user already, {names[0]}, and --user is for the first start alone. "
            f"`hearth user rename {names[0]} {username}` gives that user another name, "
            f"`hearth user add {username}` adds one.",
            err=True,
        )


def _is_read_by_person() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _keep_first_key(path: Path, username: str, secret: str) -> str:
    """Write the first key to a file, and return what is said about it."""
    # A log (journald, docker) keeps what it is told for ever and shows it to others.
    file = path / data_dir.FIRST_KEY
    try:
        with os.fdopen(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii"
        ) as out:
            out.write(f"{secret}\n")
    except OSError as error:
        return (
            f"The API key could not be written to {file}: {error.strerror}. To create another, "
            f"run `hearth key create --user {username}`."
        )
    return (
        f'The API key for the user "{username}" is in {file}. Save it elsewhere and delete the '
        "file."
    )
