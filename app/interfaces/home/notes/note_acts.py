"""What is done with a note beside writing it: move, copy, pin, tag, delete."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.schema import TITLE_MOST
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.notes.desk import chosen_folder, tags_of, tree_of
from app.interfaces.home.notes.edit_page import split_tags
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes/{id}/move", show_move),
        Route("/notes/{id}/move", move, methods=["POST"]),
        Route("/notes/{id}/copy", copy, methods=["POST"]),
        Route("/notes/{id}/pin", pin, methods=["POST"]),
        Route("/notes/{id}/tags", tag, methods=["POST"]),
        Route("/notes/{id}/trash", trash, methods=["POST"]),
    ]


@for_person
async def show_move(visit: Visit, person: Person) -> Response:
    """Ask where a note is to go."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    places = (await tree_of(person)).places()
    return await person.show(
        "note_move", place="notes", note=note, places=places, tags=tags_of(note.tags)
    )


@for_person
async def move(visit: Visit, person: Person) -> Response:
    """Move a note into a folder, or into none; the address may name it instead of the form."""
    id_ = visit.number_in_path()
    before = (await person.call("read_note_text", id=id_)).folder_id
    asked = visit.query_params.get("folder")
    if asked is None:
        asked = await chosen_folder(person, await form_of(visit))
    to = as_number(asked)
    await person.call("move_note", id=id_, folderId=to)
    name = (await tree_of(person)).path(to) or person.words("notes.no_folder_name")
    undo = f"/notes/{id_}/move?folder={before or ''}"
    return see(f"/notes/{id_}", did="note_moved", what=name, undo=undo)


@for_person
async def copy(visit: Visit, person: Person) -> Response:
    """Copy a note to beside it, or to the reader's own root where they may not write there."""
    id_ = visit.number_in_path()
    note = await person.call("read_note_text", id=id_)
    title = person.words("notes.copy_of", title=note.title)[:TITLE_MOST]
    fields: dict[str, Any] = {"id": id_, "title": title}
    if note.role in ("viewer", "writer"):
        fields["folderId"] = None
    made = (await person.call("copy_note", **fields)).note
    return see(
        f"/notes/{made.id}", did="note_copied", what=note.title, undo=f"/notes/{made.id}/trash"
    )


@for_person
async def pin(visit: Visit, person: Person) -> Response:
    """Pin a note, or unpin it."""
    id_ = visit.number_in_path()
    pinned = value_of(await form_of(visit), "pinned") == "yes"
    await person.call("pin_note", id=id_, pinned=pinned)
    return see(f"/notes/{id_}")


@for_person
async def tag(visit: Visit, person: Person) -> Response:
    """Give a note other tags."""
    id_ = visit.number_in_path()
    tags = split_tags(value_of(await form_of(visit), "tags"))
    await person.call("change_note", id=id_, tags=tags)
    return see(f"/notes/{id_}")


@for_person
async def trash(visit: Visit, person: Person) -> Response:
    """Put a note into the trash."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    await person.call("delete_note", id=note.id)
    back = "/notes" if note.folder_id is None else f"/notes/folder/{note.folder_id}"
    return see(back, did="note_trashed", what=note.title, undo=f"/trash/note/{note.id}/restore")
