"""Todos as they go out."""

import sqlite3
from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.schema import Record, json_column
from app.errors import NotFound
from app.workspace.todos.todo_steps import StoredSteps

HIGHEST_PRIORITY = 10
TOP_PRIORITY = 5
"""From here on a priority counts as top.

Some clients send 1 to 5, some 1 to 10, and either is kept as it came.
"""
COLUMNS = (
    "id, title, description, completed, completed_at, priority, due_date, "
    "recurrence, created_at, updated_at"
)
"""The columns of a record, in its order; `steps` is the last one where it is wanted."""
_RECURRENCE = {
    "type": ["object", "null"],
    "properties": {"rule": {"type": "string"}, "from": {"type": "string", "enum": ["due", "done"]}},
    "required": ["rule", "from"],
}


class Todo(Record):
    """A todo; `dueDate` is a date or a UTC timestamp.

    `steps` are there when they were asked for.
    """

    id: int
    title: str
    description: str | None
    completed: bool
    completed_at: str | None
    priority: int
    due_date: str | None
    recurrence: json_column(_RECURRENCE)  # type: ignore[valid-type]
    created_at: str
    updated_at: str
    steps: StoredSteps = UNSET


_NULL = msgspec.Raw(b"null")


def todos_from_rows(rows: Iterable[sqlite3.Row]) -> list[Todo]:
    """Return todos from rows of `COLUMNS`, with steps if the rows have them."""
    # By name, at some length: slices of a row take half as long again, for each row of each list.
    return [
        Todo(
            id_,
            title,
            description,
            completed == 1,
            completed_at,
            priority,
            due_date,
            msgspec.Raw(recurrence) if recurrence else _NULL,
            created_at,
            updated_at,
            *map(msgspec.Raw, steps),
        )
        for (
            id_,
            title,
            description,
            completed,
            completed_at,
            priority,
            due_date,
            recurrence,
            created_at,
            updated_at,
            *steps,
        ) in rows
    ]


def read_todo(tx: Tx, me: Caller, todo_id: int) -> Todo:
    """Return one live todo of the caller's, with its steps; raise NotFound."""
    found = tx.all(
        f"SELECT {COLUMNS}, steps FROM todos "
        "WHERE id = :id AND owner_id = :me AND trash_id IS NULL",
        id=todo_id,
        me=me.user,
    )
    if not found:
        raise NotFound("There is no such todo.")
    return todos_from_rows(found)[0]
