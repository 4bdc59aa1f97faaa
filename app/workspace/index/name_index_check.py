"""Proof that the index of names says what things are called.

It is compared with one that is made anew in memory.
"""

from collections.abc import Iterator

from app.core.database.tx import Tx
from app.core.text import fold_name
from app.workspace.index import name_index, name_text, note_tags
from app.workspace.index.fresh_index import FRESH, differing_row, make_fresh


def find_differences(tx: Tx) -> Iterator[str]:
    """Return a sentence for each way in which names are found that are not there, or not found
    that are; those that wait are left out.
    """
    if name_index.is_outdated(tx):
        return
    yield from _check_tags(tx)
    (sql,) = tx.require_row("SELECT sql FROM sqlite_schema WHERE name = 'name_index'")
    with make_fresh(sql.replace("name_index", FRESH, 1)) as fresh:
        fresh.executemany(
            f"INSERT INTO {FRESH} (rowid, tokens) VALUES (?, ?)",
            sorted((row, tokens) for row, tokens, _, _ in _expected_entries(tx)),
        )
        if (row := differing_row(tx.connection, fresh, "name_index")) is not None:
            yield f"the name index does not match {name_index.KINDS[row & 3]} {row >> 2}"
    # The list of words may hold more: a word stays when the names that hold it are gone.
    known = {tuple(row) for row in tx.all("SELECT owner_id, word, letters FROM name_words")}
    for owner, word in {
        (owner, word)
        for _, _, owner, words in _expected_entries(tx)
        for word in words
        if name_text.allowed_edits(word)
    }:
        if (owner, word, name_text.letter_bits(word)) not in known:
            yield f"the word {word} of a name is missing from the name index"


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
