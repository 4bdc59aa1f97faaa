"""`hearth bridge requests` and its like: who may send tasks to this person's devices."""

import time
from typing import Any

import click

from app.commands.bridge.client import Client, Names
from app.commands.bridge.home import Device, Home, home_option
from app.commands.bridge.registration import ask_server, run
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.tables import json_option

WAIT_SECONDS = 0.5
LIVE = ("pending", "active")
which = click.argument("which", metavar="[ID | @NAME]", required=False)


@click.command()
@click.option("--all", "all_", is_flag=True, help="Include what is over.")
@click.option("--wait", is_flag=True, help="Wait until somebody asks.")
@json_option
@home_option
def requests(all_: bool, wait: bool, json_: bool, home: Home) -> None:
    """List who asks for a grant to send tasks, and which grants hold."""
    device = home.device()
    rows: list[dict[str, Any]] = run(_grants(device))
    while wait and not any(map(_is_request, rows)):
        time.sleep(WAIT_SECONDS)
        rows = run(_grants(device))
    shown = [row for row in rows if all_ or row["status"] in LIVE]
    head = ("ID", "WHO", "DIRECTION", "STATUS", "UNTIL")
    if not shown and not json_:
        click.echo("There are no open requests and no grants.")
        return
    print_table({"grants": shown}, head, (_table_row(row) for row in shown), json_=json_)


@click.command()
@which
@home_option
def accept(which: str | None, home: Home) -> None:
    """Let somebody send tasks to this person's default device, for half an hour at the most.

    Without ID or @NAME, accept the only request there is.
    """
    device = home.device()
    row = _choose(device, which, "pending", incoming=True)
    made = ask_server(device, "POST", f"local-agent/grants/{row['commSessionId']}/accept")
    click.echo(f"{row['peer']} may send tasks until {made['grantExpiresAt'][11:16]} UTC.")


@click.command()
@which
@home_option
def decline(which: str | None, home: Home) -> None:
    """Refuse a request."""
    device = home.device()
    row = _choose(device, which, "pending", incoming=True)
    ask_server(device, "POST", f"local-agent/grants/{row['commSessionId']}/decline")
    click.echo(f"Declined the request of {row['peer']}.")


@click.command()
@which
@home_option
def revoke(which: str | None, home: Home) -> None:
    """End a grant at once, given or received."""
    device = home.device()
    row = _choose(device, which, "active", incoming=None)
    ask_server(device, "POST", f"local-agent/grants/{row['commSessionId']}/revoke")
    click.echo(f"Ended the grant with {row['peer']}.")


async def _grants(device: Device) -> list[dict[str, Any]]:
    """Return all grants, each with `peer`, the name of the other side."""
    async with Client(device.server, device.token) as client:
        rows: list[dict[str, Any]] = await client.ask("GET", "local-agent/grants")
        names = Names(client)
        for row in rows:
            incoming = row["recipientPrincipalId"] == device.user_id
            other = row["requesterPrincipalId" if incoming else "recipientPrincipalId"]
            row["peer"] = await names(other)
            row["direction"] = "incoming" if incoming else "outgoing"
        return rows


def _choose(
    device: Device, which: str | None, status: str, *, incoming: bool | None
) -> dict[str, Any]:
    """Return the one grant that is meant; raise Refused or Misused."""
    found: list[dict[str, Any]] = [
        row
        for row in run(_grants(device))
        if row["status"] == status
        and (which is None or which.lower() in (row["commSessionId"], row["peer"]))
        and (incoming is None or (row["direction"] == "incoming") == incoming)
    ]
    what = "request" if status == "pending" else "grant"
    if not found:
        named = f" {which}" if which else ""
        raise Refused(f"There is no {what}{named}. `hearth bridge requests` lists them.")
    if len(found) > 1:
        ids = ", ".join(row["commSessionId"] for row in found[:5])
        raise Misused(f"There are several {what}s. Name one: {ids}.")
    return found[0]


def _is_request(row: dict[str, Any]) -> bool:
    return (row["status"], row["direction"]) == ("pending", "incoming")


def _table_row(row: dict[str, Any]) -> tuple[str, ...]:
    until = row["grantExpiresAt"] or row["requestExpiresAt"]
    time = until[:16].replace("T", " ")
    return (row["commSessionId"], row["peer"], row["direction"], row["status"], time)
