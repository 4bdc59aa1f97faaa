"""Leaving servers for good: one that is removed, and those of users that are gone."""

import asyncio
import sqlite3

from app.core.app import App
from app.tools.mcp import logins, server_rows
from app.tools.mcp.connections import McpConnections
from app.tools.mcp.logins import McpLogins


async def remove(app: App, row: sqlite3.Row) -> None:
    """Delete a server with its tools and its login, and end what runs of it."""
    app.part(McpLogins).drop(row["id"])
    await logins.revoke(app, row)
    await app.write(server_rows.delete, row["id"])
    await app.part(McpConnections).drop(row["id"])


def leave_those_of_removed_users(app: App) -> None:
    """Begin to end what runs of servers that went with their user."""
    if app.part(McpConnections).servers() or app.part(McpLogins).servers():
        app.tasks.start(_leave_removed(app))


async def _leave_removed(app: App) -> None:
    connections, begun = app.part(McpConnections), app.part(McpLogins)
    there = await app.read(server_rows.numbers)
    for server in begun.servers() - there:
        begun.drop(server)
    await asyncio.gather(*(connections.drop(server) for server in connections.servers() - there))
