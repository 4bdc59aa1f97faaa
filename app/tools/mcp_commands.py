"""What only the owner of the data directory may do with MCP servers, and the end of a login."""

import dataclasses
import hashlib
import sqlite3
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record, encode
from app.core.secret_files import Seal
from app.core.text import fold_name
from app.errors import Conflict
from app.tools import mcp_endpoints
from app.tools.mcp import config as configs
from app.tools.mcp import logins, removal, server_rows, servers, tool_rows
from app.tools.mcp.config import McpConfig
from app.tools.mcp.definitions import Definition
from app.tools.mcp.failures import McpFailed
from app.tools.mcp_endpoints import McpLogin, McpServer, McpServerList, ServerName, ServerUrl


class ToolShown(Record):
    """A tool as its server describes it; `reads`: it says that it only reads."""

    description: str
    parameters: dict[str, Any]
    reads: bool
    closed: bool


class ToolChanged(Record):
    """A tool that is off; `before` null: it is new."""

    name: str
    before: ToolShown | None
    now: ToolShown


class McpServerDetails(Record):
    """A server with what its owner must see; `digest` stands for the changes."""

    server: McpServer
    trusted: bool
    tools: list[mcp_endpoints.McpTool]
    changes: list[ToolChanged]
    digest: str


class LoginEnded(Record):
    server: str | None
    error: str | None


@operation("COMMAND")
async def set_up_mcp_server(
    app: App,
    me: Caller,
    *,
    username: str,
    name: ServerName,
    server_url: ServerUrl | None = None,
    config: McpConfig | None = None,
) -> McpServerDetails:
    """Add an MCP server for a user, also one that is a program."""
    owner = app.quick(_owner, me, username)
    held = configs.checked(config or McpConfig())
    await mcp_endpoints.added(app, owner, name, server_url, held)
    return await app.read(_details, app.seal, owner, name)


@operation("COMMAND", effect="read")
async def user_mcp_servers(app: App, me: Caller, *, username: str) -> McpServerList:
    """List the MCP servers of a user."""
    found: McpServerList = await mcp_endpoints.list_mcp_servers(
        app, app.quick(_owner, me, username)
    )
    return found


@operation("COMMAND", effect="read")
async def user_mcp_server(app: App, me: Caller, *, username: str, name: str) -> McpServerDetails:
    """Read an MCP server of a user with what has changed in its tools."""
    return await app.read(_details, app.seal, app.quick(_owner, me, username), name)


@operation("COMMAND")
async def test_mcp_server(app: App, me: Caller, *, username: str, name: str) -> McpServerDetails:
    """Ask an MCP server of a user for its tools now."""
    owner = app.quick(_owner, me, username)
    await servers.connect(app, app.quick(_of, owner, name)["id"])
    return await app.read(_details, app.seal, owner, name)


@operation("COMMAND")
async def trust_mcp_server(
    app: App,
    me: Caller,
    *,
    username: str,
    name: str,
    trusted: bool | None = None,
    digest: Annotated[str, Meta(max_length=64)] | None = None,
) -> McpServerDetails:
    """Believe what a server says of its tools, or no longer; switch on what was seen.

    `digest` stands for the changes that were seen; others have come since where it differs.
    """
    owner = app.quick(_owner, me, username)
    await app.write(_trust, owner, name, trusted, digest)
    return await app.read(_details, app.seal, owner, name)


@operation("COMMAND")
async def forget_mcp_server(app: App, me: Caller, *, username: str, name: str) -> Record:
    """Remove an MCP server of a user."""
    await removal.remove(app, app.quick(_of, app.quick(_owner, me, username), name))
    return Record()


@operation("COMMAND")
async def begin_mcp_login(app: App, me: Caller, *, username: str, name: str) -> McpLogin:
    """Begin a login at an MCP server of a user."""
    owner = app.quick(_owner, me, username)
    id_ = f"{server_rows.PREFIX}{app.quick(_of, owner, name)['id']}"
    begun: McpLogin = await mcp_endpoints.authorize_mcp_server(app, owner, id=id_)
    return begun


@operation("COMMAND")
async def end_mcp_login(
    app: App,
    me: Caller,
    *,
    state: str,
    code: str = "",
    issuer: str | None = None,
    user: int | None = None,
) -> LoginEnded:
    """Take the answer of an authorization server that a browser brings."""
    try:
        name = await logins.finish(app, user, state, code, issuer)
    except McpFailed as error:
        return LoginEnded(None, str(error))
    return LoginEnded(name, None)


def _owner(tx: Tx, me: Caller, username: str) -> Caller:
    row = users.require_user(tx, username)
    return dataclasses.replace(
        me, user=row["id"], user_id=row["uuid"], username=row["username"], kind="session"
    )


def _of(tx: Tx, owner: Caller, name: str) -> sqlite3.Row:
    return server_rows.named(tx, owner.user, fold_name(name))


def _details(tx: Tx, seal: Seal, owner: Caller, name: str) -> McpServerDetails:
    row = _of(tx, owner, name)
    found = mcp_endpoints.answer(tx, seal, owner, f"{server_rows.PREFIX}{row['id']}").server
    changes = tool_rows.changes(tx, row["id"])
    fields = msgspec.structs.asdict(found)
    tools = fields.pop("tools")
    return McpServerDetails(
        McpServer(**fields),
        row["trusted"] == 1,
        tools,
        [ToolChanged(one.name, _shown(one.before), _seen(one.now)) for one in changes],
        _digest(changes),
    )


def _trust(tx: Tx, owner: Caller, name: str, trusted: bool | None, digest: str | None) -> None:
    row = _of(tx, owner, name)
    changes = tool_rows.changes(tx, row["id"])
    if digest is not None:
        if digest != _digest(changes):
            raise Conflict("The server has changed its tools again meanwhile; look once more.")
        tool_rows.accept(tx, row["id"])
    if trusted is not None:
        server_rows.trust(tx, row["id"], trusted=trusted)


def _digest(changes: list[tool_rows.Change]) -> str:
    return hashlib.sha256(encode([[one.name, one.now] for one in changes])).hexdigest()


def _shown(definition: Definition | None) -> ToolShown | None:
    return None if definition is None else _seen(definition)


def _seen(definition: Definition) -> ToolShown:
    return ToolShown(
        definition.description, definition.parameters, definition.reads, definition.closed
    )
