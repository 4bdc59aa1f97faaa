"""The endpoint that makes a todo of a typed line and tells what it took the words for."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from app.account import users
from app.account.users import TimeZone
from app.agent.quickadd.meaning import Kind
from app.agent.quickadd.todo_line import TodoLine, read_todo_line
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Line, Record
from app.errors import Invalid
from app.workspace.todos import due, todo_records, todos
from app.workspace.todos.todo_steps import NewStep

LONGEST = 2000


class QuickTodo(Record):
    """The line as it was read, and the todo; null where it was only read."""

    read: TodoLine
    todo: todo_records.Todo | None


@operation(
    "POST /os/todos/quick",
    scope="os.todos:write",
    category="todos",
    http=Http(status=201, idempotent=300, refuses={"text": "it names a day that does not exist"}),
)
def quick_add_todo(
    tx: Tx,
    me: Caller,
    *,
    text: Annotated[
        str, Meta(description="one line, such as: call mum tomorrow at 5pm p1"), Line(1, LONGEST)
    ],
    ignore: list[Kind] | None = None,
    keep: Annotated[list[str], Meta(max_length=20)] | None = None,
    dry_run: bool = False,
    user_timezone: TimeZone | None = None,
) -> QuickTodo:
    """Create a todo from a typed line: its day, time, priority, recurrence, steps are recognised.

    `ignore` leaves kinds of words in the title, `keep` words of the line; `dryRun` only reads it.
    """
    now: datetime = tx.moment.astimezone(due.request_zone(tx, me, user_timezone))
    locale = users.settings_of(tx, me.user).locale
    read = read_todo_line(text, now=now, locale=locale, ignore=ignore or (), keep=keep or ())
    if dry_run:
        return QuickTodo(read, None)
    if read.no_such_day:
        raise Invalid(f"There is no day “{read.no_such_day}”.", field="text")
    made = todos.create_todo(
        tx,
        me,
        title=read.title,
        due_date=read.due_date,
        priority=read.priority,
        recurrence=read.recurrence,
        steps=[NewStep(step) for step in read.steps] or None,
        user_timezone=user_timezone,
    )
    return QuickTodo(read, made.todo)
