"""Leaving a server for good."""

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
