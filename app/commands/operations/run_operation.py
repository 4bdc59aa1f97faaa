"""Running an operation as a command: what was given, asking before something goes, the answer."""

import contextlib
import http.client
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from app.commands.ask.door import Answer, Declined, Door, open_door
from app.commands.ask.locate_data import data_directory
from app.commands.operations import resolve_name as resolving
from app.commands.operations.command_index import Field, OperationCommand
from app.commands.operations.folder_paths import with_paths
from app.commands.operations.read_texts import STANDARD, read_texts
from app.commands.operations.show_answer import show_answer
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.local_zone import zone_fields
from app.commands.terminal.standard_input import is_piped
from app.commands.terminal.tables import format_json
from app.settings import Settings

ROOT = "/"
DATED = re.compile(r"\d{4}-\d")
THING = "It"
"""What a day is said of, where a todo is read for its day alone."""
Given = dict[str, Any]


def run_operation(
    command: str,
    made: OperationCommand,
    given: Given,
    *,
    user: str | None,
    settings: Settings,
    json_: bool,
    yes: bool,
    output: str,
) -> None:
    """Run an operation with what was given on the command line, and show its answer."""
    said = dict(given)
    fields = {field.name: field for field in made.fields}
    if made.operation == "change_note" and len(given) == 1 and not is_piped():
        from app.commands.daily.edit import edit_note  # which needs an editor

        edit_note(given["id"], user=user, settings=settings)
        return
    with contextlib.ExitStack() as stack:
        if made.operation == "create_note" and "content" not in given and not is_piped():
            from app.commands.daily.drafts import written_in_editor

            place, title = data_directory(settings), given.get("title", "note")
            given["content"] = stack.enter_context(written_in_editor(place, title))
        read_texts(made, fields, given)
        if made.changes and len(given) == len(made.arguments):
            raise Misused(f"Say what to change; `hearth {command} --help` lists the options.")
        door = stack.enter_context(open_door(settings))
        username = door.choose_user(user)
        params = _resolve_fields(door, username, fields, given)
        if made.asks and not yes:
            _confirm(command, said)
        if made.downloads:
            _download(door, username, made, params, output)
            return
        sent = {**(zone_fields() if made.zoned else {}), **_unless_told(made, params), **params}
        answer = _ask(door, username, made.operation, sent)
        answer = answer if json_ else with_paths(door, username, made, answer)
    if json_:
        click.echo(format_json(answer))
    else:
        show_answer(command, made, answer)


def _unless_told(made: OperationCommand, params: Given) -> Given:
    """Return what a command sends where nothing else was given: of the root, what is in it alone,
    since with all below it would be everything.
    """
    is_root = params.get("folderId", "") is None
    return {name: value for name, value in made.sent.items() if name != "recursive" or not is_root}


def _ask(door: Door, username: str, operation: str, params: Given) -> Answer:
    """Run the operation; where a folder is missing, say how to make it."""
    try:
        return door.ask_as(username, operation, **params)
    except Declined as error:
        if error.status != http.client.NOT_FOUND or error.answer.get("field") != "folderName":
            raise
        folder = shlex.quote(params["folderName"])
        raise Refused(f"{error.message} `hearth folder add {folder}` makes it.") from None


def _resolve_fields(
    door: Door, username: str, fields: Mapping[str, Field], given: Given
) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for name, value in given.items():
        field = fields[name]
        kind = field.kind
        if (value == "" and field.nullable) or (kind == "folder" and value == ROOT):
            params[name] = None
        elif name == "dueDate":
            params[name] = _read_due(door, username, value)
        elif field.or_name and not value.isdecimal():
            params[field.or_name] = value
        elif kind == "trash" and name == "id":
            params[name] = resolving.resolve_in_trash(door, username, given["kind"], value)
        elif kind and isinstance(value, list):
            params[name] = [resolving.resolve_name(door, username, kind, one) for one in value]
        elif kind and field.type != "choice":
            found = resolving.resolve_name(door, username, kind, value)
            if field.type == "integer" and not isinstance(found, int):
                shown = field.flag.removeprefix("--").upper()
                raise Misused(f"Invalid value for '{shown}': {value!r} is not a valid integer.")
            params[name] = found if field.type == "integer" else str(found)
        else:
            params[name] = value
    return params


def _read_due(door: Door, username: str, value: str) -> str:
    """Return the day or moment that words name, as `hearth add` reads them; others as they are."""
    if DATED.match(value):
        return value
    line = f"{THING} {value}"
    asked = {"text": line, "dryRun": True, **zone_fields()}
    read = door.ask_as(username, "quick_add_todo", **asked)["read"]
    kinds = {one["kind"] for one in read["recognised"]}
    return read["dueDate"] if kinds <= {"date", "time"} and read["title"] == THING else value


def _confirm(command: str, said: Mapping[str, Any]) -> None:
    """Ask before something goes, where somebody sits at a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    noun, _, verb = command.partition(" ")
    named = " ".join(f"“{value}”" for value in said.values() if isinstance(value, str | int))
    click.confirm(
        f"{verb.replace('-', ' ').capitalize()} {noun} {named}".rstrip() + "?", abort=True, err=True
    )


def _download(
    door: Door, username: str, made: OperationCommand, params: Given, output: str
) -> None:
    if output == STANDARD:
        if sys.stdout.isatty():
            raise Misused("The file would fill the terminal. Name one with --output.")
        door.download(username, made.operation, sys.stdout.buffer.write, **params)
        return
    path = Path(output)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            door.download(username, made.operation, file.write, **params)
        part.replace(path)
    except OSError as error:
        raise Refused(f"Cannot write {path}: {error.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
