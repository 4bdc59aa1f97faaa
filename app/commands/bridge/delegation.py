"""`hearth delegation`: grants between runtimes, managed at the server's machine."""

import click

from app.commands.ask.locate_data import settings_option
from app.commands.bridge.device import local_client
from app.commands.bridge.runtimes import TOOL
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import ask_about_user
from app.settings import Settings

LIVE = ("pending", "active")
id_argument = click.argument("id_", metavar="ID")


@click.group(cls=Commands)
def delegation() -> None:
    """Manage who may send tasks to a user's devices.

    What their tasks may run is decided with `hearth escalation`.
    """


@delegation.command(name="list")
@click.option("--all", "all_", is_flag=True, help="Include what is over.")
@user_options
def list_(all_: bool, user: str | None, json_: bool, settings: Settings) -> None:
    """List requests for a grant, and the grants that hold."""
    found = ask_about_user(settings, user, "user_runtime_grants")
    rows = [one for one in found["grants"] if all_ or one["status"] in LIVE]
    head = ("ID", "WHO", "DIRECTION", "STATUS", "UNTIL")
    table = (
        (
            one["commSessionId"],
            f"@{one['peer']}",
            one["direction"],
            one["status"],
            (one["grantExpiresAt"] or one["requestExpiresAt"])[:16].replace("T", " "),
        )
        for one in rows
    )
    print_table({"grants": rows}, head, table, json_=json_)


@delegation.command()
@id_argument
@user_option
@settings_option
def accept(id_: str, user: str | None, settings: Settings) -> None:
    """Let a request's sender send tasks to the user's default device."""
    made = local_client(settings, user).ask("accept_grant", id=id_)
    click.echo(f"Accepted until {made['grantExpiresAt'][11:16]} UTC.")


@delegation.command()
@id_argument
@user_option
@settings_option
def decline(id_: str, user: str | None, settings: Settings) -> None:
    """Refuse a request."""
    local_client(settings, user).ask("decline_grant", id=id_)
    click.echo(f"Declined {on_one_line(id_, 64)}.")


@delegation.command()
@id_argument
@user_option
@settings_option
def revoke(id_: str, user: str | None, settings: Settings) -> None:
    """End a grant immediately."""
    local_client(settings, user).ask("revoke_runtime_grant", id=id_)
    click.echo(f"Ended {on_one_line(id_, 64)}.")


@delegation.command()
@click.argument("person", metavar="@NAME")
@click.option(
    "--folder",
    metavar="FOLDER",
    required=True,
    help="Folder on the user's device, as an absolute path.",
)
@user_option
@settings_option
def trust(person: str, folder: str, user: str | None, settings: Settings) -> None:
    """Let a contact's tasks run commands in a folder without asking."""
    client = local_client(settings, user)
    made = client.ask(
        "trust_tools",
        peerPrincipalId=client.ask("resolve_person", q=person)["principalId"],
        accessPreset="edit-project",
        canonicalFolder=folder,
        scope="persistent",
        tools=[TOOL],
    )
    click.echo(f"{made['policyId']} holds once the bridge in that folder has taken note.")


@delegation.command()
@user_options
def trusted(user: str | None, json_: bool, settings: Settings) -> None:
    """List what contacts' tasks may do without asking."""
    client = local_client(settings, user)
    found = client.ask("list_trusted_policies")
    rows = [
        (
            one["policyId"],
            f"@{client.ask('resolve_person', q=one['peerPrincipalId'])['handle']}",
            one["status"],
            " ".join(one["tools"]),
            one["canonicalFolder"] or "",
        )
        for one in found["policies"]
    ]
    print_table(found, ("ID", "WHO", "STATUS", "TOOLS", "FOLDER"), rows, json_=json_)


@delegation.command()
@id_argument
@user_option
@settings_option
def untrust(id_: str, user: str | None, settings: Settings) -> None:
    """Ask again before a contact's tasks run."""
    local_client(settings, user).ask("revoke_trusted_policy", id=id_)
    click.echo(f"Ended {on_one_line(id_, 64)}.")
