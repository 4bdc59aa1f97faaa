"""What the open pages of the home ask to ring at the time of a todo, and putting it off."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import operation
from app.core.schema import Id, Record
from app.workspace.todos import due, todo_rows
from app.workspace.todos.remind import Reminders

BEFORE, AHEAD = timedelta(days=1), timedelta(minutes=15)
JUST_NOW = timedelta(minutes=2)
MOST = 50
Minutes = Annotated[int, Meta(ge=1, le=1440)]


class DueTodo(Record):
    id: int
    title: str
    due_date: str


class DueSoon(Record):
    """The open todos whose time has come within a day or soon will, at the moment `now`.

    `is_new`: one with a time to come was just added.
    """

    now: str
    todos: list[DueTodo]
    is_new: bool


class PutOff(Record):
    """When a todo is due now."""

    due_date: str


@operation("PAGE", scope="os.todos:read", effect="read")
async def list_due_soon(app: App, me: Caller) -> DueSoon:
    """List the open todos with a time of day whose moment is near, and note that a page rings."""
    app.part(Reminders).note_page(me.user)
    return await app.read(_due_soon, me)


@operation("PAGE", scope="os.todos:write")
def put_off_todo(tx: Tx, me: Caller, *, id: Id, minutes: Minutes = 10) -> PutOff:
    """Let a todo be due some minutes from now; a series goes on at its own time of day."""
    todo = todo_rows.require_live(tx, me.user, id)
    zone, before = due.request_zone(tx, me), todo["due_date"]
    later = stamp((tx.moment + timedelta(minutes=minutes)).replace(microsecond=0))
    draft = todo_rows.draft_of(todo)._replace(due_date=later)
    if draft.recurrence and draft.wall is None and before and not due.is_whole_day(before):
        draft = draft._replace(wall=due.local_moment(before, zone).time().isoformat())
    todo_rows.update(tx, todo, draft, zone=zone)
    return PutOff(later)


def _due_soon(tx: Tx, me: Caller) -> DueSoon:
    # what was late already when it was made does not ring
    rows = tx.all(
        """SELECT id, title, due_date FROM todos
           WHERE owner_id = :me AND completed = 0 AND trash_id IS NULL
             AND deadline > :since AND deadline <= :until AND length(due_date) > 10
             AND created_at < due_date
           ORDER BY deadline DESC LIMIT :most""",
        me=me.user,
        since=stamp(tx.moment - BEFORE),
        until=stamp(tx.moment + AHEAD),
        most=MOST,
    )
    new = tx.value(
        """SELECT 1 FROM todos
           WHERE owner_id = :me AND trash_id IS NULL AND updated_at > :lately AND completed = 0
             AND length(due_date) > 10 AND due_date > :now LIMIT 1""",
        me=me.user,
        lately=stamp(tx.moment - JUST_NOW),
        now=tx.now,
    )
    return DueSoon(tx.now, [DueTodo(*row) for row in reversed(rows)], new is not None)
