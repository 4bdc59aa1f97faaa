"""All routes of the home, part by part."""

from starlette.routing import Route

from app.interfaces.home.people import (
    compose_page,
    contacts_page,
    groups_page,
    guests_page,
    inbox_page,
    link_form,
    links_page,
    person_page,
    shared_folders,
    team_page,
    thread_page,
)
from app.interfaces.home.search import lines_page, search_page
from app.interfaces.home.today import today_page


def routes() -> list[Route]:
    """Return the routes of every page and form of the home."""
    return [
        *today_page.routes(),
        *search_page.routes(),
        *lines_page.routes(),
        *inbox_page.routes(),
        *thread_page.routes(),
        *compose_page.routes(),
        *contacts_page.routes(),
        *person_page.routes(),
        *shared_folders.routes(),
        *groups_page.routes(),
        *links_page.routes(),
        *link_form.routes(),
        *guests_page.routes(),
        *team_page.routes(),
    ]
