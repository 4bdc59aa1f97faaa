"""Managed agents: more agents beside one's own, each with a name, a manner and limits."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

AGENTS = address_of("agents")
VISIBLE = ("private", "contacts", "anyone")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(AGENTS, show),
        Route(AGENTS, create, methods=["POST"]),
        Route(AGENTS + "/{id}", one),
        Route(AGENTS + "/{id}", change, methods=["POST"]),
        Route(AGENTS + "/{id}/status", switch, methods=["POST"]),
        Route(AGENTS + "/{id}/delete", delete, methods=["POST"]),
        Route(AGENTS + "/{id}/keys", create_key, methods=["POST"]),
        Route(AGENTS + "/{id}/keys/{key}/revoke", revoke_key, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List the agents."""
    return await show_section(
        person,
        "agents",
        agents=(await person.call("list_managed_agents", limit=200)).agents,
        visible=VISIBLE,
    )


@for_person
async def create(visit: Visit, person: Person) -> Response:
    """Make an agent."""
    form = await form_of(visit)
    made = await person.call(
        "create_managed_agent", handle=value_of(form, "handle"), **_fields(form)
    )
    return see(f"{AGENTS}/{made.agent.id}", did="agent_made", what=made.agent.name)


def _fields(form: list[tuple[str, str]]) -> dict[str, Any]:
    return {name: value_of(form, name) for name in ("name", "description", "persona", "visibility")}


@for_person
async def one(visit: Visit, person: Person) -> Response:
    """Show an agent and its keys."""
    return await _one(person, visit.number_in_path())


async def _one(person: Person, id_: int, made: Any = None) -> Response:
    keys = (await person.call("list_agent_keys", id=id_)).keys
    return await show_section(
        person,
        "agent",
        agent=(await person.call("read_managed_agent", id=id_)).agent,
        keys=[key for key in keys if key.revoked_at is None],
        visible=VISIBLE,
        made=made,
    )


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Change an agent's name, manner and who may write to it."""
    form = await form_of(visit)
    await person.call("change_managed_agent", id=visit.number_in_path(), **_fields(form))
    return see(f"{AGENTS}/{visit.number_in_path()}", did="saved")


@for_person
async def switch(visit: Visit, person: Person) -> Response:
    """Pause an agent, or let it go on."""
    status = value_of(await form_of(visit), "status")
    await person.call("change_managed_agent", id=visit.number_in_path(), status=status)
    return see(f"{AGENTS}/{visit.number_in_path()}", did="saved")


@for_person
async def delete(visit: Visit, person: Person) -> Response:
    """Delete an agent."""
    await person.call("delete_managed_agent", id=visit.number_in_path())
    return see(AGENTS, did="agent_deleted")


@for_person
async def create_key(visit: Visit, person: Person) -> Response:
    """Make a key of the agent, and show its secret this once."""
    name = value_of(await form_of(visit), "name")
    id_ = visit.number_in_path()
    return await _one(person, id_, await person.call("create_agent_key", id=id_, name=name))


@for_person
async def revoke_key(visit: Visit, person: Person) -> Response:
    """End a key of the agent."""
    id_, key = visit.number_in_path(), visit.number_in_path("key")
    await person.call("revoke_agent_key", id=id_, keyId=key)
    return see(f"{AGENTS}/{id_}", did="key_revoked")
