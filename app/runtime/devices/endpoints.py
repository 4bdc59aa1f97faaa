"""Endpoints: the runtimes on a user's devices, each with its token, and their presence."""

from typing import Annotated, Literal

from msgspec import Meta

from app.account import device_tokens
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.hooks import Delivering
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import NotFound, QuotaExceeded
from app.runtime.devices import endpoint_rows, fields, route_rows, session_rows
from app.runtime.devices.endpoint_rows import Endpoint, Runtime
from app.runtime.devices.gathered_beats import GatheredBeats

MOST_ENDPOINTS = 1_000
Presence = Literal["online", "draining", "offline"]
EndpointPath = Annotated[str, Meta(max_length=64)]


class EndpointView(Record):
    """A runtime on a device, and whether it can be reached.

    It is `draining` from its removal until what is on its way to it has come to an end.
    """

    endpoint_id: str
    principal_id: str
    device_id: str
    runtime: Runtime
    bridge_version: str
    adapter_version: str
    capabilities: list[str]
    presence: Presence
    last_seen_at: str


class Registered(Record):
    """An endpoint with the token of its device, which is shown this once."""

    endpoint: EndpointView
    device_token: str


class EndpointList(Record):
    endpoints: list[EndpointView]


@operation("POST /local-agent/endpoints", scope="runtime:connect")
def register_endpoint(
    tx: Tx,
    me: Caller,
    *,
    runtime: Runtime,
    bridge_version: fields.Version,
    adapter_version: fields.Version,
    capabilities: fields.Capabilities,
    device_id: fields.DeviceId,
) -> Registered:
    """Register a runtime of a device: the same endpoint each time, and a new token.

    The token before ends. A device token registers its own device only.
    """
    endpoint_rows.require_device(me, device_id)
    return register(
        tx,
        me.user,
        device_id=device_id,
        runtime=runtime,
        bridge_version=bridge_version,
        adapter_version=adapter_version,
        capabilities=capabilities,
    )


@operation("GET /local-agent/endpoints", scope="runtime:connect")
async def list_endpoints(app: App, me: Caller) -> EndpointList:
    """List the caller's endpoints with their presence; a device token's are those of its device."""
    await app.write_gathered()
    return EndpointList(await app.read(_listed, me, app.hooks.is_delivering))


@operation(
    "POST /local-agent/endpoints/{id}/heartbeat", scope="runtime:connect", http=Http(status=204)
)
async def beat_endpoint(app: App, me: Caller, *, id: EndpointPath) -> Record:
    """Say that an endpoint is there; without this for 60 seconds it is offline."""
    found = app.quick(_require_present, me, id, app.hooks.is_delivering)
    await app.part(GatheredBeats).note(found)
    return Record()


@operation("DELETE /local-agent/endpoints/{id}", scope="runtime:connect", http=Http(status=204))
def remove_endpoint(tx: Tx, me: Caller, *, id: EndpointPath) -> Record:
    """Remove an endpoint: its token ends and its sessions close; doing it again changes nothing."""
    remove(tx, endpoint_rows.require_own(tx, me, id))
    return Record()


def register(
    tx: Tx,
    user: int,
    *,
    device_id: str,
    runtime: Runtime,
    bridge_version: str,
    adapter_version: str,
    capabilities: list[str],
    name: str | None = None,
) -> Registered:
    """Register a runtime of a user's device, and give it a new token."""
    if endpoint_rows.count_others(tx, user, device_id, runtime) >= MOST_ENDPOINTS:
        raise QuotaExceeded(
            f"A user has at most {MOST_ENDPOINTS} endpoints; remove one first.",
            limit=MOST_ENDPOINTS,
        )
    found = endpoint_rows.upsert(
        tx,
        user,
        device_id=device_id,
        runtime=runtime,
        bridge_version=bridge_version,
        adapter_version=adapter_version,
        capabilities=capabilities,
    )
    token = device_tokens.issue(
        tx,
        user,
        device_id,
        runtime,
        name=name or f"{runtime} on {device_id}",
        scopes=device_tokens.RUNTIME,
    )
    return Registered(_view(found, "online"), token)


def remove(tx: Tx, endpoint: Endpoint) -> None:
    """Remove an endpoint with its token, its sessions and the route to it."""
    device_tokens.revoke(tx, endpoint.user_id, endpoint.device_id, endpoint.runtime)
    session_rows.close_at(tx, endpoint.endpoint_id)
    route_rows.clear_at(tx, endpoint.endpoint_id)
    endpoint_rows.remove(tx, endpoint.endpoint_id)


def _listed(tx: Tx, me: Caller, is_delivering: Delivering) -> list[EndpointView]:
    listed = []
    for found in endpoint_rows.list_own(tx, me):
        if found.removed_at is None:
            listed.append(_view(found, "online" if found.is_online(tx.moment) else "offline"))
        elif is_delivering(tx, found.endpoint_id):
            listed.append(_view(found, "draining"))
    return listed


def _require_present(tx: Tx, me: Caller, id_: str, is_delivering: Delivering) -> Endpoint:
    found = endpoint_rows.require_own(tx, me, id_)
    if found.removed_at is not None and not is_delivering(tx, id_):
        raise NotFound("This endpoint was removed; register it again.", field="id")
    return found


def _view(found: Endpoint, presence: Presence) -> EndpointView:
    return copy_fields(EndpointView, found, presence=presence)
