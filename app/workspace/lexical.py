"""Ranking notes by their words.

A note where every word of the query occurs stands above one where only some do. Among each, `relevance` is bm25 over the columns of the index
(a hit in the title, a heading or a tag counts more), times up to 1.1 for a recent change and times 1.1 for a pinned note. Of a word that stands in
very many notes the newest 5,000 are ranked; those that hold the rarest word of the query are ranked however old they are.
"""

import itertools
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from app.core.caller import Caller
from app.core.text import fold
from app.core.tx import Tx
from app.workspace import access, due, folder_rows, folders, queries, words
from app.workspace.folder_rows import IN_LIST, in_list
from app.workspace.queries import Query, Term
from app.workspace.spellings import OPEN_TODO, matching, pairs
from app.workspace.stop_words import STOP_WORDS

RANKED = 5_000
FEW = 300
MOST_SOME = 32
RECENT, HALF_LIFE_DAYS = 0.1, 30.0
PINNED = 0.1
HALF_SCORE = 10.0


class Place(NamedTuple):
    """Notes of one owner that the caller may read: all, or those in some folders."""

    owner: int
    folders: tuple[int, ...] | None


class Found(NamedTuple):
    """A note that was found; `full` where all that was asked for occurs."""

    id: int
    relevance: float
    full: bool

    @property
    def score(self) -> float:
        """From 0 to 1, and 1 more where all occurs."""
        return self.full + self.relevance / (self.relevance + HALF_SCORE)


class Condition(NamedTuple):
    """What a row of notes, called n, must be beside matching: an SQL condition and its parameters."""

    sql: str
    params: dict[str, Any]


def read(tx: Tx, me: Caller, text: str) -> Query:
    """Read a query; days are those of the caller's zone."""
    if ":" not in text:
        return queries.parse(text)
    return queries.parse(text, due.day_of(tx.now, due.zone_of(tx, me)))


def best(tx: Tx, me: Caller, query: Query, *, limit: int, folder_id: int | None = None) -> list[Found]:
    """Give the best notes for a query, best first; without anything to rank by, pinned and newly changed ones first."""
    if not query.selects:
        return []
    places = readable_places(tx, me, folder_id)
    if not query.clauses:
        return _listed(tx, me, query, places, limit)
    found = _ranked(tx, _with_every(tx, me, query, places, 2 * limit + 10), full=True)[:limit]
    if len(found) < limit and len(telling_words(query)) + len(query.demands) > 1:
        known = {one.id for one in found}
        more = _ranked(tx, _with_some(tx, me, query, places, 2 * limit + 10), full=False)
        found += [one for one in more if one.id not in known][: limit - len(found)]
    return found


def candidates(tx: Tx, me: Caller, query: Query, *, limit: int, folder_id: int | None = None) -> dict[int, float]:
    """Give the best notes that hold some of the words, within what the query demands, as raw bm25: larger is better."""
    if not query.clauses:
        return {}
    rows = _with_some(tx, me, query, readable_places(tx, me, folder_id), limit)
    return {row[0]: row[1] for row in sorted(rows, key=lambda row: (-row[1], -row[0]))[:limit]}


def allowed(tx: Tx, me: Caller, query: Query, ids: Sequence[int], folder_id: int | None = None) -> set[int]:
    """Give those of the notes that the caller may read, that are live, and that have all that the query demands beside its free words."""
    found: set[int] = set()
    for place in readable_places(tx, me, folder_id):
        where = _demanding(tx, me, query, place)
        # CROSS JOIN: SQLite would rather walk all notes of the owner than look at the few that are asked about.
        sql = f"SELECT n.id FROM json_each(:asked) a CROSS JOIN notes n ON n.id = a.value WHERE {where.sql}"
        rows = tx.all(sql, asked=in_list(ids), **where.params)
        found.update(row["id"] for row in rows)
    return found


def every_allowed(tx: Tx, me: Caller, query: Query, folder_id: int | None = None) -> set[int]:
    """Give all notes that `allowed` would give."""
    found: set[int] = set()
    for place in readable_places(tx, me, folder_id):
        where = _demanding(tx, me, query, place)
        found.update(row["id"] for row in tx.all(f"SELECT n.id FROM notes n WHERE {where.sql}", **where.params))
    return found


def boost(tx: Tx, *, updated_at: str, pinned: bool) -> float:
    """Give the factor by which a recent change and a pin lift a note: from 1 to 1.21."""
    days = max(0.0, (tx.moment - datetime.fromisoformat(updated_at)).total_seconds() / 86_400)
    return float((1 + RECENT * 0.5 ** (days / HALF_LIFE_DAYS)) * (1 + PINNED * pinned))


def is_light(tx: Tx, me: Caller, query: Query) -> bool:
    """Say whether a search is so little work that a thread would cost more: a few words, each in few notes, all of the caller's own."""
    if not query.clauses or query.demands or query.excluded or query.filters != queries.NO_FILTERS or len(query.clauses) > 4:
        return False
    if access.has_shares(tx, me) or not _has_index(tx, me.user):
        return False
    name = words.table(me.user)
    probe = f"SELECT 1 FROM {name} WHERE {name} MATCH :match LIMIT 1 OFFSET {FEW}"
    return all(len(pairs(word)) < 3 and tx.one(probe, match=matching(word)) is None for word in query.words)


def readable_places(tx: Tx, me: Caller, folder_id: int | None = None) -> list[Place]:
    """Give where the notes lie that may be found: in a folder, which the caller may read, and below it, or in all that the caller may read."""
    if folder_id is not None:
        owner = folder_rows.sure(tx, folder_id)["owner_id"]
        return [Place(owner, tuple(folder_rows.subtree(tx, folder_id)))]
    places = [Place(me.user, None)]
    if access.has_shares(tx, me):
        shared = tx.all(
            f"SELECT owner_id, id FROM folders WHERE id IN ({IN_LIST}) ORDER BY owner_id", ids=in_list(list(access.shared_folders(tx, me)))
        )
        places += [Place(owner, tuple(row["id"] for row in rows)) for owner, rows in itertools.groupby(shared, lambda row: row["owner_id"])]
    return places


def _every(query: Query) -> str:
    """Give the FTS5 expression that matches where every clause does."""
    return _with_marks(query, " AND ".join(f"({_either(clause)})" for clause in query.clauses))


def _some(query: Query, *, one: str = "", others: Sequence[str] = (), joined: str = "AND") -> str:
    """Give the FTS5 expression that matches where all that is demanded occurs, and of these words one or, `joined` by OR, any."""
    free = [f"({one})"] if one else []
    if others:
        free.append(f"({' OR '.join(map(matching, others))})")
    telling = f" {joined} ".join(free)
    demands = [f"({_either(clause)})" for clause in query.demands]
    return _with_marks(query, " AND ".join([*demands, *([f"({telling})"] if telling else [])]))


def telling_words(query: Query) -> list[str]:
    """Give of the free words those that tell something, in parts that may be found alone: not the stop words, unless there is nothing else."""
    parts = list(dict.fromkeys(part for word in query.words for part in pairs(word)))
    telling = [part for part in parts if part.lower() not in STOP_WORDS] or parts
    return sorted(telling, key=len, reverse=True)[:MOST_SOME]


def _either(clause: Iterable[Term]) -> str:
    return " OR ".join(_expression(term) for term in clause)


def _expression(term: Term) -> str:
    phrase = matching(term.text, prefix=term.kind == "prefix")
    return f"title : {phrase}" if term.title else phrase


def _with_marks(query: Query, expression: str) -> str:
    """Add to an FTS5 expression the open checkbox that must be there and what must not; empty when nothing is asked."""
    if query.filters.todo:
        mark = f'tags : "{OPEN_TODO}"'
        expression = f"{mark} AND ({expression})" if expression else mark
    unwanted = [_expression(term) for term in query.excluded] + ([f'tags : "{OPEN_TODO}"'] if query.filters.todo is False else [])
    return f"({expression}) NOT ({' OR '.join(unwanted)})" if unwanted and expression else expression


Row = tuple[int, float, int, str]
"""Id, raw bm25, whether it is pinned, and when it was changed."""


def _ranked(tx: Tx, rows: Iterable[Row], *, full: bool) -> list[Found]:
    """Give the notes by relevance; ties go to the newer."""
    found = [Found(note_id, raw * boost(tx, updated_at=updated_at, pinned=bool(pinned)), full) for note_id, raw, pinned, updated_at in rows]
    return sorted(found, key=lambda one: (-one.relevance, -one.id))


def _with_every(tx: Tx, me: Caller, query: Query, places: list[Place], limit: int) -> list[Row]:
    """Give the best notes of each place in which every clause occurs."""
    match = _every(query)
    return [row for place in places for row in _of_place(tx, place.owner, _condition(tx, me, query, place), match, limit)]


def _with_some(tx: Tx, me: Caller, query: Query, places: list[Place], limit: int) -> list[Row]:
    """Give the best notes of each place in which some of the words occur; of those with the rarest word none is too old."""
    telling = telling_words(query)
    rows: dict[int, Row] = {}
    for place in places:
        where = _condition(tx, me, query, place)
        matches = [_some(query, others=telling)]
        if len(telling) > 1 and _is_common(tx, place.owner, matches[0]) and (rarest := _rarest(tx, place.owner, telling)):
            rest = [word for word in telling if word != rarest]
            matches += [_some(query, one=matching(rarest), others=rest, joined=how) for how in ("AND", "NOT")]
        for match in matches:
            rows.update((row[0], row) for row in _of_place(tx, place.owner, where, match, limit))
    return list(rows.values())


def _is_common(tx: Tx, owner: int, match: str) -> bool:
    """Say whether more notes match than are ranked."""
    name = words.table(owner)
    return _has_index(tx, owner) and tx.one(f"SELECT 1 FROM {name} WHERE {name} MATCH :match LIMIT 1 OFFSET {RANKED}", match=match) is not None


def _rarest(tx: Tx, owner: int, parts: Sequence[str]) -> str | None:
    """Give the word that the fewest notes hold; None where all stand in more than are ranked anyway."""
    name = words.table(owner)
    count = f"SELECT count(*) FROM (SELECT 1 FROM {name} WHERE {name} MATCH :match LIMIT {RANKED + 1})"
    number, rarest = min((int(tx.value(count, match=matching(part))), part) for part in parts)
    return rarest if 0 < number <= RANKED else None


def _of_place(tx: Tx, owner: int, where: Condition, match: str, limit: int) -> list[Row]:
    """Give the best of one owner's notes: of the newest thousands, or of all where too few of those may be found."""
    if not _has_index(tx, owner):
        return []
    name = words.table(owner)
    rows = tx.all(
        f"""SELECT n.id, -ranked.score, n.pinned, n.updated_at
            FROM (SELECT id, score FROM (SELECT rowid AS id, rank AS score FROM {name} WHERE {name} MATCH :match ORDER BY rowid DESC LIMIT {RANKED})
                  ORDER BY score, id DESC LIMIT {RANKED}) ranked CROSS JOIN notes n ON n.id = ranked.id
            WHERE {where.sql} LIMIT :limit""",
        match=match, limit=limit, **where.params,
    )  # fmt: skip
    if len(rows) < limit and _is_common(tx, owner, match):
        rows = tx.all(
            f"""SELECT id, score, pinned, updated_at FROM (
                    SELECT n.id, -rank AS score, n.pinned, n.updated_at FROM {name} CROSS JOIN notes n ON n.id = {name}.rowid
                    WHERE {name} MATCH :match AND {where.sql} ORDER BY {name}.rowid DESC LIMIT {RANKED})
                ORDER BY score DESC, id DESC LIMIT :limit""",
            match=match, limit=limit, **where.params,
        )  # fmt: skip
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def _listed(tx: Tx, me: Caller, query: Query, places: list[Place], limit: int) -> list[Found]:
    """Give notes by what they are alone, pinned ones first, then the newly changed."""
    rows: list[Any] = []
    for place in places:
        where = _condition(tx, me, query, place, marked=True)
        sql = f"SELECT n.id, n.pinned, n.updated_at FROM notes n WHERE {where.sql} ORDER BY n.pinned DESC, n.updated_at DESC LIMIT :limit"
        rows += tx.all(sql, limit=limit, **where.params)
    rows.sort(key=lambda row: (row["pinned"], row["updated_at"], row["id"]), reverse=True)
    return [Found(row["id"], 0.0, False) for row in rows[:limit]]


def _condition(tx: Tx, me: Caller, query: Query, place: Place, *, marked: bool = False) -> Condition:
    """Give the condition of a place and a query's filters; `marked` adds what is otherwise asked of the index."""
    sql = ["n.owner_id = :owner", "n.trash_id IS NULL"]
    params: dict[str, Any] = {"owner": place.owner}
    if place.folders is not None:
        sql.append("n.folder_id IN (SELECT value FROM json_each(:places))")
        params["places"] = in_list(place.folders)
    if query.filters != queries.NO_FILTERS:
        _add_filters(tx, me, query, sql, params)
    if marked:
        _add_marks(tx, query, place.owner, sql, params)
    return Condition(" AND ".join(sql), params)


def _demanding(tx: Tx, me: Caller, query: Query, place: Place) -> Condition:
    """Give the condition of a place, a query's filters, what it excludes, and what it demands of the text beside its free words."""
    where = _condition(tx, me, query, place, marked=bool(query.excluded) or query.filters.todo is not None)
    if not query.demands or not _has_index(tx, place.owner):
        return Condition(f"{where.sql} AND 0", where.params) if query.demands else where
    name = words.table(place.owner)
    wanted = " AND ".join(f"({_either(clause)})" for clause in query.demands)
    return Condition(f"{where.sql} AND n.id IN (SELECT rowid FROM {name} WHERE {name} MATCH :wanted)", where.params | {"wanted": wanted})


def _add_filters(tx: Tx, me: Caller, query: Query, sql: list[str], params: dict[str, Any]) -> None:
    filters = query.filters
    if filters.pinned is not None:
        sql.append(f"n.pinned = {int(filters.pinned)}")
    for number, (tag, without) in enumerate([(tag, "") for tag in filters.tags] + [(tag, "NOT ") for tag in filters.no_tags]):
        begins = tag.endswith("*") and len(tag) > 1
        test = f"t.tag_key >= :tag{number} AND substr(t.tag_key, 1, length(:tag{number})) = :tag{number}" if begins else f"t.tag_key = :tag{number}"
        sql.append(f"{without}EXISTS (SELECT 1 FROM note_tags t WHERE t.owner_id = n.owner_id AND {test} AND t.note_id = n.id)")
        params[f"tag{number}"] = tag[:-1] if begins else tag
    for number, (name, without) in enumerate([(name, "") for name in filters.folders] + [(name, "NOT ") for name in filters.no_folders]):
        sql.append(
            "n.folder_id IS " + without + "NULL" if not name else f"ifnull(n.folder_id, 0) {without}IN (SELECT value FROM json_each(:in{number}))"
        )
        params[f"in{number}"] = in_list(_folders_called(tx, me, name)) if name else ""
    for number, period in enumerate(filters.periods):
        span = due.span(period.first, period.last, due.zone_of(tx, me))
        sql.append(f"{'NOT ' if period.without else ''}(n.{period.of}_at >= :since{number} AND n.{period.of}_at < :until{number})")
        params.update({f"since{number}": span.since, f"until{number}": span.until})


def _add_marks(tx: Tx, query: Query, owner: int, sql: list[str], params: dict[str, Any]) -> None:
    name = words.table(owner)
    if not _has_index(tx, owner):
        sql.append("0")
        return
    if query.filters.todo is not None:
        sql.append(f"n.id {'' if query.filters.todo else 'NOT '}IN (SELECT rowid FROM {name} WHERE {name} MATCH :todo)")
        params["todo"] = f'tags : "{OPEN_TODO}"'
    if query.excluded:
        sql.append(f"n.id NOT IN (SELECT rowid FROM {name} WHERE {name} MATCH :excluded)")
        params["excluded"] = _either(query.excluded)


def _folders_called(tx: Tx, me: Caller, name: str) -> list[int]:
    """Give the readable folders of that name or path, and those below them."""
    every_folder = folders.listed(tx, me)
    if "/" in name:
        tops = [folder.id for folder in every_folder if fold(access.path(tx, me, folder.id)) == name]
    else:
        tops = [folder.id for folder in every_folder if fold(folder.name) == name]
    return [below for top in tops for below in folder_rows.subtree(tx, top)]


def _has_index(tx: Tx, owner: int) -> bool:
    return tx.one("SELECT 1 FROM word_owners WHERE owner_id = :owner", owner=owner) is not None
