"""All routes of the home, part by part."""

from starlette.routing import Route

from app.interfaces.home import changes, said_page
from app.interfaces.home.agent import agent_page, memory_page
from app.interfaces.home.heartbeat import heartbeat_page
from app.interfaces.home.help import help_page
from app.interfaces.home.notes import (
    edit_page,
    folder_acts,
    history_page,
    many_notes,
    note_acts,
    note_page,
    notes_page,
    trash_page,
)
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
from app.interfaces.home.settings import (
    account_page,
    agents_page,
    data_page,
    devices_page,
    files_page,
    keys_page,
    models_page,
    tools_page,
    usage_page,
    webhooks_page,
)
from app.interfaces.home.today import today_routes
from app.interfaces.home.todos import todos_routes


def routes() -> list[Route]:
    """Return the routes of every page and form of the home."""
    return [
        *changes.routes(),
        *said_page.routes(),
        *today_routes.routes(),
        *todos_routes.routes(),
        *notes_page.routes(),
        *many_notes.routes(),
        *edit_page.routes(),
        *note_page.routes(),
        *note_acts.routes(),
        *folder_acts.routes(),
        *history_page.routes(),
        *trash_page.routes(),
        *search_page.routes(),
        *lines_page.routes(),
        *agent_page.routes(),
        *memory_page.routes(),
        *heartbeat_page.routes(),
        *help_page.routes(),
        *account_page.routes(),
        *keys_page.routes(),
        *devices_page.routes(),
        *tools_page.routes(),
        *models_page.routes(),
        *webhooks_page.routes(),
        *agents_page.routes(),
        *data_page.routes(),
        *files_page.routes(),
        *usage_page.routes(),
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
