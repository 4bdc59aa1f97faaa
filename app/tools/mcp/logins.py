"""The logins at servers that wait for their owner, and what comes of them."""

import asyncio
import sqlite3
from datetime import timedelta
from typing import TYPE_CHECKING

from app.core.app import App
from app.core.database.tx import stamp
from app.core.process.lazy_import import lazy_import
from app.core.web import service_addresses
from app.tools.mcp import challenge, config, login_state, server_rows, servers
from app.tools.mcp.connections import McpConnections
from app.tools.mcp.failures import McpFailed

if TYPE_CHECKING:
    from app.tools.mcp.login import LoginFlow

CALLBACK = "/api/auth/mcp/callback"
DOCUMENT = "/api/auth/mcp/client.json"
MINUTES = 10
NOT_KNOWN = (
    "This login is not known: it was answered already, has expired, or was begun before the "
    "server was started again. Authorize the MCP server once more."
)


class McpLogins:
    """The logins that have begun, by their state; a server has one at the most."""

    def __init__(self) -> None:
        self._flows: dict[str, LoginFlow] = {}

    def add(self, flow: "LoginFlow") -> None:
        """Keep a login, in place of an earlier one of the same server."""
        self.drop(flow.server)
        self._flows[flow.state] = flow
        asyncio.get_running_loop().call_later(60 * MINUTES, self._flows.pop, flow.state, None)

    def take(self, state: str) -> "LoginFlow | None":
        """Return the login of that state, once."""
        return self._flows.pop(state, None)

    def servers(self) -> set[int]:
        """Return the servers at which a login has begun."""
        return {flow.server for flow in self._flows.values()}

    def drop(self, server: int) -> None:
        """Forget the login of a server."""
        for state, flow in list(self._flows.items()):
            if flow.server == server:
                del self._flows[state]
                flow.stop()

    def close(self) -> None:
        """Forget every login."""
        for flow in self._flows.values():
            flow.stop()
        self._flows.clear()


async def begin(app: App, row: sqlite3.Row) -> tuple[str, str]:
    """Return the address that the owner must visit, and until when; raise McpFailed."""
    module = await lazy_import("app.tools.mcp.login")
    origin = app.settings.origin
    flow: LoginFlow = module.LoginFlow(
        row,
        service_addresses.policy_for(app.settings, row["url"]),
        callback=origin + CALLBACK,
        document=origin + DOCUMENT if origin.startswith("https://") else None,
        now=lambda: app.clock().timestamp(),
    )
    client = config.registered(servers.config_of(app, row))
    try:
        url = await flow.begin(
            client, servers.login_of(app, row), challenge.opened(row["challenge"])
        )
    except McpFailed as error:
        if row["status"] == "needs_reauth":
            raise
        raise servers.told_apart(row, error) from None
    app.part(McpLogins).add(flow)
    return url, stamp(app.clock() + timedelta(minutes=MINUTES))


async def finish(app: App, user: int | None, state: str, code: str, issuer: str | None) -> str:
    """Take the answer of an authorization server and return the name of the server.

    `user` is whoever is signed in with that browser, if anybody is. Raise McpFailed.
    """
    flow = app.part(McpLogins).take(state)
    if flow is None:
        raise McpFailed(NOT_KNOWN)
    if not code or user not in (None, flow.user):
        flow.stop()
        raise McpFailed(
            "The login was refused." if not code else "Another user has begun this login."
        )
    login = await flow.finish(code, issuer)
    stored = login_state.sealed(app.seal, flow.user, login)
    row = await app.read(server_rows.get, flow.server)
    if row is None or not await app.write(
        server_rows.sign_in, flow.server, flow.generation, stored
    ):
        raise McpFailed("The MCP server was changed or removed meanwhile.")
    await app.part(McpConnections).drop(flow.server)
    await servers.connect(app, flow.server)
    return str(row["name"])


async def revoke(app: App, row: sqlite3.Row) -> None:
    """Tell the authorization server of a server that is left, without waiting for it."""
    login = servers.login_of(app, row)
    if login is not None:
        module = await lazy_import("app.tools.mcp.login")
        app.tasks.start(
            module.revoke(login, service_addresses.policy_for(app.settings, row["url"]))
        )
