"""What a page rings for: the todos that are due about now, and putting one off."""

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_script
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/due", due), Route("/todos/{id}/put-off", put_off, methods=["POST"])]


@for_script
async def due(visit: Visit, person: Person) -> Response:
    """Give the moment, and each todo with its moment and how that is told."""
    found = await person.call("list_due_soon")
    todos = [
        {
            "id": todo.id,
            "title": todo.title,
            "due": todo.due_date,
            "told": told(person, todo.due_date),
        }
        for todo in found.todos
    ]
    return json_response({"now": found.now, "isNew": found.is_new, "todos": todos})


def told(person: Person, moment: str) -> str:
    """Return a moment as a person's clock shows it, with its day unless that is today."""
    is_today = person.dates.local(moment).date() == person.dates.today
    return person.dates.time(moment) if is_today else person.dates.full(moment)


@for_script
async def put_off(visit: Visit, person: Person) -> Response:
    """Let a todo be due ten minutes from now."""
    moved = await person.call("put_off_todo", id=visit.number_in_path(), minutes=10)
    return json_response({"told": person.dates.time(moved.due_date)})
