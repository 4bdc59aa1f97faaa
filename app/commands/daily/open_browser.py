"""`hearth open` and `hearth login`: a browser that is signed in, by a code that works once."""

import webbrowser

import click

from app.commands.ask.door import open_door
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.browser import can_open_browser, sign_in_link
from app.commands.terminal.columns import local_moment
from app.commands.terminal.command_group import Refused
from app.commands.terminal.user_options import user_option
from app.settings import Settings


@click.command(name="open", epilog="\b\nExample:\n  hearth open")
@click.option("--print", "prints", is_flag=True, help="Print the address instead of opening it.")
@user_option
@settings_option
def open_(prints: bool, user: str | None, settings: Settings) -> None:
    """Open Hearth in the browser, signed in."""
    link, until, username = _new_link(user, settings, None)
    if not prints and can_open_browser() and webbrowser.open(link):
        click.echo(f"Opened Hearth in the browser, for {username}.", err=True)
        return
    _print_link(link, until, username)


@click.command(epilog="\b\nExample:\n  hearth login --origin https://hearth.example.org")
@click.option(
    "--origin",
    metavar="ADDRESS",
    help="Address at which the browser reaches this server "
    "[default: HEARTH_PUBLIC_URL, or where it listens].",
)
@user_option
@settings_option
def login(origin: str | None, user: str | None, settings: Settings) -> None:
    """Print a link that signs another browser in, once and within ten minutes."""
    _print_link(*_new_link(user, settings, origin))


def _new_link(user: str | None, settings: Settings, origin: str | None) -> tuple[str, str, str]:
    """Return a new link, until when it works, and for whom."""
    with open_door(settings) as door:
        if door.url is None:
            raise Refused("The server is not running. Start it with `hearth serve`.")
        username = door.choose_user(user)
        made = door.ask("make_sign_in_code", username=username)
    place = origin or settings.public_url or door.url
    return sign_in_link(place, made["code"]), made["expiresAt"], username


def _print_link(link: str, until: str, username: str) -> None:
    click.echo(f"Signs {username} in, once and until {local_moment(until)[-5:]}:", err=True)
    click.echo(link)
