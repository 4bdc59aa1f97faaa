"""Contacts, and requests to become one: answering them, asking, taking back."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError, NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import permission_form
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.permission_form import Form
from app.interfaces.home.people.talks import AGENT_SUFFIX
from app.interfaces.home.undo_forms import given, undo_by
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

CONTACTS, REQUEST = "/people/contacts", "/people/requests/{id}"
MOST = 50


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(CONTACTS, show),
        Route("/people/requests", ask, methods=["POST"]),
        Route(REQUEST, show_request),
        Route(REQUEST, answer, methods=["POST"]),
        Route(REQUEST + "/cancel", cancel, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the contacts, whom one has asked, and the agents one can write to."""
    query = visit.query_params.get("q", "").strip()
    return await _shown(person, query=query, offset=visit.number_asked("from"))


async def _shown(
    person: Person,
    *,
    query: str = "",
    offset: int = 0,
    asked: dict[str, str] | None = None,
    refused: AppError | None = None,
) -> Response:
    found = await person.call("list_contacts", q=query, limit=MOST, offset=offset)
    return await show_people(
        person,
        "contacts",
        query=query,
        found=found,
        until=offset + len(found.contacts),
        requests=await person.call("list_requests"),
        agents=(await person.call("list_managed_agents", status="active")).agents,
        asked=asked or {"to": "", "note": ""},
        refused=refused,
        suffix=AGENT_SUFFIX,
        summary=summary_of,
    )


@for_person
async def ask(visit: Visit, person: Person) -> Response:
    """Ask somebody to become a contact, or for access to their agent."""
    form = await given(visit)
    asked = {"to": value_of(form, "to").strip(), "note": value_of(form, "note")}
    try:
        made = await person.call(
            "request_contact", to=asked["to"], **({"note": asked["note"]} if asked["note"] else {})
        )
    except AppError as error:
        return await _shown(person, asked=asked, refused=error)
    did = "contact_made" if made.status == "approved" else "contact_asked"
    return see(CONTACTS, did=did, what=asked["to"])


@for_person
async def show_request(visit: Visit, person: Person) -> Response:
    """Show a request with all that could be granted with a yes."""
    return await _request_shown(person, visit.number_in_path())


async def _request_shown(
    person: Person, number: int, *, form: Form | None = None, refused: AppError | None = None
) -> Response:
    incoming = (await person.call("list_requests")).incoming
    request = next((each for each in incoming if each.request_id == number), None)
    if request is None:
        raise NotFound(person.words("people.no_request"))
    if form is None:
        fields = await _granted(person, request)
    else:
        fields = permission_form.refilled(form)
    return await show_people(
        person,
        "request",
        asked=request,
        fields=fields,
        name=request.from_.name,
        refused=refused,
        **await permission_form.offered(person),
    )


async def _granted(person: Person, request: Any) -> dict[str, Any]:
    """Return the form as it is filled at first: what is granted already, and what is asked for."""
    try:
        held = await person.call("read_permissions", userId=request.from_.user_id)
    except NotFound:
        fields = permission_form.refilled([])
    else:
        fields = permission_form.filled(held.permissions)
    return fields | {"agent": fields["agent"] or request.type == "agent"}


@for_person
async def answer(visit: Visit, person: Person) -> Response:
    """Accept a request, with what was chosen for it, or reject it."""
    form, number = await form_of(visit), visit.number_in_path()
    action = value_of(form, "action")
    chosen = value_of(form, "chosen") == "1" and action == "accept"
    fields: dict[str, Any] = {"requestId": number, "type": value_of(form, "type"), "action": action}
    if chosen:
        fields["permissions"] = permission_form.permissions_of(form)
    try:
        await person.call("answer_request", **fields)
    except AppError as error:
        if not chosen or isinstance(error, NotFound):
            raise
        return await _request_shown(person, number, form=form, refused=error)
    name, username = value_of(form, "name"), value_of(form, "username")
    if action == "accept":
        return see(f"/people/@{username}", did="contact_made", what=name)
    return see("/people", did="request_rejected", what=name)


@for_person
async def cancel(visit: Visit, person: Person) -> Response:
    """Take back a request of one's own."""
    form = await form_of(visit)
    await person.call("cancel_request", requestId=number_of(form, "id"))
    undo = undo_by("/people/requests", to=value_of(form, "to"), note=value_of(form, "note"))
    return see(CONTACTS, did="request_cancelled", what=value_of(form, "name"), undo=undo)


def summary_of(person: Person, contact: Any) -> str:
    """Return in a few words what a contact may do, as a list shows it."""
    words, given = person.words, contact.your_permissions_to_them
    if not contact.agent_access.granted:
        return words("people.short.friend")
    parts = [
        words(f"people.short.notes_{given.notes}") if given.notes != "none" else "",
        words("people.short.calendar") if given.calendar != "none" else "",
        words("people.short.todos") if given.todos else "",
        words("people.short.email") if given.email else "",
    ]
    told = ", ".join(part for part in parts if part)
    return words("people.short.sees", what=told) if told else words("people.short.agent")
