"""Ranking notes by their words where that is less work than to hand it to a thread.

That is so for a few words without operators that few notes hold. Found is what
`rank_by_words.rank_notes` finds, by fewer statements: one that counts, of several words one that
tells which notes hold them all, and one that ranks those beside the others and reads what is shown.
"""

from collections.abc import Sequence

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.index import word_index
from app.workspace.index.spellings import is_prefix_search, word_parts
from app.workspace.search.ranking.fts_expressions import match_every, match_some, telling_words
from app.workspace.search.ranking.query_language import NO_FILTERS, Query
from app.workspace.search.ranking.rank_by_words import MORE, count_matching, recency_boost, score_of

MOST_WORDS, MOST_NOTES = 4, 1_000
MOST_BYTES, MOST_OF_ONE = 1 << 18, 1 << 15
"""Snippets read the texts, and long ones would hold up the event loop."""


class Shown(msgspec.Struct, frozen=True):
    """What is shown of a note that was found."""

    id: int
    title: str
    folder_id: int | None
    updated_at: str
    content: str


class _Candidate(Shown, frozen=True):
    """A note that matches, with its raw bm25; where its text is long, without that."""

    pinned: int
    size: int
    raw: float


_Ranked = list[tuple[_Candidate, float]]


def rank_few_notes(
    tx: Tx, me: Caller, query: Query, *, limit: int
) -> Sequence[tuple[Shown, float]] | None:
    """Return the best notes for a query with their scores, best first, to a caller with whom
    nothing is shared; None if it is much work.
    """
    if not _is_light(query):
        return None
    telling = telling_words(query)
    some = match_some(query, telling)
    widest = some if len(telling) == len(query.words) else match_some(query, query.words)
    if count_matching(tx, me.owns, widest, MOST_NOTES) > MOST_NOTES:
        return None
    found = _best_notes(tx, me.owns, query, telling, some, limit)
    sizes = [note.size for note, _ in found]
    return None if sum(sizes) > MOST_BYTES or max(sizes, default=0) > MOST_OF_ONE else found


def _is_light(query: Query) -> bool:
    """Return whether a query is a few words that are looked for as they are."""
    words = query.words
    return (
        0 < len(words) == len(query.clauses) <= MOST_WORDS
        and not query.excluded
        and query.filters == NO_FILTERS
        and not any(len(word_parts(word)) > 1 or is_prefix_search(word) for word in words)
    )


def _best_notes(
    tx: Tx, owner: int, query: Query, telling: Sequence[str], some: str, limit: int
) -> _Ranked:
    """Return the notes with every word, and below them those with some where they are too few."""
    every = match_every(query)
    # More than are shown, since a recent change or a pin may lift one among them.
    most = limit + MORE
    with_some: list[_Candidate] = []
    with_every: list[_Candidate] | None = None
    # Those with every word mostly are among the best with some, and their scores are the same
    # where no stop word is left out of these.
    if 1 < len(telling) == len(query.clauses):
        known = _hold_every_word(tx, owner, every, limit)
        if len(known) < limit:
            with_some = _best_matching(tx, owner, some, most)
            found = [note for note in with_some if note.id in known]
            with_every = found if len(found) == len(known) else None
    if with_every is None:
        with_every = _best_matching(tx, owner, every, most)
    best = _by_relevance(tx, with_every, full=True)[:limit]
    if len(best) < limit and len(telling) > 1:
        known = {note.id for note, _ in best}
        more = [
            one for one in with_some or _best_matching(tx, owner, some, most) if one.id not in known
        ]
        best += _by_relevance(tx, more, full=False)[: limit - len(best)]
    return best


def _hold_every_word(tx: Tx, owner: int, match: str, most: int) -> set[int]:
    name = word_index.table_name(owner)
    sql = f"SELECT rowid FROM {name} WHERE {name} MATCH :match LIMIT :most"
    return {row[0] for row in tx.all(sql, match=match, most=most)}


def _best_matching(tx: Tx, owner: int, match: str, most: int) -> list[_Candidate]:
    """Return the best of the notes that match."""
    name = word_index.table_name(owner)
    sql = f"""SELECT n.id, n.title, n.folder_id, n.updated_at,
                CASE WHEN n.size <= {MOST_OF_ONE} THEN n.content ELSE '' END,
                n.pinned, n.size, -ranked.score
              FROM (SELECT rowid AS id, rank AS score FROM {name} WHERE {name} MATCH :match
                    ORDER BY score, id DESC LIMIT :some) ranked
              LEFT JOIN notes n
                ON n.id = ranked.id AND n.owner_id = :owner AND n.trash_id IS NULL"""
    found: list[_Candidate] = []
    # To keep few in order costs a fifth less than to sort all; those of them that may not be
    # found are trashed, so seldom most.
    for some in (2 * most, MOST_NOTES):
        found.clear()
        matching = 0
        for row in tx.run(sql, match=match, owner=owner, some=some):
            matching += 1
            if row[0] is not None:
                found.append(_Candidate(*row))
                if len(found) == most:
                    return found
        if matching < some:
            break
    return found


def _by_relevance(tx: Tx, notes: Sequence[_Candidate], *, full: bool) -> _Ranked:
    """Return notes with their scores by relevance; ties go to the newer."""
    lifted = [
        (note.raw * recency_boost(tx, updated_at=note.updated_at, pinned=bool(note.pinned)), note)
        for note in notes
    ]
    lifted.sort(key=lambda one: (-one[0], -one[1].id))
    return [(note, score_of(relevance, full=full)) for relevance, note in lifted]
