"""The table of the tools of MCP servers: as they are offered now, and as their owner saw them.

A tool is on where both are the same.
"""

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.tools.mcp import server_rows
from app.tools.mcp.definitions import Definition

_ON = "t.definition IS NOT NULL AND t.definition = t.seen"


class ToolRow(NamedTuple):
    """A tool that is on, and its server."""

    server: int
    namespace: str
    trusted: bool
    name: str
    definition: Definition


class Change(NamedTuple):
    """A tool that is off until its owner has seen what it is now; `before` None: it is new."""

    name: str
    before: Definition | None
    now: Definition


def usable(tx: Tx, user: int, name: str | None = None) -> list[ToolRow]:
    """Return a user's tools that are on, of the servers that are connected; or that one alone."""
    rows = tx.all(
        f"""SELECT s.id, s.namespace, s.trusted, t.name, t.definition
            FROM mcp_servers s JOIN mcp_tools t ON t.server_id = s.id
            WHERE s.user_id = :user AND s.status IN ('connected', 'error') AND {_ON}
              AND (:name IS NULL OR t.name = :name) ORDER BY s.id, t.position""",
        user=user,
        name=name,
    )
    return [
        ToolRow(row[0], row[1], row[2] == 1, row[3], decoded(row["definition"])) for row in rows
    ]


def counts(tx: Tx, me: Caller) -> dict[int, int]:
    """Return how many tools of each of the caller's servers are on."""
    rows = tx.all(
        f"""SELECT s.id, count(*) FROM mcp_servers s JOIN mcp_tools t ON t.server_id = s.id
            WHERE s.user_id = :me AND s.status IN ('connected', 'error') AND {_ON}
            GROUP BY s.id""",
        me=me.user,
    )
    return {row[0]: row[1] for row in rows}


def namespaces(tx: Tx, user: int) -> dict[str, int]:
    """Return the namespaces of a user's servers with the number of tools that are on."""
    rows = tx.all(
        f"""SELECT s.namespace, count(t.name) FROM mcp_servers s
            LEFT JOIN mcp_tools t ON t.server_id = s.id
              AND s.status IN ('connected', 'error') AND {_ON}
            WHERE s.user_id = :user GROUP BY s.id ORDER BY s.id""",
        user=user,
    )
    return {row[0]: row[1] for row in rows}


def of_server(tx: Tx, server: int) -> list[Definition]:
    """Return the tools of a server that are on, in its order."""
    rows = tx.all(
        f"SELECT t.definition FROM mcp_tools t WHERE t.server_id = :id AND {_ON} "
        "ORDER BY t.position",
        id=server,
    )
    return [decoded(row[0]) for row in rows]


def changes(tx: Tx, server: int) -> list[Change]:
    """Return the tools of a server that are not what its owner saw, in its order."""
    rows = tx.all(
        "SELECT name, definition, seen FROM mcp_tools t WHERE server_id = :id "
        "AND definition IS NOT NULL AND definition IS NOT seen ORDER BY position",
        id=server,
    )
    return [_change(row) for row in rows]


def store(tx: Tx, server: int, offered: Mapping[str, Definition], *, seen: bool) -> None:
    """Store what a server offers now; `seen`: its owner has just added it, so all of it is on."""
    tx.update("mcp_tools", {"server_id": server}, definition=None)
    for position, (name, definition) in enumerate(offered.items()):
        text = msgspec.json.encode(definition, order="sorted").decode()
        tx.run(
            """INSERT INTO mcp_tools (server_id, name, position, definition, seen)
               VALUES (:id, :name, :position, :text, CASE WHEN :seen THEN :text END)
               ON CONFLICT DO UPDATE SET position = excluded.position,
                 definition = excluded.definition, seen = ifnull(excluded.seen, seen)""",
            id=server,
            name=name,
            position=position,
            text=text,
            seen=seen,
        )


def accept(tx: Tx, server: int) -> None:
    """Note that the owner has seen every tool as it is now."""
    tx.run(
        "UPDATE mcp_tools SET seen = definition WHERE server_id = :id AND definition IS NOT NULL",
        id=server,
    )
    tx.emit(server_rows.CHANGED)


def forget(tx: Tx, server: int) -> None:
    """Delete the tools of a server that is another one now."""
    tx.run("DELETE FROM mcp_tools WHERE server_id = :id", id=server)


def decoded(text: str) -> Definition:
    """Return a definition as it was stored."""
    return msgspec.json.decode(text, type=Definition)


def _change(row: sqlite3.Row) -> Change:
    before = None if row["seen"] is None else decoded(row["seen"])
    return Change(row["name"], before, decoded(row["definition"]))
