"""What takes room: the file by what its pages are for, and what each owner holds."""

import sqlite3
from collections import Counter
from pathlib import Path

from app.core.database.backup_status import OwnerStorage, StorageMeasurement
from app.core.database.sqlite_setup import read_pragmas
from app.core.database.tx import read_snapshot
from app.upkeep.open_read_only import open_read_only

PURPOSES = (
    ("note_words", "word index"),
    ("waiting_words", "word index"),
    ("word_", "word index"),
    ("note_grams", "trigram index"),
    ("waiting_grams", "trigram index"),
    ("name_", "name index"),
    ("tag_names", "name index"),
    ("note_links", "links"),
    ("unread_links", "links"),
    ("note_passages", "vectors"),
    ("episode_passages", "vectors"),
    ("embedding_models", "vectors"),
    ("snapshots", "snapshots"),
    ("attachment", "attachments"),
    ("message_attachments", "attachments"),
    ("raw_", "raw memory"),
    ("notes", "notes"),
    ("note_tags", "notes"),
    ("todo", "todos"),
    ("message", "conversations"),
    ("conversation", "conversations"),
    ("turn", "conversations"),
    ("episode", "conversations"),
    ("audit", "audit"),
)
"""What tables are for, by what their names begin with; the first that fits."""

_HELD = {
    "SELECT owner_id, count(*), ifnull(sum(size), 0) FROM notes "
    "WHERE trash_id IS NULL GROUP BY owner_id": ("notes", "note_bytes"),
    "SELECT owner_id, count(*), ifnull(sum(size), 0) FROM notes "
    "WHERE trash_id IS NOT NULL GROUP BY owner_id": ("trashed_notes", "trashed_bytes"),
    """SELECT n.owner_id, count(*), sum(length(CAST(s.content AS BLOB)))
          FROM snapshots s JOIN notes n ON n.id = s.note_id
       GROUP BY n.owner_id""": ("snapshots", "snapshot_bytes"),
    "SELECT owner_id, count(*), ifnull(sum(size), 0) FROM attachments "
    "WHERE complete = 1 GROUP BY owner_id": ("attachments", "attachment_bytes"),
    "SELECT owner_id, count(*), ifnull(sum(size), 0) FROM raw_records "
    "WHERE state = 'kept' GROUP BY owner_id": ("raw_records", "raw_record_bytes"),
    """SELECT n.owner_id, 0, sum(length(p.vectors) + length(p.spans))
          FROM note_passages p JOIN notes n ON n.id = p.note_id
       GROUP BY n.owner_id""": (None, "vector_bytes"),
}
"""Each query with the fields that its number and its bytes go to."""


def measure_database(path: Path, now: str) -> StorageMeasurement:
    """Return what takes room in a database, which may be in use; it is read as a whole."""
    with open_read_only(path) as connection, read_snapshot(connection):
        pages, free, size = read_pragmas(connection, "page_count", "freelist_count", "page_size")
        return StorageMeasurement(
            now,
            pages * size,
            free * size,
            _bytes_by_purpose(connection),
            _held_by_owner(connection),
        )


def table_purpose(table: str) -> str:
    """Return what a table is for."""
    return next((said for beginning, said in PURPOSES if table.startswith(beginning)), "other")


def _bytes_by_purpose(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the bytes of all pages by what they are for.

    Nothing where SQLite was built without the table that tells.
    """
    table_of = dict(connection.execute("SELECT name, tbl_name FROM sqlite_schema").fetchall())
    sums: Counter[str] = Counter()
    try:
        for name, size in connection.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = 1"):
            sums[table_purpose(table_of.get(name, name))] += size
    except sqlite3.OperationalError:
        return {}
    return dict(sums.most_common())


def _held_by_owner(connection: sqlite3.Connection) -> dict[str, OwnerStorage]:
    owners = {
        str(row[0]): OwnerStorage()
        for row in connection.execute("SELECT id FROM users ORDER BY id")
    }
    for sql, (number_field, bytes_field) in _HELD.items():
        for owner, number, size in connection.execute(sql):
            if number_field is not None:
                setattr(owners[str(owner)], number_field, number)
            setattr(owners[str(owner)], bytes_field, size)
    return owners
