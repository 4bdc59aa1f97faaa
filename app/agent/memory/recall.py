"""Finding again what was said, done and noted.

Episodes, and the notes below `Memory/`, ranked together by words, meaning and age.

By words a text counts by bm25, each word by how few of the candidates hold it, so that scores of
both kinds can be compared and tell nothing of anybody else; by meaning it is as near as its
nearest passage. The best of either kind are mixed as in the search of notes. An episode fades:
FADING of its score halves every HALF_LIFE_DAYS, and the rest stays, so that what fits well is
found however old it is. Notes do not fade.
"""

import asyncio
import math
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from app.agent.memory import episode_vectors, episodes, message_memory
from app.agent.memory.recall_candidates import (
    Found,
    Key,
    NearnessByKind,
    RecallQuery,
    found_of,
    keys_with_words,
    nearest_keys,
    spans_of,
)
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.embedder import EmbeddingFailed
from app.core.fit_types import copy_fields
from app.workspace.folders import folder_rows
from app.workspace.index.spellings import Pattern, find_words
from app.workspace.search import search
from app.workspace.search.ranking import (
    allowed_notes,
    query_language,
    rank_by_meaning,
    rank_by_words,
    read_query,
)
from app.workspace.search.ranking.query_language import Filters
from app.workspace.search.ranking.shared_scores import bm25, count_matches
from app.workspace.search.ranking.snippets import first_words, make_snippet
from app.workspace.search.vectors import note_vectors
from app.workspace.search.vectors.note_vectors import Model
from app.workspace.search.vectors.vector_kinds import TextKind
from app.workspace.search.vectors.vector_maker import VectorMaker
from app.workspace.todos import due

if TYPE_CHECKING:
    from app.workspace.search.vectors.vector_matrix import Matrix

EPISODES = TextKind("episode", episode_vectors.TABLE, episodes.CHANGED, episodes.MANY_CHANGED)
FOLDER = "Memory"
MOST_TIMES = 8
HALF_LIFE_DAYS = 30.0
FADING = 0.6
DAY_SECONDS = 86_400.0


class Recalled(msgspec.Struct, frozen=True):
    """Something that was found: `kind` is that of the contract.

    A higher score, up to 1, fits better.
    """

    kind: str
    title: str
    snippet: str
    path: str
    note_id: int | None
    conversation_id: int | None
    score: float
    at: str


async def recall(app: App, me: Caller, text: str, limit: int) -> list[Recalled]:
    """Return what fits a query best among the caller's own episodes and facts, best first.

    Without words, the newest of the days it names.
    """
    # What was written a moment ago must be found: indexes are filled behind the writes.
    await search.catch_up(app)
    await message_memory.wait_until_caught_up(app)
    ask = app.quick(_parse_query, me, text, limit)
    if not ask.query.clauses:
        return await app.read(_newest_of_days, me, ask) if ask.query.filters.periods else []
    measured = await _measure_nearness(app, me, ask)
    return await app.read(_rank_recalled, me, ask, measured)


def memory_folder(tx: Tx, owner: int, *below: str) -> int | None:
    """Return the folder of an owner's memory, or one below it, if it is there.

    Names are compared without case.
    """
    at: int | None = None
    for name in (FOLDER, *below):
        found = folder_rows.find_child(tx, owner, at, name)
        if found is None:
            return None
        at = found["id"]
    return at


def find_note(
    tx: Tx, owner: int, folder_id: int | None, title: str, *, columns: str = "*"
) -> sqlite3.Row | None:
    """Return the live note of exactly that title there, of several the one with the lowest id."""
    # Both kinds of pins and the case are named for the index by title; the second condition on
    # the title makes it exact.
    return tx.one(
        f"""SELECT {columns} FROM notes WHERE owner_id = :owner AND folder_id IS :folder
              AND pinned IN (0, 1) AND title = :title COLLATE NOCASE AND title = :title
              AND trash_id IS NULL ORDER BY id LIMIT 1""",
        owner=owner,
        folder=folder_id,
        title=title,
    )


def fade_factor(at: str, now: datetime) -> float:
    """Return the factor by which an episode of that moment counts now: 1 for a new one, nearer to
    1 - FADING the older it is.
    """
    days = max(0.0, (now - datetime.fromisoformat(at)).total_seconds() / DAY_SECONDS)
    return float(1 - FADING + FADING * 0.5 ** (days / HALF_LIFE_DAYS))


def _parse_query(tx: Tx, me: Caller, text: str, limit: int) -> RecallQuery:
    """Read a query as words; of the operators of search only those that name days are known
    here.
    """
    zone = due.request_zone(tx, me)
    parsed = query_language.parse_query(text, due.local_day(tx.now, zone))
    periods = parsed.filters.periods
    said = [word for term in parsed.terms for word in find_words(term.text)]
    # A query of operators alone, such as tag:x, is taken for its words.
    if not (said or periods):
        said = find_words(text)
    query = read_query.read_query(tx, me, " ".join(said).lower())
    conditions = ["e.user_id = :me", _NOT_HIDDEN]
    params: dict[str, Any] = {"me": me.user}
    for number, period in enumerate(periods):
        span = due.days_span(period.first, period.last, zone)
        conditions.append(
            f"{'NOT ' if period.without else ''}(e.at >= :since{number} AND e.at < :until{number})"
        )
        params |= {f"since{number}": span.since, f"until{number}": span.until}
    meant = " ".join(said) if periods else text
    query = structs.replace(query, filters=Filters(periods=periods))
    return RecallQuery(
        query, meant, " AND ".join(conditions), params, memory_folder(tx, me.user), limit
    )


_NOT_HIDDEN = """NOT EXISTS (SELECT 1 FROM conversation_members m
    WHERE m.conversation_id = e.conversation_id AND m.user_id = e.user_id AND m.hidden = 1)"""


async def _measure_nearness(app: App, me: Caller, ask: RecallQuery) -> NearnessByKind | None:
    """Measure how near everything is.

    None where meaning cannot rank, which is no failure of the search.
    """
    meaning = app.part(VectorMaker)
    model = meaning.answering
    if model is None:
        return None
    try:
        vector = await meaning.query(ask.text)
    except EmbeddingFailed:
        return None
    # The model may have been exchanged while the query waited for its vector.
    if meaning.answering != model or len(vector) != 4 * model.dimension:
        return None
    held = await meaning.matrices_of(EPISODES).matrices_of(app, model, [me.user])
    noted = (
        await meaning.matrices.matrices_of(app, model, [me.user])
        if ask.folder_id is not None
        else []
    )
    # Off the loop, since it multiplies every vector of the owner.
    return await asyncio.to_thread(_nearness_of, model, noted, held, vector)


def _nearness_of(
    model: Model, notes: "Sequence[Matrix]", held: "Sequence[Matrix]", vector: bytes
) -> NearnessByKind:
    return NearnessByKind(
        model,
        [matrix.nearness(vector) for matrix in notes],
        [matrix.nearness(vector) for matrix in held],
    )


def _newest_of_days(tx: Tx, me: Caller, ask: RecallQuery) -> list[Recalled]:
    """Return the newest that there is of the days that are asked for."""
    rows = tx.all(
        f"SELECT e.id FROM episodes e WHERE {ask.condition} "
        "ORDER BY e.at DESC, e.id DESC LIMIT :limit",
        limit=ask.limit,
        **ask.params,
    )
    keys: list[Key] = [("episode", row[0]) for row in rows]
    if ask.folder_id is not None:
        keys += [
            ("note", one.id)
            for one in rank_by_words.rank_notes(
                tx, me, ask.query, limit=ask.limit, folder_id=ask.folder_id
            )
        ]
    found = found_of(tx, me, keys)
    newest = sorted(found, key=lambda key: (found[key].at, key), reverse=True)[: ask.limit]
    return [
        _recalled_record(
            found[key], fade_factor(found[key].at, tx.moment), first_words(found[key].text)
        )
        for key in newest
    ]


def _rank_recalled(
    tx: Tx, me: Caller, ask: RecallQuery, measured: NearnessByKind | None
) -> list[Recalled]:
    """Mix both measures of the best of either, let episodes fade, and show what is left at the
    top.
    """
    facts = (
        set()
        if ask.folder_id is None
        else allowed_notes.every_allowed(tx, me, ask.query, ask.folder_id)
    )
    keys = keys_with_words(tx, me, ask, facts)
    near = {} if measured is None else nearest_keys(tx, ask, measured, keys, facts)
    spans = {} if measured is None else spans_of(tx, measured.model, list(near))
    # A text that has changed since its vector was made is judged by words alone.
    near = {key: one for key, one in near.items() if spans.get(key) is not None}
    found = found_of(tx, me, [*keys, *(near.keys() - set(keys))])
    scores = rank_by_meaning.mix_scores(
        _score_by_words(ask.wanted, found),
        {key: one.score for key, one in near.items() if key in found},
        low=rank_by_meaning.LEAST,
    )
    faded = {
        key: score * (fade_factor(found[key].at, tx.moment) if key[0] == "episode" else 1.0)
        for key, score in scores.items()
    }
    best = sorted(faded, key=lambda key: (faded[key], found[key].at, key), reverse=True)[
        : ask.limit
    ]
    places = {
        key: note_vectors.passage_span(spans[key], near[key].ordinal) for key in best if key in near
    }
    return [
        _recalled_record(
            found[key], faded[key], _recalled_text(found[key].text, ask.wanted, places.get(key))
        )
        for key in best
    ]


def _score_by_words(wanted: Sequence[Pattern], found: "Mapping[Key, Found]") -> dict[Key, float]:
    """Return bm25 for each text that holds any of the words, each word weighed by how few of the
    texts hold it.
    """
    counts = {
        key: count_matches(wanted, one.title, one.text, MOST_TIMES) for key, one in found.items()
    }
    holding = [sum(1 for count in counts.values() if count[place]) for place in range(len(wanted))]
    rarities = [math.log(1 + (len(counts) - number + 0.5) / (number + 0.5)) for number in holding]
    scores = {key: bm25(count, len(found[key].text), rarities) for key, count in counts.items()}
    return {key: score for key, score in scores.items() if score > 0}


def _recalled_text(text: str, wanted: Sequence[Pattern], place: tuple[int, int] | None) -> str:
    shown, marks = make_snippet(text, wanted)
    # Where no word stands in the snippet, the passage that is near in meaning says more.
    return first_words(text, *place) if place is not None and not marks else shown


def _recalled_record(one: Found, score: float, shown: str) -> Recalled:
    return copy_fields(Recalled, one, snippet=shown, score=round(score, 6))
