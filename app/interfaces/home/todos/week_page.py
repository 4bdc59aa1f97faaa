"""The week: a column for each of seven days, what is late before them, and what has no day."""

from datetime import date, timedelta
from typing import NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.core.random_tokens import new_uuid
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.todos.todo_filters import FIRST_DAY, count
from app.interfaces.home.todos.todo_list_page import list_page
from app.interfaces.home.todos.todo_view import TodoView
from app.interfaces.pages.visit import Visit

DAYS = 7
MOST, MOST_LATE, MOST_UNDATED = 100, 10, 10


class Day(NamedTuple):
    """One day of the week, and what is due on it."""

    date: date
    title: str
    short: str
    is_today: bool
    todos: list[TodoView]


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/week", show)]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show seven days from one on; from today, where none is named."""
    first = _first_day(visit, person)
    last = first + timedelta(DAYS - 1)
    due, total = await list_page(
        person, {"completed": False, "dueFrom": first.isoformat(), "dueTo": last.isoformat()}, MOST
    )
    late, late_total = await list_page(person, {"date": "overdue"}, MOST_LATE)
    dated = await count(person, dueFrom=FIRST_DAY)
    undated, open_ = await list_page(person, {"completed": False, "offset": dated}, MOST_UNDATED)
    shown = {todo.id for todo in late}
    return await person.show(
        "todos/todos_week",
        place="todos",
        parts=["todos"],
        tab="week",
        days=[_day(person, first + timedelta(n), due, shown) for n in range(DAYS)],
        more=total - len(due),
        late=late,
        late_total=late_total,
        undated=undated,
        undated_total=open_ - dated,
        before=f"/todos/week?from={first - timedelta(DAYS)}",
        after=f"/todos/week?from={first + timedelta(DAYS)}",
        is_now=first == person.dates.today,
        first=first,
        last=last,
        once=new_uuid(),
    )


def _first_day(visit: Visit, person: Person) -> date:
    try:
        chosen = date.fromisoformat(visit.query_params.get("from", ""))
    except ValueError:
        return person.dates.today
    # So that the weeks before and after it can still be reckoned.
    return chosen if 1 < chosen.year < 9999 else person.dates.today


def _day(person: Person, day: date, due: list[TodoView], late: set[int]) -> Day:
    return Day(
        day,
        person.words(f"dates.weekdays.{day.isoweekday()}"),
        person.dates.short(day),
        day == person.dates.today,
        [todo for todo in due if todo.day == day and todo.id not in late],
    )
