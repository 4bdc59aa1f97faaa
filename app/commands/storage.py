"""`hearth storage`: what takes room."""

from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_operation import ask_patiently
from app.commands.ask.data_directory import data_option, read_settings
from app.commands.backup import SECONDS, megabytes
from app.commands.terminal.tables import as_json, table
from app.core.process.counted import counted

HELD = (
    ("notes", "notes", "noteBytes"),
    ("in the trash", "trashedNotes", "trashedBytes"),
    ("snapshots", "snapshots", "snapshotBytes"),
    ("attachments", "attachments", "attachmentBytes"),
    ("vectors", "", "vectorBytes"),
)
"""What a user holds, and the fields of its number and its bytes."""


@click.command()
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@data_option
def storage(json_: bool, data: Path | None) -> None:
    """Show disk usage by database, backups and user."""
    found = ask_patiently(read_settings(data=data), SECONDS, "measure_storage")
    if json_:
        click.echo(as_json(found))
        return
    click.echo(table(_whole(found)))
    for user in found["users"]:
        click.echo(f"\n{user['username']}\n{table(_of_user(user))}")


def _whole(found: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("database", megabytes(found["databaseBytes"]))]
    rows += [(f"  {name}", megabytes(size)) for name, size in found["parts"].items()]
    rows += [
        ("  free in it", megabytes(found["freeBytes"])),
        ("write-ahead log", megabytes(found["walBytes"])),
    ]
    return [
        *rows,
        (counted(found["backups"], "backup"), megabytes(found["backupBytes"])),
        ("free on the disk", megabytes(found["diskFreeBytes"])),
    ]


def _of_user(user: dict[str, Any]) -> list[tuple[str, str, str]]:
    held = user["held"]
    rows = [
        (f"  {name}", str(held[number]) if number else "", megabytes(held[size]))
        for name, number, size in HELD
    ]
    rows += [
        (f"  in {one['path'] or 'the root'}", str(one["notes"]), megabytes(one["bytes"]))
        for one in user["folders"]
    ]
    return rows
