"""Completing a todo, which makes the next occurrence of one that recurs."""

import sqlite3
from zoneinfo import ZoneInfo

import msgspec

from app.account.users import TimeZone
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import Id, Record
from app.workspace.todos import due, recurrence, todo_records, todo_rows, todo_steps
from app.workspace.todos.recurrence import Recurrence
from app.workspace.todos.todo_records import Todo


class Completed(Record):
    """The completed todo, and the next of its series if this call made it."""

    todo: Todo
    next: Todo | None


@operation("POST /os/todos/{id}/complete", scope="os.todos:write", tool=Tool(risk="W"))
def complete_todo(
    tx: Tx, me: Caller, *, id: Id, user_timezone: TimeZone | None = None
) -> Completed:
    """Complete a todo; one that recurs gets its next occurrence.

    Completing it again changes nothing.
    """
    next_id = complete_one(
        tx,
        me,
        todo_rows.require_live(tx, me.user, id),
        *due.home_and_request_zone(tx, me, user_timezone),
    )
    return Completed(
        todo_records.read_todo(tx, me, id),
        None if next_id is None else todo_records.read_todo(tx, me, next_id),
    )


def complete_one(
    tx: Tx, me: Caller, todo: sqlite3.Row, home: ZoneInfo, zone: ZoneInfo
) -> int | None:
    """Complete an open todo and return the id of the next of its series, if this made one."""
    if todo["completed"]:
        return None
    todo_rows.set_completed(tx, todo, completed=True)
    if todo["recurrence"] is None:
        return None
    # Reopened and completed again, it must not make a second next one, unless that was deleted.
    if todo["next_id"] and todo_rows.find_live(tx, me.user, todo["next_id"]) is not None:
        return None
    series = msgspec.json.decode(todo["recurrence"], type=Recurrence)
    today = due.local_day(tx.now, zone)
    found = recurrence.next_in_series(
        series, due_date=todo["due_date"], today=today, zone=zone, wall=todo["wall"]
    )
    if found is None:
        return None
    draft = todo_rows.draft_of(todo)._replace(
        due_date=found.due,
        recurrence=msgspec.json.encode(found.recurrence).decode(),
        wall=found.wall,
        steps=todo_steps.untick_all(todo["steps"]),
    )
    next_id = todo_rows.insert(tx, me.user, draft, zone=home)
    todo_rows.set_next(tx, todo, next_id)
    return next_id
