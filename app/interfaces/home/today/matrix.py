"""What matters: open todos in four fields, by how urgent and how important they are.

The service weighs them. Putting one into another field changes its day or its priority, so that
it belongs there.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.core.markdown import html_fragments
from app.errors import Invalid
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.todos.todo_forms import due_on
from app.interfaces.home.todos.todo_view import HIGH, Todo, day_of, todo_of, todos_of
from app.interfaces.home.undo_forms import undo_by
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

FIELDS = {
    "now": "q1_urgent_important",
    "plan": "q2_not_urgent_important",
    "hand_over": "q3_urgent_not_important",
    "let_go": "q4_not_urgent_not_important",
}
FIRST, UNDATED, SHOWN = 40, 20, 6
LONGEST = 150
SOON, CALM = timedelta(1), timedelta(7)
"""Due so soon is urgent; so far away it is not, unless its words say so."""
LOW = 1


class Field(NamedTuple):
    """One of the four, with the todos in it that are shown, and how many more there are."""

    name: str
    todos: list[Todo]
    more: int


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/{id}/matter", move, methods=["POST"])]


async def matrix_of(person: Person) -> list[Field]:
    """Return the four fields, the weightiest first in each; none where nothing is open."""
    first = await person.call("search_todos", completed=False, limit=FIRST)
    todos = todos_of(first.todos)
    if first.total > FIRST:
        fields = {"completed": False, "priorityMin": HIGH, "sort": "priority", "limit": UNDATED}
        more = todos_of((await person.call("search_todos", **fields)).todos)
        todos = list({todo.id: todo for todo in (*todos, *more)}.values())
    if not todos:
        return []
    named = _named(todos)
    entries = (_entry(person, title, todo) for title, todo in named.items())
    weighed = await person.call(
        "briefing_matrix", todoSummary=html_fragments.html_list("", entries)
    )
    return [
        _field(
            name,
            [named[item.title] for item in getattr(weighed.matrix, field) if item.title in named],
        )
        for name, field in FIELDS.items()
    ]


@for_person
async def move(visit: Visit, person: Person) -> Response:
    """Put a todo into another field."""
    form, id_ = await form_of(visit), visit.number_in_path()
    todo = todo_of((await person.call("get_todo", id=id_)).todo)
    fields = _fields_for(person, todo, value_of(form, "field"))
    await person.call("edit_todo", id=id_, **fields)
    before = {"due": todo.due_date or "", "priority": todo.priority}
    return see(
        back_of(visit, form, "/"),
        did=_told(fields),
        what=todo.title,
        undo=undo_by(f"/todos/{id_}/set", **before),
    )


def _fields_for(person: Person, todo: Todo, field: str) -> dict[str, Any]:
    """Return the priority and the day that put a todo into a field."""
    if field not in FIELDS:
        raise Invalid(person.words("today.no_field"), field="field")
    today, day = person.dates.today, day_of(person, todo.due_date or "")
    important = field in ("now", "plan")
    priority = max(todo.priority, HIGH) if important else min(todo.priority or LOW, LOW)
    due = day
    if field in ("now", "hand_over"):
        due = day if day is not None and day <= today + SOON else today
    elif day is not None and day < today + CALM:
        due = today + CALM if important or todo.recurrence else None
    changed = {} if due == day else {"dueDate": due_on(person, todo.due_date, due)}
    return {"priority": priority, **changed}


def _told(fields: dict[str, Any]) -> str:
    if "dueDate" not in fields:
        return "todo_weighed"
    return "todo_weighed_day" if fields["dueDate"] else "todo_weighed_undated"


def _named(todos: Iterable[Todo]) -> dict[str, Todo]:
    """Return todos by titles that tell them apart, since the answer knows them by these alone."""
    named: dict[str, Todo] = {}
    for todo in todos:
        title = html_fragments.fit_line(todo.title, LONGEST)
        named[title if title not in named else f"{title} ({todo.id})"] = todo
    return named


def _entry(person: Person, title: str, todo: Todo) -> str:
    due = todo.due_date
    if due and len(due) > len("2026-11-22"):
        due = person.dates.local(due).isoformat(timespec="minutes")
    share = f"{min(1.0, todo.priority / 5):g}"
    return html_fragments.list_entry(title, title=title, id=str(todo.id), due=due, priority=share)


def _field(name: str, todos: list[Todo]) -> Field:
    return Field(name, todos[:SHOWN], max(0, len(todos) - SHOWN))
