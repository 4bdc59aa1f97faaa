"""Replanning: overdue todos fill the days from today, and no day gets more than it can hold."""

import functools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import date, time, timedelta
from typing import Annotated, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from app.account import users
from app.account.users import TimeZone
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import Record
from app.workspace.todos import due, recurrence, todo_rows
from app.workspace.todos.recurrence import Recurrence
from app.workspace.todos.todo_search import OVERDUE, overdue_params

PerDay = Annotated[int, Meta(ge=1, le=50)]


class PlannedMove(NamedTuple):
    """One todo with the due date it has and the one it gets."""

    id: int
    title: str
    before: str
    after: str


class Replanned(Record):
    """One todo with the due date it had and the one it has now."""

    id: int
    title: str
    from_: str = msgspec.field(name="from")
    to: str


class ReplanAnswer(Record):
    replanned: list[Replanned]
    count: int


class _DayLoad:
    """How full each day is, and the first one that may have room."""

    def __init__(self, taken: Counter[date], most: int) -> None:
        self._taken = taken
        self._most = most
        self._full_until: dict[date, date] = {}

    def first_free(self, first: date) -> date:
        """Return the first day from `first` on that has room."""
        day = self._full_until.get(first, first)
        while self._taken[day] >= self._most:
            day += timedelta(days=1)
        self._full_until[first] = day
        return day

    def take(self, day: date) -> None:
        self._taken[day] += 1


@operation("POST /os/todos/replan", scope="os.todos:write", tool=Tool(risk="W", overwrites=True))
def replan_todos(
    tx: Tx,
    me: Caller,
    *,
    per_day: PerDay | None = None,
    dry_run: bool = False,
    user_timezone: TimeZone | None = None,
) -> ReplanAnswer:
    """Give every overdue todo a new day from today on, the most important first.

    No day gets more than perDay open todos. With dryRun nothing is changed. A recurring todo
    for which there is no room up to its next occurrence stays as it is.
    """
    chosen = users.settings_of(tx, me.user)
    zone = ZoneInfo(user_timezone or chosen.timezone)
    moves = plan_moves(tx, me, per_day=per_day or chosen.replan_per_day, zone=zone)
    if not dry_run:
        for move in moves:
            todo_rows.reschedule(
                tx, me.user, move.id, due_date=move.after, zone=ZoneInfo(chosen.timezone)
            )
    return ReplanAnswer([Replanned(*move) for move in moves], len(moves))


def plan_moves(tx: Tx, me: Caller, *, per_day: int, zone: ZoneInfo) -> list[PlannedMove]:
    """Return the new due date of every overdue todo that finds a day, most important first, then
    oldest; nothing is changed.

    A todo that recurs is not put past its next occurrence: where all days up to that one are
    full it stays as it is.
    """
    today = due.local_day(tx.now, zone)
    overdue = tx.all(
        "SELECT id, title, priority, due_date, recurrence, wall FROM todos "
        f"WHERE owner_id = :me AND trash_id IS NULL AND {OVERDUE}",
        me=me.user,
        **overdue_params(tx, zone),
    )
    deadline = functools.partial(due.sortable_deadline, zone=zone)
    overdue.sort(key=lambda todo: (-todo["priority"], deadline(todo["due_date"]), todo["id"]))
    taken = _count_taken(tx, me, today, zone)
    while True:
        moves = list(_fill_days(tx, overdue, _DayLoad(taken.copy(), per_day), today, zone))
        moved = {move.id for move in moves}
        staying = {
            todo["id"]
            for todo in overdue
            if todo["id"] not in moved and due.local_day(todo["due_date"], zone) == today
        }
        if not staying:
            return moves
        # What was due earlier today and finds no other day takes its place today, so that fewer of
        # the others fit: all are dealt out again.
        taken[today] += len(staying)
        overdue = [todo for todo in overdue if todo["id"] not in staying]


def _fill_days(
    tx: Tx, overdue: list[sqlite3.Row], days: _DayLoad, today: date, zone: ZoneInfo
) -> Iterator[PlannedMove]:
    for todo in overdue:
        day = days.first_free(_first_day(tx, todo, today, zone))
        last = _last_day(todo, day, today, zone)
        if last is None or day <= last:
            days.take(day)
            yield PlannedMove(
                todo["id"], todo["title"], todo["due_date"], _moved_due_date(todo, day, zone)
            )


def _count_taken(tx: Tx, me: Caller, today: date, zone: ZoneInfo) -> Counter[date]:
    """Count the open todos of each day from today on that are not overdue."""
    rows = tx.all(
        f"""SELECT due_date, count(*) AS number FROM todos
            WHERE owner_id = :me AND trash_id IS NULL AND completed = 0 AND deadline >= :low
              AND due_date IS NOT NULL AND NOT ({OVERDUE})
            GROUP BY due_date""",
        me=me.user,
        low=due.days_span(today, None, zone).low,
        **overdue_params(tx, zone),
    )
    taken: Counter[date] = Counter()
    for row in rows:
        taken[due.local_day(row["due_date"], zone)] += row["number"]
    return taken


def _first_day(tx: Tx, todo: sqlite3.Row, today: date, zone: ZoneInfo) -> date:
    # A moment of today that is over already would be overdue again at once.
    passed = not due.is_whole_day(todo["due_date"]) and _moved_due_date(todo, today, zone) <= tx.now
    return today + timedelta(days=1) if passed else today


def _moved_due_date(todo: sqlite3.Row, day: date, zone: ZoneInfo) -> str:
    return due.move_to_day(
        todo["due_date"], day, zone, time.fromisoformat(todo["wall"]) if todo["wall"] else None
    )


def _last_day(todo: sqlite3.Row, day: date, today: date, zone: ZoneInfo) -> date | None:
    """Return the day of the next occurrence, past which the todo may not go.

    None for no such bound. It is never before tomorrow.
    """
    if todo["recurrence"] is None or day <= today + timedelta(days=1):
        return None
    series = msgspec.json.decode(todo["recurrence"], type=Recurrence)
    found = recurrence.next_in_series(
        series, due_date=todo["due_date"], today=today, zone=zone, wall=todo["wall"]
    )
    return None if found is None else due.local_day(found.due, zone)
