"""The steps that made the OAuth server: its clients, codes and tokens."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m032_oauth(db: "Database") -> None:
    """Make the registered clients, the answers to their requests, and tokens.

    A grant has an end, the name that the application knows its user by, and the code it came by.
    """
    run(
        db,
        """
        ALTER TABLE oauth_grants ADD COLUMN expires_at TEXT;
        ALTER TABLE oauth_grants ADD COLUMN subject TEXT;
        ALTER TABLE oauth_grants ADD COLUMN code_digest BLOB;
        CREATE UNIQUE INDEX oauth_grants_by_code ON oauth_grants (code_digest) WHERE code_digest IS NOT NULL;
        CREATE TABLE oauth_clients (
            id INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, redirect_uris TEXT NOT NULL,
            method TEXT NOT NULL CHECK (method IN ('none', 'client_secret_basic', 'client_secret_post')), secret_digest BLOB,
            created_at TEXT NOT NULL, approved_at TEXT) STRICT;
        CREATE INDEX oauth_clients_unapproved ON oauth_clients (created_at) WHERE approved_at IS NULL;
        CREATE TABLE oauth_codes (
            request_digest BLOB PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_id TEXT NOT NULL,
            redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL, challenge TEXT NOT NULL, nonce TEXT, signed_in_at TEXT NOT NULL,
            code_digest BLOB UNIQUE, answered_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX oauth_codes_by_answer ON oauth_codes (answered_at);
        CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);
        CREATE TABLE oauth_tokens (
            digest BLOB PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')), scopes TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT)
            STRICT, WITHOUT ROWID;
        CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
        CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at);
        """,
    )
