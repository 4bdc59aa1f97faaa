"""The notes that a query allows: those the caller may read and that have all it demands."""

from collections.abc import Iterator, Sequence

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import id_list
from app.workspace.index import word_index
from app.workspace.search.ranking.findable import (
    Condition,
    findable_places,
    has_index,
    place_condition,
)
from app.workspace.search.ranking.fts_expressions import match_demanded
from app.workspace.search.ranking.query_language import Query


def allowed_among(
    tx: Tx, me: Caller, query: Query, ids: Sequence[int], folder_id: int | None = None
) -> set[int]:
    """Return those of the notes that the caller may read, that are live, and that have all that the
    query demands beside its free words.
    """
    found: set[int] = set()
    for where in _place_conditions(tx, me, query, folder_id):
        # CROSS JOIN: SQLite would rather walk all notes of the owner than look at the few that are
        # asked about.
        sql = f"""SELECT n.id FROM json_each(:asked) asked CROSS JOIN notes n ON n.id = asked.value
                  WHERE {where.sql}"""
        rows = tx.all(sql, asked=id_list(ids), **where.params)
        found.update(row[0] for row in rows)
    return found


def every_allowed(tx: Tx, me: Caller, query: Query, folder_id: int | None = None) -> set[int]:
    """Return all notes that the query allows."""
    wheres = _place_conditions(tx, me, query, folder_id)
    return {
        row[0]
        for where in wheres
        for row in tx.all(f"SELECT n.id FROM notes n WHERE {where.sql}", **where.params)
    }


def _place_conditions(
    tx: Tx, me: Caller, query: Query, folder_id: int | None
) -> Iterator[Condition]:
    """Return the condition of each place with all that the query demands beside its free words."""
    wanted = match_demanded(query)
    for place in findable_places(tx, me, folder_id):
        where = place_condition(tx, me, query, place, marked=True)
        if not wanted:
            yield where
        elif has_index(tx, place.owner):
            name = word_index.table_name(place.owner)
            sql = f"{where.sql} AND n.id IN (SELECT rowid FROM {name} WHERE {name} MATCH :wanted)"
            yield Condition(sql, where.params | {"wanted": wanted}, narrow=True)
