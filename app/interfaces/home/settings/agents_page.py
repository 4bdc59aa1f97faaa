"""Managed agents: more agents beside one's own, each with a name, a manner and limits."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import SCOPES
from app.errors import Invalid
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import permission_form
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.forms import form_of, number_of, value_of, values_of
from app.interfaces.pages.visit import Visit

AGENTS = address_of("agents")
VISIBLE = ("private", "contacts", "anyone")
PACES = (15, 30, 60, 180, 360, 720, 1440)
"""Minutes from wake to wake that are offered."""
KEY_SCOPES = ("agent.message:send", "os.notes:read", "os.notes:write", "os.todos:read")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(AGENTS, show),
        Route(AGENTS, create, methods=["POST"]),
        Route(AGENTS + "/{id}", one),
        Route(AGENTS + "/{id}", change, methods=["POST"]),
        Route(AGENTS + "/{id}/rights", change_rights, methods=["POST"]),
        Route(AGENTS + "/{id}/limits", change_limits, methods=["POST"]),
        Route(AGENTS + "/{id}/waking", change_waking, methods=["POST"]),
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
    agent = (await person.call("read_managed_agent", id=id_)).agent
    now = permission_form.filled(agent.permissions)
    offered = await permission_form.offered(person, agent.permissions)
    waking = await person.call("read_agent_wake", id=id_)
    return await show_section(
        person,
        "agent",
        agent=agent,
        now=now,
        folders=offered["folders"],
        told=permission_form.sentences(person.words, now, dict(offered["folders"])),
        spaces=await _spaces(person, agent.namespaces),
        models=[one.name for one in (await person.call("list_models")).models],
        waking=waking,
        paces=sorted({*PACES, *([waking.every_minutes] if waking.every_minutes else [])}),
        scopes=[one for one in SCOPES if one in KEY_SCOPES],
        keys=[key for key in keys if key.revoked_at is None],
        visible=VISIBLE,
        made=made,
    )


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Change an agent's name, manner, model and who may write to it."""
    form, id_ = await form_of(visit), visit.number_in_path()
    fields = {**_fields(form), "model": value_of(form, "model") or None}
    await person.call("change_managed_agent", id=id_, **fields)
    return see(f"{AGENTS}/{id_}", did="saved")


@for_person
async def change_rights(visit: Visit, person: Person) -> Response:
    """Change what an agent may read and do, and the tools that it sees."""
    form, id_ = await form_of(visit), visit.number_in_path()
    await person.call(
        "change_managed_agent",
        id=id_,
        permissions=permission_form.permissions_of(form),
        namespaces=values_of(form, "space"),
    )
    return see(f"{AGENTS}/{id_}#rights", did="permissions_changed")


@for_person
async def change_limits(visit: Visit, person: Person) -> Response:
    """Change how many tokens an agent may take; an empty field is no limit."""
    form, id_ = await form_of(visit), visit.number_in_path()
    limits = {
        name: number_of(form, name) if value_of(form, name).strip() else None
        for name in ("monthlyTokens", "perReplyTokens")
    }
    await person.call("change_managed_agent", id=id_, budget=limits)
    return see(f"{AGENTS}/{id_}#limits", did="saved")


@for_person
async def change_waking(visit: Visit, person: Person) -> Response:
    """Let an agent wake by the clock for a task, or no more."""
    form, id_ = await form_of(visit), visit.number_in_path()
    every, task = value_of(form, "every"), value_of(form, "task").strip()
    if every and not task:
        raise Invalid(person.words("settings.agent_no_task"), field="task")
    await person.call(
        "change_agent_wake",
        id=id_,
        **({"everyMinutes": number_of(form, "every")} if every else {}),
        **({"task": task} if task else {}),
    )
    return see(f"{AGENTS}/{id_}#waking", did="saved")


async def _spaces(person: Person, chosen: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the namespaces of tools that there are, and which the agent sees."""
    known = [each.namespace for each in (await person.call("list_namespaces")).namespaces]
    return [(name, name in chosen) for name in dict.fromkeys([*known, *chosen])]


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
    form, id_ = await form_of(visit), visit.number_in_path()
    scopes = values_of(form, "scope")
    made = await person.call(
        "create_agent_key",
        id=id_,
        name=value_of(form, "name"),
        **({"scopes": scopes} if scopes else {}),
    )
    return await _one(person, id_, made)


@for_person
async def revoke_key(visit: Visit, person: Person) -> Response:
    """End a key of the agent."""
    id_, key = visit.number_in_path(), visit.number_in_path("key")
    await person.call("revoke_agent_key", id=id_, keyId=key)
    return see(f"{AGENTS}/{id_}", did="key_revoked")
