"""The steps that made the network: contacts, messages, sessions."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m018_contacts(db: "Database") -> None:
    """Which contacts are friends, requests to become contacts, and what one user grants another."""
    run(
        db,
        """
        ALTER TABLE contacts ADD COLUMN friend INTEGER NOT NULL DEFAULT 1 CHECK (friend IN (0, 1));
        CREATE TABLE contact_requests (
            id INTEGER PRIMARY KEY AUTOINCREMENT, from_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            to_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, type TEXT NOT NULL CHECK (type IN ('agent', 'friend')), note TEXT,
            status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'rejected', 'cancelled', 'expired')), created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL, decided_at TEXT) STRICT;
        CREATE UNIQUE INDEX contact_requests_pending ON contact_requests (from_id, to_id, type) WHERE status = 'pending';
        CREATE INDEX contact_requests_incoming ON contact_requests (to_id) WHERE status = 'pending';
        CREATE INDEX contact_requests_by_sender ON contact_requests (from_id);
        CREATE INDEX contact_requests_by_recipient ON contact_requests (to_id);
        CREATE TABLE contact_grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            holder_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, permissions TEXT NOT NULL, note_id INTEGER,
            revision INTEGER NOT NULL DEFAULT 1, expires_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
            UNIQUE (owner_id, holder_id)) STRICT;
        CREATE INDEX contact_grants_by_holder ON contact_grants (holder_id);
        """,
    )
