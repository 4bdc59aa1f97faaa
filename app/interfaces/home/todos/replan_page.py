"""Give what is late new days: first shown, then done, and taken back as one."""

import contextlib
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid, NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.todos.todo_view import day_of
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

MOST_A_DAY = 50
MOST_UNDONE = 150
"""As many as the address of the form that takes it back has room for."""


class Move(NamedTuple):
    """A todo with the day it had and the one it gets, in words."""

    id: int
    title: str
    before: str
    after: str


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/todos/replan", show),
        Route("/todos/replan", apply, methods=["POST"]),
        Route("/todos/replan/undo", take_back, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show which day each would get; nothing is changed."""
    per_day = _per_day(visit.query_params.get("perDay", ""))
    plan = await person.call("replan_todos", dryRun=True, **per_day)
    late = await person.call("search_todos", date="overdue", limit=1)
    moves = [_move(person, row) for row in plan.replanned]
    return await person.show(
        "todos/todos_replan",
        place="todos",
        parts=["todos"],
        moves=moves,
        staying=late.total - len(moves),
        per_day=per_day.get("perDay", ""),
        final=len(moves) > MOST_UNDONE,
    )


@for_person
async def apply(visit: Visit, person: Person) -> Response:
    """Give them their new days."""
    form = await form_of(visit)
    plan = await person.call("replan_todos", **_per_day(value_of(form, "perDay")))
    undo = ""
    if 0 < len(plan.replanned) <= MOST_UNDONE:
        undo = "/todos/replan/undo?was=" + ",".join(
            f"{row.id}~{row.from_}~{row.to}" for row in plan.replanned
        )
    return see("/todos", did="todos_replanned", what=str(plan.count), undo=undo)


@for_person
async def take_back(visit: Visit, person: Person) -> Response:
    """Give each the day back that it had, unless it has another one by now."""
    await form_of(visit)
    given = [row.split("~") for row in visit.query_params.get("was", "").split(",")]
    done = 0
    for row in given[:MOST_UNDONE]:
        id_ = as_number(row[0])
        if len(row) != 3 or id_ is None:
            raise Invalid(person.words("todos.no_day"), field="was")
        # One that was deleted since has no day to get back.
        with contextlib.suppress(NotFound):
            todo = (await person.call("get_todo", id=id_)).todo
            if todo.due_date == row[2]:
                await person.call("edit_todo", id=todo.id, dueDate=row[1])
                done += 1
    return see("/todos", did="todos_planned_back", what=str(done))


def _per_day(text: str) -> dict[str, Any]:
    return {"perDay": min(number, MOST_A_DAY)} if (number := as_number(text)) else {}


def _move(person: Person, row: Any) -> Move:
    before, after = day_of(person, row.from_), day_of(person, row.to)
    return Move(
        row.id,
        row.title,
        person.dates.day(before) if before else "",
        person.dates.day(after) if after else "",
    )
