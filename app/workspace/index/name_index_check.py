"""Proof that the index of names says what things are called.

It is compared with one that is made anew in memory.
"""

import itertools
import sqlite3
from collections.abc import Iterator

from app.core.database.tx import Tx
from app.core.text import fold_name
from app.workspace.index import name_index, name_text, note_tags

FRESH = "fresh"
"""What an index is called that is made anew in memory."""


def find_differences(tx: Tx) -> Iterator[str]:
    """Return a sentence for each way in which names are found that are not there, or not found
    that are; those that wait are left out.
    """
    if name_index.is_outdated(tx):
        return
    yield from _check_tags(tx)
    fresh = sqlite3.connect("")  # a file of its own that SQLite deletes
    try:
        (sql,) = tx.require_row("SELECT sql FROM sqlite_schema WHERE name = 'name_index'")
        fresh.execute(sql.replace("name_index", FRESH, 1))
        fresh.executemany(
            f"INSERT INTO {FRESH} (rowid, tokens) VALUES (?, ?)",
            sorted((row, tokens) for row, tokens, _, _ in _expected_entries(tx)),
        )
        if (row := first_difference(tx.connection, fresh, "name_index")) is not None:
            yield (f"the name index does not match {name_index.KINDS[row & 3]} {row >> 2}")
    finally:
        fresh.close()
    known = {tuple(row) for row in tx.all("SELECT owner_id, word, letters FROM name_words")}
    for owner, word in {
        (owner, word)
        for _, _, owner, words in _expected_entries(tx)
        for word in words
        if name_text.allowed_edits(word)
    }:
        if (owner, word, name_text.letter_bits(word)) not in known:
            yield f"the word {word} of a name is missing from the name index"


def first_difference(
    connection: sqlite3.Connection, fresh: sqlite3.Connection, table: str
) -> int | None:
    """Return the row of the first token that an index has and one made anew has not, or the other
    way round.
    """
    for one, other in itertools.zip_longest(
        _index_tokens(connection, table), _index_tokens(fresh, FRESH)
    ):
        if one != other:
            return int(min(found for found in (one, other) if found is not None)[1])
    return None


def _index_tokens(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, int]]:
    vocabulary = f"{table}_tokens"
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.{vocabulary} USING fts5vocab(main, {table}, instance)"
    )
    try:
        for row in connection.execute(
            f"SELECT term, doc, col, offset FROM temp.{vocabulary} ORDER BY term, doc, col, offset"
        ):
            yield tuple(row)
    finally:
        connection.execute(f"DROP TABLE temp.{vocabulary}")


def _expected_entries(tx: Tx) -> Iterator[tuple[int, str, int, list[str]]]:
    """Return for everything that should be found its row in the index, its tokens, its owner and
    its words.
    """
    for kind, item, owner, name in name_index.indexed_names(tx):
        plain = name_text.fold_name(name)
        words = name_text.split_words(plain)
        yield (
            name_index.index_row(kind, item),
            name_index.tokens_of(owner, kind, plain, words),
            owner,
            words,
        )


def _check_tags(tx: Tx) -> Iterator[str]:
    there = {(row[0], row[1]) for row in tx.all("SELECT owner_id, tag_key FROM tag_names")}
    last = name_index.last_indexed(tx, "note")
    used = {
        (row[0], key): row[1]
        for row in tx.all("SELECT owner_id, id, tags FROM notes ORDER BY id DESC")
        for key in note_tags.tag_keys(row[2])
    }
    yield from (f"the tag {key} has no note" for owner, key in there - used.keys())
    yield from (
        f"the tag {key} is missing from the name index"
        for (owner, key), note in used.items()
        if note <= last and (owner, key) not in there
    )
    for owner, key, name in tx.all("SELECT owner_id, tag_key, name FROM tag_names"):
        if fold_name(name) != key:
            yield f"the tag {key} of user {owner} is stored as {name}"
