"""Folders: made, renamed, moved, shared, deleted."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.notes.desk import tree_of
from app.interfaces.home.notes.folder_tree import FolderTree
from app.interfaces.home.notes.note_page import PARTS
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

ROLES = ("viewer", "writer", "editor", "admin")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes/folders", make, methods=["POST"]),
        Route("/notes/folder/{id}/edit", show),
        Route("/notes/folder/{id}/edit", change, methods=["POST"]),
        Route("/notes/folder/{id}/move", move_back, methods=["POST"]),
        Route("/notes/folder/{id}/trash", trash, methods=["POST"]),
        Route("/notes/folder/{id}/share", share, methods=["POST"]),
        Route("/notes/folder/{id}/unshare", unshare, methods=["POST"]),
    ]


@for_person
async def make(visit: Visit, person: Person) -> Response:
    """Make a folder, or several by a path."""
    form = await form_of(visit)
    fields: dict[str, Any] = {"path": value_of(form, "name").strip()}
    if parent := as_number(value_of(form, "parent")):
        fields["parentId"] = parent
    made = await person.call("create_folder", **fields)
    undo = f"/notes/folder/{made.folder.id}/trash" if made.created_segments else ""
    did = "folder_made" if made.created_segments else "folder_there"
    return see(f"/notes/folder/{made.folder.id}", did=did, what=made.folder.name, undo=undo)


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show what can be done with a folder."""
    tree = await tree_of(person)
    folder = _folder(person, tree, visit.number_in_path())
    shares = (await person.call("list_folder_shares", id=folder.id)).shares
    contacts = (await person.call("list_contacts", limit=200)).contacts
    return await person.show(
        "folder_edit",
        place="notes",
        folder=folder,
        path=tree.path(folder.id),
        role=tree.role(folder.id),
        places=tree.places(without=folder.id),
        shares=shares,
        contacts=contacts,
        roles=ROLES,
        parts=PARTS,
    )


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Give a folder another name or another place."""
    form = await form_of(visit)
    tree = await tree_of(person)
    folder = _folder(person, tree, visit.number_in_path())
    fields: dict[str, Any] = {"name": value_of(form, "name").strip() or folder.name}
    if any(name == "placed" for name, _ in form):
        fields["parentId"] = as_number(value_of(form, "parent"))
    done = (await person.call("change_folder", id=folder.id, **fields)).folder
    return see(f"/notes/folder/{folder.id}", did="folder_changed", what=done.name)


@for_person
async def move_back(visit: Visit, person: Person) -> Response:
    """Put a folder into another, as the address says."""
    to = visit.number_asked("parent") or None
    folder = visit.number_in_path()
    done = (await person.call("change_folder", id=folder, parentId=to)).folder
    return see(f"/notes/folder/{folder}", did="folder_changed", what=done.name)


@for_person
async def trash(visit: Visit, person: Person) -> Response:
    """Put a folder into the trash, with all that is in it."""
    tree = await tree_of(person)
    folder = _folder(person, tree, visit.number_in_path())
    await person.call("delete_folder", id=folder.id)
    back = f"/notes/folder/{folder.parent_id}" if folder.parent_id in tree.by_id else "/notes"
    undo = f"/trash/folder/{folder.id}/restore"
    return see(back, did="folder_trashed", what=folder.name, undo=undo)


@for_person
async def share(visit: Visit, person: Person) -> Response:
    """Let a contact into a folder, or give them another role there."""
    form = await form_of(visit)
    folder, who = visit.number_in_path(), value_of(form, "username")
    await person.call("share_folder", id=folder, username=who, role=value_of(form, "role"))
    return see(f"/notes/folder/{folder}/edit", did="folder_shared", what=who)


@for_person
async def unshare(visit: Visit, person: Person) -> Response:
    """Let somebody into a folder no more."""
    form = await form_of(visit)
    folder, who = visit.number_in_path(), value_of(form, "username")
    await person.call("unshare_folder", id=folder, username=who)
    return see(f"/notes/folder/{folder}/edit", did="folder_unshared", what=who)


def _folder(person: Person, tree: FolderTree, folder_id: int) -> Any:
    if folder_id not in tree.by_id:
        raise NotFound(person.words("notes.no_folder"))
    return tree.by_id[folder_id]
