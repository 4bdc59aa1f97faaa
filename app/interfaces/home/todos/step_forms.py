"""The steps of a todo: added, ticked, named, put before each other, taken away."""

from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.todos.todo_view import Step, todo_of
from app.interfaces.home.undo_forms import undo_by
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/{id}/steps", change, methods=["POST"])]


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Change the steps of a todo in the one way that the form names."""
    form, id_ = await form_of(visit), visit.number_in_path()
    todo = todo_of((await person.call("get_todo", id=id_)).todo)
    did, what, edits = _changed(person, todo.steps, form)
    await person.call("edit_todo", id=id_, steps=edits)
    before = undo_by(f"/todos/{id_}/set", steps=msgspec.json.encode(todo.steps).decode())
    back = back_of(visit, form, f"/todos/{id_}")
    return see(back, did=did, what=what, undo=before)


def _changed(
    person: Person, steps: list[Step], form: list[tuple[str, str]]
) -> tuple[str, str, list[dict[str, Any]]]:
    """Return what was done, to which step, and all steps as they shall be."""
    done, title = value_of(form, "do"), value_of(form, "title").strip()
    edits = [{"id": one.id, "title": one.title, "completed": one.completed} for one in steps]
    if done == "add":
        return "step_added", title, [*edits, {"title": title}]
    place = next((n for n, one in enumerate(steps) if str(one.id) == value_of(form, "step")), None)
    if place is None:
        raise Invalid(person.words("todos.no_steps"), field="step")
    step = steps[place]
    match done:
        case "tick":
            edits[place]["completed"] = not step.completed
            return "step_opened" if step.completed else "step_done", step.title, edits
        case "name":
            edits[place]["title"] = title
            return "step_named", title, edits
        case "remove":
            del edits[place]
            return "step_removed", step.title, edits
        case _:
            asked = as_number(value_of(form, "to"))
            here = place if asked is None else asked
            to = {"up": place - 1, "down": place + 1}.get(done, here)
            edits.insert(max(0, min(to, len(edits) - 1)), edits.pop(place))
            return "step_moved", step.title, edits
