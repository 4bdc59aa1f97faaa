"""The steps of a todo: added, ticked, named, put before each other, taken away."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.schema import encode
from app.errors import Invalid
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.undo_forms import undo_by
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

MOVES = {"up": -1, "down": 1}


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/{id}/steps", change, methods=["POST"])]


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Change the steps of a todo in the one way that the form names."""
    form, id_ = await form_of(visit), visit.number_in_path()
    did, changed = await _changed(person, id_, form)
    before = undo_by(f"/todos/{id_}/set", steps=encode(changed.before).decode())
    back = back_of(visit, form, f"/todos/{id_}")
    return see(back, did=did, what=changed.step.title, undo=before)


async def _changed(person: Person, id_: int, form: list[tuple[str, str]]) -> tuple[str, Any]:
    """Do what the form says; return what was done and the answer to it."""
    done, title = value_of(form, "do"), value_of(form, "title")
    if done == "add":
        return "step_added", await person.call("add_step", id=id_, title=title)
    step = as_number(value_of(form, "step"))
    if step is None:
        raise Invalid(person.words("todos.no_steps"), field="step")
    meant = {"id": id_, "step": step}
    match done:
        case "tick":
            return "step_done", await person.call("edit_step", **meant, completed=True)
        case "open":
            return "step_opened", await person.call("edit_step", **meant, completed=False)
        case "name":
            return "step_named", await person.call("edit_step", **meant, title=title)
        case "remove":
            return "step_removed", await person.call("remove_step", **meant)
        case "up" | "down":
            return "step_moved", await person.call("move_step", **meant, by=MOVES[done])
        case _:
            to = as_number(value_of(form, "to"))
            return "step_moved", await person.call("move_step", **meant, to=to)
