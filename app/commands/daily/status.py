"""`hearth status`: whether the server runs, and how everything stands."""

from collections.abc import Iterator
from typing import Any

import click

from app.commands.ask.door import open_door
from app.commands.ask.locate_data import data_directory
from app.commands.terminal.colours import paint
from app.commands.terminal.columns import local_moment
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_options
from app.core.process.counted import counted, size_text
from app.settings import Settings

LONGEST = 300


@click.command(epilog="\b\nExample:\n  hearth status")
@user_options
def status(user: str | None, json_: bool, settings: Settings) -> None:
    """Show whether the server runs, and how notes, search, agents and backups stand."""
    with open_door(settings) as door:
        username = door.choose_user(user)
        found = {
            "server": door.url,
            "data": str(data_directory(settings)),
            "user": username,
            "workspace": door.ask_as(username, "status"),
            "todos": door.ask_as(username, "search_todos", completed=False, limit=1)["total"],
            "overdue": door.ask_as(
                username, "search_todos", date="overdue", completed=False, limit=1
            )["total"],
            "search": door.ask("search_progress"),
            "agents": door.ask("agents_state"),
        }
    if json_:
        click.echo(format_json(found))
        return
    for name, value in _lines(found):
        click.echo(f"{paint(f'{name:<9}', bold=True)} {on_one_line(value, LONGEST)}")


def _lines(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    workspace, agents = found["workspace"], found["agents"]
    database, backup = workspace["database"], workspace["backup"]
    yield "Server", found["server"] or "not running; start it with `hearth serve`"
    yield "User", found["user"]
    yield "Data", found["data"]
    yield (
        "Notes",
        f"{workspace['contextCount']} in {counted(len(workspace['folders']), 'folder')}, "
        f"{size_text(workspace['totalSizeBytes'])}",
    )
    yield "Todos", f"{found['todos']} open, {found['overdue']} overdue"
    yield "Search", _search_text(found["search"])
    yield "Agents", "stopped; `hearth agent start` lets them go on" if agents["stopped"] else "on"
    if database["state"] != "writable":
        yield "Database", f"{database['state']}. {database['message'] or ''}"
    yield "Backup", _backup_text(backup)


def _search_text(progress: dict[str, Any]) -> str:
    waiting, meaning = progress["words"]["waiting"], progress["meaning"]
    words = "every note is indexed" if not waiting else f"{waiting} notes wait"
    return f"{words}; by meaning: {meaning['state']}"


def _backup_text(backup: dict[str, Any]) -> str:
    if not backup["enabled"]:
        return "off"
    last = local_moment(backup["lastAt"]) if backup["lastAt"] else "none yet"
    return last + (f", but {backup['trouble']}" if backup["trouble"] else "")
