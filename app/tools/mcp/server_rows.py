"""The table of MCP servers: every statement that changes or reads it."""

import sqlite3
from typing import Literal

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import AlreadyExists, NotFound, QuotaExceeded

CHANGED = "tools.changed"
"""Told when a server's tools may have become others: come, gone, changed, on or off."""
MOST = 50
PREFIX = "mcp_"
MOST_DIGITS = 15
Transport = Literal["http", "stdio"]
Status = Literal["connected", "needs_reauth", "disconnected", "error"]


def listed(tx: Tx, me: Caller) -> list[sqlite3.Row]:
    """Return the caller's servers, the oldest first."""
    # There is no index of a user's by number, and SQLite would sort in a table of its own.
    return sorted(
        tx.all("SELECT * FROM mcp_servers WHERE user_id = :me", me=me.user),
        key=lambda row: int(row["id"]),
    )


def owned(tx: Tx, me: Caller, id_: str) -> sqlite3.Row:
    """Return a server of the caller by its id as it is shown; raise NotFound for any other."""
    number = id_.removeprefix(PREFIX)
    is_one = id_.startswith(PREFIX) and number.isascii() and number.isdecimal()
    row = (
        tx.one(
            "SELECT * FROM mcp_servers WHERE id = :id AND user_id = :me", id=int(number), me=me.user
        )
        if is_one and len(number) <= MOST_DIGITS
        else None
    )
    if row is None:
        raise NotFound("There is no such MCP server.")
    return row


def named(tx: Tx, user: int, name_key: str) -> sqlite3.Row:
    """Return a user's server by its name or namespace; raise NotFound."""
    row = tx.one(
        "SELECT * FROM mcp_servers WHERE user_id = :user AND :key IN (name_key, namespace)",
        user=user,
        key=name_key,
    )
    if row is None:
        raise NotFound("There is no MCP server of that name; `hearth mcp-server list` lists them.")
    return row


def get(tx: Tx, server: int) -> sqlite3.Row | None:
    """Return a server, whoever owns it; None when it is gone."""
    return tx.one("SELECT * FROM mcp_servers WHERE id = :id", id=server)


def numbers(tx: Tx) -> set[int]:
    """Return the ids of all servers, whoever owns them."""
    return {row[0] for row in tx.all("SELECT id FROM mcp_servers")}


def demand_name(tx: Tx, user: int, name_key: str, *, besides: int = 0) -> None:
    """Raise AlreadyExists where another server of the user has that name."""
    if tx.one(
        "SELECT 1 FROM mcp_servers WHERE user_id = :user AND name_key = :key AND id <> :besides",
        user=user,
        key=name_key,
        besides=besides,
    ):
        raise AlreadyExists("You have an MCP server of that name already.", field="name")


def demand_room(tx: Tx, user: int) -> None:
    """Raise QuotaExceeded where the user has as many servers as there can be."""
    if tx.value("SELECT count(*) FROM mcp_servers WHERE user_id = :user", user=user) >= MOST:
        raise QuotaExceeded(
            f"You have {MOST} MCP servers, the most allowed; remove one first.", limit=MOST
        )


def namespaces(tx: Tx, user: int) -> set[str]:
    """Return the namespaces that the user's servers have taken."""
    return {
        row[0] for row in tx.all("SELECT namespace FROM mcp_servers WHERE user_id = :u", u=user)
    }


def insert(
    tx: Tx,
    user: int,
    *,
    name: str,
    name_key: str,
    namespace: str,
    transport: Transport,
    url: str,
    config: bytes,
) -> int:
    """Add a server that was not asked yet and give its id."""
    return tx.insert(
        "mcp_servers",
        user_id=user,
        name=name,
        name_key=name_key,
        namespace=namespace,
        transport=transport,
        url=url,
        config=config,
        status="disconnected",
        created_at=tx.now,
    )


def rename(tx: Tx, server: int, *, name: str, name_key: str) -> None:
    """Give a server another name; its namespace stays, since tools are known by it."""
    tx.update("mcp_servers", {"id": server}, name=name, name_key=name_key)


def point_elsewhere(tx: Tx, server: int, *, transport: Transport, url: str, config: bytes) -> None:
    """Let a server be another one: what was trusted and signed in to is so no more."""
    tx.run(
        """UPDATE mcp_servers SET transport = :transport, url = :url, config = :config,
             login = NULL, challenge = NULL, generation = generation + 1, listed = 0, trusted = 0,
             status = 'disconnected', last_error = NULL WHERE id = :id""",
        transport=transport,
        url=url,
        config=config,
        id=server,
    )
    tx.emit(CHANGED)


def set_config(tx: Tx, server: int, config: bytes) -> None:
    """Store the headers or variables that go to a server."""
    tx.run(
        "UPDATE mcp_servers SET config = :config, generation = generation + 1 WHERE id = :id",
        config=config,
        id=server,
    )


def note_connected(tx: Tx, server: int, generation: int, *, trouble: str | None = None) -> bool:
    """Note that a server has answered; return whether it is still the one that was asked."""
    found = tx.run(
        """UPDATE mcp_servers SET status = 'connected', last_error = :trouble, listed = 1,
             last_connected_at = :now WHERE id = :id AND generation = :generation""",
        trouble=trouble,
        now=tx.now,
        id=server,
        generation=generation,
    )
    tx.emit(CHANGED)
    return found.rowcount > 0


def note_failure(
    tx: Tx, server: int, generation: int, status: Status, error: str, challenge: str | None = None
) -> None:
    """Note why a server cannot be used, and what it wants before it can."""
    tx.run(
        "UPDATE mcp_servers SET status = :status, last_error = :error, "
        "challenge = ifnull(:challenge, challenge) WHERE id = :id AND generation = :generation",
        status=status,
        error=error,
        challenge=challenge,
        id=server,
        generation=generation,
    )
    tx.emit(CHANGED)


def renew_login(tx: Tx, server: int, generation: int, login: bytes) -> None:
    """Store what signs in to a server from now on."""
    tx.update("mcp_servers", {"id": server, "generation": generation}, login=login)


def sign_in(tx: Tx, server: int, generation: int, login: bytes) -> bool:
    """Store what a new login has given; return whether it is still the server that was asked."""
    found = tx.run(
        "UPDATE mcp_servers SET login = :login, challenge = NULL "
        "WHERE id = :id AND generation = :generation",
        login=login,
        id=server,
        generation=generation,
    )
    return found.rowcount > 0


def disconnect(tx: Tx, server: int) -> None:
    """Forget what signs in to a server, and let none of its tools be used."""
    tx.run(
        "UPDATE mcp_servers SET login = NULL, challenge = NULL, generation = generation + 1, "
        "status = 'disconnected', last_error = NULL WHERE id = :id",
        id=server,
    )
    tx.emit(CHANGED)


def trust(tx: Tx, server: int, *, trusted: bool) -> None:
    """Note whether the owner believes what a server says its tools do."""
    tx.update("mcp_servers", {"id": server}, trusted=int(trusted))
    tx.emit(CHANGED)


def delete(tx: Tx, server: int) -> None:
    """Delete a server with its tools."""
    tx.run("DELETE FROM mcp_servers WHERE id = :id", id=server)
    tx.emit(CHANGED)
