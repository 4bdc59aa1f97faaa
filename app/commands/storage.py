"""`hearth storage`: what takes room."""

from typing import Any

import click

from app.commands.ask.ask_operation import ask_patiently
from app.commands.ask.locate_data import settings_option
from app.commands.backup import SECONDS
from app.commands.terminal.columns import print_facts
from app.commands.terminal.tables import format_json, json_option
from app.core.process.counted import counted, size_text
from app.settings import Settings

HELD = (
    ("notes", "notes", "noteBytes"),
    ("in the trash", "trashedNotes", "trashedBytes"),
    ("snapshots", "snapshots", "snapshotBytes"),
    ("attachments", "attachments", "attachmentBytes"),
    ("raw memory", "rawRecords", "rawRecordBytes"),
    ("vectors", "", "vectorBytes"),
)
"""What a user holds, and the fields of its number and its bytes."""


@click.command()
@json_option
@settings_option
def storage(json_: bool, settings: Settings) -> None:
    """Show disk usage by database, backups and user."""
    found = ask_patiently(settings, SECONDS, "measure_storage")
    if json_:
        click.echo(format_json(found))
        return
    print_facts(_total_rows(found))
    for user in found["users"]:
        click.echo(f"\n{user['username']}")
        print_facts(_user_rows(user))


def _total_rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("database", size_text(found["databaseBytes"]))]
    rows += [(f"  {name}", size_text(size)) for name, size in found["parts"].items()]
    rows += [
        ("  free in it", size_text(found["freeBytes"])),
        ("write-ahead log", size_text(found["walBytes"])),
    ]
    return [
        *rows,
        (counted(found["backups"], "backup"), size_text(found["backupBytes"])),
        ("free on the disk", size_text(found["diskFreeBytes"])),
    ]


def _user_rows(user: dict[str, Any]) -> list[tuple[str, str, str]]:
    held = user["held"]
    rows = [
        (f"  {name}", str(held[number]) if number else "", size_text(held[size]))
        for name, number, size in HELD
    ]
    rows += [
        (f"  in {one['path'] or 'the root'}", str(one["notes"]), size_text(one["bytes"]))
        for one in user["folders"]
    ]
    return rows
