"""One's own machines: agents that run there, what they may do unasked, and the vault's devices."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.visit import Visit

DEVICES = address_of("devices")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(DEVICES, show),
        Route(DEVICES + "/endpoints/{id}/remove", remove_endpoint, methods=["POST"]),
        Route(DEVICES + "/sessions/{id}/close", close_session, methods=["POST"]),
        Route(DEVICES + "/route/remove", remove_route, methods=["POST"]),
        Route(DEVICES + "/policies/{id}/revoke", revoke_policy, methods=["POST"]),
        Route(DEVICES + "/vault/{id}/revoke", revoke_vault_device, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List the machines."""
    vault = (await person.call("list_raw_devices")).devices
    policies = (await person.call("list_trusted_policies")).policies
    return await show_section(
        person,
        "devices",
        endpoints=(await person.call("list_endpoints")).endpoints,
        sessions=(await person.call("list_runtime_sessions")).sessions,
        route=await _default_route(person),
        policies=[each for each in policies if each.status != "revoked"],
        vault=[each for each in vault if each.status != "revoked"],
    )


async def _default_route(person: Person) -> Any:
    try:
        return await person.call("read_default_route")
    except NotFound:
        return None


@for_person
async def remove_endpoint(visit: Visit, person: Person) -> Response:
    """Let a machine's agent work no more."""
    await person.call("remove_endpoint", id=visit.path_params["id"])
    return see(DEVICES, did="device_removed")


@for_person
async def close_session(visit: Visit, person: Person) -> Response:
    """Close a session for good: no message goes to it any more."""
    await person.call("change_runtime_session", handle=visit.path_params["id"], state="closed")
    return see(DEVICES, did="session_closed")


@for_person
async def remove_route(visit: Visit, person: Person) -> Response:
    """Let messages without a target wait again."""
    await person.call("remove_default_route")
    return see(DEVICES, did="saved")


@for_person
async def revoke_policy(visit: Visit, person: Person) -> Response:
    """Let an agent ask again before it uses its tools."""
    await person.call("revoke_trusted_policy", id=visit.path_params["id"])
    return see(DEVICES, did="policy_revoked")


@for_person
async def revoke_vault_device(visit: Visit, person: Person) -> Response:
    """Shut a device out of the vault."""
    await person.call("revoke_raw_device", deviceId=visit.path_params["id"])
    return see(DEVICES, did="vault_device_revoked")
