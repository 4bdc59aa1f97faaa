"""`hearth bridge`: this machine as a device that answers tasks."""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from app.commands.bridge.ask_owner import allow, approvals, deny, trust, trusted, untrust
from app.commands.bridge.client import Answered, Client
from app.commands.bridge.delegate import delegate, wait
from app.commands.bridge.grants import accept, decline, requests, revoke
from app.commands.bridge.home import Device, Home, home_option
from app.commands.bridge.key_option import key_option
from app.commands.bridge.registration import (
    ask_server,
    fresh_device,
    pair_by_code,
    pair_by_key,
    run,
)
from app.commands.bridge.run_bridge import Bridge, signals
from app.commands.bridge.run_program import Program, find_program
from app.commands.bridge.runtimes import Command, Echo
from app.commands.terminal.command_group import Commands, Misused
from app.commands.terminal.server_addresses import check_address, is_own_machine
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import strip_controls

MOST_ANSWER = 24 << 10
PLAIN = (
    "Warning: {host} is reached over plain HTTP, so anyone on the way can read the device's token. "
    "Use https:// where the network is not your own."
)


@click.group(cls=Commands)
def bridge() -> None:
    """Let this machine answer tasks from people you accept, and send them tasks.

    Pair it once with `hearth bridge pair`, then leave `hearth bridge run` running. It needs no
    database here: the server may be on another machine.
    """


@bridge.command()
@click.argument("address")
@click.option("--name", metavar="TEXT", help="Name of this machine [default: its host name].")
@key_option("Pair with a key instead of a code", default=None)
@home_option
def pair(address: str, name: str | None, key: str | None, home: Home) -> None:
    """Make this machine a device of yours at the Hearth server at ADDRESS.

    Prints a code for you to approve on a page of the server. The device may send and answer tasks
    for you, and nothing else.
    """
    server = check_address(address)
    if server.startswith("http://") and not is_own_machine(server):
        click.echo(PLAIN.format(host=urlsplit(server).hostname), err=True)
    device = fresh_device(home, server, name)
    with home.owned():
        if key is not None:
            paired = run(pair_by_key(home, device, key))
        else:
            paired = run(pair_by_code(home, device, _say))
    click.echo(f"Paired {paired.name} with {paired.server}, for {paired.username}.")


@bridge.command(name="run", context_settings={"ignore_unknown_options": True})
@click.option(
    "--adapter",
    type=click.Choice(("command", "echo")),
    default="command",
    show_default=True,
    help="What answers tasks: a program, or their own words.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which the program runs [default: this one].",
)
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=click.FloatRange(1, 86_400),
    default=600.0,
    show_default=True,
    help="How long one run may take.",
)
@click.argument("command", metavar="[-- COMMAND [ARGUMENT]...]", nargs=-1)
@home_option
def run_(
    adapter: str, folder: Path, time_limit: float, command: tuple[str, ...], home: Home
) -> None:
    """Wait for tasks and answer them, until Ctrl-C.

    COMMAND is any program that reads a task on standard input and writes the answer to standard
    output, such as `claude -p` or `codex exec -`. Each run waits for your yes, unless you trust
    who asks. --adapter echo runs nothing.
    """
    if bool(command) == (adapter == "echo"):
        raise Misused(
            "Name the program after --, such as `hearth bridge run -- claude -p`."
            if adapter == "command"
            else "--adapter echo takes no command."
        )
    if command:
        find_program(command)
    with home.owned():
        program = Program(command, folder.resolve(), time_limit, MOST_ANSWER)
        runtime = Command(program, _say) if command else Echo()
        work = Bridge(home, runtime, str(folder.resolve()), _say)
        asyncio.run(_serve(work))


@bridge.command()
@json_option
@home_option
def status(json_: bool, home: Home) -> None:
    """Show this device as the server sees it."""
    device = home.device()
    found = ask_server(device, "GET", "local-agent/endpoints")
    own = [one for one in found["endpoints"] if one["endpointId"] == device.endpoint_id]
    presence = own[0]["presence"] if own else "removed"
    with home.owned_if_free() as is_free:
        runs = not is_free
    if json_:
        shown: dict[str, Any] = {
            "name": device.name,
            "server": device.server,
            "username": device.username,
            "deviceId": device.device_id,
            "endpointId": device.endpoint_id,
            "presence": presence,
            "running": runs,
        }
        click.echo(format_json(shown))
        return
    click.echo(
        strip_controls(
            f"{device.name}, of {device.username} at {device.server}: {presence}. "
            f"The bridge {'runs' if runs else 'does not run'} here."
        )
    )


@bridge.command()
@home_option
def unpair(home: Home) -> None:
    """Remove this device at the server, and forget its token and journal."""
    device = home.device()
    with home.owned():
        run(_remove(device))
        home.forget()
    click.echo(f"Unpaired {device.name}.")


for one in (delegate, wait, requests, accept, decline, revoke):
    bridge.add_command(one)
for one in (approvals, allow, deny, trust, trusted, untrust):
    bridge.add_command(one)


async def _serve(work: Bridge) -> None:
    with signals(work.stop):
        await work.run(lambda: _say(f"{work.device.name} waits for tasks. Press Ctrl-C to end."))


async def _remove(device: Device) -> None:
    async with Client(device.server, device.token) as client:
        with contextlib.suppress(Answered):  # removed already
            await client.ask("DELETE", f"local-agent/endpoints/{device.endpoint_id}")


def _say(line: str) -> None:
    click.echo(strip_controls(line), err=True)
    sys.stderr.flush()
