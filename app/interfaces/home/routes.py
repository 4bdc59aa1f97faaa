"""All routes of the home, part by part."""

from starlette.routing import Route

from app.interfaces.home.search import lines_page, search_page
from app.interfaces.home.today import today_routes
from app.interfaces.home.todos import todos_routes


def routes() -> list[Route]:
    """Return the routes of every page and form of the home."""
    return [
        *today_routes.routes(),
        *todos_routes.routes(),
        *search_page.routes(),
        *lines_page.routes(),
    ]
