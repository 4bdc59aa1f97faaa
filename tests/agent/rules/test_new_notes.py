"""Notes and folders to make, of which a message tells the parts in any order."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.changes import new_notes
from app.agent.rules.languages.language_tables import Language
from app.agent.turn.steps import Asked, Thing
from tests.conftest import Client
from tests.support.talks import Talk

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


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title", "content"),
    [
        ("make a note with the window sizes: 120 wide, 95 high", "window sizes", "120 wide"),
        ("write me a note about the cellar: damp in the corner", "cellar", "damp"),
        ("mach mir eine Notiz mit den Fenstermaßen: 120 breit", "Fenstermaßen", "120 breit"),
        ("hazme una nota con las medidas del marco: 60 de alto", "medidas del marco", "60 de alto"),
    ],
)
async def test_what_stands_before_the_colon_is_the_name_of_a_new_note(
    alice: Client, message: str, title: str, content: str
) -> None:
    await Talk(alice).say(message)
    found = (await alice.ok("GET", "/os/notes", params={"limit": 5}))["notes"]
    assert [one["title"] for one in found] == [title]
    note = (await alice.ok("GET", f"/os/notes/{found[0]['id']}"))["note"]
    assert content in note["markdown"]
