"""Ranking notes by meaning, and by meaning and words together.

By meaning a note is as near as its nearest passage: the cosine of the angle between that
passage's vector and the query's, at most 1. For both together the best 100 notes of either kind
are taken. Words are 0.6 of a score: the share of the query's words that the note holds, where a
word counts more the fewer of these notes hold it, so that a number or a name that only one note
has cannot be outranked by notes that are merely near; a tenth of that is bm25, which tells apart
notes with the same words. Meaning is 0.4: 1 for the nearest note, 0 for those no more than 0.6
times as near, which are no results unless they hold a word. A note with every word has at least
0.9 of what its words give. One whose vectors are missing or out of date is ranked by its words
alone, so that what was just written is not behind what was written before. At last a recent change
and a pin lift a note as they do among words.

On tests/collection this finds as well as the mix of 0.3 bm25 and 0.7 meaning, both from least to
best, that stood here before (nDCG@10 0.838 and 0.835), and of 60 searches for a number among 260
notes with the same words around it, all had it first and not 52.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.embedder import EmbeddingFailed
from app.workspace.search.ranking import (
    allowed_notes,
    findable,
    letter_triples,
    rank_by_words,
    word_shares,
)
from app.workspace.search.ranking.query_language import Query
from app.workspace.search.vectors import note_vectors
from app.workspace.search.vectors.note_vectors import Model
from app.workspace.search.vectors.vector_maker import VectorMaker

if TYPE_CHECKING:
    from app.workspace.search.vectors.vector_matrix import Matrix, Near, Nearness

K = TypeVar("K")
R = TypeVar("R")
Match = Literal["words", "meaning", "both"]
CANDIDATES = 100
LEXICAL = 0.3
SHARE_OF_WORDS, SHARE_OF_BM25 = 0.6, 0.1
EVERY_WORD = 0.9
"""What its words are of the score of a note that holds every one, however far it is."""
FLOOR = 0.6
"""What is no more than so many times as near as the nearest note counts as far."""
LEAST = 0.16
"""What is no nearer than this is not about the query, and is found only by its words.

Of what is looked for in tests/collection and stands among the first ten, all is above 0.165."""


class RankRequest(msgspec.Struct, frozen=True):
    """What is searched for, and where; `by_words` when words count too."""

    query: Query
    folder_id: int | None
    limit: int
    by_words: bool


class Ranked(msgspec.Struct, frozen=True):
    """The scores of the best notes, best first, the place of the passage by which each is near,
    and by what each was found.
    """

    scores: dict[int, float]
    places: dict[int, tuple[int, int]]
    matches: dict[int, Match]


class Unranked(msgspec.Struct, frozen=True):
    """Why meaning did not rank, as a sentence; None when nothing was to be ranked by it."""

    reason: str | None


class NearestNotes(msgspec.Struct, frozen=True):
    """The nearest notes that may be found, and how near all others are."""

    model: Model
    near: "dict[int, Near]"
    measured: "list[Nearness]"


async def rank_notes(
    app: App, me: Caller, ask: RankRequest, show: Callable[[Tx, Ranked], R]
) -> R | Unranked:
    """Rank the notes that the caller may read, by words and by meaning at the same time.

    Return what `show` makes of them in the read that ranks them.
    """
    meaning = app.part(VectorMaker)
    if not ask.query.text:
        return Unranked(None)
    if meaning.answering is None:
        return Unranked(meaning.state[1] or "No note has been indexed by meaning yet.")
    if (
        ask.by_words
        and letter_triples.holds_no_words(ask.query)
        and not await _rank_by_words(app, me, ask)
    ):
        return await app.read(show, Ranked({}, {}, {}))
    meant, words = await asyncio.gather(
        _nearest_notes(app, me, ask, meaning.answering), _rank_by_words(app, me, ask)
    )
    if isinstance(meant, Unranked):
        return meant
    return await app.read(_rank_and_show, ask, meant, words, show)


def _rank_and_show(
    tx: Tx,
    ask: RankRequest,
    meant: NearestNotes,
    words: Mapping[int, float],
    show: Callable[[Tx, Ranked], R],
) -> R:
    return show(tx, _mix_measures(tx, ask, meant, words))


async def _rank_by_words(app: App, me: Caller, ask: RankRequest) -> dict[int, float]:
    if not ask.by_words:
        return {}
    return await app.read(
        rank_by_words.raw_scores, me, ask.query, limit=CANDIDATES, folder_id=ask.folder_id
    )


async def _nearest_notes(
    app: App, me: Caller, ask: RankRequest, model: Model
) -> NearestNotes | Unranked:
    """Return the nearest notes; failures of the model are no failures of the search."""
    meaning = app.part(VectorMaker)
    owners = app.quick(_owners_to_search, me, ask.folder_id)
    # Before numpy is loaded for the matrices, as that would take the interpreter from it for long.
    await meaning.wake(ask.query.text)
    try:
        # Side by side: the first search waits for the model's process and for the matrices, and
        # so for the longer of them alone.
        vector, _ = await asyncio.gather(
            meaning.query(ask.query.text), meaning.matrices.matrices_of(app, model, owners)
        )
    except EmbeddingFailed as error:
        return Unranked(str(error))
    # The model may have been changed while its query was being embedded.
    if meaning.answering != model or len(vector) != 4 * model.dimension:
        return Unranked("The model was changed just now.")
    owners = app.quick(_owners_to_search, me, ask.folder_id)
    return await app.read(
        _measure_nearness,
        me,
        ask,
        model,
        await meaning.matrices.matrices_of(app, model, owners),
        vector,
    )


def _owners_to_search(tx: Tx, me: Caller, folder_id: int | None) -> list[int]:
    return [place.owner for place in findable.findable_places(tx, me, folder_id)]


def _measure_nearness(
    tx: Tx, me: Caller, ask: RankRequest, model: Model, matrices: "Sequence[Matrix]", vector: bytes
) -> NearestNotes:
    measured = [matrix.nearness(vector) for matrix in matrices]
    return NearestNotes(model, nearest_findable(tx, me, ask, measured), measured)


def _mix_measures(
    tx: Tx, ask: RankRequest, meant: NearestNotes, words: Mapping[int, float]
) -> Ranked:
    """Mix both measures of the best notes of either."""
    near = _merge_nearest(one.of_notes(words) for one in meant.measured) | meant.near
    known = note_vectors.ranking_facts(tx, meant.model.id, list(near.keys() | words.keys()))
    near = {
        note_id: one
        for note_id, one in near.items()
        if note_id in known and known[note_id].spans is not None
    }
    measured = {note_id: one.score for note_id, one in near.items()}
    owners = {note_id: facts.owner for note_id, facts in known.items()}
    shares = word_shares.word_shares(tx, ask.query, owners) if ask.by_words else {}
    mixed = mix_with_shares(shares, words, measured)
    scores = {
        note_id: score
        * rank_by_words.recency_boost(
            tx, updated_at=known[note_id].updated_at, pinned=known[note_id].pinned
        )
        for note_id, score in (mixed if ask.by_words else measured).items()
        if note_id in known and score > 0
    }
    best = sorted(scores, key=lambda note_id: (-scores[note_id], -note_id))[: ask.limit]
    places = {
        note_id: note_vectors.passage_span(known[note_id].spans, near[note_id].ordinal)
        for note_id in best
        if note_id in near
    }
    matches = {note_id: _match_kind(note_id in words, near.get(note_id)) for note_id in best}
    return Ranked(_absolute_scores(best, words, measured), places, matches)


def _match_kind(has_words: bool, near: "Near | None") -> Match:
    if not has_words:
        return "meaning"
    return "both" if near is not None and near.score >= LEAST else "words"


def _absolute_scores(
    best: Sequence[int], words: Mapping[int, float], near: Mapping[int, float]
) -> dict[int, float]:
    """Return the best notes a score from 0 to 1 that is not stretched to the best.

    The better of both measures, none above one that ranks higher.
    """
    found: dict[int, float] = {}
    # Ranks come from stretched scores: shown scores must not rise from one hit to the next.
    least = 1.0
    for note_id in best:
        least = min(
            least,
            max(rank_by_words.absolute_score(words.get(note_id, 0.0)), near.get(note_id, 0.0), 0.0),
        )
        found[note_id] = least
    return found


def mix_with_shares(
    shares: Mapping[int, float], words: Mapping[int, float], near: Mapping[int, float]
) -> dict[int, float]:
    """Return the mix of the words that each note holds and of how near it is, from 0 to 1."""
    most, best = max(words.values(), default=0.0) or 1.0, max(near.values(), default=0.0)
    found = {}
    for note_id in words.keys() | near.keys():
        lexical = (1 - SHARE_OF_BM25) * shares.get(note_id, 0.0)
        lexical += SHARE_OF_BM25 * words.get(note_id, 0.0) / most
        if note_id not in near:
            found[note_id] = lexical
            continue
        floor = FLOOR * best
        meant = max(0.0, near[note_id] - floor) / (best - floor) if best > 0 else 0.0
        mixed = SHARE_OF_WORDS * lexical + (1 - SHARE_OF_WORDS) * meant
        holds_all = shares.get(note_id, 0.0) > 0.999
        found[note_id] = max(mixed, EVERY_WORD * lexical) if holds_all else mixed
    return found


def mix_scores(
    words: Mapping[K, float], near: Mapping[K, float], *, low: float | None = None
) -> dict[K, float]:
    """Return the mix of both measures for each note, or other text, from 0 to 1.

    What is no nearer than `low`, or else the farthest, is 0.
    """
    most = max(words.values(), default=0.0) or 1.0
    nothing, high = (
        min(near.values(), default=0.0) if low is None else low,
        max(near.values(), default=0.0),
    )
    # Where all are equally near, nearness says nothing: all count as near, or below `low` as far.
    alone = 0.0 if low is not None and high <= low else 1.0
    found = {key: score / most for key, score in words.items()}
    for key, score in near.items():
        found[key] = LEXICAL * found.get(key, 0.0) + (1 - LEXICAL) * (
            max(0.0, score - nothing) / (high - nothing) if high > nothing else alone
        )
    return found


def nearest_findable(
    tx: Tx, me: Caller, ask: RankRequest, measured: "Sequence[Nearness]"
) -> "dict[int, Near]":
    """Return the nearest notes among those that may be found.

    Where the very nearest mostly may not, those are asked for first.
    """
    best = _merge_nearest(one.nearest(CANDIDATES) for one in measured)
    allowed = allowed_notes.allowed_among(tx, me, ask.query, list(best), ask.folder_id)
    # For a grant always, so that what it leaves out has no say in what is found.
    if (len(allowed) < ask.limit or me.reach is not None) and len(best) >= CANDIDATES:
        allowed = allowed_notes.every_allowed(tx, me, ask.query, ask.folder_id)
        best = _merge_nearest(one.of_notes(allowed, CANDIDATES) for one in measured)
    return {
        note_id: one for note_id, one in best.items() if note_id in allowed and one.score >= LEAST
    }


def _merge_nearest(found: "Iterable[dict[int, Near]]") -> "dict[int, Near]":
    """Return the notes of several matrices as one."""
    return {note_id: near for one in found for note_id, near in one.items()}
