"""How much of a query the notes hold that were found, word by word."""

import math
from collections.abc import Collection, Mapping

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import word_index
from app.workspace.index.spellings import fts_phrase
from app.workspace.search.ranking.findable import has_index
from app.workspace.search.ranking.fts_expressions import telling_words
from app.workspace.search.ranking.query_language import Query

MOST_READ = 10_000
"""How long a word's list of notes may be to be read whole: to look up 200 notes in it, which opens
it anew for each, takes as long as to read a list of 15,000."""


def word_shares(tx: Tx, query: Query, owners: Mapping[int, int]) -> dict[int, float]:
    """Return for each of some notes, given with whose it is, which share of the query's words it
    holds, from 0 to 1.

    A word weighs more the fewer of these notes hold it. They are compared with one another alone,
    so that nothing is told of notes that the caller may not read.
    """
    words = telling_words(query)
    if not words or not owners:
        return {}
    held: dict[str, set[int]] = {word: set() for word in words}
    for owner in set(owners.values()):
        if not has_index(tx, owner):
            continue
        for word in words:
            held[word] |= _holding(tx, owner, word, owners.keys())
    weights = {word: math.log(1 + len(owners) / (0.5 + len(held[word]))) for word in words}
    total = sum(weights.values())
    return {
        note_id: sum(weights[word] for word in words if note_id in held[word]) / total
        for note_id in owners
    }


def _holding(tx: Tx, owner: int, word: str, ids: Collection[int]) -> set[int]:
    """Return which of some notes hold a word."""
    name = word_index.table_name(owner)
    match = fts_phrase(word)
    is_long = tx.one(
        f"SELECT 1 FROM {name} WHERE {name} MATCH :match LIMIT 1 OFFSET :most",
        match=match,
        most=MOST_READ,
    )
    # With the sign SQLite reads the whole list.
    rows = tx.all(
        f"""SELECT rowid FROM {name} WHERE {name} MATCH :match
            AND {"" if is_long else "+"}rowid IN ({IN_LIST})""",
        match=match,
        ids=id_list(list(ids)),
    )
    return {row[0] for row in rows}
