"""The steps that made the runtime: devices with their tokens, and what they are told."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m035_devices(db: "Database") -> None:
    """Make the tokens and codes of devices, their endpoints and sessions, each user's default
    route, and the events that endpoints are told.
    """
    run(
        db,
        """
        CREATE TABLE device_tokens (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, device_id TEXT NOT NULL,
            used_for TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, digest BLOB UNIQUE, created_at TEXT NOT NULL,
            last_used_at TEXT, revoked_at TEXT, UNIQUE (user_id, device_id, used_for)) STRICT;
        CREATE TABLE device_codes (
            poll_digest BLOB PRIMARY KEY, code_digest BLOB NOT NULL UNIQUE, device_id TEXT NOT NULL, runtime TEXT NOT NULL,
            bridge_version TEXT NOT NULL, adapter_version TEXT NOT NULL, capabilities TEXT NOT NULL, label TEXT,
            status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'consumed')),
            user_id INTEGER REFERENCES users ON DELETE CASCADE, created_at TEXT NOT NULL, expires_at TEXT NOT NULL)
            STRICT, WITHOUT ROWID;
        CREATE INDEX device_codes_by_end ON device_codes (expires_at);
        CREATE INDEX device_codes_by_user ON device_codes (user_id) WHERE user_id IS NOT NULL;
        CREATE TABLE runtime_endpoints (
            endpoint_id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, device_id TEXT NOT NULL,
            runtime TEXT NOT NULL CHECK (runtime IN ('claude-code', 'codex')), bridge_version TEXT NOT NULL,
            adapter_version TEXT NOT NULL, capabilities TEXT NOT NULL, created_at TEXT NOT NULL, last_seen_at TEXT NOT NULL,
            removed_at TEXT, UNIQUE (user_id, device_id, runtime)) STRICT, WITHOUT ROWID;
        CREATE TABLE runtime_sessions (
            session_handle TEXT PRIMARY KEY, endpoint_id TEXT NOT NULL REFERENCES runtime_endpoints ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, label TEXT NOT NULL, workspace_boundary TEXT,
            state TEXT NOT NULL CHECK (state IN ('idle', 'busy', 'closed')), delivery_mode TEXT NOT NULL, capabilities TEXT NOT NULL,
            allow_inbound INTEGER NOT NULL CHECK (allow_inbound IN (0, 1)),
            allow_mid_turn_steer INTEGER NOT NULL CHECK (allow_mid_turn_steer IN (0, 1)), created_at TEXT NOT NULL,
            last_active_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX runtime_sessions_by_endpoint ON runtime_sessions (endpoint_id, state);
        CREATE INDEX runtime_sessions_by_user ON runtime_sessions (user_id);
        CREATE TABLE default_routes (
            user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
            endpoint_id TEXT NOT NULL REFERENCES runtime_endpoints ON DELETE CASCADE,
            session_handle TEXT NOT NULL REFERENCES runtime_sessions ON DELETE CASCADE, updated_at TEXT NOT NULL) STRICT;
        CREATE INDEX default_routes_by_endpoint ON default_routes (endpoint_id);
        CREATE INDEX default_routes_by_session ON default_routes (session_handle);
        CREATE TABLE runtime_events (
            id INTEGER PRIMARY KEY AUTOINCREMENT, endpoint_id TEXT NOT NULL REFERENCES runtime_endpoints ON DELETE CASCADE,
            type TEXT NOT NULL, data TEXT NOT NULL, created_at TEXT NOT NULL, delivery_id TEXT, expires_at TEXT, sent_at TEXT,
            acked_at TEXT) STRICT;
        CREATE INDEX runtime_events_by_endpoint ON runtime_events (endpoint_id, id);
        CREATE INDEX runtime_events_by_age ON runtime_events (created_at);
        CREATE INDEX runtime_events_open ON runtime_events (endpoint_id, id) WHERE delivery_id IS NOT NULL AND acked_at IS NULL;
        CREATE INDEX runtime_events_by_delivery ON runtime_events (delivery_id) WHERE delivery_id IS NOT NULL;
        """,
    )
