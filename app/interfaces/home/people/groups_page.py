"""Groups: making one, who is in it, its name, and leaving."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.undo_forms import given, undo_by
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

GROUPS, GROUP = "/people/groups", "/people/groups/{id}"
MOST_OFFERED = 200


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(GROUPS, show),
        Route(GROUPS, make, methods=["POST"]),
        Route(GROUP, show_one),
        Route(GROUP + "/rename", rename, methods=["POST"]),
        Route(GROUP + "/add", add, methods=["POST"]),
        Route(GROUP + "/remove", remove, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the groups that one is in, and where to make another."""
    return await _shown(person)


async def _shown(
    person: Person, *, name: str = "", members: Any = (), refused: AppError | None = None
) -> Response:
    return await show_people(
        person,
        "groups",
        groups=(await person.call("list_groups")).groups,
        contacts=(await person.call("list_contacts", limit=MOST_OFFERED)).contacts,
        name=name,
        members=set(members),
        refused=refused,
    )


@for_person
async def make(visit: Visit, person: Person) -> Response:
    """Make a group of some contacts."""
    form = await form_of(visit)
    name, members = value_of(form, "name"), [value for key, value in form if key == "member"]
    try:
        made = await person.call("create_group", name=name, members=members)
    except AppError as error:
        return await _shown(person, name=name, members=members, refused=error)
    return see(f"/people/c/{made.group.conversation_id}", did="group_made", what=made.group.name)


@for_person
async def show_one(visit: Visit, person: Person) -> Response:
    """Show who is in a group."""
    group = (await person.call("read_group", conversationId=visit.number_in_path())).group
    inside = {each.user_id for each in group.members}
    contacts = (await person.call("list_contacts", limit=MOST_OFFERED)).contacts
    return await show_people(
        person,
        "group",
        group=group,
        is_admin=group.admin_id == person.caller.user_id,
        others=[each for each in contacts if each.user_id not in inside],
    )


@for_person
async def rename(visit: Visit, person: Person) -> Response:
    """Give a group another name."""
    form, number = await form_of(visit), visit.number_in_path()
    group = (
        await person.call("rename_group", conversationId=number, name=value_of(form, "name"))
    ).group
    return see(f"/people/groups/{number}", did="group_renamed", what=group.name)


@for_person
async def add(visit: Visit, person: Person) -> Response:
    """Add a contact to a group."""
    form, number = await given(visit), visit.number_in_path()
    username = value_of(form, "username")
    await person.call("add_group_members", conversationId=number, username=username)
    return see(f"/people/groups/{number}", did="group_joined", what=username)


@for_person
async def remove(visit: Visit, person: Person) -> Response:
    """Take somebody out of a group, or leave it."""
    form, number = await form_of(visit), visit.number_in_path()
    username = value_of(form, "username")
    left = await person.call("remove_group_member", conversationId=number, username=username)
    if left.group is None:
        return see("/people/groups", did="group_left", what=value_of(form, "group"))
    undo = undo_by(f"/people/groups/{number}/add", username=username)
    return see(f"/people/groups/{number}", did="group_removed", what=username, undo=undo)
