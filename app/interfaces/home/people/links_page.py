"""Share links: all of them, one with what it opens and who came by it, and its end."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import link_form, view_as
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.visits_chart import chart_of
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

LINKS, LINK = "/people/links", "/people/links/{id}"
MOST, MOST_VISITS, SHOWN_TALKS = 25, 100, 5


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(LINKS, show),
        Route(LINK, show_one),
        Route(LINK + "/as", show_as),
        Route(LINK + "/revoke", revoke, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the links that are open, or all that there were."""
    every = visit.query_params.get("all") == "1"
    start = visit.number_asked("from")
    found = await person.call(
        "list_share_links", status="all" if every else "active", limit=MOST, offset=start
    )
    talks = await person.call("list_guest_conversations", limit=SHOWN_TALKS)
    names = link_form.Names(person)
    await names.read()
    return await show_people(
        person,
        "links",
        rows=[(each, await names.opened_by(each)) for each in found.links],
        total=found.total,
        until=start + len(found.links),
        every=every,
        excerpt=excerpt,
        talks=talks.conversations,
    )


@for_person
async def show_one(visit: Visit, person: Person) -> Response:
    """Show a link: its address, what guests may do by it, and who came."""
    link = await _link(visit, person)
    visits: Any = await person.call(
        "list_guest_conversations", shareToken=link.token, limit=MOST_VISITS
    )
    names = link_form.Names(person)
    await names.read()
    return await show_people(
        person,
        "link",
        link=link,
        opens=await names.opened_by(link),
        who=names.opened_to(link),
        told=await names.told_of(link),
        chart=chart_of(person, [each.created_at for each in visits.conversations]),
        talks=visits.conversations[:SHOWN_TALKS],
        excerpt=excerpt,
    )


@for_person
async def show_as(visit: Visit, person: Person) -> Response:
    """Show what a guest of a link sees, by their eyes."""
    link = await _link(visit, person)
    query = visit.query_params.get("q", "").strip()
    return await show_people(
        person,
        "as",
        name=person.words("people.a_guest"),
        back=f"/people/links/{link.id}",
        query=query,
        seen=await view_as.seen_by(person, f"guest:{link.id}", query),
    )


@for_person
async def revoke(visit: Visit, person: Person) -> Response:
    """Close a link for good, with what was said by it where that is asked for."""
    form = await form_of(visit)
    link = await _link(visit, person)
    if value_of(form, "sure") != "1":
        raise NotFound(person.words("people.not_sure"))
    await person.call(
        "revoke_share_link", linkId=str(link.id), purge=value_of(form, "purge") == "1"
    )
    return see(LINKS, did="link_revoked", what=link.label or link.token)


async def _link(visit: Visit, person: Person) -> Any:
    found = await person.call("read_share_link", linkId=visit.path_params["id"][:64])
    return found.share_link
