"""The step that made raw memory: devices, their keys, and what they store."""

from typing import TYPE_CHECKING

from app.migrations.statements import run

if TYPE_CHECKING:
    from sqlite_utils import Database


def m039_raw_memory(db: "Database") -> None:
    """Make devices, enrolments, wrapped account keys, and records, whose bytes lie in parts.

    A deleted record stays as its id alone, so that nothing else can take its place.
    """
    run(
        db,
        """
        CREATE TABLE raw_devices (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            device_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, public_key BLOB NOT NULL, signing_key BLOB NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'revoked')), created_at TEXT NOT NULL,
            last_seen_at TEXT, revoked_at TEXT) STRICT;
        CREATE INDEX raw_devices_by_owner ON raw_devices (owner_id, id);
        CREATE TABLE raw_enrolments (
            enrolment_id TEXT PRIMARY KEY, poll_digest BLOB NOT NULL UNIQUE, name TEXT NOT NULL, public_key BLOB NOT NULL,
            signing_key BLOB NOT NULL, status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'consumed')),
            decided_by INTEGER REFERENCES users ON DELETE CASCADE, device INTEGER REFERENCES raw_devices ON DELETE SET NULL,
            created_at TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX raw_enrolments_by_end ON raw_enrolments (expires_at);
        CREATE INDEX raw_enrolments_by_user ON raw_enrolments (decided_by) WHERE decided_by IS NOT NULL;
        CREATE INDEX raw_enrolments_by_device ON raw_enrolments (device) WHERE device IS NOT NULL;
        CREATE TABLE raw_key_sets (
            owner_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE, generation INTEGER NOT NULL,
            account_key_id TEXT NOT NULL, recovery_salt TEXT, recovery_key BLOB, recovery_at TEXT) STRICT;
        CREATE TABLE raw_previous_keys (
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, position INTEGER NOT NULL,
            account_key_id TEXT NOT NULL, wrapped_key BLOB NOT NULL, PRIMARY KEY (owner_id, position),
            UNIQUE (owner_id, account_key_id)) STRICT, WITHOUT ROWID;
        CREATE TABLE raw_key_wraps (
            device INTEGER PRIMARY KEY REFERENCES raw_devices ON DELETE CASCADE,
            owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, enc BLOB NOT NULL, ciphertext BLOB NOT NULL,
            created_at TEXT NOT NULL) STRICT;
        CREATE INDEX raw_key_wraps_by_owner ON raw_key_wraps (owner_id);
        CREATE TABLE raw_records (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            record_id TEXT NOT NULL COLLATE NOCASE, state TEXT NOT NULL CHECK (state IN ('arriving', 'kept', 'deleted')),
            device_id TEXT NOT NULL, session_ref TEXT NOT NULL, sequence INTEGER NOT NULL, created_at TEXT NOT NULL,
            nonce BLOB NOT NULL, account_key_id TEXT NOT NULL, wrapped_key BLOB NOT NULL, signature BLOB NOT NULL,
            size INTEGER NOT NULL, sha256 TEXT NOT NULL, received_at TEXT NOT NULL) STRICT;
        CREATE UNIQUE INDEX raw_records_by_name ON raw_records (owner_id, record_id);
        CREATE INDEX raw_records_held ON raw_records (owner_id, size) WHERE state <> 'deleted';
        CREATE INDEX raw_records_kept ON raw_records (owner_id, id) WHERE state = 'kept';
        CREATE INDEX raw_records_by_session ON raw_records (owner_id, session_ref, id) WHERE state = 'kept';
        CREATE INDEX raw_records_by_device ON raw_records (owner_id, device_id, id) WHERE state = 'kept';
        CREATE INDEX raw_records_arriving ON raw_records (received_at) WHERE state = 'arriving';
        CREATE TABLE raw_record_parts (
            record INTEGER NOT NULL REFERENCES raw_records ON DELETE CASCADE, number INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (record, number)) STRICT;
        """,
    )
