"""What agents may use: namespaces of tools, MCP servers, calendars, and what needs no yes again."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.forms import form_of, value_of, values_of
from app.interfaces.pages.visit import Visit

TOOLS = address_of("tools")
ACTS = {
    "refresh": "refresh_mcp_server",
    "disconnect": "disconnect_mcp_server",
    "remove": "remove_mcp_server",
}


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(TOOLS, show),
        Route(TOOLS + "/namespaces", switch, methods=["POST"]),
        Route(TOOLS + "/servers", add_server, methods=["POST"]),
        Route(TOOLS + "/servers/{id}/{act}", act_on_server, methods=["POST"]),
        Route(TOOLS + "/calendars", add_calendar, methods=["POST"]),
        Route(TOOLS + "/calendars/{id}/remove", remove_calendar, methods=["POST"]),
        Route(TOOLS + "/precedents/{id}/delete", forget, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List what agents may use."""
    integrations = (await person.call("list_integrations")).integrations
    return await show_section(
        person,
        "tools",
        namespaces=(await person.call("list_namespaces")).namespaces,
        servers=(await person.call("list_mcp_servers")).servers,
        calendars=[each for each in integrations if each.kind == "ics"],
        precedents=(await person.call("list_precedents")).precedents,
    )


@for_person
async def switch(visit: Visit, person: Person) -> Response:
    """Switch namespaces on and off, as they were ticked."""
    form = await form_of(visit)
    on = set(values_of(form, "on"))
    known = (await person.call("list_namespaces")).namespaces
    chosen = {each.namespace: each.namespace in on for each in known}
    await person.call("switch_namespaces", namespaces=chosen)
    return see(TOOLS, did="saved")


@for_person
async def add_server(visit: Visit, person: Person) -> Response:
    """Add an MCP server by its address; one that wants a login is asked for it at once."""
    form = await form_of(visit)
    header, secret = value_of(form, "header"), value_of(form, "secret")
    config: dict[str, Any] = {"headers": {header or "Authorization": secret}} if secret else {}
    made = await person.call(
        "add_mcp_server",
        name=value_of(form, "name"),
        serverUrl=value_of(form, "url"),
        **({"config": config} if config else {}),
    )
    if made.server.status == "needs_reauth":
        return await _to_login(person, made.server.id)
    did = "server_added" if made.server.status == "connected" else "server_added_silent"
    return see(f"{TOOLS}#servers", did=did, what=made.server.name)


@for_person
async def act_on_server(visit: Visit, person: Person) -> Response:
    """Ask a server anew, log in at it, end the connection, or remove it."""
    id_, act = visit.path_params["id"], visit.path_params["act"]
    if act == "authorize":
        return await _to_login(person, id_)
    if act not in ACTS:
        raise Invalid("There is no such act.", field="act")
    await person.call(ACTS[act], id=id_)
    return see(f"{TOOLS}#servers", did="server_removed" if act == "remove" else "saved")


async def _to_login(person: Person, id_: str) -> Response:
    """Send the browser to where a server has its users log in.

    As a page with a link: what a form leads to may not be another site.
    """
    begun = await person.call("authorize_mcp_server", id=id_)
    return await show_section(
        person, "mcp_login", name=begun.server.name, address=begun.authorize_url
    )


@for_person
async def add_calendar(visit: Visit, person: Person) -> Response:
    """Add a calendar that Hearth reads, by its address."""
    form = await form_of(visit)
    made = await person.call(
        "add_integration", kind="ics", name=value_of(form, "name"), url=value_of(form, "url")
    )
    return see(f"{TOOLS}#calendars", did="calendar_added", what=made.integration.name)


@for_person
async def remove_calendar(visit: Visit, person: Person) -> Response:
    """Remove a calendar."""
    await person.call("remove_integration", id=visit.path_params["id"])
    return see(f"{TOOLS}#calendars", did="calendar_removed")


@for_person
async def forget(visit: Visit, person: Person) -> Response:
    """Let a tool be asked for again each time."""
    await person.call("delete_precedent", id=visit.number_in_path())
    return see(f"{TOOLS}#precedents", did="saved")
