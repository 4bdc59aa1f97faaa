"""Checks a database that nobody uses: whether it is whole, of Hearth, and of a known version.

It also tells what the database holds.
"""

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from app.core.database.sqlite_setup import quote_name
from app.migrations import STEPS, NewerFile
from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_files import BackupFailed
from app.upkeep.open_read_only import list_tables, open_read_only, rest_in_between
from app.workspace.index import word_index

MOST_PROBES = 20
STEP_NAMES = tuple(step.__name__ for step in STEPS)


class Contents(NamedTuple):
    """What a database holds, as far as two copies of it can be compared.

    Rows by table, last numbers given, and what a search finds.
    """

    rows: dict[str, int]
    sequences: dict[str, int]
    found: dict[str, tuple[int, ...]]

    def difference(self, other: "Contents") -> str | None:
        """Return what differs; None for nothing."""
        for table in self.rows.keys() | other.rows.keys():
            if self.rows.get(table) != other.rows.get(table):
                return (
                    f"{table} has {other.rows.get(table, 'no')} instead of "
                    f"{self.rows.get(table, 'no')} rows"
                )
        if self.sequences != other.sequences:
            return "the last numbers that were given differ"
        if self.found != other.found:
            return "a search finds other notes"
        return None


def check_copy(path: Path, *, gently: bool = False) -> None:
    """Raise BackupFailed with the first trouble of a copy, NewerFile when a newer Hearth made it.

    Nobody else may be writing to it.

    `gently` leaves time to others between small parts of the work.
    """
    if (trouble := backup_files.find_trouble(path)) is not None:
        raise BackupFailed(f"{path} is no backup: {trouble}.")
    try:
        with (
            open_read_only(path) as connection,
            rest_in_between(connection) if gently else contextlib.nullcontext(),
        ):
            require_known_steps(connection, path)
            found = find_troubles(connection)
    except sqlite3.DatabaseError as error:
        raise BackupFailed(f"{path} is damaged: {error}.") from None
    if found:
        raise BackupFailed(f"{path} is damaged: {found[0]}.")


def find_troubles(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong in a database.

    Its structure and its references, a few of each.
    """
    found = [
        str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)") if row[0] != "ok"
    ]
    broken = connection.execute(
        'SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT 5'
    )
    return [
        *found,
        *(
            f"row {row[1]} of {row[0]} refers to a row of {row[2]} that is not there"
            for row in broken
        ),
    ]


def require_known_steps(connection: sqlite3.Connection, path: Path) -> list[str]:
    """Return the steps that made a database.

    Raise BackupFailed when it is not of Hearth, NewerFile when there is one that this Hearth
    lacks.
    """
    steps = applied_steps(connection)
    if STEP_NAMES[0] not in steps:
        raise BackupFailed(f"{path} is a database, but not one of Hearth.")
    if unknown := [step for step in steps if step not in STEP_NAMES]:
        raise NewerFile(
            f"{path} was made by a newer Hearth (it holds {', '.join(unknown)}); install "
            "that version to open it."
        )
    return steps


def applied_steps(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the steps that made a database; none when it is not of Hearth."""
    if (
        connection.execute(
            "SELECT 1 FROM sqlite_schema WHERE name = '_sqlite_migrations'"
        ).fetchone()
        is None
    ):
        return []
    return [
        row[0]
        for row in connection.execute(
            "SELECT name FROM _sqlite_migrations WHERE migration_set = 'hearth' ORDER BY id"
        )
    ]


def read_contents(connection: sqlite3.Connection) -> Contents:
    """Return what a database holds."""
    rows = {
        table: int(connection.execute(f"SELECT count(*) FROM {quote_name(table)}").fetchone()[0])
        for table in list_tables(connection)
    }
    sequences = (
        dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        if "users" in rows
        else {}
    )
    return Contents(rows, sequences, _probe_indexes(connection) if "word_owners" in rows else {})


def _probe_indexes(connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
    """Search each of some owners' notes for a title that stands in their index."""
    owners = [
        row[0]
        for row in connection.execute(
            "SELECT owner_id FROM word_owners ORDER BY owner_id LIMIT ?", (MOST_PROBES,)
        )
    ]
    return {
        f"{owner} {phrase}": _search(connection, owner, phrase)
        for owner in owners
        for phrase in _probe_phrases(connection, owner)
    }


def _probe_phrases(connection: sqlite3.Connection, owner: int) -> Sequence[str]:
    row = connection.execute(
        "SELECT title FROM notes WHERE owner_id = ? ORDER BY id LIMIT 1", (owner,)
    ).fetchone()
    # a phrase in quotes, without what would end it
    title = (
        ""
        if row is None
        else word_index.fts_columns(word_index.IndexedText(row[0], "[]", ""))["title"]
        .replace('"', " ")
        .replace("\0", " ")
        .strip()
    )
    return [f'"{title}"'] if title else []


def _search(connection: sqlite3.Connection, owner: int, phrase: str) -> tuple[int, ...]:
    table = word_index.table_name(owner)
    return tuple(
        row[0]
        for row in connection.execute(
            f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid LIMIT 1000", (phrase,)
        )
    )
