"""Comparing a full-text index with one that is made anew from the same rows."""

import contextlib
import itertools
import sqlite3
from collections.abc import Iterator

FRESH = "fresh"
"""What an index is called that is made anew."""
Token = tuple[str, int, str, int]
_TOKENS = {
    "instance": "SELECT term, doc, col, offset FROM {} ORDER BY term, doc, col, offset",
    "col": "SELECT term, doc, col, cnt FROM {} ORDER BY term, col",
}


@contextlib.contextmanager
def make_fresh(statement: str) -> Iterator[sqlite3.Connection]:
    """Make an empty index by a statement that calls it `FRESH`."""
    # A file of its own that SQLite deletes: such an index may be as large as the notes.
    connection = sqlite3.connect("")
    try:
        connection.execute(statement)
        yield connection
    finally:
        connection.close()


def first_difference(
    stored: sqlite3.Connection, fresh: sqlite3.Connection, table: str, kind: str = "instance"
) -> tuple[Token | None, Token | None] | None:
    """Return the first token in which a stored index and the fresh one differ, as each has it.

    By `instance` every place of every word is compared, by `col` how often it stands in a column.
    """
    pairs = itertools.zip_longest(_tokens(stored, table, kind), _tokens(fresh, FRESH, kind))
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def differing_row(stored: sqlite3.Connection, fresh: sqlite3.Connection, table: str) -> int | None:
    """Return the row of the first token that only one of both indexes has; None for none."""
    found = first_difference(stored, fresh, table)
    return None if found is None else min(token for token in found if token is not None)[1]


def _tokens(connection: sqlite3.Connection, table: str, kind: str) -> Iterator[Token]:
    vocabulary = f"{table}_tokens"
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.{vocabulary} USING fts5vocab(main, {table}, {kind})"
    )
    try:
        yield from map(tuple, connection.execute(_TOKENS[kind].format(f"temp.{vocabulary}")))
    finally:
        connection.execute(f"DROP TABLE temp.{vocabulary}")
