"""The step that made managed agents: their table, keys, threads and words."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m037_managed_agents(db: "Database") -> None:
    """Make managed agents, and note of keys, conversations and messages whose they are.

    Names that users had rest for a time before an agent may be called so.
    """
    run(
        db,
        """
        CREATE TABLE managed_agents (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, uuid TEXT NOT NULL UNIQUE,
            handle TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, persona TEXT NOT NULL, model TEXT,
            namespaces TEXT NOT NULL, permissions TEXT NOT NULL,
            visibility TEXT NOT NULL CHECK (visibility IN ('private', 'contacts', 'anyone')), reply_tokens INTEGER,
            status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'deleted')), created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
            last_active_at TEXT, deleted_at TEXT, wake_minutes INTEGER, wake_task TEXT, next_wake_at TEXT) STRICT;
        CREATE INDEX managed_agents_by_user ON managed_agents (user_id);
        CREATE UNIQUE INDEX managed_agents_by_handle ON managed_agents (handle) WHERE status <> 'deleted';
        CREATE INDEX managed_agents_freed ON managed_agents (handle) WHERE status = 'deleted';
        CREATE INDEX managed_agents_due ON managed_agents (next_wake_at) WHERE next_wake_at IS NOT NULL;
        CREATE TABLE freed_names (name TEXT PRIMARY KEY, freed_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
        ALTER TABLE keys ADD COLUMN agent_id INTEGER REFERENCES managed_agents ON DELETE CASCADE;
        CREATE INDEX keys_by_agent ON keys (agent_id) WHERE agent_id IS NOT NULL;
        ALTER TABLE conversations ADD COLUMN agent_id INTEGER REFERENCES managed_agents ON DELETE SET NULL;
        CREATE INDEX conversations_by_agent ON conversations (agent_id) WHERE agent_id IS NOT NULL;
        ALTER TABLE messages ADD COLUMN agent_id INTEGER REFERENCES managed_agents ON DELETE SET NULL;
        CREATE INDEX messages_by_agent ON messages (agent_id, created_at) WHERE agent_id IS NOT NULL;
        CREATE TABLE agent_threads (
            agent_id INTEGER NOT NULL REFERENCES managed_agents ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, from_agent INTEGER NOT NULL DEFAULT 0,
            conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
            PRIMARY KEY (agent_id, user_id, from_agent)) STRICT, WITHOUT ROWID;
        CREATE INDEX agent_threads_by_user ON agent_threads (user_id);
        """,
    )
