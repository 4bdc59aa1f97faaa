"""The steps that made the MCP servers that agents use."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m034_mcp_servers(db: "Database") -> None:
    """Make the MCP servers of each user, and the tools that they offer and that were seen."""
    run(
        db,
        """
        CREATE TABLE mcp_servers (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            name TEXT NOT NULL, name_key TEXT NOT NULL, namespace TEXT NOT NULL,
            transport TEXT NOT NULL CHECK (transport IN ('http', 'stdio')), url TEXT NOT NULL, config BLOB NOT NULL, login BLOB,
            generation INTEGER NOT NULL DEFAULT 0, listed INTEGER NOT NULL DEFAULT 0, trusted INTEGER NOT NULL DEFAULT 0,
            status TEXT NOT NULL CHECK (status IN ('connected', 'needs_reauth', 'disconnected', 'error')), last_error TEXT,
            created_at TEXT NOT NULL, last_connected_at TEXT, UNIQUE (user_id, name_key), UNIQUE (user_id, namespace)) STRICT;
        CREATE TABLE mcp_tools (
            server_id INTEGER NOT NULL REFERENCES mcp_servers ON DELETE CASCADE, name TEXT NOT NULL, position INTEGER NOT NULL,
            definition TEXT, seen TEXT, PRIMARY KEY (server_id, name)) STRICT, WITHOUT ROWID;
        """,
    )


def m040_challenges_and_documents(db: "Database") -> None:
    """Keep what an MCP server wants before it can be used: a login, or more rights.

    And until when the document holds that describes an OAuth client.
    """
    run(
        db,
        """
        ALTER TABLE mcp_servers ADD COLUMN challenge TEXT;
        ALTER TABLE oauth_clients ADD COLUMN fresh_until TEXT;
        """,
    )
