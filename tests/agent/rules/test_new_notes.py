"""Notes and folders to make, of which a message tells the parts in any order."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.changes import new_notes
from app.agent.rules.languages.language_tables import Language
from app.agent.turn.steps import Asked, Thing

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
THINGS = (Thing("folder", 1, "Home"), Thing("note", 2, "Boiler"))


def asked(message: str) -> Asked:
    """Return a message of which nothing was looked up."""
    return Asked(message, (), frozenset(), NOW)


@pytest.mark.parametrize(
    ("message", "title", "folder", "content"),
    [
        ("new note in home, Jobs, as a checklist: salt, wood", "Jobs", "Home", "[ ] salt|[ ] wood"),
        ("make a note Jobs in home with salt, wood and oil", "Jobs", "Home", "salt|wood|oil"),
        ("start a checklist called Jobs: salt, wood", "Jobs", "", "[ ] salt|[ ] wood"),
        ("create a packing list with rope and tent", "packing list", "", "[ ] rope|[ ] tent"),
    ],
)
def test_the_pieces_of_a_new_note_are_read_in_any_order(
    message: str, title: str, folder: str, content: str
) -> None:
    route = new_notes.note(asked(message), "note", THINGS, "en")
    assert route is not None
    assert route.get("title") == title
    assert route.get("folder") == folder
    assert route.get("content") == "\n".join(f"- {one}" for one in content.split("|"))


@pytest.mark.parametrize(
    ("said", "name", "language"),
    [
        ("recipes, call it Recipes", "Recipes", "en"),
        ("recipes", "recipes", "en"),
        ("Salt, pepper", "Salt, pepper", "en"),
        ("den Garten, nenn ihn Parzelle", "Parzelle", "de"),
    ],
)
def test_a_folder_is_called_what_its_last_clause_says(
    said: str, name: str, language: Language
) -> None:
    assert new_notes.called(said, language) == name


def test_a_title_with_a_person_is_no_text() -> None:
    route = new_notes.note(asked("make a note Talk with Otto"), "note", THINGS, "en")
    assert route is not None
    assert route.get("content") == "Talk with Otto"
