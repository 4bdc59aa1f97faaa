"""Proof that the word index says what the notes say.

It is compared, token by token, with one that is made anew in memory.
"""

import sqlite3

from app.core.database.tx import Tx
from app.core.process.counted import counted
from app.workspace.index import fresh_index, word_index
from app.workspace.index.fresh_index import FRESH

PROBES = 30
EXACT_BYTES = 2 << 20
"""Up to so many bytes of an owner's notes every place of every word is compared.

Beyond, how often each word stands in which column, which takes a tenth of the time: 20,000 notes
have millions of places.
"""


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
    found += (
        [f"{counted(gone, 'waiting note does', 'waiting notes do')} not exist."] if gone else []
    )
    return found


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
    # Words from all over the note: comparing every one is `find_differences`, which is slow.
    chosen = said[:: max(1, len(said) // PROBES)][:PROBES]
    query, table = " AND ".join(f'"{word}"' for word in chosen), word_index.table_name(owner)
    sql = f"SELECT 1 FROM {table} WHERE {table} MATCH :query AND rowid = :id"
    return not query or tx.one(sql, query=query, id=note_id) is not None


def _index_owners(tx: Tx) -> list[int]:
    return [row["owner_id"] for row in tx.all("SELECT owner_id FROM word_owners ORDER BY owner_id")]


def _difference(tx: Tx, owner: int) -> str | None:
    name = word_index.table_name(owner)
    with fresh_index.make_fresh(word_index.create_statement(FRESH)) as fresh:
        _fill_index(fresh, tx, owner)
        size = tx.value(
            "SELECT ifnull(sum(size), 0) FROM notes WHERE owner_id = :owner", owner=owner
        )
        kind = "instance" if size <= EXACT_BYTES else "col"
        found = fresh_index.first_difference(tx.connection, fresh, name, kind)
    if found is None:
        return None
    return f"{name}: the index holds {found[0]}, the notes {found[1]} (word, note, column, place)."


def _fill_index(fresh: sqlite3.Connection, tx: Tx, owner: int) -> None:
    """Index all notes of an owner that should have an entry."""
    rows = tx.run(
        """SELECT id, title, tags, content FROM notes WHERE owner_id = :owner
           AND id > (SELECT stale_to FROM word_index)
           AND id NOT IN (SELECT note_id FROM waiting_words) ORDER BY id""",
        owner=owner,
    )
    for note_id, *texts in rows:
        texts_by_column = word_index.fts_columns(word_index.IndexedText(*texts))
        fresh.execute(
            f"INSERT INTO {FRESH} (rowid, {', '.join(texts_by_column)}) "
            f"VALUES ({', '.join('?' * (len(texts_by_column) + 1))})",
            (note_id, *texts_by_column.values()),
        )
