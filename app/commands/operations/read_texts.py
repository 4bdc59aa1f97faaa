"""What a command is given beside its words: standard input, files, JSON, and a note's title."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.commands.operations.command_index import Field, OperationCommand
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.standard_input import is_piped, read_text

TITLE_LENGTH = 255
STANDARD = "-"
Given = dict[str, Any]


def read_texts(made: OperationCommand, fields: Mapping[str, Field], given: Given) -> None:
    """Read what comes on standard input, from files and as JSON; make a title where it lacks."""
    missing = [
        name for name, field in fields.items() if field.piped and name not in given and is_piped()
    ]
    adds = made.operation == "create_note"
    alone = len(given) <= sum(field.required for field in made.arguments)
    for name, field in fields.items():
        value = given.get(name)
        if field.piped and value == STANDARD:
            given[name] = read_text()
        elif name in missing[:1] and (field.required or adds or alone):
            if text := read_text():
                given[name] = text
        elif field.type == "json" and value is not None:
            given[name] = _read_json(field.flag, value)
        elif field.type == "file" and value is not None:
            given[name] = _read_bytes(value)
            if value != STANDARD:
                given.setdefault("name", Path(value).name)
    if adds:
        _complete_note(given)
    if made.operation == "upload_attachment" and "content" not in given:
        given["content"] = _read_bytes(STANDARD)


def _complete_note(given: Given) -> None:
    """Give a new note a text, be it empty, and a title."""
    given.setdefault("content", "")
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
