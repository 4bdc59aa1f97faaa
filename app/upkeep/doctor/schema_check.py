"""The schema of a database beside the one that this version makes.

Tables, indexes and triggers that are missing or others, and making them anew.
"""

import functools
import re
import sqlite3
from pathlib import Path
from typing import NamedTuple

from app.core.database.sqlite_setup import quote_name
from app.core.database.tx import Tx

_EXPECTED = Path(__file__).parents[2] / "schema.sql"
DERIVED = {
    "note_tags": "tags",
    "note_links": "links",
    "tag_names": "names",
    "name_words": "names",
    "name_letters": "names",
    "name_index": "names",
    "waiting_words": "words",
    "waiting_grams": "trigrams",
    "note_grams": "trigrams",
    "message_words": "messages",
}
"""The tables that can be made from others, each with the repair that fills it."""


class Difference(NamedTuple):
    """Something of the schema that is not as it should be; `mends`.

    The repairs that make it so, none where rows of people are lost with it.
    """

    said: str
    mends: tuple[str, ...]


class _SchemaObject(NamedTuple):
    kind: str
    name: str
    table: str
    sql: str


def find_differences(connection: sqlite3.Connection) -> list[Difference]:
    """Return all that is missing or another.

    What others add, such as tables of a program that replicates, is told only where it acts by
    itself.
    """
    wanted, there = _expected_parts(), _schema_parts(connection)
    found = []
    for name, part in wanted.items():
        if name not in there:
            found.append(
                Difference(
                    f"the {part.kind} {name} is missing", _repairs_for(part, is_missing=True)
                )
            )
        elif _normalise_sql(there[name].sql) != _normalise_sql(part.sql):
            found.append(
                Difference(
                    f"the {part.kind} {name} differs from what this version expects",
                    _repairs_for(part, is_missing=False),
                )
            )
    strange = [
        part for name, part in there.items() if name not in wanted and part.kind == "trigger"
    ]
    return [
        *found,
        *(
            Difference(f"the trigger {part.name} on {part.table} is not part of Hearth", ())
            for part in strange
        ),
    ]


def rebuild_parts(tx: Tx) -> None:
    """Make every index and trigger that is missing or another, and every table that can be
    filled from others.
    """
    wanted, there = _expected_parts(), _schema_parts(tx.connection)
    for name, part in wanted.items():
        if name in there and _normalise_sql(there[name].sql) == _normalise_sql(part.sql):
            continue
        if part.kind in ("index", "trigger"):
            tx.run(f"DROP {part.kind} IF EXISTS {quote_name(name)}")
            tx.run(part.sql)
        elif name not in there and name in DERIVED:
            tx.run(part.sql)


def _repairs_for(part: _SchemaObject, *, is_missing: bool) -> tuple[str, ...]:
    if part.kind in ("index", "trigger"):
        return ("schema",)
    return ("schema", DERIVED[part.name]) if is_missing and part.name in DERIVED else ()


@functools.cache  # making it takes 8 ms, and a repair asks for it three times
def _expected_parts() -> dict[str, _SchemaObject]:
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(_EXPECTED.read_text("utf-8"))
        found = _schema_parts(connection)
    connection.close()
    return found


def _schema_parts(connection: sqlite3.Connection) -> dict[str, _SchemaObject]:
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    ).fetchall()
    virtual = [row[1] for row in rows if row[3].startswith("CREATE VIRTUAL")]
    # what FTS5 keeps for itself comes and goes with its virtual table
    shadows = {
        f"{name}_{suffix}"
        for name in virtual
        for suffix in ("data", "idx", "content", "docsize", "config")
    }
    return {row[1]: _SchemaObject(*row) for row in rows if row[1] not in shadows}


def _normalise_sql(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip()
