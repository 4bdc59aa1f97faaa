"""Quick open: notes, folders, tags and todos by a few letters of their name."""

import functools
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import front_matter
from app.core.operation import operation
from app.core.schema import DocumentedPattern, Most, Record
from app.core.text import fold_name
from app.errors import Invalid
from app.workspace.folders import access
from app.workspace.index import link_text, name_index, name_text
from app.workspace.index.name_index import KINDS, NUMBERS, Kind
from app.workspace.search.quick_open import name_candidates, recent
from app.workspace.search.quick_open.name_candidates import NameSource, TypedName

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

    `marks` are the spans of the title that were typed, in characters. A note that is found by
    another name, of its front matter, has that `alias`.
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
    alias: str | UnsetType = UNSET


PathOf = Callable[[int | None], str]
"""Returns a folder's path as the caller sees it."""


class FoundList(Record):
    results: list[Found]


class Candidate(Struct):
    """A thing that may be shown: its row, how well it fits, and which typed words mark its name, or
    the alias (folded) that fits instead.
    """

    kind: Kind
    row: sqlite3.Row
    score: float = 0.0
    marked: Sequence[str] = ()
    near: Sequence[dict[str, int]] = ()
    alias: str = ""


@operation("GET /os/find", scope="os.notes:read")
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
    os.todos:read. A note is found by the aliases in its front matter as well.
    """
    wanted = _visible_kinds(me, kinds)
    me = app.quick(access.hide_policy_notes, me)
    while app.glance(name_index.any_waiting):
        await app.write(name_index.index_waiting)
    return await app.read(_find_things, me, q, limit, wanted)


def _find_things(tx: Tx, me: Caller, q: str, limit: int, kinds: Sequence[Kind]) -> FoundList:
    asked = name_candidates.read_typed(q)
    if not asked.plain:
        # As many more as are hidden, so that leaving those out does not shorten the list.
        rows = recent.recent_things(tx, me, kinds, limit + len(me.hidden))
        best = [Candidate(kind, row) for kind, row in rows]
    else:
        best = _best_things(tx, me, asked, kinds, limit + len(me.hidden))
    best = [one for one in best if one.kind != "note" or one.row["id"] not in me.hidden][:limit]
    path_of = _path_reader(tx, me)
    return FoundList([_found_record(tx, one, path_of) for one in best])


def _best_things(
    tx: Tx, me: Caller, asked: TypedName, kinds: Sequence[Kind], limit: int
) -> list[Candidate]:
    sources = name_candidates.name_sources(tx, me, kinds)
    path_of = _path_reader(tx, me)
    found: dict[tuple[str, int], Candidate] = {}
    for source in sources:
        for kind, row in name_candidates.direct_candidates(tx, source, asked):
            if named := _fit_by_path(asked, kind, row, path_of):
                named.score += _bonus(tx, row)
                found[kind, row["id"]] = named
        for row, score, alias in name_candidates.aliased_candidates(tx, source, asked):
            score += _bonus(tx, row)
            known = found.get(("note", row["id"]))
            if known is None or known.score < score:
                found["note", row["id"]] = Candidate("note", row, score, alias=alias)
    # Near misses only where nothing fits: they would push what was typed rightly down the list.
    if not found and asked.words:
        for source in sources:
            _add_near(tx, source, asked, found)
    best = sorted(found.values(), key=lambda one: (-one.score, NUMBERS[one.kind], -one.row["id"]))
    return best[:limit]


def _fit_by_path(
    asked: TypedName, kind: Kind, row: sqlite3.Row, path_of: PathOf
) -> Candidate | None:
    """Return a thing if it fits by its name, or by its name and the folders it lies in."""
    plain = name_text.fold_name(row["title"])
    own = name_text.split_words(plain)
    if not asked.words:
        return Candidate(kind, row, name_text.EXACT) if plain == asked.plain else None
    if score := name_text.fit_score(asked.words, own):
        return Candidate(kind, row, score, asked.words)
    # Words may also name the folders above: of a folder whichever fit it are its own, of a note
    # those after the last slash.
    if kind == "folder":
        mine = [word for word in asked.words if name_text.fit_score([word], own)]
        above = [word for word in asked.words if word not in mine]
        place = row["parent_id"]
    elif kind == "note" and asked.above:
        mine, above, place = asked.last, asked.above, row["folder_id"]
    else:
        return None
    if not mine or not name_text.fit_score(mine, own):
        return None
    path = name_text.split_words(name_text.fold_name(path_of(place)))
    return Candidate(kind, row, name_text.WORDS, mine) if name_text.fit_score(above, path) else None


def _add_near(
    tx: Tx, source: NameSource, asked: TypedName, found: dict[tuple[str, int], Candidate]
) -> None:
    near, rows = name_candidates.near_candidates(tx, source, asked)
    for kind, row in rows:
        score = name_text.fit_score_with_typos(
            asked.words, near, name_text.split_words(name_text.fold_name(row["title"]))
        )
        if score and (kind, row["id"]) not in found:
            found[kind, row["id"]] = Candidate(
                kind, row, score + _bonus(tx, row), asked.words, near
            )


def _bonus(tx: Tx, row: sqlite3.Row) -> float:
    """Return what pins and a recent change are worth: never as much as the next better fit."""
    if row["updated_at"] is None or row["completed"]:
        return 0.0
    age = (tx.moment - datetime.fromisoformat(row["updated_at"])).total_seconds()
    days = max(0.0, age / 86_400)
    return (PIN_BONUS if row["pinned"] else 0.0) + RECENCY_BONUS * FRESH_DAYS / (FRESH_DAYS + days)


def _found_record(tx: Tx, one: Candidate, path_of: PathOf) -> Found:
    title = one.row["title"]
    shown = Found(one.kind, title, round(one.score, 4), _marked_spans(one, title))
    if one.kind == "tag":
        shown.name = title
        return shown
    shown.id = one.row["id"]
    match one.kind:
        case "note":
            shown.path = path_of(one.row["folder_id"])
        case "folder":
            shown.path = path_of(one.row["id"])
        case "todo":
            shown.completed = one.row["completed"] == 1
    if one.kind != "folder":
        shown.updated_at = one.row["updated_at"]
    if one.alias:
        shown.alias = _written_alias(tx, one)
    return shown


def _written_alias(tx: Tx, one: Candidate) -> str:
    """Return an alias as it stands in the note."""
    above = tx.value(
        "SELECT substr(content, 1, :most) FROM notes WHERE id = :id",
        most=front_matter.LARGEST,
        id=one.row["id"],
    )
    written = link_text.aliases_of(above)
    return next((alias for alias in written if fold_name(alias) == one.alias), one.alias)


def _marked_spans(one: Candidate, title: str) -> list[tuple[int, int]]:
    if not one.score or one.alias:
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


def _path_reader(tx: Tx, me: Caller) -> PathOf:
    """Return what gives the paths of folders, each looked up once; the root's is empty."""

    @functools.cache
    def path_of(folder_id: int | None) -> str:
        return "" if folder_id is None else access.readable_path(tx, me, folder_id)

    return path_of


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
