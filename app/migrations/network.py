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


def m019_messages(db: "Database") -> None:
    """Make the threads between two people, what each member of a group may see, and the keys by
    which a group's message comes once.
    """
    run(
        db,
        """
        ALTER TABLE conversation_members ADD COLUMN since_id INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation_members ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation_members ADD COLUMN joined_at TEXT NOT NULL DEFAULT '';
        CREATE UNIQUE INDEX messages_by_client ON messages (conversation_id, sender_id, client_message_id) WHERE client_message_id IS NOT NULL;
        CREATE TABLE threads (
            kind TEXT NOT NULL CHECK (kind IN ('direct', 'shared_agent', 'own_agent')),
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, other_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
            PRIMARY KEY (kind, user_id, other_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX threads_by_user ON threads (user_id);
        CREATE INDEX threads_by_other ON threads (other_id);
        CREATE TABLE waiting_messages (
            message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            asker_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, reason TEXT NOT NULL CHECK (reason IN ('budget_spent', 'paused')),
            next_at TEXT NOT NULL, turn_id INTEGER) STRICT;
        CREATE INDEX waiting_messages_due ON waiting_messages (next_at, message_id) WHERE turn_id IS NULL;
        CREATE INDEX waiting_messages_claimed ON waiting_messages (turn_id) WHERE turn_id IS NOT NULL;
        CREATE INDEX waiting_messages_by_owner ON waiting_messages (owner_id, asker_id);
        CREATE INDEX waiting_messages_by_asker ON waiting_messages (asker_id);
        CREATE TABLE unremembered_messages (message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE) STRICT;
        """,
    )


def m020_shares(db: "Database") -> None:
    """Share links, the sessions of guests who came by them, and what a local machine decided for
    them.
    """
    run(
        db,
        """
        CREATE TABLE share_links (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, token TEXT NOT NULL UNIQUE,
            label TEXT NOT NULL, target TEXT NOT NULL CHECK (target IN ('agent', 'note')),
            answered_by TEXT NOT NULL CHECK (answered_by IN ('agent', 'local')), require_sign_in INTEGER NOT NULL CHECK (require_sign_in IN (0, 1)),
            note_id INTEGER, terms TEXT NOT NULL, policy_note_id INTEGER, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT) STRICT;
        CREATE INDEX share_links_by_owner ON share_links (owner_id);
        CREATE INDEX share_links_kept ON share_links (owner_id) WHERE revoked_at IS NULL;
        CREATE TABLE guest_sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, link_id INTEGER NOT NULL REFERENCES share_links ON DELETE CASCADE,
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, uuid TEXT NOT NULL UNIQUE, key_digest BLOB NOT NULL UNIQUE,
            conversation_id INTEGER NOT NULL UNIQUE REFERENCES conversations ON DELETE CASCADE,
            guest_id INTEGER REFERENCES users ON DELETE SET NULL, guest_name TEXT, fingerprint TEXT NOT NULL, asked INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL, active_at TEXT NOT NULL) STRICT;
        CREATE INDEX guest_sessions_by_link ON guest_sessions (link_id, active_at);
        CREATE INDEX guest_sessions_by_visitor ON guest_sessions (link_id, fingerprint, asked);
        CREATE INDEX guest_sessions_by_beginning ON guest_sessions (link_id, created_at);
        CREATE INDEX guest_sessions_by_owner ON guest_sessions (owner_id, active_at);
        CREATE INDEX guest_sessions_by_guest ON guest_sessions (guest_id) WHERE guest_id IS NOT NULL;
        CREATE TABLE guest_decisions (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, client_event_id TEXT NOT NULL, decision TEXT NOT NULL,
            created_at TEXT NOT NULL, PRIMARY KEY (owner_id, client_event_id)) STRICT, WITHOUT ROWID;
        """,
    )


def m021_sessions(db: "Database") -> None:
    """Web sessions and the codes with which they begin; teams with members and invites."""
    run(
        db,
        """
        CREATE TABLE web_sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE,
            key_digest BLOB, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
        CREATE INDEX web_sessions_by_user ON web_sessions (user_id, expires_at);
        CREATE INDEX web_sessions_by_end ON web_sessions (expires_at);
        CREATE TABLE sign_in_codes (
            digest BLOB PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id);
        CREATE TABLE teams (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE, name TEXT NOT NULL,
            created_at TEXT NOT NULL) STRICT;
        CREATE TABLE team_members (
            user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')), joined_at TEXT NOT NULL) STRICT;
        CREATE INDEX team_members_by_team ON team_members (team_id);
        CREATE TABLE team_invites (
            id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE,
            email TEXT, role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
            status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'revoked')),
            invited_by INTEGER REFERENCES users ON DELETE SET NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT;
        CREATE INDEX team_invites_pending ON team_invites (team_id) WHERE status = 'pending';
        CREATE INDEX team_invites_by_team ON team_invites (team_id);
        CREATE INDEX team_invites_by_inviter ON team_invites (invited_by);
        """,
    )


def m023_imports(db: "Database") -> None:
    """What was imported from where, so that an import goes on and comes again.

    And the jobs of imports and exports.
    """
    run(
        db,
        """
        CREATE TABLE imported_items (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, source TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('note', 'file', 'todo', 'conversation')), key TEXT NOT NULL, row_id INTEGER NOT NULL,
            digest BLOB NOT NULL, mark TEXT, rest INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (user_id, source, kind, key)) STRICT, WITHOUT ROWID;
        CREATE INDEX imported_items_by_row ON imported_items (user_id, source, kind, row_id);
        CREATE INDEX imported_items_unfinished ON imported_items (user_id, source) WHERE rest > 0;
        CREATE TABLE transfers (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('import', 'export')), name TEXT NOT NULL, status TEXT NOT NULL
            CHECK (status IN ('running', 'completed', 'failed', 'cancelled')), scopes TEXT NOT NULL, result TEXT, error TEXT,
            started_at TEXT NOT NULL, ended_at TEXT) STRICT;
        CREATE INDEX transfers_by_user ON transfers (user_id, kind, id);
        """,
    )


def m030_makers(db: "Database") -> None:
    """Which key made a key or saw its secret, and since when it has that.

    By which link a grant came; which user put a thing into the trash.
    """
    run(
        db,
        """
        ALTER TABLE keys ADD COLUMN made_by INTEGER;
        ALTER TABLE keys ADD COLUMN secret_at TEXT;
        ALTER TABLE contact_grants ADD COLUMN link_id INTEGER;
        ALTER TABLE trash ADD COLUMN by_user INTEGER;
        CREATE INDEX trash_by_user ON trash (by_user) WHERE by_user IS NOT NULL;
        CREATE INDEX contact_grants_by_link ON contact_grants (link_id) WHERE link_id IS NOT NULL;
        """,
    )
