"""Today: what is late, what is due, and a line that adds a todo."""

from datetime import timedelta

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.pages import pages
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

MOST = 50


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/", show),
        Route("/today/add", add, methods=["POST"]),
        Route("/today/complete", complete, methods=["POST"]),
    ]


async def show(visit: Visit) -> Response:
    """Show the day of whoever is signed in; a stranger is told what is here."""
    return await (pages.front(visit) if visit.session_caller() is None else _today(visit))


@for_person
async def _today(visit: Visit, person: Person) -> Response:
    today = person.dates.today
    late = await person.call(
        "search_todos",
        completed=False,
        dueTo=(today - timedelta(days=1)).isoformat(),
        limit=MOST,
        includeSteps=True,
    )
    due = await person.call(
        "search_todos", completed=False, date=today.isoformat(), limit=MOST, includeSteps=True
    )
    return await person.show("today/today", place="today", late=late, due=due)


@for_person
async def add(visit: Visit, person: Person) -> Response:
    """Add a todo as it was typed; its title says when it is due."""
    form = await form_of(visit)
    made = await person.call("create_todo", title=value_of(form, "title"))
    return see("/", did="todo_added", what=made.todo.title)


@for_person
async def complete(visit: Visit, person: Person) -> Response:
    """Tick a todo."""
    form = await form_of(visit)
    done = await person.call("complete_todo", id=number_of(form, "id"))
    return see("/", did="todo_done", what=done.todo.title)
