"""Ranking notes by their words.

A note where every word of the query occurs stands above one where only some do. Among each,
`relevance` is bm25 over the columns of the index (a hit in the title, a heading or a tag counts
more), times 1 + 0.1 / 2^(days since the last change / 30), times 1.1 for a pinned note. Of a word
that stands in very many notes the newest 2,000 are ranked, of the newest 5,000 those that have it
in the title, a heading or a tag, and those that hold the rarest word of the query however old they
are.
"""

import functools
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.index import word_index
from app.workspace.index.spellings import fts_phrase
from app.workspace.search.ranking.findable import (
    Condition,
    NotePlace,
    findable_places,
    has_index,
    place_condition,
)
from app.workspace.search.ranking.fts_expressions import (
    match_every,
    match_prominent,
    match_some,
    telling_words,
)
from app.workspace.search.ranking.query_language import Query
from app.workspace.search.ranking.shared_scores import shared_scores

RANKED, RANKED_BESIDE_MEANING = 2_000, 1_000
PROMINENT = 5_000
FEW = 300
MORE = 5
RECENT, HALF_LIFE_DAYS = 0.1, 30.0
PINNED = 0.1
HALF_SCORE = 10.0

Row = tuple[int, float, int, str, int]
"""Id, raw bm25, whether it is pinned, when it was changed, and its size in bytes."""


class Found(msgspec.Struct, frozen=True):
    """A note that was found; `full` where all that was asked for occurs."""

    id: int
    relevance: float
    full: bool
    size: int

    @property
    def score(self) -> float:
        """From 0 to 1: above a half where all occurs, below where only some does."""
        return score_of(self.relevance, full=self.full)


def score_of(relevance: float, *, full: bool) -> float:
    """Return the score of a note of such a relevance, from 0 to 1."""
    return (full + absolute_score(relevance)) / 2


def absolute_score(relevance: float) -> float:
    """Return a relevance as a number from 0 to 1 that does not depend on what else was found."""
    return relevance / (relevance + HALF_SCORE)


def rank_notes(
    tx: Tx, me: Caller, query: Query, *, limit: int, folder_id: int | None = None
) -> list[Found]:
    """Return the best notes for a query, best first; without anything to rank by, pinned and newly
    changed ones first.
    """
    if not query.selects:
        return []
    return _rank_places(
        tx,
        query,
        [
            (place, place_condition(tx, me, query, place, marked=not query.clauses))
            for place in findable_places(tx, me, folder_id)
        ],
        limit,
    )


def count_matching(tx: Tx, owner: int, match: str, most: int) -> int:
    """Return how many notes match, or one more than so many."""
    name = word_index.table_name(owner)
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {name} WHERE {name} MATCH :match LIMIT :most + 1)"
    return int(tx.value(sql, match=match, most=most))


def raw_scores(
    tx: Tx, me: Caller, query: Query, *, limit: int, folder_id: int | None = None
) -> dict[int, float]:
    """Return the best notes that hold some of the words, within what the query demands, as raw
    bm25: larger is better.
    """
    if not query.clauses:
        return {}
    where = [
        (place, place_condition(tx, me, query, place))
        for place in findable_places(tx, me, folder_id)
    ]
    rows = sorted(
        _notes_with_some_words(tx, query, where, RankLimits(limit, RANKED_BESIDE_MEANING)),
        key=lambda row: (-row[1], -row[0]),
    )
    return {row[0]: row[1] for row in rows[:limit]}


def recency_boost(tx: Tx, *, updated_at: str, pinned: bool) -> float:
    """Return the factor by which a recent change and a pin lift a note: from 1 to 1.21."""
    return _recency_of_day(updated_at[:10], tx.moment.toordinal()) * (1 + PINNED * pinned)


# A seventh of the time: each candidate of a search asks, and many changed on the same day.
@functools.lru_cache(maxsize=4096)
def _recency_of_day(day: str, today: int) -> float:
    return float(
        1 + RECENT * 0.5 ** (max(0, today - date.fromisoformat(day).toordinal()) / HALF_LIFE_DAYS)
    )


Where = Sequence[tuple[NotePlace, Condition]]


class RankLimits(NamedTuple):
    """How many notes are wanted, and how many are ranked for them where more match."""

    limit: int
    most: int

    def of(self, place: NotePlace) -> "RankLimits":
        """Return what is wanted of a place: of one that is shared many more, since what is not
        shared has a say in which come first.
        """
        return self._replace(limit=max(self.limit, FEW)) if place.shared else self


def _rank_places(tx: Tx, query: Query, where: Where, limit: int) -> list[Found]:
    """Return the best notes of some places."""
    if not query.clauses:
        return _list_unranked(tx, where, limit)
    # More than are shown, since a recent change or a pin may lift one among them.
    extent = RankLimits(limit + MORE, RANKED)
    found = _sort_by_relevance(tx, _notes_with_every_clause(tx, query, where, extent), full=True)[
        :limit
    ]
    if len(found) < limit and len(telling_words(query)) + len(query.demands) > 1:
        known = {one.id for one in found}
        more = _sort_by_relevance(tx, _notes_with_some_words(tx, query, where, extent), full=False)
        found += [one for one in more if one.id not in known][: limit - len(found)]
    return found


def _sort_by_relevance(tx: Tx, rows: Iterable[Row], *, full: bool) -> list[Found]:
    """Return the notes by relevance; ties go to the newer."""
    found = [
        Found(
            note_id, raw * recency_boost(tx, updated_at=updated_at, pinned=bool(pinned)), full, size
        )
        for note_id, raw, pinned, updated_at, size in rows
    ]
    return sorted(found, key=lambda one: (-one.relevance, -one.id))


def _list_unranked(tx: Tx, where: Where, limit: int) -> list[Found]:
    """Return notes by what they are alone, pinned ones first, then the newly changed."""
    rows = [
        row
        for _, rule in where
        for row in tx.all(
            f"""SELECT n.pinned, n.updated_at, n.id, n.size FROM notes n WHERE {rule.sql}
                ORDER BY n.pinned DESC, n.updated_at DESC LIMIT :limit""",
            limit=limit,
            **rule.params,
        )
    ]
    return [
        Found(row[2], 0.0, False, row[3]) for row in sorted(map(tuple, rows), reverse=True)[:limit]
    ]


def _notes_with_every_clause(tx: Tx, query: Query, where: Where, extent: RankLimits) -> list[Row]:
    """Return the best notes of each place in which every clause occurs."""
    match, prominent = match_every(query), match_prominent(query)
    rows: list[Row] = []
    for place, rule in where:
        most = extent.of(place)
        since = _oldest_of_newest(tx, place.owner, match, most.most)
        found = _best_of_owner(tx, place.owner, rule, match, prominent, most, since)
        rows += _rescore_shared(tx, query, place, found)
    return rows


def _notes_with_some_words(tx: Tx, query: Query, where: Where, extent: RankLimits) -> list[Row]:
    """Return the best notes of each place in which some of the words occur; of those with the
    rarest word none is too old.
    """
    telling = telling_words(query)
    rows: dict[int, Row] = {}
    for place, rule in where:
        some, most = match_some(query, telling), extent.of(place)
        since = _oldest_of_newest(tx, place.owner, some, extent.most)
        prominent = match_prominent(query)
        found = _best_of_owner(tx, place.owner, rule, some, prominent, most, since)
        # Where more match than are ranked, the newest would win over the one with the rare word.
        if (
            since is not None
            and len(telling) > 1
            and (rarest := _rarest_word(tx, place.owner, telling, extent.most))
        ):
            rest = [word for word in telling if word != rarest]
            for which in ("AND", "NOT"):
                older = match_some(query, [rarest], with_or_without=rest, which=which)
                found += _best_matching(
                    tx, place.owner, rule, older, "AND rowid < :since", most, since=since
                )
        rows.update((row[0], row) for row in _rescore_shared(tx, query, place, found))
    return list(rows.values())


def _rescore_shared(tx: Tx, query: Query, place: NotePlace, rows: list[Row]) -> list[Row]:
    """Return the notes of a place, those that others share with scores that tell nothing of what
    they do not share.
    """
    if not place.shared or not rows:
        return rows
    scores = shared_scores(tx, query, [row[0] for row in rows])
    return [(row[0], scores[row[0]], *row[2:]) for row in rows]


def _oldest_of_newest(tx: Tx, owner: int, match: str, most: int) -> int | None:
    """Return the id of the oldest of the newest `most` notes that match; None when no more than
    those do.
    """
    name = word_index.table_name(owner)
    if not has_index(tx, owner):
        return None
    row = tx.one(
        f"""SELECT rowid FROM {name} WHERE {name} MATCH :match
            ORDER BY rowid DESC LIMIT 1 OFFSET :most""",
        match=match,
        most=most,
    )
    return None if row is None else int(row[0]) + 1


def _rarest_word(tx: Tx, owner: int, parts: Sequence[str], most: int) -> str | None:
    """Return the word that the fewest notes hold; None where all stand in more than are ranked
    anyway.
    """
    counts = ((count_matching(tx, owner, fts_phrase(part), most), part) for part in parts)
    number, rarest = min((counted for counted in counts if counted[0]), default=(most + 1, ""))
    return rarest if number <= most else None


def _best_of_owner(
    tx: Tx,
    owner: int,
    where: Condition,
    match: str,
    prominent: str,
    extent: RankLimits,
    since: int | None,
) -> list[Row]:
    """Return the best of one owner's notes: of the newest, which are those from `since` on, and
    the prominent ones, or of all where too few of those may be found.
    """
    if not has_index(tx, owner):
        return []
    if since is None:
        return _best_matching(tx, owner, where, match, "", extent)
    among, bounds = "AND rowid >= :since", {"since": since}
    if prominent:
        name = word_index.table_name(owner)
        bounds["oldest"] = _oldest_of_newest(tx, owner, match, PROMINENT) or 0
        # The sign keeps the list out of the index, which would count its words anew for each note
        # of it.
        among = f"""AND rowid >= :oldest AND (rowid >= :since OR +rowid IN (
            SELECT rowid FROM {name} WHERE {name} MATCH :prominent AND rowid >= :oldest))"""
    rows = _best_matching(
        tx, owner, where, match, among, extent, prominent=f"({match}) AND {prominent}", **bounds
    )
    if len(rows) < extent.limit:  # most of the newest may be in other folders than those asked for
        rows += _best_of_newest(tx, owner, where, match, extent)
    return list({row[0]: row for row in rows}.values())


def _best_matching(
    tx: Tx,
    owner: int,
    where: Condition,
    match: str,
    among: str,
    extent: RankLimits,
    **bounds: int | str,
) -> list[Row]:
    """Return the best of the notes that match."""
    name = word_index.table_name(owner)
    sql = f"""SELECT n.id, -ranked.score, n.pinned, n.updated_at, n.size
              FROM (SELECT rowid AS id, rank AS score FROM {name} WHERE {name} MATCH :match {among}
                    ORDER BY score, id DESC LIMIT :most) ranked
              {"CROSS" if where.narrow else "LEFT"} JOIN notes n
                ON n.id = ranked.id AND {where.sql}"""
    found: list[Row] = []
    # To keep few in order costs a fifth less than to sort all; those of them that may not be
    # found are trashed, so seldom most.
    for most in (PROMINENT + RANKED,) if where.narrow else (2 * extent.limit, PROMINENT + RANKED):
        found.clear()
        matching = 0
        for row in tx.run(sql, match=match, most=most, **bounds, **where.params):
            matching += 1
            if row[0] is not None:
                found.append((row[0], row[1], row[2], row[3], row[4]))
                if len(found) == extent.limit:
                    return found
        if matching < most:
            break
    return found


def _best_of_newest(
    tx: Tx, owner: int, where: Condition, match: str, extent: RankLimits
) -> list[Row]:
    """Return the best of the newest notes that match and that may be found, looking through all
    that match.
    """
    name = word_index.table_name(owner)
    rows = tx.all(
        f"""SELECT id, score, pinned, updated_at, size FROM (
                SELECT n.id, -rank AS score, n.pinned, n.updated_at, n.size
                FROM {name} CROSS JOIN notes n ON n.id = {name}.rowid
                WHERE {name} MATCH :match AND {where.sql}
                ORDER BY {name}.rowid DESC LIMIT {extent.most})
            ORDER BY score DESC, id DESC LIMIT :limit""",
        match=match,
        limit=extent.limit,
        **where.params,
    )
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]
