"""All routes of Today."""

from starlette.routing import Route

from app.interfaces.home.today import approvals, briefing, matrix, today_page


def routes() -> list[Route]:
    """Return the routes of the first page and of what is done on it."""
    return [*today_page.routes(), *approvals.routes(), *briefing.routes(), *matrix.routes()]
