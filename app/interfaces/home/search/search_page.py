"""Search: notes by words and by what they mean, with what todos are called so."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid
from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.marked_text import marked_words
from app.interfaces.home.search.query_parts import suggested_operators, used_operators
from app.interfaces.pages.visit import Visit

MOST = 30
MOST_TODOS = 5


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/search", show), Route("/search/results", results)]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the page, with what its query finds."""
    return await person.show(
        "search/search", place="search", parts=["search"], **await _found(visit, person)
    )


@for_person
async def results(visit: Visit, person: Person) -> Response:
    """Give what a query finds, as somebody types it."""
    return await person.piece("search/results", **await _found(visit, person))


async def _found(visit: Visit, person: Person) -> dict[str, Any]:
    """Return the query and what it finds, as the templates show them."""
    query = " ".join(visit.query_params.get("q", "").split())
    history = visit.query_params.get("history") == "1"
    told: dict[str, Any] = {
        "query": query,
        "history": history,
        "used": used_operators(query),
        "suggested": suggested_operators(query),
        "trouble": "",
        "found": None,
        "todos": [],
    }
    if not query:
        return told
    try:
        told["found"] = await person.call("search_notes", query=query, limit=MOST, history=history)
    except Invalid as error:
        return told | {"trouble": error.message}
    if not told["used"]:
        todos = await person.call("search_todos", q=query, limit=MOST_TODOS)
        told["todos"] = todos.todos
    folders = (await person.call("list_folders")).folders
    names = {each.id: each.name for each in folders}
    return told | {"folders": names, "pieces": marked_words, "plain": excerpt}
