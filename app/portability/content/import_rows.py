"""The table of what was imported.

Which row each thing of a source became; every statement that changes it.
"""

import sqlite3
from collections.abc import Iterable
from typing import Literal

import msgspec

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST

Kind = Literal["note", "file", "todo", "conversation"]
OWN = "hearth"
"""The source of trees that Hearth exported, where they are not put into a folder.

Their keys are names for good, wherever they are imported.
"""
# Bits of `rest`, kept in the table so that an import that was cut off goes on with them.
REFERENCES = 1
SNAPSHOTS = 2
_FOUND_BY_ROW = (
    "LEFT JOIN imported_items i ON i.user_id = {table}.owner_id "
    "AND i.source = 'hearth' AND i.kind = '{kind}' AND i.row_id = {table}.id"
)


def key_join(kind: Kind, table: str) -> str:
    """Return the join by which an export finds under which key a row came here.

    The key is `i.key`, null for what was made here.
    """
    return _FOUND_BY_ROW.format(table=table, kind=kind)


def find(tx: Tx, user: int, source: str, kind: Kind, key: str) -> sqlite3.Row | None:
    """Return what a thing of a source became: row_id, digest, mark and `rest`, what is left to
    do for it; or None.
    """
    return tx.one(
        "SELECT row_id, digest, mark, rest FROM imported_items "
        "WHERE user_id = :user AND source = :source AND kind = :kind AND key = :key",
        user=user,
        source=source,
        kind=kind,
        key=key,
    )


def put(
    tx: Tx,
    user: int,
    source: str,
    kind: Kind,
    key: str,
    *,
    row_id: int,
    digest: bytes,
    mark: str | None = None,
    rest: int = 0,
) -> None:
    """Keep what a thing of a source became."""
    tx.run(
        """INSERT INTO imported_items (user_id, source, kind, key, row_id, digest, mark, rest)
           VALUES (:user, :source, :kind, :key, :row, :digest, :mark, :rest)
           ON CONFLICT (user_id, source, kind, key) DO UPDATE SET
             row_id = :row, digest = :digest, mark = :mark, rest = :rest""",
        user=user,
        source=source,
        kind=kind,
        key=key,
        row=row_id,
        digest=digest,
        mark=mark,
        rest=rest,
    )


def note_done(tx: Tx, user: int, source: str, key: str, what: int) -> None:
    """Clear one bit of what is left to do for a note."""
    tx.run(
        "UPDATE imported_items SET rest = rest & ~:what "
        "WHERE user_id = :user AND source = :source AND kind = 'note' AND key = :key",
        what=what,
        user=user,
        source=source,
        key=key,
    )


def list_unfinished(tx: Tx, user: int, source: str, what: int, most: int) -> list[sqlite3.Row]:
    """Return key and row_id of some notes for which something is left to do."""
    return tx.all(
        """SELECT key, row_id FROM imported_items
           WHERE user_id = :user AND source = :source AND rest > 0 AND kind = 'note'
             AND rest & :what LIMIT :most""",
        user=user,
        source=source,
        what=what,
        most=most,
    )


def rows_of(tx: Tx, user: int, source: str, kind: Kind, keys: Iterable[str]) -> dict[str, int]:
    """Return which rows some things of a source became."""
    found = tx.all(
        "SELECT key, row_id FROM imported_items "
        "WHERE user_id = :user AND source = :source AND kind = :kind "
        f"AND key IN ({IN_LIST})",
        user=user,
        source=source,
        kind=kind,
        ids=msgspec.json.encode(list(keys)).decode(),
    )
    return {row["key"]: row["row_id"] for row in found}
