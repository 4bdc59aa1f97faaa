"""What others see, by their eyes: the answers that the very checks of their calls give."""

import json
from typing import Any, NamedTuple

import msgspec

from app.interfaces.home.home_page import Person

MOST = 50


class Seen(NamedTuple):
    """A part of the workspace as somebody else sees it: rows of it, or why they see none."""

    part: str
    allowed: bool
    why: str
    rows: list[tuple[str, str]]
    total: int


async def seen_by(person: Person, caller: str, query: str) -> list[Seen]:
    """Return what a caller sees of folders, notes, todos and the calendar.

    With a query the notes and todos that they would find by it.
    """
    if query:
        return [
            await _look(person, caller, "notes", "search_notes", {"query": query, "limit": MOST}),
            await _look(person, caller, "todos", "search_todos", {"q": query, "limit": MOST}),
        ]
    return [
        await _look(person, caller, "folders", "list_folders", {}),
        await _look(person, caller, "notes", "list_notes", {"recursive": True, "limit": MOST}),
        await _look(person, caller, "todos", "search_todos", {"completed": False, "limit": MOST}),
        await _look(person, caller, "calendar", "search_calendar_events", {}),
    ]


ROWS = {
    "folders": ("folders", "name", "id", "/notes/folder/"),
    "notes": ("notes", "title", "id", "/notes/"),
    "todos": ("todos", "title", "id", "/todos/"),
    "calendar": ("events", "title", "", ""),
}


async def _look(
    person: Person, caller: str, part: str, operation: str, args: dict[str, Any]
) -> Seen:
    found = await person.call("explain", caller=caller, operation=operation, args=json.dumps(args))
    if not found.allowed:
        return Seen(part, allowed=False, why=found.message, rows=[], total=0)
    answer = msgspec.json.decode(found.answer)
    list_name, title, id_, address = ROWS[part]
    rows = answer.get("results" if operation == "search_notes" else list_name, [])
    shown = [(str(row[title]), f"{address}{row[id_]}" if id_ else "") for row in rows[:MOST]]
    return Seen(
        part,
        allowed=True,
        why="",
        rows=shown,
        total=answer.get("total", answer.get("totalNotes", len(rows))),
    )
