"""A person's page: what passes between the two, what they may see, and the end of it."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError, NotFound, RevisionConflict
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import permission_form, shared_folders, view_as
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.permission_form import Form
from app.interfaces.home.undo_forms import given, undo_by
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

PERSON = "/people/{username}"
MOST_TALKS = 5


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(PERSON, show),
        Route(PERSON + "/permissions", change, methods=["POST"]),
        Route(PERSON + "/as", show_as),
        Route(PERSON + "/remove", remove, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show a contact, or somebody who is none yet."""
    username = _username(visit)
    try:
        return await _shown(person, username)
    except NotFound:
        if username == person.caller.username:
            return see("/settings")
        return await _stranger(person, username)


async def _shown(
    person: Person, username: str, *, form: Form | None = None, refused: AppError | None = None
) -> Response:
    granted = await person.call("read_permissions", userId=username)
    contact = await _contact(person, granted.user_id, granted.username)
    offered = await permission_form.offered(person, granted.permissions)
    folders = dict(offered["folders"])
    now = permission_form.filled(granted.permissions)
    talks = await person.call(
        "list_conversations", contact=granted.username, limit=MOST_TALKS, messageLimit=0
    )
    return await show_people(
        person,
        "person",
        contact=contact,
        name=contact.name,
        granted=granted,
        told=permission_form.sentences(person.words, now, folders),
        fields=now if form is None else permission_form.refilled(form),
        editing=form is not None,
        revision=granted.revision,
        talks=talks.conversations,
        shared=await shared_folders.shared_with(person, granted.user_id),
        roles=shared_folders.ROLES,
        theirs=_theirs(person, granted.their_permissions_to_you),
        refused=refused,
        **offered,
    )


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Change what a contact may see, unless that was changed elsewhere meanwhile."""
    form, username = await given(visit), _username(visit)
    before = (await person.call("read_permissions", userId=username)).permissions
    try:
        granted = await person.call(
            "change_permissions",
            userId=username,
            permissions=permission_form.permissions_of(form),
            ifRevision=number_of(form, "revision"),
        )
    except NotFound:
        raise
    except AppError as error:
        if isinstance(error, RevisionConflict):
            error.message = person.words("people.changed_meanwhile")
        return await _shown(person, username, form=form, refused=error)
    back = permission_form.form_of_filled(permission_form.filled(before))
    undo = undo_by(f"/people/@{granted.username}/permissions", revision=granted.revision, **back)
    return see(f"/people/@{granted.username}", did="permissions_changed", undo=undo)


@for_person
async def show_as(visit: Visit, person: Person) -> Response:
    """Show what a contact sees, by their eyes."""
    username = _username(visit)
    granted = await person.call("read_permissions", userId=username)
    contact = await _contact(person, granted.user_id, granted.username)
    query = visit.query_params.get("q", "").strip()
    return await show_people(
        person,
        "as",
        name=contact.name,
        back=f"/people/@{granted.username}",
        query=query,
        seen=await view_as.seen_by(person, f"contact:{granted.username}", query),
    )


@for_person
async def remove(visit: Visit, person: Person) -> Response:
    """End a contact on both sides."""
    form = await form_of(visit)
    await person.call("remove_contact", userId=value_of(form, "user_id"))
    return see("/people/contacts", did="contact_removed", what=value_of(form, "name"))


async def _stranger(person: Person, username: str) -> Response:
    """Show somebody who is no contact, the same whether they are on this server or not."""
    requests = await person.call("list_requests")
    return await show_people(
        person,
        "stranger",
        username=username,
        incoming=[each for each in requests.incoming if each.from_.username == username],
        asked=[each for each in requests.outgoing if each.to.username == username],
    )


async def _contact(person: Person, user_id: str, username: str) -> Any:
    found = await person.call("list_contacts", q=username, limit=200)
    return next(each for each in found.contacts if each.user_id == user_id)


def _theirs(person: Person, held: Any) -> str:
    """Return in a few words what one may ask their agent for."""
    words = person.words
    parts = [
        words(f"people.short.notes_{held.notes}") if held.notes != "none" else "",
        words("people.short.calendar") if held.calendar != "none" else "",
        words("people.short.todos") if held.todos else "",
        words("people.short.email") if held.email else "",
    ]
    return ", ".join(part for part in parts if part)


def _username(visit: Visit) -> str:
    # An @ before it: so no page of ours hides somebody who is called as it is.
    return str(visit.path_params["username"]).removeprefix("@").strip().lower()[:64]
