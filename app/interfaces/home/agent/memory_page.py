"""What the agent remembers: the notes below Memory/, fact by fact, to be corrected or forgotten."""

from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.errors import RevisionConflict
from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.rendered import html_of
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

MEMORY = "/agent/memory"
ROOT = "Memory"
LONG_TERM = "MEMORY.md"
MOST = 100


class Fact(NamedTuple):
    """One thing that is remembered: a line of a note."""

    line: int
    text: str
    shown: str


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(MEMORY, show),
        Route(MEMORY + "/add", add, methods=["POST"]),
        Route(MEMORY + "/change", change, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show what is remembered, or with words what of it they find."""
    query = " ".join(visit.query_params.get("q", "").split())
    hits = await person.call("memory_search", query=query, limit=20) if query else None
    places = await _places(person)
    note = await _long_term(person, places)
    return await person.show(
        "agent/memory",
        place="agent",
        query=query,
        hits=hits,
        note=note,
        facts=[] if note is None else facts_of(note["markdown"]),
        places=places,
        html_of=html_of,
        plain=excerpt,
    )


@for_person
async def add(visit: Visit, person: Person) -> Response:
    """Remember something; the day is written before it, as the agent does."""
    form = await form_of(visit)
    await person.call("memory_write", kind="long_term", content=value_of(form, "fact"))
    return see(MEMORY, did="remembered")


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Correct a fact, or forget it where its new text is empty."""
    form = await form_of(visit)
    note_id, line = number_of(form, "note"), number_of(form, "line")
    note = await _note(person, note_id)
    lines = note["markdown"].split("\n")
    if line >= len(lines) or lines[line].strip() != value_of(form, "was").strip():
        raise RevisionConflict("This has been changed since. Look at it again.")
    text = " ".join(value_of(form, "text").split())
    new = [f"- {text}"] if text else []
    await person.call(
        "change_note",
        id=note_id,
        content="\n".join([*lines[:line], *new, *lines[line + 1 :]]),
        contentFormat="markdown",
        ifRevision=note["revision"],
    )
    return see(MEMORY, did="fact_corrected" if text else "fact_forgotten")


def facts_of(markdown: str) -> list[Fact]:
    """Return the list items of a note, the newest (the last) first."""
    found = [
        Fact(number, line, line.lstrip()[2:].strip())
        for number, line in enumerate(markdown.split("\n"))
        if line.lstrip().startswith(("- ", "* "))
    ]
    return found[::-1]


async def _places(person: Person) -> list[dict[str, Any]]:
    """Return the folders below Memory/ with their newest notes."""
    folders = (await person.call("list_folders")).folders
    root = next((each for each in folders if each.name == ROOT and each.parent_id is None), None)
    below = [] if root is None else [each for each in folders if each.parent_id == root.id]
    return [
        {
            "name": each.name,
            "notes": (await person.call("list_notes", folderId=each.id, limit=MOST)).notes,
        }
        for each in sorted(below, key=lambda folder: str(folder.name))
    ]


async def _note(person: Person, note_id: int) -> Any:
    # the operation answers in JSON that it has made already
    return msgspec.json.decode((await person.call("get_note_content", id=note_id)).note)


async def _long_term(person: Person, places: list[dict[str, Any]]) -> Any:
    for place in places:
        for note in place["notes"]:
            if place["name"] == "Self" and note.title == LONG_TERM:
                return await _note(person, note.id)
    return None
