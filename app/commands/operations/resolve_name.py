"""The number of a thing that somebody called by its title."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click

from app.commands.ask.door import Door
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.terminal_safe import on_one_line

SHOWN = 10
MOST_WORDS = 4
LONGEST = 80


class Lookup(NamedTuple):
    """How to find the things of a kind: the operation, its fields, and what names a row."""

    operation: str
    rows: str
    names: tuple[str, ...]
    id: str = "id"
    typed: str | None = None
    fields: Mapping[str, Any] = {}


def _by_name(kind: str) -> Lookup:
    return Lookup("find_by_name", "results", ("title",), "id", "q", {"kinds": kind, "limit": 50})


LOOKUPS = {
    "note": _by_name("note"),
    "folder": _by_name("folder"),
    "todo": _by_name("todo"),
    "group": Lookup("list_groups", "groups", ("name",), "conversationId"),
    "conversation": Lookup(
        "list_conversations",
        "conversations",
        ("title",),
        "conversationId",
        None,
        {"limit": 100, "messageLimit": 0},
    ),
    "attachment": Lookup("list_attachments", "attachments", ("name",), "id", None, {"limit": 200}),
    "mcp-server": Lookup("list_mcp_servers", "servers", ("name",)),
    "integration": Lookup("list_integrations", "integrations", ("name",)),
    "share-link": Lookup("list_share_links", "links", ("label",), "id", None, {"limit": 200}),
    "key": Lookup("list_keys", "keys", ("name",)),
    "webhook": Lookup("list_webhooks", "webhooks", ("description", "url")),
}


def resolve_name(door: Door, username: str, kind: str, typed: str) -> Any:
    """Return the number of the one thing whose whole title was typed; a number stands for itself.

    Raise Misused where several have that title, Refused where none has.
    """
    if typed.isdecimal() and typed.isascii():
        return int(typed)
    if kind not in LOOKUPS:
        return typed
    found = list(_rows_of(door, username, LOOKUPS[kind], typed))
    return _only_one(
        kind, typed, LOOKUPS[kind], found or _alike(door, username, LOOKUPS[kind], typed)
    )


def resolve_in_trash(door: Door, username: str, kind: str, typed: str) -> Any:
    """Return the number of the one thing of that kind and title in the trash."""
    if typed.isdecimal() and typed.isascii():
        return int(typed)
    way = Lookup("list_trash", "items", ("title", "name", "path"), "id", None, {"kind": kind})
    return _only_one(kind, typed, way, list(_rows_of(door, username, way, typed)))


def list_names(door: Door, username: str, kind: str, typed: str) -> list[str]:
    """Return names of things of a kind, where they can be looked up, the likeliest first."""
    if kind not in LOOKUPS:
        return []
    way = LOOKUPS[kind]
    rows = _rows_of(door, username, way, typed)
    return [str(row[name]) for row in rows for name in way.names if row.get(name)]


def _rows_of(door: Door, username: str, way: Lookup, typed: str) -> Iterator[dict[str, Any]]:
    fields = dict(way.fields) | ({way.typed: typed[:1000]} if way.typed else {})
    yield from door.ask_as(username, way.operation, **fields)[way.rows]


def _alike(door: Door, username: str, way: Lookup, typed: str) -> list[dict[str, Any]]:
    """Return what a mistyped title may have meant: of what has one of its words, the likest."""
    import difflib  # only for what was mistyped

    words = sorted(typed.split(), key=len, reverse=True)[:MOST_WORDS] if way.typed else []
    named = {
        _folded(name): row
        for word in words
        for row in _rows_of(door, username, way, word)
        for name in _names_of(row, way)
    }
    return [named[name] for name in difflib.get_close_matches(_folded(typed), named)]


def _only_one(kind: str, typed: str, way: Lookup, found: list[dict[str, Any]]) -> Any:
    wanted = _folded(typed)
    same = [row for row in found if wanted in map(_folded, _names_of(row, way))]
    # what is done gives way to what is still to be done
    same = [row for row in same if not row.get("completed")] or same
    if len(same) == 1:
        return same[0][way.id]
    shown = on_one_line(typed, LONGEST)
    if same:
        _list_rows(same, way)
        raise Misused(f"{len(same)} {kind}s are called “{shown}”. Name one by its ID.")
    if way.typed and found:
        click.echo("Similar:", err=True)
        _list_rows(found, way)
    raise Refused(f"There is no {kind} called “{shown}”.")


def _names_of(row: Mapping[str, Any], way: Lookup) -> Iterator[str]:
    """Yield a row's names, and the whole path to it."""
    for name in way.names:
        if said := row.get(name):
            yield str(said)
    if path := row.get("path"):
        yield str(path)
        yield f"{path}/{row.get('title', '')}"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _list_rows(rows: list[dict[str, Any]], way: Lookup) -> None:
    for row in rows[:SHOWN]:
        name = next((str(row[one]) for one in way.names if row.get(one)), "")
        place = f"  ({on_one_line(row['path'], LONGEST)})" if row.get("path") else ""
        click.echo(f"  {row[way.id]}  {on_one_line(name, LONGEST)}{place}", err=True)
    if len(rows) > SHOWN:
        click.echo("  …", err=True)
