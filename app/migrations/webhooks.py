"""The step that made webhooks: where events are sent, and what is to be sent."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m038_webhooks(db: "Database") -> None:
    """Make the webhooks of each user, the secrets that sign for them, and their deliveries.

    A secret with an end was rotated. `tries` counts a delivery's attempts by the table of waits.
    Of a share link it is kept which end of it was told, since that is an event too.
    """
    run(
        db,
        """
        CREATE TABLE webhooks (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            url TEXT NOT NULL, description TEXT NOT NULL, events TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
            disabled_reason TEXT CHECK (disabled_reason IN ('gone', 'failing')),
            failures INTEGER NOT NULL DEFAULT 0, failing_since TEXT, last_success_at TEXT, last_failure_at TEXT,
            created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
        CREATE INDEX webhooks_by_user ON webhooks (user_id);
        CREATE TABLE webhook_secrets (
            id INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
            secret BLOB NOT NULL, ends_at TEXT) STRICT;
        CREATE INDEX webhook_secrets_by_webhook ON webhook_secrets (webhook_id);
        CREATE TABLE webhook_deliveries (
            id INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
            event_id TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'cancelled')),
            attempts TEXT NOT NULL DEFAULT '[]', tries INTEGER NOT NULL DEFAULT 0, next_attempt_at TEXT,
            created_at TEXT NOT NULL) STRICT;
        CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id);
        CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
        CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
        ALTER TABLE share_links ADD COLUMN told_expiry TEXT;
        UPDATE share_links SET told_expiry = expires_at WHERE expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now');
        CREATE INDEX share_links_ending ON share_links (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT told_expiry;
        """,
    )
