"""`hearth agent`: managed agents, and the switch that stops every agent of this server."""

import contextlib
from pathlib import Path

import click

from app.commands.agents import agent_commands
from app.commands.ask.ask_operation import ask
from app.commands.ask.data_directory import existing_directory
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import on_one_line
from app.core.database.data_dir import STOP
from app.settings import Settings


@click.group(cls=Commands)
def agent() -> None:
    """Manage agents of your own; stop and start all agents on this server."""


for command in agent_commands.COMMANDS:
    agent.add_command(command)


@agent.command()
@click.option("--reason", metavar="TEXT", default="", help="Reason to record.")
@settings_option
def stop(reason: str, settings: Settings) -> None:
    """Stop all agents immediately.

    No model or tool is called any more; people and scripts can still read and write. This also
    works when the server does not respond: it creates a file named STOP in the data directory.
    """
    file = _stop_file(settings)
    try:
        file.touch(mode=0o600)
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}.") from None
    ask(settings, "stop_agents", reason=reason)
    click.echo("Agents are stopped. Start them again with `hearth agent start`.")


@agent.command()
@settings_option
def start(settings: Settings) -> None:
    """Start all agents again."""
    ask(settings, "start_agents")
    with contextlib.suppress(FileNotFoundError):
        _stop_file(settings).unlink()
    click.echo("Agents are started.")


@agent.command()
@json_option
@settings_option
def status(json_: bool, settings: Settings) -> None:
    """Show whether agents are stopped."""
    found = ask(settings, "agents_state")
    if json_:
        click.echo(format_json(found))
    elif not found["stopped"]:
        click.echo("Agents are running.")
    else:
        since = f" since {found['since'][:16].replace('T', ' ')}" if found["since"] else ""
        click.echo(
            "Agents are "
            f"stopped{since}{': ' + on_one_line(found['reason'], 200) if found['reason'] else ''}."
        )


def _stop_file(settings: Settings) -> Path:
    return existing_directory(settings) / STOP
