"""The endpoint that makes a todo of a typed line and tells what it took the words for."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from app.account import users
from app.account.users import TimeZone
from app.agent.quickadd.meaning import Kind
from app.agent.quickadd.quickadd import QuickAdd, read_line
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Line, Record
from app.errors import Invalid
from app.workspace.todos import due, todo_records, todos
from app.workspace.todos.recurrence import Recurrence


class Recognised(Record):
    """Words of the line, from character `start` up to `end`, and what they were taken for.

    The value is a date or a moment, a time, a rule as in RFC 5545, or a priority's number.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: str | int


class ReadLine(Record):
    """A line as it was read: what the todo is or would be."""

    title: str
    due_date: str | None
    priority: int
    recurrence: Recurrence | None
    recognised: list[Recognised]


class QuickTodo(Record):
    """The line as it was read, and the todo; null where it was only read."""

    read: ReadLine
    todo: todo_records.Todo | None


@operation(
    "POST /os/todos/quick",
    scope="os.todos:write",
    since="beyond",
    category="todos",
    http=Http(status=201, idempotent=300, refuses={"text": "it names a day that does not exist"}),
)
def quick_add_todo(
    tx: Tx,
    me: Caller,
    *,
    text: Annotated[
        str, Meta(description="one line, such as: call mum tomorrow at 5pm p1"), Line(1, 500)
    ],
    ignore: list[Kind] | None = None,
    dry_run: bool = False,
    user_timezone: TimeZone | None = None,
) -> QuickTodo:
    """Create a todo from a typed line: its day, time, priority and recurrence are recognised.

    `ignore` leaves kinds of words in the title; `dryRun` only reads the line.
    """
    settings = users.settings_of(tx, me.user)
    now: datetime = tx.moment.astimezone(due.request_zone(tx, me, user_timezone))
    found = read_line(text, now=now, locale=settings.locale, ignore=ignore or ())
    if found.no_such_day:
        raise Invalid(f"There is no day “{found.no_such_day}”.", field="text")
    read = _line_record(found)
    if dry_run:
        return QuickTodo(read, None)
    made = todos.create_todo(
        tx,
        me,
        title=read.title,
        due_date=read.due_date,
        priority=read.priority,
        recurrence=read.recurrence,
        user_timezone=user_timezone,
    )
    return QuickTodo(read, made.todo)


def _line_record(found: QuickAdd) -> ReadLine:
    spans = [Recognised(one.kind, one.start, one.end, one.text, one.value) for one in found.spans]
    # a rule needs a first day to count from
    recurrence = found.recurrence if found.due_date else None
    return ReadLine(found.title, found.due_date, found.priority, recurrence, spans)
