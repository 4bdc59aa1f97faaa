"""The MCP servers of a user: adding, changing, signing in to and leaving them."""

import sqlite3
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, structs

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.process.background_tasks import shielded
from app.core.schema import Line, Record
from app.core.secret_files import Seal, SealBroken
from app.core.text import fold_name
from app.core.web import addresses, service_addresses
from app.errors import Conflict, Forbidden, Invalid, Unavailable
from app.tools.mcp import config as configs
from app.tools.mcp import definitions, logins, removal, server_rows, servers, tool_rows
from app.tools.mcp.config import STDIO, McpConfig
from app.tools.mcp.connections import McpConnections
from app.tools.mcp.failures import McpFailed, NoLogin
from app.tools.mcp.logins import McpLogins
from app.tools.mcp.server_rows import Status, Transport
from app.tools.registry import registry

LONGEST_LISTED = 300
RESERVED = frozenset({"agent", "folders", "hearth", "mcp", "os", "snapshots"})
CHANGED = (
    "{number} of its tools {are} new or changed, and off until you have looked at them with "
    "`hearth mcp-server show {name}`."
)
ServerName = Annotated[str, Line(1, 64)]
ServerUrl = Annotated[str, Meta(min_length=1, max_length=addresses.LONGEST_URL)]
ServerId = Annotated[str, Meta(max_length=100)]


class NotAuthorizable(Conflict):
    """The server asks for no login that could be given by a browser."""

    code = "not_authorizable"


class McpServer(Record):
    """A server; `config` shows of its secrets only that there are any."""

    id: str
    name: str
    server_url: str
    transport: Transport
    namespace: str
    status: Status
    tool_count: int
    config: dict[str, Any]
    last_error: str | None
    created_at: str
    last_connected_at: str | None


class McpTool(Record):
    name: str
    description: str


class McpServerWithTools(McpServer):
    """A server with the tools of it that are on, by their names there."""

    tools: list[McpTool]


class McpServerList(Record):
    servers: list[McpServer]


class McpServerAnswer(Record):
    server: McpServerWithTools


class McpLogin(Record):
    """The address that the owner visits to sign in to a server, until `expires_at`."""

    authorize_url: str
    expires_at: str
    server: McpServerWithTools


class McpRefreshed(Record):
    server: McpServerWithTools
    tool_count: int


@operation("GET /tools/mcp", scope="tools:read")
async def list_mcp_servers(app: App, me: Caller) -> McpServerList:
    """List the MCP servers whose tools agents may use."""
    return await app.read(_listed, app.seal, me)


@operation(
    "POST /tools/mcp",
    scope="tools:manage",
    http=Http(
        status=201,
        refuses={
            "serverUrl": "it is not https, or is missing where there is no config.command",
            "config.headers": "a header that cannot be set",
            "config.env": "a variable that cannot be set",
            "config.command": "it stands beside an address, or its arguments stand alone",
            "config.clientId": "it is not plain text, or stands beside a program",
            "config.clientSecret": "it is not plain text, or stands alone",
        },
    ),
)
async def add_mcp_server(
    app: App,
    me: Caller,
    *,
    name: ServerName,
    server_url: ServerUrl | None = None,
    config: McpConfig | None = None,
) -> McpServerAnswer:
    """Add an MCP server and ask it for its tools.

    One that does not answer, or wants a login first, is added too and says so in its status.
    Programs (`config.command`) are added on the command line, unless a setting allows more.
    """
    held = configs.checked(config or McpConfig())
    _demand_programs(app, held)
    return await added(app, me, name, server_url, held)


@operation("GET /tools/mcp/{id}", scope="tools:read")
async def get_mcp_server(app: App, me: Caller, *, id: ServerId) -> McpServerAnswer:
    """Read one MCP server with its tools."""
    return await app.read(answer, app.seal, me, id)


@operation(
    "PATCH /tools/mcp/{id}",
    scope="tools:manage",
    http=Http(
        refuses={
            "serverUrl": "it is not https, or stands beside a program",
            "config.headers": "a header that cannot be set",
            "config.env": "a variable that cannot be set",
            "config.command": "it stands beside an address, or its arguments stand alone",
            "config.clientId": "it is not plain text, or stands beside a program",
            "config.clientSecret": "it is not plain text, or stands alone",
            "*": "nothing is given to change",
        }
    ),
)
async def edit_mcp_server(
    app: App,
    me: Caller,
    *,
    id: ServerId,
    name: ServerName | None = None,
    server_url: ServerUrl | None = None,
    url: ServerUrl | None = None,
    config: McpConfig | None = None,
    status: Literal["disconnected"] | None = None,
) -> McpServerAnswer:
    """Change an MCP server; `url` is another name of serverUrl.

    At another address it is another server, whose login and tools are forgotten. A secret that
    comes back masked stays as it is.
    """
    row = app.quick(server_rows.owned, me, id)
    wanted = server_url or url
    if (name, wanted, config, status) == (None, None, None, None):
        raise Invalid("Give name, serverUrl, config or status.", field="name")
    is_reached_otherwise = wanted is not None or config is not None
    other = _otherwise(app, row, wanted, config) if is_reached_otherwise else None
    await app.write(_change, me, id, name, other)
    if other is not None:
        await _reach_again(app, row, other)
    if status is not None:
        await _leave(app, me, id)
    return await app.read(answer, app.seal, me, id)


@operation("DELETE /tools/mcp/{id}", scope="tools:manage")
async def remove_mcp_server(app: App, me: Caller, *, id: ServerId) -> Record:
    """Remove an MCP server with its tools and its login."""
    await removal.remove(app, app.quick(server_rows.owned, me, id))
    return Record()


@operation("POST /tools/mcp/{id}/authorize", scope="tools:manage")
async def authorize_mcp_server(app: App, me: Caller, *, id: ServerId) -> McpLogin:
    """Begin a login at an MCP server: its owner visits the address that comes back."""
    row = app.quick(server_rows.owned, me, id)
    held = servers.config_of(app, row)
    if row["transport"] != "http" or "authorization" in map(str.lower, held.headers):
        raise NotAuthorizable("This server is not signed in to by a browser.")
    try:
        found, expires_at = await logins.begin(app, row)
    except NoLogin:
        raise NotAuthorizable("This server asks for no login.") from None
    except McpFailed as error:
        raise Unavailable(str(error)) from None
    return McpLogin(found, expires_at, (await app.read(answer, app.seal, me, id)).server)


@operation("POST /tools/mcp/{id}/refresh", scope="tools:manage")
async def refresh_mcp_server(app: App, me: Caller, *, id: ServerId) -> McpRefreshed:
    """Read the tools of an MCP server again."""
    row = app.quick(server_rows.owned, me, id)
    await shielded(app.tasks.start(servers.connect(app, row["id"])))
    found = (await app.read(answer, app.seal, me, id)).server
    if found.status == "error":
        raise Unavailable(f"The MCP server {found.name} could not be used. {found.last_error}")
    return McpRefreshed(found, found.tool_count)


@operation("POST /tools/mcp/{id}/disconnect", scope="tools:manage")
async def disconnect_mcp_server(app: App, me: Caller, *, id: ServerId) -> McpServerAnswer:
    """Forget the login at an MCP server; it stays configured, and its tools are off."""
    await _leave(app, me, id)
    return await app.read(answer, app.seal, me, id)


async def added(
    app: App, me: Caller, name: str, url: str | None, config: McpConfig
) -> McpServerAnswer:
    """Add a server for whoever may add it, ask it for its tools, and give it as it is shown."""
    transport, place = _place(app, url, config)
    native = {tool.namespace for tool in registry.native_tools(app.catalog).values()} | RESERVED
    sealed = configs.sealed(app.seal, me.user, config)
    server = await app.write(_add, me, name, transport, place, sealed, native)
    await shielded(app.tasks.start(servers.connect(app, server)))
    return await app.read(answer, app.seal, me, f"{server_rows.PREFIX}{server}")


def shown(seal: Seal, row: sqlite3.Row, tools: int, changed: int) -> McpServer:
    """Return a server as it is shown."""
    trouble = row["last_error"]
    if trouble is None and changed:
        trouble = CHANGED.format(
            number=changed, are="is" if changed == 1 else "are", name=row["namespace"]
        )
    try:
        masked = configs.masked(configs.opened(seal, row["user_id"], row["config"]))
    except SealBroken:
        masked, trouble = {}, servers.UNSEALED
    except Unavailable as error:
        masked, trouble = {}, error.message
    return copy_fields(
        McpServer,
        row,
        id=f"{server_rows.PREFIX}{row['id']}",
        server_url=row["url"],
        tool_count=tools,
        config=masked,
        last_error=trouble,
    )


def _listed(tx: Tx, seal: Seal, me: Caller) -> McpServerList:
    counts = tool_rows.counts(tx, me)
    return McpServerList(
        [
            shown(seal, row, counts.get(row["id"], 0), len(tool_rows.changes(tx, row["id"])))
            for row in server_rows.listed(tx, me)
        ]
    )


def answer(tx: Tx, seal: Seal, me: Caller, id_: str) -> McpServerAnswer:
    """Return a server of the caller with its tools, as it is shown; raise NotFound."""
    row = server_rows.owned(tx, me, id_)
    is_usable = row["status"] in ("connected", "error")
    tools = tool_rows.of_server(tx, row["id"]) if is_usable else []
    found = shown(seal, row, len(tools), len(tool_rows.changes(tx, row["id"])))
    listed = [
        McpTool(
            definitions.exposed_name(row["namespace"], tool.remote),
            definitions.clean_line(tool.description, LONGEST_LISTED),
        )
        for tool in tools
    ]
    return McpServerAnswer(McpServerWithTools(**structs.asdict(found), tools=listed))


def _add(
    tx: Tx, me: Caller, name: str, transport: Transport, url: str, config: bytes, native: set[str]
) -> int:
    server_rows.demand_name(tx, me.user, fold_name(name))
    server_rows.demand_room(tx, me.user)
    namespace = definitions.namespace_for(name, native | server_rows.namespaces(tx, me.user))
    return server_rows.insert(
        tx,
        me.user,
        name=name,
        name_key=fold_name(name),
        namespace=namespace,
        transport=transport,
        url=url,
        config=config,
    )


class _Reach(NamedTuple):
    """How a server is reached from now on; `moved` where that makes it another server."""

    transport: Transport
    url: str
    config: bytes
    moved: bool


def _otherwise(app: App, row: sqlite3.Row, url: str | None, given: McpConfig | None) -> _Reach:
    """Return how a server is to be reached: with other secrets, or as another server.

    Raise Invalid or Forbidden where it must not be.
    """
    before = servers.config_of(app, row)
    after = before if given is None else configs.unmasked(given, before)
    if given is None and url is not None and before.command is not None:
        after = McpConfig()
    held = configs.checked(after)
    if given is not None:
        _demand_programs(app, held)
    same_program = held.command is not None and url is None
    transport, place = _place(
        app, url or (None if same_program or before.command is not None else row["url"]), held
    )
    stored = configs.sealed(app.seal, row["user_id"], held)
    moved = (transport, place, held.command, held.args) != (
        row["transport"],
        row["url"],
        before.command,
        before.args,
    )
    return _Reach(transport, place, stored, moved)


def _change(tx: Tx, me: Caller, id_: str, name: str | None, other: _Reach | None) -> None:
    server = server_rows.owned(tx, me, id_)["id"]
    if name is not None:
        server_rows.demand_name(tx, me.user, fold_name(name), besides=server)
        server_rows.rename(tx, server, name=name, name_key=fold_name(name))
    if other is None:
        return
    if other.moved:
        server_rows.point_elsewhere(
            tx, server, transport=other.transport, url=other.url, config=other.config
        )
        tool_rows.forget(tx, server)
    else:
        server_rows.set_config(tx, server, other.config)


async def _reach_again(app: App, before: sqlite3.Row, other: _Reach) -> None:
    if other.moved:
        app.part(McpLogins).drop(before["id"])
        await logins.revoke(app, before)
    await app.part(McpConnections).drop(before["id"])
    await shielded(app.tasks.start(servers.connect(app, before["id"])))


async def _leave(app: App, me: Caller, id_: str) -> None:
    row = app.quick(server_rows.owned, me, id_)
    app.part(McpLogins).drop(row["id"])
    await logins.revoke(app, row)
    await app.write(server_rows.disconnect, row["id"])
    await app.part(McpConnections).drop(row["id"])


def _place(app: App, url: str | None, config: McpConfig) -> tuple[Transport, str]:
    """Return how a server is reached, and its address; of a program, its name."""
    if config.command is not None:
        if url is not None and not url.startswith(STDIO):
            raise Invalid(
                "A server has an address or is a program: give serverUrl or config.command.",
                field="config.command",
            )
        return "stdio", f"{STDIO}{config.command.rpartition('/')[2]}"
    if url is None:
        raise Invalid("serverUrl is required.", field="serverUrl")
    return "http", service_addresses.check_address(app.settings, url, field="serverUrl")


def _demand_programs(app: App, config: McpConfig) -> None:
    if config.command is not None and not app.settings.allow_stdio_mcp:
        raise Forbidden(
            "A server that is a program can do on this machine what you can do, so it is added on "
            "the command line: `hearth mcp-server add`. HEARTH_ALLOW_STDIO_MCP=on allows it here.",
            reason="stdio_not_allowed",
            field="config.command",
        )
