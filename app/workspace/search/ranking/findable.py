"""Which notes a search may find.

Those that the caller may read, that are live, and that are what the query's filters ask for.
"""

import itertools
from typing import Any, NamedTuple

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.folders import access, folder_rows, folders
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import word_index
from app.workspace.search.ranking import query_language
from app.workspace.search.ranking.fts_expressions import WITH_OPEN_TODO, match_clause
from app.workspace.search.ranking.query_language import Query
from app.workspace.todos import due


class NotePlace(msgspec.Struct, frozen=True):
    """Notes of one owner that the caller may read: all, or those in some folders."""

    owner: int
    folders: tuple[int, ...] | None
    shared: bool = False
    """Whether there is more of that owner that the caller may not read."""
    note: int | None = None
    """The only note that may be found there, if it is but one."""


class Condition(NamedTuple):
    """What a row of notes, called n, must be beside matching.

    An SQL condition and its parameters; `narrow` where it may leave out most notes.
    """

    sql: str
    params: dict[str, Any]
    narrow: bool


def findable_places(tx: Tx, me: Caller, folder_id: int | None = None) -> list[NotePlace]:
    """Return where the notes lie that may be found.

    In a folder, which the caller may read, and below it, or in all that the caller may read.
    """
    if folder_id is not None:
        owner = folder_rows.require_live(tx, folder_id)["owner_id"]
        return [
            NotePlace(
                owner,
                tuple(folder_rows.subtree_ids(tx, folder_id)),
                shared=owner != me.owns or me.reach is not None,
            )
        ]
    if access.sees_one_note(me):
        return [NotePlace(me.user, None, shared=True, note=me.reach.note if me.reach else None)]
    # Who reaches only some folders of an owner has no root of their own to search.
    found = [NotePlace(me.owns, None, shared=me.reach is not None)] if me.owns == me.user else []
    if access.has_shares(tx, me):
        shared = tx.all(
            f"SELECT owner_id, id FROM folders WHERE id IN ({IN_LIST}) ORDER BY owner_id",
            ids=id_list(list(access.shared_folders(tx, me))),
        )
        found += [
            NotePlace(owner, tuple(row["id"] for row in rows), shared=True)
            for owner, rows in itertools.groupby(shared, lambda row: row["owner_id"])
        ]
    return found


def place_condition(
    tx: Tx, me: Caller, query: Query, place: NotePlace, *, marked: bool = False
) -> Condition:
    """Return the condition of a place and a query's filters.

    `marked` adds what is otherwise asked of the index.
    """
    sql = ["n.owner_id = :owner", "n.trash_id IS NULL"]
    params: dict[str, Any] = {"owner": place.owner}
    if place.folders is not None:
        sql.append("n.folder_id IN (SELECT value FROM json_each(:places))")
        params["places"] = id_list(place.folders)
    if place.note is not None:
        sql.append("n.id = :only")
        params["only"] = place.note
    if query.filters != query_language.NO_FILTERS:
        _add_filters(tx, me, query, sql, params)
    if marked:
        _add_marks(tx, query, place.owner, sql, params)
    return Condition(" AND ".join(sql) + access.unhidden_condition(me), params, len(sql) > 2)


def _add_filters(tx: Tx, me: Caller, query: Query, sql: list[str], params: dict[str, Any]) -> None:
    filters = query.filters
    if filters.pinned is not None:
        sql.append(f"n.pinned = {int(filters.pinned)}")
    for number, (tag, without) in enumerate(
        [(tag, "") for tag in filters.tags] + [(tag, "NOT ") for tag in filters.no_tags]
    ):
        begins = tag.endswith("*") and len(tag) > 1
        fits = _tag_begins if begins else _tag_is
        sql.append(
            f"{without}(EXISTS (SELECT 1 FROM note_tags t WHERE t.owner_id = n.owner_id "
            f"AND {fits('t.tag_key', number)} AND t.note_id = n.id) "
            "OR EXISTS (SELECT 1 FROM note_links t WHERE t.note_id = n.id "
            f"AND t.kind = 'tag' AND {fits('t.target', number)}))"
        )
        params[f"tag{number}"] = tag[:-1] if begins else tag
    for number, (name, without) in enumerate(
        [(name, "") for name in filters.folders] + [(name, "NOT ") for name in filters.no_folders]
    ):
        sql.append(
            "n.folder_id IS " + without + "NULL"
            if not name
            else f"ifnull(n.folder_id, 0) {without}IN (SELECT value FROM json_each(:in{number}))"
        )
        params[f"in{number}"] = id_list(_folders_named(tx, me, name)) if name else ""
    for number, period in enumerate(filters.periods):
        span = due.days_span(period.first, period.last, due.request_zone(tx, me))
        sql.append(
            f"{'NOT ' if period.without else ''}(n.{period.of}_at >= :since{number} AND "
            f"n.{period.of}_at < :until{number})"
        )
        params.update({f"since{number}": span.since, f"until{number}": span.until})


# Not LIKE, which would take % and _ of a tag for wildcards.
def _tag_begins(column: str, number: int) -> str:
    tag = f":tag{number}"
    return f"{column} >= {tag} AND substr({column}, 1, length({tag})) = {tag}"


def _tag_is(column: str, number: int) -> str:
    """Return the condition for a tag, and those nested in it: `project/house` in `project`."""
    tag = f":tag{number}"
    # what begins with the tag and a slash stands before the tag and the sign that follows it
    return f"({column} = {tag} OR ({column} > {tag} || '/' AND {column} < {tag} || '0'))"


def _add_marks(tx: Tx, query: Query, owner: int, sql: list[str], params: dict[str, Any]) -> None:
    if query.filters.todo is None and not query.excluded:
        return
    if not has_index(tx, owner):
        sql.append("0")
        return
    name = word_index.table_name(owner)
    if query.filters.todo is not None:
        sql.append(
            f"n.id {'' if query.filters.todo else 'NOT '}IN (SELECT rowid FROM {name} "
            f"WHERE {name} MATCH :todo)"
        )
        params["todo"] = WITH_OPEN_TODO
    if query.excluded:
        sql.append(f"n.id NOT IN (SELECT rowid FROM {name} WHERE {name} MATCH :excluded)")
        params["excluded"] = match_clause(query.excluded)


def _folders_named(tx: Tx, me: Caller, name: str) -> list[int]:
    """Return the readable folders of that name or path, and those below them."""
    tops = folders.folders_called(tx, me, name)
    return [below for top in tops for below in folder_rows.subtree_ids(tx, top.id)]


def finds_only_own(tx: Tx, me: Caller) -> bool:
    """Return whether all that a caller may find is in their own index.

    It is there, nothing waits for it, nobody shares a folder with them, and none of their notes
    holds the policy of a link.
    """
    sql = """SELECT EXISTS (SELECT 1 FROM word_owners WHERE owner_id = :me)
          AND NOT EXISTS (SELECT 1 FROM waiting_words)
             AND NOT EXISTS (SELECT 1 FROM folder_shares WHERE user_id = :me)
             AND NOT EXISTS (
               SELECT 1 FROM share_links WHERE owner_id = :me AND policy_note_id IS NOT NULL)
               AND (SELECT stale_to FROM word_index) = 0"""
    return me.reach is None and not me.withheld and bool(tx.value(sql, me=me.owns))


def has_index(tx: Tx, owner: int) -> bool:
    """Return whether any note of an owner has ever been indexed."""
    return tx.one("SELECT 1 FROM word_owners WHERE owner_id = :owner", owner=owner) is not None
