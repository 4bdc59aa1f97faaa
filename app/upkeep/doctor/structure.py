"""What must hold between the rows of a database and is no copy of other rows.

Places, numbers given, texts and stored records, attachments, encrypted records.
"""

import hashlib
from collections.abc import Iterator

from app.core.database.sqlite_setup import quote_name
from app.core.database.tx import Tx
from app.upkeep.open_read_only import list_tables
from app.workspace.folders import folder_rows

SEQUENCE = "sqlite_sequence"
HASHED_BYTES = 64 << 20
"""Up to so many bytes, of attachments and of records, are read to compare them with what was sent.

Of all the sizes are compared.
"""
RECORDS = (
    ("users", "settings", "object"),
    ("notes", "tags", "array"),
    ("todos", "steps", "array"),
    ("keys", "scopes", "array"),
    ("trash", "trashed_by", "object"),
    ("oauth_grants", "scopes", "array"),
    ("oauth_clients", "redirect_uris", "array"),
    ("share_links", "terms", "object"),
)
TEXTS = ("notes", "snapshots", "todos", "folders", "messages", "users", "trash", "attachments")
_LIVE_PLACES = {
    "note {} is in a folder of another user": "SELECT n.id FROM notes n "
    "JOIN folders f ON f.id = n.folder_id "
    "WHERE f.owner_id <> n.owner_id",
    "note {} is in a folder that is in the trash": """SELECT n.id FROM notes n
        JOIN folders f ON f.id = n.folder_id
        WHERE n.trash_id IS NULL AND f.trash_id IS NOT NULL""",
    "folder {} is in a folder of another user": "SELECT c.id FROM folders c "
    "JOIN folders f ON f.id = c.parent_id "
    "WHERE f.owner_id <> c.owner_id",
    "folder {} is in a folder that is in the trash": """SELECT c.id FROM folders c
        JOIN folders f ON f.id = c.parent_id
        WHERE c.trash_id IS NULL AND f.trash_id IS NOT NULL""",
}
_TRASH = {
    kind: f"SELECT t.item_id FROM trash t LEFT JOIN {table} x ON x.id = t.item_id "
    f"WHERE t.kind = '{kind}' AND x.trash_id IS NULL"
    for kind, table in (("note", "notes"), ("todo", "todos"), ("folder", "folders"))
}


def check_texts(tx: Tx) -> Iterator[str]:
    """Look for texts that are not of letters: whoever reads such a row is refused by SQLite."""
    connection = tx.connection
    # as text the driver would raise at the first of them, without its name
    before, connection.text_factory = connection.text_factory, bytes
    try:
        for table in TEXTS:
            names = [
                row[0].decode()
                for row in tx.all(
                    f"SELECT name FROM pragma_table_info('{table}') WHERE type = 'TEXT'"
                )
            ]
            for row_id, *found in tx.run(f"SELECT id, {', '.join(names)} FROM {table}"):
                for name, text in zip(names, found, strict=True):
                    if text is not None and not _is_utf8(text):
                        yield f"{table}.{name} of row {row_id} is not valid text"
    finally:
        connection.text_factory = before


def check_records(tx: Tx) -> Iterator[str]:
    """Look for stored records that cannot be read."""
    for table, column, kind in RECORDS:
        rows = tx.all(
            f"SELECT id FROM {table} WHERE NOT json_valid({column}) "
            f"OR json_type({column}) <> '{kind}'"
        )
        yield from (
            f"{table}.{column} of row {row[0]} is not valid JSON of its kind" for row in rows
        )


def check_cycles(tx: Tx) -> Iterator[str]:
    """Look for folders that lie in themselves."""
    yield from (f"folder {folder} is inside itself" for folder in folder_rows.folders_in_cycles(tx))


def check_places(tx: Tx) -> Iterator[str]:
    """Look for things that lie where nobody sees them."""
    for said, sql in _LIVE_PLACES.items():
        yield from (said.format(row[0]) for row in tx.all(sql))


def check_trash(tx: Tx) -> Iterator[str]:
    """Look for entries of the trash whose thing is not there, or not in the trash."""
    for kind, sql in _TRASH.items():
        yield from (f"the trash lists {kind} {row[0]}, which is not in it" for row in tx.all(sql))


def check_sequences(tx: Tx) -> Iterator[str]:
    """Look for tables of which a number that was given would be given again."""
    for table, said, last in _read_sequences(tx):
        if said < last:
            yield f"the next ID in {table} would be {said + 1}, but row {last} exists"


def raise_sequences(tx: Tx) -> None:
    """Let numbers go on after the last that is there.

    SQLite keeps them in a table of its own, which every table with such numbers shares.
    """
    for table, said, last in list(_read_sequences(tx)):
        if (
            said < last
            and tx.run(
                f"UPDATE {SEQUENCE} SET seq = :last WHERE name = :table", last=last, table=table
            ).rowcount
            == 0
        ):
            tx.run(
                f"INSERT INTO {SEQUENCE} (name, seq) VALUES (:table, :last)", last=last, table=table
            )


def check_attachments(tx: Tx) -> Iterator[str]:
    """Compare attachments with what was sent.

    The size of all, and the digests of as many of the newest as may be read in a moment.
    """
    yield from _check_parts(
        tx,
        "attachment",
        "SELECT id, size, sha256 FROM attachments WHERE complete = 1 ORDER BY id DESC",
        "attachment_parts WHERE attachment_id = :id",
    )


def check_raw_records(tx: Tx) -> Iterator[str]:
    """Compare the encrypted records of raw memory with what was sent, in the same way."""
    yield from _check_parts(
        tx,
        "raw-memory record",
        "SELECT id, size, sha256 FROM raw_records WHERE state = 'kept' ORDER BY id DESC",
        "raw_record_parts WHERE record = :id",
    )


def _check_parts(tx: Tx, called: str, whole: str, parts: str) -> Iterator[str]:
    """Compare what lies in parts with its size and its digest."""
    hashed = 0
    for row in tx.all(whole):
        there = tx.value(f"SELECT ifnull(sum(length(bytes)), 0) FROM {parts}", id=row["id"])
        hashed += there
        if there != row["size"] or (
            hashed <= HASHED_BYTES and _digest_of_parts(tx, parts, row["id"]) != row["sha256"]
        ):
            yield f"{called} {row['id']} is not what was uploaded"


def _digest_of_parts(tx: Tx, parts: str, whole: int) -> str:
    digest = hashlib.sha256()
    for row in tx.run(f"SELECT bytes FROM {parts} ORDER BY number", id=whole):
        digest.update(row[0])
    return digest.hexdigest()


def _read_sequences(tx: Tx) -> Iterator[tuple[str, int, int]]:
    """Yield each table whose numbers are never given again, with the last number that was given
    and the last that is there.
    """
    said = dict(tx.connection.execute(f"SELECT name, seq FROM {SEQUENCE}").fetchall())
    numbered = {
        row[0] for row in tx.all("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'")
    }
    for table in list_tables(tx.connection):
        if table in numbered:
            yield (
                table,
                said.get(table, 0),
                tx.value(f"SELECT ifnull(max(rowid), 0) FROM {quote_name(table)}"),
            )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
