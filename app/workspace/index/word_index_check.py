"""Proof that the word index says what the notes say.

It is compared, token by token, with one that is made anew in memory.
"""

import itertools
import sqlite3
from collections.abc import Iterator

from app.core.database.tx import Tx
from app.core.process.counted import counted
from app.workspace.index import word_index

PROBES = 30
_FRESH = "fresh"
EXACT_BYTES = 2 << 20
"""Up to so many bytes of an owner's notes every place of every word is compared.

Beyond, how often each word stands in which column, which takes a tenth of the time: 20,000 notes
have millions of places.
"""
_TOKENS = {
    "instance": "SELECT term, doc, col, offset FROM {} ORDER BY term, doc, col, offset",
    "col": "SELECT term, doc, col, cnt FROM {} ORDER BY term, col",
}


def find_damage(tx: Tx) -> list[str]:
    """Return a sentence for each index that is damaged or differs from its notes.

    None when all is well. It needs a writing transaction.
    """
    damaged = [trouble for owner in _index_owners(tx) if (trouble := _damage(tx, owner))]
    return damaged or find_differences(tx)


def find_differences(tx: Tx) -> list[str]:
    """Return a sentence for each index that differs from its notes, and for notes that are in
    none. Reads only; raises sqlite3.DatabaseError.
    """
    found = [trouble for owner in _index_owners(tx) if (trouble := _difference(tx, owner))]
    unindexed = tx.value(
        """SELECT count(*) FROM notes n WHERE n.owner_id NOT IN (SELECT owner_id FROM word_owners)
           AND n.id NOT IN (SELECT note_id FROM waiting_words)
             AND n.id > (SELECT stale_to FROM word_index)"""
    )
    found += [f"{counted(unindexed, 'note is', 'notes are')} in no index."] if unindexed else []
    gone = tx.value(
        "SELECT count(*) FROM waiting_words WHERE note_id NOT IN (SELECT id FROM notes)"
    )
    return (
        [*found, f"{counted(gone, 'waiting note does', 'waiting notes do')} not exist."]
        if gone
        else found
    )


def find_unindexed(tx: Tx, step: int) -> list[int]:
    """Return the ids of those notes, of each `step`th, that do not wait and that the index does
    not find by their own words. Reads only.
    """
    rows = tx.run(
        """SELECT id, owner_id, title, tags, content FROM notes
           WHERE id % :step = 0 AND id > (SELECT stale_to FROM word_index)
           AND id NOT IN (SELECT note_id FROM waiting_words) ORDER BY id""",
        step=step,
    )
    return [
        note_id
        for note_id, owner, *texts in rows
        if not _is_found(tx, owner, note_id, word_index.IndexedText(*texts))
    ]


def _is_found(tx: Tx, owner: int, note_id: int, texts: word_index.IndexedText) -> bool:
    said = [
        word
        for text in word_index.fts_columns(texts).values()
        for word in text.split()
        if word.isalnum()
    ]
    chosen = said[:: max(1, len(said) // PROBES)][:PROBES]
    query, table = " AND ".join(f'"{word}"' for word in chosen), word_index.table_name(owner)
    return (
        not query
        or tx.one(
            f"SELECT 1 FROM {table} WHERE {table} MATCH :query AND rowid = :id",
            query=query,
            id=note_id,
        )
        is not None
    )


def _index_owners(tx: Tx) -> list[int]:
    return [row["owner_id"] for row in tx.all("SELECT owner_id FROM word_owners ORDER BY owner_id")]


def _damage(tx: Tx, owner: int) -> str | None:
    name = word_index.table_name(owner)
    try:
        tx.run(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        return f"{name}: {error}"
    return None


def _difference(tx: Tx, owner: int) -> str | None:
    name = word_index.table_name(owner)
    fresh = sqlite3.connect(
        ""
    )  # a file of its own that SQLite deletes: such an index may be as large as the notes
    try:
        _fill_index(fresh, tx, owner)
        size = tx.value(
            "SELECT ifnull(sum(size), 0) FROM notes WHERE owner_id = :owner", owner=owner
        )
        kind = "instance" if size <= EXACT_BYTES else "col"
        for stored, wanted in itertools.zip_longest(
            _index_tokens(tx.connection, name, kind), _index_tokens(fresh, _FRESH, kind)
        ):
            if stored != wanted:
                return (
                    f"{name}: the index holds {stored}, the notes {wanted} (word, note, "
                    "column, place)."
                )
    finally:
        fresh.close()
    return None


def _fill_index(fresh: sqlite3.Connection, tx: Tx, owner: int) -> None:
    """Index all notes of an owner that should have an entry."""
    fresh.execute(word_index.create_statement(_FRESH))
    rows = tx.run(
        """SELECT id, title, tags, content FROM notes WHERE owner_id = :owner
           AND id > (SELECT stale_to FROM word_index)
           AND id NOT IN (SELECT note_id FROM waiting_words) ORDER BY id""",
        owner=owner,
    )
    for note_id, *texts in rows:
        texts_by_column = word_index.fts_columns(word_index.IndexedText(*texts))
        fresh.execute(
            f"INSERT INTO {_FRESH} (rowid, {', '.join(texts_by_column)}) "
            f"VALUES ({', '.join('?' * (len(texts_by_column) + 1))})",
            (note_id, *texts_by_column.values()),
        )


def _index_tokens(
    connection: sqlite3.Connection, name: str, kind: str
) -> Iterator[tuple[object, ...]]:
    """Return every token of an index in order."""
    vocabulary = f"{name}_tokens"
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.{vocabulary} USING fts5vocab(main, {name}, {kind})"
    )
    try:
        for row in connection.execute(_TOKENS[kind].format(f"temp.{vocabulary}")):
            yield tuple(row)
    finally:
        connection.execute(f"DROP TABLE temp.{vocabulary}")
