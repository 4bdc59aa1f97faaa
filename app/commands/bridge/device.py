"""`hearth device`: the devices that act for a user, managed at the server's machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import data_option, read_settings
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.tables import json_option
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_option
from app.commands.user import choose_username

code_argument = click.argument("code", metavar="CODE")


@click.group(cls=Commands)
def device() -> None:
    """List, approve and remove devices that act for a user.

    Other machines pair with `hearth bridge pair`.
    """


@device.command(name="list")
@user_option
@json_option
@data_option
def list_(user: str | None, json_: bool, data: Path | None) -> None:
    """List a user's devices and whether they can be reached."""
    found = local_client(data, user).ask("list_endpoints")
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
@data_option
def approve(code: str, yes: bool, user: str | None, data: Path | None) -> None:
    """Let in the device that shows CODE, for a user."""
    settings = read_settings(data=data)
    username = choose_username(settings, user)
    asked = ask(settings, "read_device_code", userCode=code)
    click.echo("\n".join(_described(asked, username)), err=True)
    if not yes and not click.confirm("Let it in?", err=True):
        raise Refused("Nothing was decided.")
    _decide(data, username, code, "approve")
    click.echo("The device is let in.")


@device.command()
@code_argument
@user_option
@data_option
def deny(code: str, user: str | None, data: Path | None) -> None:
    """Turn away the device that shows CODE."""
    _decide(data, choose_username(read_settings(data=data), user), code, "deny")
    click.echo("The device is turned away.")


@device.command()
@click.argument("id_", metavar="ID")
@user_option
@data_option
def remove(id_: str, user: str | None, data: Path | None) -> None:
    """Remove a device: its token ends and its sessions close."""
    local_client(data, user).ask("remove_endpoint", id=id_)
    click.echo(f"Removed {on_one_line(id_, 64)}.")


def local_client(data: Path | None, user: str | None) -> LocalClient:
    """Return the voice of the user that was named, or of the only one there is."""
    settings = read_settings(data=data)
    return LocalClient(settings, choose_username(settings, user))


def _decide(data: Path | None, username: str, code: str, decision: str) -> None:
    local_client(data, username).ask("decide_device_code", userCode=code, decision=decision)


def _described(asked: dict[str, Any], username: str) -> Iterator[str]:
    name = asked["label"] or asked["deviceId"]
    yield f"Device:  {on_one_line(name, 100)} ({on_one_line(asked['deviceId'], 128)})"
    yield f"Runtime: {asked['runtime']}, {on_one_line(asked['adapterVersion'], 64)}"
    yield f"It may send and answer tasks for {username}, and nothing else."
