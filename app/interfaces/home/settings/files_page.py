"""Files that notes and messages hold: their size, the notes that show them, and clearing up."""

import re
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.many import MOST, for_each, selected_in, tell
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.forms import form_of
from app.interfaces.pages.visit import Visit

FILES = address_of("files")
PAGE = 50
MOST_LINES = 1000
NAMED = re.compile(r"/os/attachments/(\d+)")


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(FILES, show), Route(FILES + "/delete", delete, methods=["POST"])]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List files, newest first, each with the notes that name it."""
    offset = visit.number_asked("from")
    found = await person.call("list_attachments", limit=PAGE, offset=offset)
    return await show_section(
        person,
        "files",
        files=found.attachments,
        users=await _users(person, [file.id for file in found.attachments]),
        total=found.total,
        first=offset + 1,
        last=offset + len(found.attachments),
        before=max(0, offset - PAGE) if offset else None,
        after=offset + PAGE if offset + PAGE < found.total else None,
    )


@for_person
async def delete(visit: Visit, person: Person) -> Response:
    """Delete the files that were ticked, for good."""
    form = await form_of(visit)

    async def remove(id_: int) -> None:
        await person.call("delete_attachment", id=id_)

    async def name(id_: int) -> str:
        listed = (await person.call("list_attachments", limit=MOST)).attachments
        return next((file.name for file in listed if file.id == id_), str(id_))

    outcome = await for_each(person, selected_in(form, "file", person), remove, name)
    told = person.words("many.did_delete_files", n=outcome.done)
    return tell(person, FILES, outcome, told)


async def _users(person: Person, ids: list[int]) -> dict[int, list[tuple[int, str]]]:
    """Return the notes that name each file, as one search finds them."""
    if not ids:
        return {}
    pattern = rf"/os/attachments/({'|'.join(map(str, ids))})\b"
    found: Any = await person.call(
        "grep_notes", pattern=pattern, mode="regex", caseSensitive=True, limit=MOST_LINES
    )
    users: dict[int, list[tuple[int, str]]] = {}
    for note in found.results:
        text = "\n".join(match.text for match in note.matches)
        for id_ in {int(number) for number in NAMED.findall(text)}:
            users.setdefault(id_, []).append((note.note_id, note.title))
    return users
