"""Folders that two contacts share: which, with what right, and the end of it."""

from typing import NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.undo_forms import given, undo_by
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

FOLDERS = "/people/{username}/folders"
ROLES = ("viewer", "writer", "editor", "admin")
MOST_ASKED = 200


class Shared(NamedTuple):
    """A folder that is shared: `own` where it is one's own, and the contact's name where not."""

    id: int
    name: str
    role: str
    own: bool


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(FOLDERS, share, methods=["POST"]), Route(FOLDERS + "/end", end, methods=["POST"])]


async def shared_with(person: Person, user_id: str) -> list[Shared]:
    """Return the folders that are shared between a person and a contact, their own first."""
    folders = (await person.call("list_folders")).folders
    found: list[Shared] = []
    for each in [folder for folder in folders if folder.shared and not folder.role][:MOST_ASKED]:
        shares = (await person.call("list_folder_shares", id=each.id)).shares
        found += [
            Shared(each.id, each.name, one.role, own=True)
            for one in shares
            if one.user_id == user_id
        ]
    # What lies below a folder comes with it.
    theirs = {each.id: each for each in folders if each.role and each.owner.user_id == user_id}
    found += [
        Shared(each.id, each.name, str(each.role), own=False)
        for each in theirs.values()
        if each.parent_id not in theirs
    ]
    return found


@for_person
async def share(visit: Visit, person: Person) -> Response:
    """Share a folder with a contact, or change the right to it."""
    form = await given(visit)
    username = value_of(form, "username")
    await person.call(
        "share_folder", id=number_of(form, "folder"), username=username, role=value_of(form, "role")
    )
    return see(f"/people/@{username}", did="access_given")


@for_person
async def end(visit: Visit, person: Person) -> Response:
    """End the share of a folder: a contact's, or one's own."""
    form = await form_of(visit)
    back, username, folder = (
        value_of(form, "back"),
        value_of(form, "username"),
        number_of(form, "folder"),
    )
    await person.call("unshare_folder", id=folder, username=username)
    undo = ""
    if username != person.caller.username:  # what another shared, only they can share again
        address = f"/people/@{username}/folders"
        undo = undo_by(address, folder=folder, username=username, role=value_of(form, "role"))
    return see(f"/people/@{back}", did="access_taken", what=value_of(form, "name"), undo=undo)
