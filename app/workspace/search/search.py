"""Searching notes, best first."""

import functools
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, structs

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Most, NameOrPath, Record
from app.workspace.folders import access, folders
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import word_index
from app.workspace.index.spellings import find_words
from app.workspace.search.grep import snapshot_history as histories
from app.workspace.search.ranking import (
    findable,
    rank_by_meaning,
    rank_by_words,
    rank_few,
    read_query,
)
from app.workspace.search.ranking.nearest_sentence import mark_nearest_sentence
from app.workspace.search.ranking.query_language import Query, loosen_phrases
from app.workspace.search.ranking.snippets import make_snippet, query_patterns
from app.workspace.search.vectors.vector_maker import VectorMaker

Wanted = Annotated[str, Meta(min_length=1, max_length=1000)]
Mode = Literal["words", "meaning", "hybrid"]
CONTENT_CHARACTERS = 2_000
CATCH_UP_STEPS = 8
WORDS_ALONE = "Words alone ranked: "
NOT_ALL = "Not all notes have been indexed by meaning yet; the others are found by their words."
NO_PHRASE = "No note holds what is in quotes word for word; these hold words of it or are near."
FEW_PHRASES = "Few notes hold what is in quotes word for word; below them are others near to it."
FEW_BY_PHRASE = 3
STALE = "The search index is being made anew; older notes may be missing for a while."


class SearchRequest(msgspec.Struct, frozen=True):
    """What is searched for, where, and how many notes are wanted."""

    text: str
    limit: int
    folder_id: int | None
    folder_name: str | None
    mode: Mode
    reading: read_query.Reading = "written"


class Hit(Record):
    """A note that was found; a higher score is a better match.

    The score goes from 0 to 1 and does not depend on what else was found. By words it is above a
    half where all that was asked for occurs, else below; by meaning it is the cosine between the
    query and the note's nearest passage, and for both together the better of the two. `match`
    says by what it was found: its words, its meaning, or both. `marks` are the places of the
    hits in the snippet, as [start, end) in characters; by meaning alone the words that were
    mistyped in the query, or else the nearest sentence.
    """

    id: int
    title: str
    snippet: str
    marks: list[tuple[int, int]]
    folder_id: int | None
    score: float
    updated_at: str
    match: rank_by_meaning.Match


class Passage(Record):
    """The beginning of a note that was found."""

    id: int
    title: str
    snippet: str
    content: str


class Passages(Record):
    results: list[Passage]


class WordTrace(histories.Trace):
    """What a note's newest snapshot that holds the words says around them."""

    snippet: str


class Hits(Record):
    """`mode` says what ranked in fact, `notice` what there is to know of it.

    With history: what snapshots hold, and whether all were searched.
    """

    results: list[Hit]
    result: Passages
    mode: Mode = "words"
    notice: str | None = None
    history: list[WordTrace] | UnsetType = UNSET
    history_complete: bool | UnsetType = UNSET


@operation(
    "POST /os/notes/search",
    scope="os.notes:read",
    effect="read",
    http=Http(
        refuses={"folderName": "both it and folderId are given, or it names several folders"},
        stoppable=True,
    ),
    tool=Tool(risk="R"),
)
async def search_notes(
    app: App,
    me: Caller,
    *,
    query: Wanted,
    limit: Annotated[int, Meta(ge=1), Most(50)] = 10,
    folder_id: Id | None = None,
    folder_name: NameOrPath | None = None,
    mode: Mode = "hybrid",
    history: bool = False,
) -> Hits:
    """Search the notes the caller may read, by words in any form and by what they mean.

    Operators: "a phrase", -without, a OR b, begin*, title:word, tag:name, folder:name or
    folder:"path/to", in:pinned, is:todo (open checkboxes), updated:, created:, before:, after: with
    a date (2026-11-01, 2026-11, 2026) or today, yesterday, monday, last week, this month, "3 days".
    What does not parse is searched as words. Where fewer than three notes hold a phrase that stands
    in a long text, others with its words are below them, and `notice` says so.

    `mode`: `words` (notes with every word come first, below them those with some), `meaning` (the
    notes whose text is nearest, whatever words it uses), or `hybrid`, which is both. Without a
    model words rank, and `notice` says so.

    With `history` the snapshots are searched too: of each note the newest that holds the words,
    who made it and when, and since when the note no longer does. When that takes longer than 2
    seconds it is left unfinished.
    """
    asked = SearchRequest(query, limit, folder_id, folder_name, mode)
    hits = app.quick(_search_at_once, me, asked, None) if mode == "words" else None
    if hits is None:
        me = app.quick(access.hide_policy_notes, me)
        hits = await _search_notes(app, me, asked)
    only_near = all(hit.match == "meaning" for hit in hits.results)
    if only_near and mode != "meaning" and app.quick(_can_begin, me, query):
        begun = await _search_by_words(app, me, structs.replace(asked, reading="begun"), None)
        hits = _fill_up(begun, hits, limit, None) if begun.results else hits
    if len(hits.results) < min(limit, FEW_BY_PHRASE) and app.quick(_can_loosen, me, query):
        loose = await _search_notes(app, me, structs.replace(asked, reading="loose"))
        if any(one.id not in {hit.id for hit in hits.results} for one in loose.results):
            hits = _fill_up(hits, loose, limit, NO_PHRASE if not hits.results else FEW_PHRASES)
    if me.reach is not None:
        _hide_outside_grant(hits, me)
    if history:
        wanted = [
            word
            for term in app.quick(read_query.read_query, me, query).terms
            for word in find_words(term.text)
        ]
        traces = await histories.find_words(app, me, (folder_id, folder_name), wanted, limit=limit)
        hits.history = [
            WordTrace(**structs.asdict(found.trace), snippet=histories.snapshot_snippet(found))
            for found in traces.found
        ]
        hits.history_complete = traces.complete
    return hits


def _hide_outside_grant(hits: Hits, me: Caller) -> None:
    """Leave out what tells of notes outside the grant.

    Where an only note lies, and how far the indexing of all notes is.
    """
    for told in (NOT_ALL, STALE):
        hits.notice = (hits.notice or "").removesuffix(told).rstrip() or None
    if access.sees_one_note(me):
        for hit in hits.results:
            hit.folder_id = None


def _can_loosen(tx: Tx, me: Caller, text: str) -> bool:
    query = read_query.read_query(tx, me, text)
    return loosen_phrases(query) is not query


def _can_begin(tx: Tx, me: Caller, text: str) -> bool:
    begun = read_query.read_query(tx, me, text, "begun")
    return not (begun.words or begun.narrowed) and begun != read_query.read_query(tx, me, text)


def _fill_up(exact: Hits, loose: Hits, limit: int, notice: str | None) -> Hits:
    """Return what was found as it stands, and below it what was found otherwise."""
    known = {hit.id for hit in exact.results}
    least = min((hit.score for hit in exact.results), default=1.0)
    more = [hit for hit in loose.results if hit.id not in known]
    passages = [one for one in loose.result.results if one.id not in known]
    for hit in more:
        hit.score = min(hit.score, least)
    notices = [one for one in (notice, loose.notice) if one]
    return Hits(
        [*exact.results, *more][:limit],
        Passages([*exact.result.results, *passages][:limit]),
        mode=loose.mode,
        notice=" ".join(dict.fromkeys(notices)) or None,
    )


def _read_query(tx: Tx, me: Caller, asked: SearchRequest) -> Query:
    return read_query.read_query(tx, me, asked.text, asked.reading)


async def _search_notes(app: App, me: Caller, asked: SearchRequest) -> Hits:
    """Search what the notes hold now."""
    if asked.mode == "words":
        return await _search_by_words(app, me, asked, None)
    stale = await catch_up(app)
    ask = app.quick(_rank_request, me, asked)
    behind = app.part(VectorMaker).is_behind
    notice = STALE if stale else NOT_ALL if behind else None
    found = await rank_by_meaning.rank_notes(
        app, me, ask, functools.partial(_hits_by_meaning, ask.query, asked.mode, notice)
    )
    if isinstance(found, rank_by_meaning.Unranked):
        reason = None if found.reason is None else WORDS_ALONE + found.reason
        at_once = app.quick(_search_at_once, me, asked, reason)
        return at_once or await _search_by_words(app, me, asked, reason)
    return found


async def _search_by_words(app: App, me: Caller, asked: SearchRequest, notice: str | None) -> Hits:
    stale = await catch_up(app)
    return await app.read(_search_on_reader, me, asked, STALE if stale else notice)


async def catch_up(app: App) -> bool:
    """Index the notes that wait, and some of the stale ones.

    Return whether there are more of those.
    """
    if not app.glance(word_index.any_waiting):
        return False
    # New notes are all taken in first, so that no search misses one; of an index that is made anew
    # only a few steps, since that takes minutes and no search may wait for it.
    for _ in range(CATCH_UP_STEPS):
        await app.write(word_index.index_waiting)
        if not app.glance(word_index.any_waiting):
            return False
    while not app.glance(word_index.is_stale) and app.glance(word_index.any_waiting):
        await app.write(word_index.index_waiting)
    return app.glance(word_index.is_stale)


def _search_at_once(tx: Tx, me: Caller, asked: SearchRequest, notice: str | None) -> Hits | None:
    """Search where that is less work than to hand it to a thread; return None elsewhere."""
    if asked.folder_id is not None or asked.folder_name is not None:
        return None
    if not findable.finds_only_own(tx, me):
        return None
    query = _read_query(tx, me, asked)
    found = rank_few.rank_few_notes(tx, me, query, limit=asked.limit)
    return None if found is None else _make_hits(query, found, notice)


def _rank_request(tx: Tx, me: Caller, asked: SearchRequest) -> rank_by_meaning.RankRequest:
    folder = folders.find_by_name_or_id(tx, me, asked.folder_id, asked.folder_name)
    return rank_by_meaning.RankRequest(
        _read_query(tx, me, asked),
        None if folder is None else folder["id"],
        asked.limit,
        asked.mode == "hybrid",
    )


def _hits_by_meaning(
    query: Query, mode: Mode, notice: str | None, tx: Tx, found: rank_by_meaning.Ranked
) -> Hits:
    shown, told = _read_shown(tx, found.scores), _query_notice(query, notice)
    return _make_hits(query, shown, told, mode, found)


def _search_on_reader(tx: Tx, me: Caller, asked: SearchRequest, notice: str | None) -> Hits:
    ask = _rank_request(tx, me, asked)
    found = rank_by_words.rank_notes(tx, me, ask.query, limit=ask.limit, folder_id=ask.folder_id)
    scores = {one.id: one.score for one in found}
    return _make_hits(ask.query, _read_shown(tx, scores), _query_notice(ask.query, notice))


def _query_notice(query: Query, notice: str | None) -> str | None:
    """Return what there is to know of how a query was read, before anything else."""
    if not query.narrowed:
        return notice
    return (
        f"{', '.join(query.narrowed)} begins too many words, so only the word itself "
        "was searched for; give more letters."
    )


def _read_shown(tx: Tx, scores: Mapping[int, float]) -> list[tuple[rank_few.Shown, float]]:
    """Return what is shown of notes, each with its score, in the order of `scores`."""
    rows = tx.all(
        f"SELECT id, title, folder_id, updated_at, content FROM notes WHERE id IN ({IN_LIST})",
        ids=id_list(list(scores)),
    )
    by_id = {row[0]: rank_few.Shown(*row) for row in rows}
    return [(by_id[note_id], score) for note_id, score in scores.items() if note_id in by_id]


def _make_hits(
    query: Query,
    found: Iterable[tuple[rank_few.Shown, float]],
    notice: str | None,
    mode: Mode = "words",
    meant: rank_by_meaning.Ranked | None = None,
) -> Hits:
    """Return notes with their scores as the answer shows them.

    Of a note that was found by meaning, and in which no word hits, the sentence nearest to the
    query in the passage by which it is near.
    """
    wanted = query_patterns(query)
    hits: list[Hit] = []
    passages: list[Passage] = []
    match: rank_by_meaning.Match = "words"
    for note, score in found:
        # Not FTS5's own snippet(): in a text of megabytes that holds a word thousands of times it
        # takes seconds.
        content = note.content
        text, marks = make_snippet(content, wanted)
        if meant is not None:
            match = meant.matches[note.id]
            if not marks and note.id in meant.places:
                text, marks = mark_nearest_sentence(query, content, *meant.places[note.id])
        hits.append(
            Hit(
                note.id,
                note.title,
                text,
                marks,
                note.folder_id,
                round(score, 6),
                note.updated_at,
                match,
            )
        )
        passages.append(Passage(note.id, note.title, text, content[:CONTENT_CHARACTERS]))
    return Hits(hits, Passages(passages), mode=mode, notice=notice)
