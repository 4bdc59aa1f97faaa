"""`hearth device`: the devices that act for a user, managed at the server's machine."""

from collections.abc import Iterator
from typing import Any

import click

from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import choose_username
from app.settings import Settings

code_argument = click.argument("code", metavar="CODE")


@click.group(cls=Commands)
def device() -> None:
    """List, approve and remove devices that act for a user.

    Other machines pair with `hearth bridge pair`.
    """


@device.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List a user's devices and whether they can be reached."""
    found = local_client(settings, user).ask("list_endpoints")
    head = ("ID", "DEVICE", "RUNTIME", "STATE", "LAST SEEN")
    rows = [
        (
            one["endpointId"],
            one["deviceId"],
            f"{one['runtime']} {one['adapterVersion']}",
            one["presence"],
            one["lastSeenAt"][:16].replace("T", " "),
        )
        for one in found["endpoints"]
    ]
    print_table(found, head, rows, json_=json_)


@device.command()
@code_argument
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@user_option
@settings_option
def approve(code: str, yes: bool, user: str | None, settings: Settings) -> None:
    """Let in the device that shows CODE, for a user."""
    username = choose_username(settings, user)
    asked = ask(settings, "read_device_code", userCode=code)
    click.echo("\n".join(_described(asked, username)), err=True)
    if not yes and not click.confirm("Let it in?", err=True):
        raise Refused("Nothing was decided.")
    _decide(settings, username, code, "approve")
    click.echo("The device is let in.")


@device.command()
@code_argument
@user_option
@settings_option
def deny(code: str, user: str | None, settings: Settings) -> None:
    """Turn away the device that shows CODE."""
    _decide(settings, choose_username(settings, user), code, "deny")
    click.echo("The device is turned away.")


@device.command()
@click.argument("id_", metavar="ID")
@user_option
@settings_option
def remove(id_: str, user: str | None, settings: Settings) -> None:
    """Remove a device: its token ends and its sessions close."""
    local_client(settings, user).ask("remove_endpoint", id=id_)
    click.echo(f"Removed {on_one_line(id_, 64)}.")


def local_client(settings: Settings, user: str | None) -> LocalClient:
    """Return the voice of the user that was named, or of the only one there is."""
    return LocalClient(settings, choose_username(settings, user))


def _decide(settings: Settings, username: str, code: str, decision: str) -> None:
    local_client(settings, username).ask("decide_device_code", userCode=code, decision=decision)


def _described(asked: dict[str, Any], username: str) -> Iterator[str]:
    name = asked["label"] or asked["deviceId"]
    yield f"Device:  {on_one_line(name, 100)} ({on_one_line(asked['deviceId'], 128)})"
    yield f"Runtime: {asked['runtime']}, {on_one_line(asked['adapterVersion'], 64)}"
    yield f"It may send and answer tasks for {username}, and nothing else."
