"""`hearth bridge approvals` and its like: what may run here, decided with a key of the owner's.

The device itself cannot decide, so that no program that it runs can.
"""

import time
from pathlib import Path
from typing import Any

import click

from app.commands.bridge.client import Client
from app.commands.bridge.home import Device, Home, home_option
from app.commands.bridge.key_option import key_option
from app.commands.bridge.registration import run
from app.commands.bridge.runtimes import TOOL
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import show_hidden, strip_controls

WAIT_SECONDS = 0.5
KIND = "runtime_tool_call"
own_key = key_option("Key that may decide", default="env:HEARTH_KEY")
which = click.argument("which", metavar="[ID]", required=False, type=click.IntRange(1))


@click.command()
@click.option("--wait", is_flag=True, help="Wait until something does.")
@own_key
@json_option
@home_option
def approvals(wait: bool, key: str, json_: bool, home: Home) -> None:
    """Show what waits for your yes, each whole."""
    device = home.device()
    found = _pending(device, key)
    while wait and not found:
        time.sleep(WAIT_SECONDS)
        found = _pending(device, key)
    if json_:
        click.echo(format_json({"escalations": found}))
        return
    if not found:
        click.echo("Nothing waits for your yes.")
    for one in found:
        click.echo(
            f"{one['id']}, until {one['expiresAt'][11:16]} UTC. {show_hidden(one['reason'])}"
        )
        click.echo(show_hidden(one["preview"]["text"] if one["preview"] else one["summary"]) + "\n")


@click.command()
@which
@click.option(
    "--for",
    "remember",
    type=click.Choice(("once", "session", "tool")),
    default="once",
    show_default=True,
    help="This run, all runs of this grant, or this tool for 30 days.",
)
@own_key
@home_option
def allow(which: int | None, remember: str, key: str, home: Home) -> None:
    """Let what was shown run."""
    _decide(home.device(), key, which, "continue", remember)
    click.echo("Allowed.")


@click.command()
@which
@own_key
@home_option
def deny(which: int | None, key: str, home: Home) -> None:
    """Let what was shown not run."""
    _decide(home.device(), key, which, "stop", "once")
    click.echo("Denied.")


@click.command()
@click.argument("person", metavar="@NAME")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which their tasks may run [default: this one].",
)
@own_key
@home_option
def trust(person: str, folder: Path, key: str, home: Home) -> None:
    """Let somebody's tasks run in a folder without asking, until `untrust`.

    It holds once the bridge that runs there has taken note. They still need a grant each time,
    half an hour long.
    """
    device = home.device()
    who = _ask(device, key, "GET", "local-agent/resolve-person", q=person)
    body = {
        "peerPrincipalId": who["principalId"],
        "accessPreset": "edit-project",
        "canonicalFolder": str(folder.resolve()),
        "scope": "persistent",
        "tools": [TOOL],
    }
    made = _ask(device, key, "POST", "local-agent/trusted-tool-policies", body)
    click.echo(
        strip_controls(
            f"Tasks of @{who['handle']} may run in {folder.resolve()} without asking "
            f"({made['policyId']})."
        )
    )


@click.command()
@own_key
@json_option
@home_option
def trusted(key: str, json_: bool, home: Home) -> None:
    """List whom you trust."""
    device = home.device()
    found = _ask(device, key, "GET", "local-agent/trusted-tool-policies")
    rows = []
    for one in found["policies"]:
        who = _ask(device, key, "GET", "local-agent/resolve-person", q=one["peerPrincipalId"])
        place = one["canonicalFolder"] or ""
        tools = " ".join(one["tools"])
        rows.append((one["policyId"], f"@{who['handle']}", one["status"], tools, place))
    print_table(found, ("ID", "WHO", "STATUS", "TOOLS", "FOLDER"), rows, json_=json_)


@click.command()
@click.argument("policy", metavar="ID")
@own_key
@home_option
def untrust(policy: str, key: str, home: Home) -> None:
    """Ask again before tasks run."""
    _ask(home.device(), key, "DELETE", f"local-agent/trusted-tool-policies/{policy}")
    click.echo("Tasks are asked for again.")


def _pending(device: Device, key: str) -> list[dict[str, Any]]:
    found = _ask(device, key, "GET", "escalations", limit="200")
    return [one for one in found["escalations"] if one["kind"] == KIND]


def _decide(device: Device, key: str, which: int | None, decision: str, remember: str) -> None:
    if which is None:
        found = _pending(device, key)
        if len(found) != 1:
            raise (
                Misused("Several wait. Name one by its ID.")
                if found
                else Refused("Nothing waits for your yes.")
            )
        which = int(found[0]["id"])
    body = {"decision": decision, "remember": remember}
    _ask(device, key, "POST", f"escalations/{which}/decision", body)


def _ask(
    device: Device, key: str, method: str, path: str, body: Any = None, **query: str
) -> dict[str, Any]:
    async def ask() -> Any:
        async with Client(device.server, key) as client:
            return await client.ask(method, path, body, **query)

    found: dict[str, Any] = run(ask()) or {}
    return found
