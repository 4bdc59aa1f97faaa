"""`hearth service`: install, look at and remove the service that starts the server at login."""

import shutil
import sys

import click

from app.commands.ask.door import find_server
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.service.unit import Manager, own_unit
from app.commands.terminal.command_group import Commands, Refused
from app.settings import Settings

NOT_INSTALLED = 3
"""The exit code for a service that is not there, as `systemctl status` has it."""


@click.group(cls=Commands)
def service() -> None:
    """Run the server as a service that starts at login."""


@service.command(epilog="\b\nExample:\n  hearth service install --port 8765")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="NUMBER",
    help="Port to listen on [default: HEARTH_PORT, or 8765].",
)
@click.option("--print", "prints", is_flag=True, help="Only print the service's file.")
@settings_option
def install(port: int | None, prints: bool, settings: Settings) -> None:
    """Install the service and start it.

    It gets the HEARTH_… variables that are set now, but no secrets: for those use the variables
    that end in _FILE.
    """
    place = data_directory(settings)
    unit = own_unit(place, port=port)
    manager = find_manager()
    if prints:
        click.echo(manager.text(unit), nl=False)
        return
    if manager.status() is None and find_server(place) is not None:
        raise Refused(
            "A server is running already. Stop it with Ctrl-C first, then install the service."
        )
    file = manager.install(unit)
    click.echo(f"Installed {file}. Hearth starts now and at each login; `hearth open` opens it.")


@service.command(epilog="\b\nExample:\n  hearth service status")
@settings_option
def status(settings: Settings) -> None:
    """Show whether the service is installed and the server answers.

    Exits with 3 where it is not installed.
    """
    manager = find_manager()
    state = manager.status()
    url = find_server(data_directory(settings))
    answers = f"The server answers at {url}." if url else "No server answers."
    if state is None:
        click.echo(f"The service is not installed. {answers}")
        raise SystemExit(NOT_INSTALLED)
    click.echo(f"The service is {state}. {answers}")
    program = manager.program()
    if program is not None and not program.exists():
        raise Refused(
            f"The program that it starts is gone: {program}. Run `hearth service install` with the "
            "one that is there now."
        )


@service.command(epilog="\b\nExample:\n  hearth service remove")
def remove() -> None:
    """Stop the service and remove it; your data stays."""
    if not find_manager().remove():
        raise Refused("The service is not installed.")
    click.echo("Removed the service. Your data is where it was.")


def find_manager() -> Manager:
    """Return the manager of services that this system has; raise Refused where it has none."""
    if sys.platform == "win32":
        from app.commands.service.windows_task import WindowsTask

        return WindowsTask()
    if sys.platform == "darwin":
        from app.commands.service.launchd import Launchd

        return Launchd()
    if shutil.which("systemctl") is not None:
        from app.commands.service.systemd import Systemd

        return Systemd()
    raise Refused(
        "This system has no systemd, so there is no service to install. Let whatever starts "
        "programs here run `hearth serve --no-open`."
    )
