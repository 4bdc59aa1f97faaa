"""Letting a device in by a code: the program shows it, and a person approves it at a page."""

from typing import Annotated, Literal
from urllib.parse import quote

from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import HOUR, Http, operation
from app.core.schema import Line, Record
from app.errors import NotFound, RequestExpired, RequestNotPending
from app.runtime.devices import device_code_rows as rows
from app.runtime.devices import endpoints, fields
from app.runtime.devices.device_code_rows import DeviceCode, Status
from app.runtime.devices.endpoint_rows import Runtime

PAGE = "/local-agent/device-code"
Secret = Annotated[str, Meta(min_length=1, max_length=255)]
Typed = Annotated[str, Meta(min_length=1, max_length=64)]


class Started(Record):
    """What the program shows, and what it polls with until `expiresAt`."""

    user_code: str
    poll_token: str
    approval_url: str
    expires_at: str


class Polled(Record):
    """What became of the request; the token comes once, with `approved`."""

    status: Status
    device_token: str | None = None
    user_id: str | None = None


class Decided(Record):
    status: Literal["approved", "denied"]


class Asked(Record):
    """What a person sees of a program that asks to be let in."""

    device_id: str
    runtime: Runtime
    bridge_version: str
    adapter_version: str
    capabilities: list[str]
    label: str | None
    status: Status
    expires_at: str


class Swept(Record):
    codes: int


@operation("POST /local-agent/device-code/start", public=True, http=Http(per_address="devices"))
def start_device_code(
    tx: Tx,
    me: Caller | None,
    *,
    device_id: fields.DeviceId,
    runtime: Runtime,
    bridge_version: fields.Version,
    adapter_version: fields.Version,
    capabilities: fields.Capabilities,
    label: Annotated[str, Line(1, 100)] | None = None,
) -> Started:
    """Ask to be let in as a device; a person approves the code within ten minutes."""
    made = rows.insert(
        tx,
        device_id=device_id,
        runtime=runtime,
        bridge_version=bridge_version,
        adapter_version=adapter_version,
        capabilities=capabilities,
        label=label,
    )
    url = f"{tx.settings.origin}{PAGE}?code={quote(made.user_code)}"
    return Started(made.user_code, made.poll_token, url, made.expires_at)


@operation("POST /local-agent/device-code/poll", public=True, http=Http(guessable=True))
async def poll_device_code(app: App, me: Caller | None, *, poll_token: Secret) -> Polled:
    """Ask whether a person has approved the device; its token comes with the first yes."""
    found = app.quick(_require_poll, poll_token)
    if found.status != "approved":
        return Polled(found.status)
    return await app.write(_hand_over, poll_token)


@operation("POST /local-agent/device-code/decide", session=True, http=Http(guessable=True))
def decide_device_code(
    tx: Tx, me: Caller, *, user_code: Typed, decision: Literal["approve", "deny"]
) -> Decided:
    """Approve or deny the device that shows this code."""
    found = _require_code(tx, user_code)
    status: Literal["approved", "denied"] = "approved" if decision == "approve" else "denied"
    if found.status == "expired":
        raise RequestExpired("This code has expired; start again at the device.", field="userCode")
    if found.status != "pending":
        # A browser may send the same form twice.
        if found.user_id == me.user and found.status == status:
            return Decided(status)
        raise RequestNotPending("This code was answered already.", field="userCode")
    rows.decide(tx, found, me.user, status)
    return Decided(status)


@operation("COMMAND", effect="read")
def read_device_code(tx: Tx, me: Caller, *, user_code: Typed) -> Asked:
    """Read what the device asks that shows this code, for the page that a person decides at."""
    found = _require_code(tx, user_code)
    return copy_fields(Asked, found)


@operation("COMMAND", every=HOUR)
def sweep_device_codes(tx: Tx, me: Caller) -> Swept:
    """Delete the device codes whose time is over."""
    return Swept(rows.delete_old(tx))


def _require_poll(tx: Tx, poll_token: str) -> DeviceCode:
    found = rows.find_by_poll_token(tx, poll_token)
    if found is None:
        raise NotFound("Nothing was asked with this pollToken; start again.", field="pollToken")
    return found


def _require_code(tx: Tx, user_code: str) -> DeviceCode:
    found = rows.find_by_user_code(tx, user_code)
    if found is None:
        raise NotFound("No device shows this code; look at it again.", field="userCode")
    return found


def _hand_over(tx: Tx, poll_token: str) -> Polled:
    """Register the endpoint of an approved device, and give its token."""
    found = _require_poll(tx, poll_token)
    # Looked at again within the write: of two polls at once only one gets the token.
    if found.status != "approved" or found.user_id is None:
        return Polled(found.status)
    made = endpoints.register(
        tx,
        found.user_id,
        device_id=found.device_id,
        runtime=found.runtime,
        bridge_version=found.bridge_version,
        adapter_version=found.adapter_version,
        capabilities=found.capabilities,
        name=found.label,
    )
    rows.consume(tx, found)
    return Polled("approved", made.device_token, users.uuid_of(tx, found.user_id))
