"""Asking the servers of a user: connecting, listing their tools, calling one."""

import asyncio
import logging
import sqlite3
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from app.core.app import App
from app.core.database.tx import Tx
from app.core.secret_files import SealBroken
from app.core.web import service_addresses
from app.errors import AppError, Unavailable, Unprocessable
from app.tools.mcp import (
    challenge,
    config,
    definitions,
    login_state,
    results,
    server_rows,
    tool_rows,
)
from app.tools.mcp.connections import McpConnections
from app.tools.mcp.failures import McpFailed, NeedsLogin, NotYet, Refused
from app.tools.mcp.login_state import Login
from app.tools.mcp.tool_rows import ToolRow

if TYPE_CHECKING:
    from app.tools.mcp.connection import Connection

log = logging.getLogger(__name__)
MASKED = "[secret]"
LARGEST_ARGUMENTS = 256 << 10
UNSEALED = (
    "What signs in to this server cannot be read: the file sealing-key of the data directory is "
    "gone. Set its config again, or authorize it again."
)
CHANGED = (
    "The server has changed what this tool is, so it is off until its owner has looked at it with "
    "`hearth mcp-server show`."
)
NOTHING_HERE = (
    "No MCP server answers at this address, as far as can be told; the log of Hearth at level info "
    "tells more."
)
LATER = 2.0
"""Seconds after which a list is read again that its server says has changed; it says so often."""


async def connect(app: App, server: int) -> None:
    """Ask a server anew for its tools, and note how that went; never raises for what it does."""
    row = await app.read(server_rows.get, server)
    if row is None:
        return
    connections = app.part(McpConnections)
    connections.answered(server)
    async with connections.place(server).lock:
        try:
            found = connections.current(server, row["generation"])
            if found is None or not await _list_again_by(app, row, found):
                await _opened(app, row)
        except McpFailed as error:
            await _note(app, row, error)


async def _list_again_by(app: App, row: sqlite3.Row, connection: "Connection") -> bool:
    """List the tools by a connection that others use; return False where it does not serve."""
    try:
        await _list(app, row, connection)
    except McpFailed:
        return False
    return True


async def call(app: App, user: int, tool: ToolRow, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a server's tool.

    Raise Unprocessable for what the tool refuses, Unavailable for a server that does not answer.
    """
    if len(msgspec.json.encode(arguments)) > LARGEST_ARGUMENTS:
        raise Unprocessable(
            f"The parameters are larger than {LARGEST_ARGUMENTS >> 10} KiB.", field="params"
        )
    row = await app.read(server_rows.get, tool.server)
    if row is None:
        raise Unavailable("The MCP server of this tool is gone.")
    connections = app.part(McpConnections)
    try:
        connection = await _kept(app, row)
        now = await app.read(tool_rows.usable, user, tool.name)
        if [found.definition for found in now] != [tool.definition]:
            raise Unprocessable(CHANGED)
        async with connections.place(tool.server).calls:
            given = await connection.call(tool.definition.remote, dict(arguments))
        connections.answered(tool.server)
        return results.record(given)
    except McpFailed as failure:
        raise await _told(app, row, _in_vain(app, row, failure)) from None


async def _told(app: App, row: sqlite3.Row, error: McpFailed) -> AppError:
    """Return what the caller of a tool is told, and note what it means for the server."""
    said = _plain(app, row, str(error))
    if isinstance(error, Refused):
        return Unprocessable(said)
    connections = app.part(McpConnections)
    connections.failed(row["id"], error)
    log.warning("the MCP server %s could not be used: %s", row["namespace"], said)
    is_lost = connections.current(row["id"], row["generation"]) is None
    if (is_lost and not isinstance(error, NotYet)) or isinstance(error, NeedsLogin):
        await _note(app, row, error)
    return Unavailable(f"The MCP server {row['name']} could not be used. {said}")


async def _kept(app: App, row: sqlite3.Row) -> "Connection":
    """Return the open connection to a server, or a new one; its tools were listed by it."""
    connections = app.part(McpConnections)
    async with connections.place(row["id"]).lock:
        found = connections.current(row["id"], row["generation"])
        if found is not None and (
            connections.is_listed(row["id"]) or await _list_again_by(app, row, found)
        ):
            return found
        connections.demand_patience(row["id"])
        return await _opened(app, row)


async def _opened(app: App, row: sqlite3.Row) -> "Connection":
    """Connect to a server and store what it offers."""
    seal, user, settings = app.seal, row["user_id"], app.settings
    try:
        held = config.opened(seal, user, row["config"])
        login = login_state.opened(seal, user, row["login"])
    except SealBroken:
        raise NeedsLogin(UNSEALED) from None
    except Unavailable as error:
        raise McpFailed(error.message) from None
    allowed = service_addresses.policy_for(settings, row["url"]) if held.command is None else None
    auth = await _auth(app, row, login)
    try:
        connection = await app.part(McpConnections).open(
            row["id"],
            generation=row["generation"],
            url=row["url"],
            config=held,
            reach=allowed,
            auth=auth,
            on_changed=partial(_list_later, app, row["id"]),
        )
    except McpFailed as error:
        raise told_apart(row, error) from None
    await _list(app, row, connection)
    return connection


async def _auth(app: App, row: sqlite3.Row, login: Login | None) -> Any:
    if login is None:
        return None
    from app.core.process.lazy_import import lazy_import

    module = await lazy_import("app.tools.mcp.token_auth")

    async def keep(renewed: Login) -> None:
        stored = login_state.sealed(app.seal, row["user_id"], renewed)
        await app.write(server_rows.renew_login, row["id"], row["generation"], stored)

    return module.TokenAuth(login, keep, lambda: app.clock().timestamp())


def config_of(app: App, row: sqlite3.Row) -> config.McpConfig:
    """Return how a server is reached; an empty configuration where it cannot be read."""
    try:
        return config.opened(app.seal, row["user_id"], row["config"])
    except SealBroken:
        return config.McpConfig()


def login_of(app: App, row: sqlite3.Row) -> Login | None:
    """Return the login at a server; None where there is none, or it cannot be read."""
    try:
        return login_state.opened(app.seal, row["user_id"], row["login"])
    except SealBroken:
        return None


async def _list(app: App, row: sqlite3.Row, connection: "Connection") -> None:
    """Store what a server offers now; what differs from what its owner saw is off."""
    offered = await connection.tools()
    found = definitions.listing(row["namespace"], offered)
    trouble = (
        f"{found.left_out} of its tools cannot be used: they are too many, or described at too "
        "great a length."
        if found.left_out
        else None
    )
    await app.write(_store, row["id"], row["generation"], found.tools, trouble)
    app.part(McpConnections).listed(row["id"])


def _store(
    tx: Tx,
    server: int,
    generation: int,
    tools: Mapping[str, definitions.Definition],
    trouble: str | None,
) -> None:
    before = server_rows.get(tx, server)
    if before is not None and server_rows.note_connected(tx, server, generation, trouble=trouble):
        tool_rows.store(tx, server, tools, seen=not before["listed"])


def _list_later(app: App, server: int) -> None:
    """Read a list again a moment after its server has said that it changed, once."""
    place = app.part(McpConnections).place(server)
    if not place.lists_soon:
        place.lists_soon = True
        app.tasks.start(_list_again(app, server))


async def _list_again(app: App, server: int) -> None:
    await asyncio.sleep(LATER)
    connections = app.part(McpConnections)
    connections.place(server).lists_soon = False
    row = await app.read(server_rows.get, server)
    if row is None or (found := connections.current(server, row["generation"])) is None:
        return
    try:
        async with connections.place(server).lock:
            await _list(app, row, found)
    except McpFailed as error:
        await _note(app, row, error)


async def _note(app: App, row: sqlite3.Row, failure: McpFailed) -> None:
    error = _in_vain(app, row, failure)
    needs_login = isinstance(error, NeedsLogin)
    status: server_rows.Status = "needs_reauth" if needs_login else "error"
    said = _plain(app, row, str(error))
    wanted = challenge.stored(error.challenge) if isinstance(error, NeedsLogin) else None
    await app.write(server_rows.note_failure, row["id"], row["generation"], status, said, wanted)


def told_apart(row: sqlite3.Row, error: McpFailed) -> McpFailed:
    """Return a failure, one sentence for all where nothing is known to be a server.

    So nobody finds out what else listens on this machine.
    """
    if row["transport"] != "http" or row["listed"] or not service_addresses.is_local(row["url"]):
        return error
    if isinstance(error, NeedsLogin) and (error.challenge is None or error.challenge.is_bearer):
        return error
    log.info("the MCP server %s cannot be used: %s", row["namespace"], error)
    return McpFailed(NOTHING_HERE)


def _in_vain(app: App, row: sqlite3.Row, error: McpFailed) -> McpFailed:
    """Return a failure, a refusal where the login has asked for all that the server wants."""
    if not isinstance(error, NeedsLogin) or not (wanted := error.challenge) or not wanted.steps_up:
        return error
    login = login_of(app, row)
    if login is None or not set(wanted.scopes) <= {*login.asked}:
        return error
    if not wanted.scopes and not login.steps_up:
        return error
    named = f" ({challenge.in_words(wanted.scopes)})" if wanted.scopes else ""
    return Refused(f"The server wants rights{named} that its login has asked for in vain.")


def _plain(app: App, row: sqlite3.Row, said: str) -> str:
    """Return what a server said without any secret of its own configuration."""
    try:
        secrets = config.secrets_of(config.opened(app.seal, row["user_id"], row["config"]))
    except (SealBroken, Unavailable):  # so the server has been told none
        return said
    login = login_of(app, row)
    if login is not None:
        secrets += [login.access_token, login.refresh_token or ""]
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        said = said.replace(secret, MASKED)
    return said
