"""Running an operation as a command: what was given, asking before something goes, the answer."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from app.commands.ask.door import Door, open_door
from app.commands.ask.locate_data import read_settings
from app.commands.operations import resolve_name as resolving
from app.commands.operations.show_answer import show_answer
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.local_zone import zone_fields
from app.commands.terminal.standard_input import is_piped, read_text
from app.commands.terminal.tables import format_json

TITLE_LENGTH = 255
STANDARD = "-"
ROOT = "/"
Given = dict[str, Any]


def run_operation(
    command: str,
    entry: Mapping[str, Any],
    given: Given,
    *,
    user: str | None,
    data: Path | None,
    json_: bool,
    yes: bool,
    output: str,
) -> None:
    """Run an operation with what was given on the command line, and show its answer."""
    said = dict(given)
    fields = {field["name"]: field for field in (*entry["arguments"], *entry["options"])}
    if entry["operation"] == "change_note" and len(given) == 1 and not is_piped():
        from app.commands.daily.edit import edit_note  # which needs an editor

        edit_note(given["id"], user=user, data=data)
        return
    _read_texts(entry, fields, given)
    with open_door(read_settings(data=data)) as door:
        username = door.choose_user(user)
        params = _resolve_fields(door, username, fields, given)
        if entry["asks"] and not yes:
            _confirm(command, said)
        if entry["downloads"]:
            _download(door, username, entry, params, output)
            return
        sent = {**(zone_fields() if entry["zoned"] else {}), **entry["sent"], **params}
        answer = door.ask_as(username, entry["operation"], **sent)
    if json_:
        click.echo(format_json(answer))
    else:
        show_answer(command, entry, answer)


def _read_texts(entry: Mapping[str, Any], fields: Mapping[str, Any], given: Given) -> None:
    """Read what comes on standard input, from files and as JSON; make a title where it lacks."""
    missing = [
        name
        for name, field in fields.items()
        if field["piped"] and name not in given and is_piped()
    ]
    adds = entry["operation"] == "create_note"
    alone = len(given) <= sum(field["required"] for field in entry["arguments"])
    for name, field in fields.items():
        value = given.get(name)
        if field["piped"] and value == STANDARD:
            given[name] = read_text()
        elif name in missing[:1] and (field["required"] or adds or alone):
            if text := read_text():
                given[name] = text
        elif field["type"] == "json" and value is not None:
            given[name] = _read_json(field["flag"], value)
        elif field["type"] == "file" and value is not None:
            given[name] = _read_bytes(value)
            if value != STANDARD:
                given.setdefault("name", Path(value).name)
    if adds:
        _complete_note(given)
    if entry["operation"] == "upload_attachment" and "content" not in given:
        given["content"] = _read_bytes(STANDARD)


def _complete_note(given: Given) -> None:
    """Give a new note its text, from an editor where nothing else gives one, and its title."""
    if "content" not in given:
        from app.commands.terminal.editor import edit_text

        given["content"] = "" if is_piped() else edit_text("", given.get("title", "note"))
    if "title" not in given:
        given["title"] = title_of(given["content"])


def title_of(text: str) -> str:
    """Return the first line of a text that says something, without the marks of a heading."""
    lines = (line.strip().lstrip("#").strip() for line in text.splitlines())
    title = next(filter(None, lines), "")
    if not title:
        raise Refused("There is no text, and so no title. Nothing was added.")
    return "".join(mark for mark in title if mark.isprintable())[:TITLE_LENGTH]


def _read_json(flag: str, value: str) -> Any:
    text = value
    if value == STANDARD:
        text = read_text()
    elif value.startswith("@"):
        text = _read_bytes(value[1:]).decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError as error:
        raise Misused(f"{flag} needs JSON, or @FILE with JSON: {error}.") from None


def _read_bytes(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == STANDARD else Path(path).read_bytes()
    except OSError as error:
        raise Misused(f"Cannot read {path}: {error.strerror}.") from None


def _resolve_fields(
    door: Door, username: str, fields: Mapping[str, Any], given: Given
) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for name, value in given.items():
        field = fields.get(name, {})
        kind = field.get("kind")
        if (value == "" and field.get("nullable")) or (kind == "folder" and value == ROOT):
            params[name] = None
        elif field.get("or_name") and not value.isdecimal():
            params[field["or_name"]] = value
        elif kind == "trash" and name == "id":
            params[name] = resolving.resolve_in_trash(door, username, given["kind"], value)
        elif kind and isinstance(value, list):
            params[name] = [resolving.resolve_name(door, username, kind, one) for one in value]
        elif kind and field["type"] != "choice":
            found = resolving.resolve_name(door, username, kind, value)
            params[name] = found if field["type"] == "integer" else str(found)
        else:
            params[name] = value
    return params


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
    door: Door, username: str, entry: Mapping[str, Any], params: Given, output: str
) -> None:
    if output == STANDARD:
        if sys.stdout.isatty():
            raise Misused("The file would fill the terminal. Name one with --output.")
        door.download(username, entry["operation"], sys.stdout.buffer.write, **params)
        return
    path = Path(output)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            door.download(username, entry["operation"], file.write, **params)
        part.replace(path)
    except OSError as error:
        raise Refused(f"Cannot write {path}: {error.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
