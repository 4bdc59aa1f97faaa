"""Quick open: notes, folders, tags and todos by a few letters of their name."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import DocumentedPattern, Most, Record
from app.errors import Invalid
from app.workspace.folders import access
from app.workspace.index import name_index, name_text
from app.workspace.index.name_index import KINDS, Kind
from app.workspace.search.quick_open import name_candidates, recent
from app.workspace.search.quick_open.name_candidates import Asked, Source

PIN_BONUS = RECENCY_BONUS = 0.02
FRESH_DAYS = 30
Typed = Annotated[
    str, Meta(max_length=1000, description="what was typed so far; empty gives what was used last")
]
KindList = Annotated[
    str,
    Meta(
        max_length=100,
        description="some of note, folder, tag and todo, separated by commas; all without it",
    ),
    DocumentedPattern("^(note|folder|tag|todo)(,(note|folder|tag|todo))*$"),
]


class Found(Record):
    """A thing by its name: a tag has a `name`, all others an `id`.

    `marks` are the spans of the title that were typed, in characters.
    """

    kind: Kind
    title: str
    score: float
    marks: list[tuple[int, int]]
    id: int | UnsetType = UNSET
    name: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    updated_at: str | UnsetType = UNSET
    completed: bool | UnsetType = UNSET


class FoundList(Record):
    results: list[Found]


class Named(Struct):
    """A thing that may be shown: its row, how well it fits, and which typed words mark its name."""

    kind: Kind
    row: sqlite3.Row
    score: float = 0.0
    marked: Sequence[str] = ()
    near: Sequence[dict[str, int]] = ()


@operation("GET /os/find", scope="os.notes:read", since="beyond")
async def find_by_name(
    app: App,
    me: Caller,
    *,
    q: Typed = "",
    limit: Annotated[int, Meta(ge=1), Most(50)] = 20,
    kinds: KindList | None = None,
) -> FoundList:
    """Find notes, folders, tags and todos by their names, best first, as somebody types.

    Each word typed must begin a word of the name, in any order, whatever its case and accents;
    in scripts without spaces it may stand anywhere. `mn` finds "Meeting notes" by its initials,
    `work/plan` a name below a folder. Where nothing fits, a word with which no word of a name
    begins may be one edit away from its 4 letters on, from 8 on two. The whole name ranks first,
    then its beginning, the words in it, initials, near misses; pins and recent changes decide
    between equals. Nothing typed gives what changed last. Todos are found only with
    os.todos:read.
    """
    wanted = _visible_kinds(me, kinds)
    me = app.quick(access.hide_policy_notes, me)
    while app.glance(name_index.any_waiting):
        await app.write(name_index.index_waiting)
    return await app.read(_find_things, me, q, limit, wanted)


def _find_things(tx: Tx, me: Caller, q: str, limit: int, kinds: Sequence[Kind]) -> FoundList:
    asked = name_candidates.read_typed(q)
    if asked.is_empty:
        rows = recent.recent_things(tx, me, kinds, limit + len(me.hidden))
        best = [Named(kind, row) for kind, row in rows]
    else:
        best = _best_things(tx, me, asked, kinds, limit + len(me.hidden))
    best = [one for one in best if one.kind != "note" or one.row["id"] not in me.hidden][:limit]
    paths = _Paths(tx, me)
    return FoundList([_found_record(one, paths) for one in best])


def _best_things(
    tx: Tx, me: Caller, asked: Asked, kinds: Sequence[Kind], limit: int
) -> list[Named]:
    sources = name_candidates.name_sources(tx, me, kinds)
    paths = _Paths(tx, me)
    found: dict[tuple[str, int], Named] = {}
    for source in sources:
        for kind, row in name_candidates.direct_candidates(tx, source, asked):
            if named := _fit_by_path(asked, kind, row, paths):
                named.score += _bonus(tx, row)
                found[kind, row["id"]] = named
    if not found and asked.words:
        for source in sources:
            _add_near(tx, source, asked, found)
    order = {kind: place for place, kind in enumerate(KINDS)}
    return sorted(found.values(), key=lambda one: (-one.score, order[one.kind], -one.row["id"]))[
        :limit
    ]


def _fit_by_path(asked: Asked, kind: Kind, row: sqlite3.Row, paths: "_Paths") -> Named | None:
    """Return a thing if it fits by its name, or by its name and the folders it lies in."""
    plain = name_text.fold_name(row["title"])
    own = name_text.split_words(plain)
    if not asked.words:
        return Named(kind, row, name_text.EXACT) if plain == asked.plain else None
    if score := name_text.fit_score(asked.words, own):
        return Named(kind, row, score, asked.words)
    if kind == "folder":
        mine = [word for word in asked.words if name_text.fit_score([word], own)]
        return _fit_below(
            kind,
            row,
            mine,
            own,
            [word for word in asked.words if word not in mine],
            paths.folder_path(row["parent_id"]),
        )
    if kind == "note" and asked.above:
        return _fit_below(
            kind, row, asked.last, own, asked.above, paths.folder_path(row["folder_id"])
        )
    return None


def _fit_below(
    kind: Kind,
    row: sqlite3.Row,
    mine: Sequence[str],
    own: Sequence[str],
    above: Sequence[str],
    path: str,
) -> Named | None:
    """Return a thing if its name and the path above it fit the words for each."""
    if (
        mine
        and name_text.fit_score(mine, own)
        and name_text.fit_score(above, name_text.split_words(name_text.fold_name(path)))
    ):
        return Named(kind, row, name_text.WORDS, mine)
    return None


def _add_near(tx: Tx, source: Source, asked: Asked, found: dict[tuple[str, int], Named]) -> None:
    near, rows = name_candidates.near_candidates(tx, source, asked)
    for kind, row in rows:
        score = name_text.fit_score_with_typos(
            asked.words, near, name_text.split_words(name_text.fold_name(row["title"]))
        )
        if score and (kind, row["id"]) not in found:
            found[kind, row["id"]] = Named(kind, row, score + _bonus(tx, row), asked.words, near)


def _bonus(tx: Tx, row: sqlite3.Row) -> float:
    """Return what pins and a recent change are worth: never as much as the next better fit."""
    if row["updated_at"] is None or row["completed"]:
        return 0.0
    days = max(
        0.0, (tx.moment - datetime.fromisoformat(row["updated_at"])).total_seconds() / 86_400
    )
    return (PIN_BONUS if row["pinned"] else 0.0) + RECENCY_BONUS * FRESH_DAYS / (FRESH_DAYS + days)


def _found_record(one: Named, paths: "_Paths") -> Found:
    title = one.row["title"]
    shown = Found(one.kind, title, round(one.score, 4), _marked_spans(one, title))
    if one.kind == "tag":
        shown.name = title
        return shown
    shown.id = one.row["id"]
    match one.kind:
        case "note":
            shown.path = paths.folder_path(one.row["folder_id"])
        case "folder":
            shown.path = paths.folder_path(one.row["id"])
        case "todo":
            shown.completed = one.row["completed"] == 1
    if one.kind != "folder":
        shown.updated_at = one.row["updated_at"]
    return shown


def _marked_spans(one: Named, title: str) -> list[tuple[int, int]]:
    if not one.score:
        return []
    plain = name_text.fold_name(title)
    places = name_text.folded_positions(title)
    spans = (
        name_text.matched_spans(one.marked, one.near, plain) if one.marked else [(0, len(plain))]
    )
    return [(places[start], _span_end(places, end)) for start, end in spans]


def _span_end(places: Sequence[int], end: int) -> int:
    """Return the end of a span in the name.

    After the whole of its last character, even where that was folded into several.
    """
    return next((place for place in places[end:] if place > places[end - 1]), places[-1])


class _Paths:
    """The paths of folders as the caller sees them, each looked up once."""

    def __init__(self, tx: Tx, me: Caller) -> None:
        self._tx, self._me = tx, me
        self._known: dict[int | None, str] = {None: ""}

    def folder_path(self, folder_id: int | None) -> str:
        """Return a folder's path; the root's is empty."""
        if folder_id is not None and folder_id not in self._known:
            self._known[folder_id] = access.readable_path(self._tx, self._me, folder_id)
        return self._known[folder_id]


def _visible_kinds(me: Caller, kinds: str | None) -> list[Kind]:
    """Return the kinds that are wanted and that the credential may see."""
    named = [word.strip() for word in kinds.split(",")] if kinds else []
    if unknown := [word for word in named if word not in KINDS]:
        raise Invalid(
            f"kinds must be some of {', '.join(KINDS)}, not {unknown[0] or 'empty'}.", field="kinds"
        )
    if named == ["todo"]:
        me.require(("os.todos:read",))
    return [
        kind
        for kind in KINDS
        if (kind in named or not named) and (kind != "todo" or me.may(("os.todos:read",)))
    ]
