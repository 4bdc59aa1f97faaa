"""Finding todos: the filters, the orders, and the page of them that is shown."""

from datetime import date, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.todos import due, todo_records
from app.workspace.todos.todo_records import Todo
from app.workspace.todos.todo_rows import fold_text

Sort = Literal["dueDate", "priority", "createdAt", "updatedAt", "title"]
Order = Literal["asc", "desc"]
FAR = 1000
_DEFAULT_ORDER = "completed, deadline, priority DESC, id"
_COLUMN = {
    "priority": "priority",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "title": "title COLLATE NOCASE",
}
_DOWNWARDS = ("priority", "createdAt", "updatedAt")


class TodoFilters(Struct, frozen=True):
    """What a caller asks for, checked."""

    q: str | None = None
    date: str | None = None
    completed: bool | None = None
    priority: int | None = None
    priority_min: int | None = None
    due_from: str | None = None
    due_to: str | None = None
    sort: Sort | None = None
    order: Order | None = None
    limit: int = 50
    offset: int = 0
    user_timezone: str | None = None
    include_steps: bool = False

    @property
    def unfiltered(self) -> bool:
        """Whether this is a page near the start of the list as it lies in its index, so that its
        cost does not grow with the list.
        """
        filters = (
            self.q,
            self.date,
            self.priority,
            self.priority_min,
            self.due_from,
            self.due_to,
            self.sort,
        )
        return self.offset <= FAR and all(given is None for given in filters)


def first_page(tx: Tx, me: Caller, wanted: TodoFilters) -> list[Todo]:
    """Return a page of the unfiltered list.

    What it holds depends on the list and on `wanted` alone.
    """
    conditions = ["owner_id = :me", "trash_id IS NULL"]
    if wanted.completed is not None:
        conditions.append("completed = :completed")
    return _page(tx, wanted, conditions, {"me": me.user, "completed": wanted.completed})


def any_page(tx: Tx, me: Caller, wanted: TodoFilters) -> tuple[list[Todo], int]:
    """Return a page of what the filters leave, and how many todos they leave."""
    conditions, params = _filter_conditions(tx, me, wanted)
    total = tx.value(f"SELECT count(*) FROM todos WHERE {' AND '.join(conditions)}", **params)
    return _page(tx, wanted, conditions, params), total


def _page(tx: Tx, wanted: TodoFilters, conditions: list[str], params: dict[str, Any]) -> list[Todo]:
    columns = todo_records.COLUMNS + (", steps" if wanted.include_steps else "")
    rows = tx.all(
        f"SELECT {columns} FROM todos WHERE {' AND '.join(conditions)} "
        f"ORDER BY {_order_by(wanted)} LIMIT :limit OFFSET :offset",
        **params,
        limit=wanted.limit,
        offset=wanted.offset,
    )
    return todo_records.todos_from_rows(rows)


def _order_by(wanted: TodoFilters) -> str:
    """Return the ORDER BY; what has no due date comes last either way, and ties go by id."""
    if wanted.sort is None:
        return _DEFAULT_ORDER
    direction = (wanted.order or ("desc" if wanted.sort in _DOWNWARDS else "asc")).upper()
    if wanted.sort == "dueDate":
        return f"due_date IS NULL, deadline {direction}, id"
    return f"{_COLUMN[wanted.sort]} {direction}, id"


def _filter_conditions(tx: Tx, me: Caller, wanted: TodoFilters) -> tuple[list[str], dict[str, Any]]:
    conditions = [
        "owner_id = :me",
        "trash_id IS NULL",
        # Naming both states lets SQLite go on to the deadline in an index that begins with them.
        "completed = :completed" if wanted.completed is not None else "completed IN (0, 1)",
    ]
    params: dict[str, Any] = {"me": me.user, "completed": wanted.completed}
    if wanted.q is not None and (words := fold_text(wanted.q).split()):
        for number, word in enumerate(dict.fromkeys(words)):
            conditions.append(f"instr(words, :word{number}) > 0")
            params[f"word{number}"] = word
    if wanted.priority is not None:
        conditions.append("priority = :priority")
        params["priority"] = wanted.priority
    if wanted.priority_min is not None:
        conditions.append("priority >= :least")
        params["least"] = wanted.priority_min
    if wanted.date is not None or wanted.due_from is not None or wanted.due_to is not None:
        zone = due.request_zone(tx, me, wanted.user_timezone)
        today = due.local_day(tx.now, zone)
        if wanted.date == "overdue":
            conditions.append(OVERDUE)
            params.update(overdue_params(tx, zone))
        elif wanted.date is not None:
            _add_span(
                conditions, params, due.days_span(*_named_span(wanted.date, today), zone), "date"
            )
        if wanted.due_from is not None or wanted.due_to is not None:
            _add_span(
                conditions,
                params,
                due.days_span(_parse_date(wanted.due_from), _parse_date(wanted.due_to), zone),
                "range",
            )
    return conditions, params


OVERDUE = (
    "completed = 0 AND deadline < :soon AND CASE length(due_date) WHEN 10 THEN "
    "due_date < :today ELSE due_date < :now END"
)
"""The condition of being open and due before now, whatever the zone of the stored deadlines."""


def overdue_params(tx: Tx, zone: ZoneInfo) -> dict[str, str]:
    """Return the parameters of `OVERDUE`."""
    today = due.local_day(tx.now, zone)
    return {
        "soon": due.days_span(None, today, zone).high,
        "today": today.isoformat(),
        "now": tx.now,
    }


def _add_span(conditions: list[str], params: dict[str, Any], span: due.DaySpan, name: str) -> None:
    # The deadline leads into the index and lets in a little too much; the due date then decides.
    conditions.append(
        f"""deadline >= :{name}_low AND deadline < :{name}_high AND CASE length(due_date)
            WHEN 10 THEN due_date BETWEEN :{name}_first AND :{name}_last
            ELSE due_date >= :{name}_since AND due_date < :{name}_until END"""
    )
    for bound in ("low", "high", "first", "last", "since", "until"):
        params[f"{name}_{bound}"] = getattr(span, bound)


def _named_span(named: str, today: date) -> tuple[date, date]:
    match named:
        case "today":
            return today, today
        case "week":
            return today, today + timedelta(days=6)
        case _:
            tomorrow = today + timedelta(days=1)
            day = tomorrow if named == "tomorrow" else date.fromisoformat(named)
            return day, day


def _parse_date(day: str | None) -> date | None:
    return None if day is None else date.fromisoformat(day)
