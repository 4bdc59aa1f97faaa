"""All routes of the home, part by part."""

from starlette.routing import Route

from app.interfaces.home.notes import (
    edit_page,
    folder_acts,
    history_page,
    note_acts,
    note_page,
    notes_page,
    trash_page,
)
from app.interfaces.home.today import today_page


def routes() -> list[Route]:
    """Return the routes of every page and form of the home."""
    return [
        *today_page.routes(),
        *notes_page.routes(),
        *edit_page.routes(),
        *note_page.routes(),
        *note_acts.routes(),
        *folder_acts.routes(),
        *history_page.routes(),
        *trash_page.routes(),
    ]
