"""What is done to a todo by one button: done, open again, into the trash and back, another day.

Each tells what it did, with the address of the form that takes it back.
"""

from datetime import date, timedelta
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.todos.todo_view import DAY, Step, day_of, todo_of
from app.interfaces.home.undo_forms import undo_by
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit


def routes() -> list[Route]:
    """Give the routes."""
    actions = {
        "complete": complete,
        "reopen": reopen,
        "delete": delete,
        "restore": restore,
        "move": move,
        "priority": set_priority,
        "set": set_back,
    }
    return [
        Route(f"/todos/{{id}}/{name}", answer, methods=["POST"]) for name, answer in actions.items()
    ]


@for_person
async def complete(visit: Visit, person: Person) -> Response:
    """Tick a todo; one that recurs gets its next date, which is told."""
    form = await form_of(visit)
    done = await person.call("complete_todo", id=visit.number_in_path())
    undo = f"/todos/{done.todo.id}/reopen"
    if done.next is None:
        return see(back_of(visit, form), did="todo_done", what=done.todo.title, undo=undo)
    day = day_of(person, done.next.due_date or "")
    again = f"{done.todo.title} ({person.dates.day(day)})" if day else done.todo.title
    undo += f"?next={done.next.id}"
    return see(back_of(visit, form), did="todo_done_again", what=again, undo=undo)


@for_person
async def reopen(visit: Visit, person: Person) -> Response:
    """Open a todo again; the next one of its series that ticking made goes to the trash."""
    form = await form_of(visit)
    opened = await person.call("edit_todo", id=visit.number_in_path(), completed=False)
    if after := visit.number_asked("next"):
        await person.call("delete_todo", id=after)
    return see(
        back_of(visit, form),
        did="todo_reopened",
        what=opened.todo.title,
        undo=f"/todos/{opened.todo.id}/complete",
    )


@for_person
async def delete(visit: Visit, person: Person) -> Response:
    """Put a todo into the trash."""
    form, id_ = await form_of(visit), visit.number_in_path()
    todo = (await person.call("get_todo", id=id_)).todo
    await person.call("delete_todo", id=id_)
    back = back_of(visit, form)
    return see(
        "/todos" if back == f"/todos/{id_}" else back,
        did="todo_deleted",
        what=todo.title,
        undo=f"/todos/{id_}/restore",
    )


@for_person
async def restore(visit: Visit, person: Person) -> Response:
    """Bring a todo back from the trash."""
    form, id_ = await form_of(visit), visit.number_in_path()
    await person.call("restore_from_trash", kind="todo", id=id_)
    todo = (await person.call("get_todo", id=id_)).todo
    return see(back_of(visit, form), did="todo_restored", what=todo.title)


@for_person
async def move(visit: Visit, person: Person) -> Response:
    """Give a todo another day, or none; its time of day stays."""
    form, id_ = await form_of(visit), visit.number_in_path()
    todo = (await person.call("get_todo", id=id_)).todo
    named = value_of(form, "day")
    day = day_named(person, (value_of(form, "date") or "?") if named == "date" else named)
    due = due_on(person, todo.due_date, day)
    moved = await person.call("edit_todo", id=id_, dueDate=due)
    told = f"{moved.todo.title} ({person.dates.day(day)})" if day else moved.todo.title
    return see(
        back_of(visit, form),
        did="todo_moved" if day else "todo_undated",
        what=told,
        undo=undo_by(f"/todos/{id_}/set", due=todo.due_date or ""),
    )


@for_person
async def set_priority(visit: Visit, person: Person) -> Response:
    """Give a todo another priority."""
    form, id_ = await form_of(visit), visit.number_in_path()
    todo = (await person.call("get_todo", id=id_)).todo
    await person.call("edit_todo", id=id_, priority=number_of(form, "priority"))
    return see(
        back_of(visit, form),
        did="todo_changed",
        what=todo.title,
        undo=undo_by(f"/todos/{id_}/set", priority=todo.priority),
    )


@for_person
async def set_back(visit: Visit, person: Person) -> Response:
    """Give a todo the values in the address: those it had before it was changed."""
    form, id_, given = await form_of(visit), visit.number_in_path(), visit.query_params
    fields: dict[str, Any] = {
        name: given[name] for name in ("title", "description") if name in given
    }
    if "priority" in given:
        fields["priority"] = visit.number_asked("priority")
    if "due" in given:
        fields["dueDate"] = given["due"] or None
    if "rule" in given:
        rule, _, counted = given["rule"].partition(" ")
        fields["recurrence"] = {"rule": rule, "from": counted or "due"} if rule else None
    if "steps" in given:
        fields["steps"] = await _steps_back(person, id_, given["steps"])
    changed = await person.call("edit_todo", id=id_, **fields)
    return see(back_of(visit, form), did="todo_set_back", what=changed.todo.title)


def due_on(person: Person, due: str | None, day: date | None) -> str | None:
    """Return a due date on another day: with its time of day, as the wall of the person shows it.

    Without an offset, so that it is read in the person's zone.
    """
    if day is None:
        return None
    if due is None or len(due) == DAY:
        return day.isoformat()
    return f"{day}T{person.dates.time(due)}"


async def _steps_back(person: Person, id_: int, before: str) -> list[dict[str, Any]]:
    """Return the steps of before as an edit; one that is gone by now comes as a new one."""
    now = {step.id for step in todo_of((await person.call("get_todo", id=id_)).todo).steps}
    try:
        rows = msgspec.json.decode(before, type=list[Step])
    except msgspec.DecodeError:
        raise Invalid(person.words("todos.no_steps"), field="steps") from None
    return [
        {
            "title": row.title,
            "completed": row.completed,
            **({"id": row.id} if row.id in now else {}),
        }
        for row in rows
    ]


def day_named(person: Person, named: str) -> date | None:
    """Return the day that a form names: today, tomorrow, next week's Monday, a date, or none."""
    today = person.dates.today
    match named:
        case "" | "none":
            return None
        case "today":
            return today
        case "tomorrow":
            return today + timedelta(1)
        case "week":
            return today + timedelta(7 - today.weekday())
        case _:
            try:
                return date.fromisoformat(named)
            except ValueError:
                raise Invalid(person.words("todos.no_day"), field="day") from None
