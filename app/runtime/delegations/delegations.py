"""Delegations: handing a task to another person's agent, whatever has to be asked for first."""

import hashlib
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account import contact_pairs
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record, Text
from app.errors import ClientMessageIdConflict, QuotaExceeded, RateLimited
from app.network.contacts import people
from app.runtime.delegations import capsules, delegation_rows, hand_over
from app.runtime.delegations.capsules import Context
from app.runtime.delegations.delegation_rows import Delegation, Order
from app.runtime.devices import session_rows
from app.runtime.grants import grants
from app.runtime.grants.grants import Target, Ttl
from app.runtime.messages import message_rows

MOST_WAITING = 200
Handle = Annotated[str, Meta(min_length=1, max_length=64)]
Word = Annotated[str, Meta(min_length=1, max_length=200), Text(200)]


class Delegated(Record, omit_defaults=True):
    """What became of a task: handed over, or what it waits for."""

    status: Literal[
        "delegated", "folder_access_requested", "grant_requested", "collaboration_requested"
    ]
    client_message_id: str
    duplicate: bool
    correlation_id: str | UnsetType = UNSET
    communication_session_id: str | UnsetType = UNSET
    collaboration_id: str | UnsetType = UNSET
    approval_id: str | UnsetType = UNSET
    message_id: str | UnsetType = UNSET
    delivery_id: str | UnsetType = UNSET
    queued_at: str | UnsetType = UNSET


class Given(msgspec.Struct, frozen=True):
    """A request for a delegation that was checked as far as it can be without the database."""

    target: Target
    session_handle: str
    order: Order


@operation(
    "POST /local-agent/delegations",
    scope="runtime:connect",
    http=Http(
        status=201,
        refuses={
            "target": "it is the caller, or no offer is named",
            "task": "it says nothing",
            "context": "a sha256 is not that of its content",
        },
    ),
)
async def delegate_task(
    app: App,
    me: Caller,
    *,
    target: Target,
    task: str | dict[str, Any],
    session_handle: Handle,
    client_message_id: Word,
    correlation_id: Word | None = None,
    requested_ttl_minutes: Ttl = 30,
    context: Context | None = None,
) -> Delegated:
    """Hand a task to a contact's agent, and ask for what that still needs.

    Where no grant is active, one is asked for; where the two are no contacts, that is. The task
    goes on by itself when it is granted. The same clientMessageId hands over once and tells how
    far it is.
    """
    capsules.check_task(task)
    capsules.check_context(context)
    body = [target, task, session_handle, correlation_id, requested_ttl_minutes, context]
    order = Order(
        client_message_id=client_message_id,
        body_sha256=hashlib.sha256(msgspec.json.encode(body, order="sorted")).hexdigest(),
        target_kind=target.kind,
        offer=target.target_offer_id,
        task=task,
        context=None if context is None else msgspec.json.encode(context),
        endpoint="",
        session=session_handle,
        correlation_id=correlation_id,
        ttl_minutes=requested_ttl_minutes,
    )
    given = Given(target, session_handle, order)
    if app.quick(_asks_for_contact, me, given):
        # In memory and outside of the transaction, as where a person asks.
        verdict = app.rates.contact_requests.take_token(me.user)
        if verdict.wait:
            raise RateLimited(
                "Too many requests to become a contact; wait a moment.", retryAfter=verdict.wait
            )
    return await app.write(_delegate, me, given)


def _asks_for_contact(tx: Tx, me: Caller, given: Given) -> bool:
    """Return whether a delegation would ask someone to become a contact."""
    if delegation_rows.find_sent(tx, me.user, given.order.client_message_id) is not None:
        return False
    recipient = grants.require_recipient(tx, me, given.target)
    return not contact_pairs.are_contacts(tx, me.user, recipient)


def _delegate(tx: Tx, me: Caller, given: Given) -> Delegated:
    order = given.order
    earlier = delegation_rows.find_sent(tx, me.user, order.client_message_id)
    if earlier is not None:
        if earlier.order.body_sha256 != order.body_sha256:
            raise _conflict()
        session_rows.require_own(tx, me, order.session)
        return _shown(tx, hand_over.resume(tx, me, earlier), duplicate=True)
    if message_rows.find_sent(tx, me.user, order.client_message_id) is not None:
        raise _conflict()
    recipient = grants.require_recipient(tx, me, given.target)
    session = session_rows.require_open(tx, me, order.session)
    session_rows.require_at(tx, me, session.endpoint_id, session.session_handle)
    if delegation_rows.count_waiting(tx, me.user) >= MOST_WAITING:
        raise QuotaExceeded("Too many tasks wait to be handed over.", limit=MOST_WAITING)
    placed = msgspec.structs.replace(order, endpoint=session.endpoint_id)
    waiting = delegation_rows.insert(tx, me.user, recipient, placed)
    if not contact_pairs.are_contacts(tx, me.user, recipient):
        hand_over.ask_for_contact(tx, me, people.person_row(tx, recipient)["username"])
    return _shown(tx, hand_over.go_on(tx, me, waiting), duplicate=False)


def _shown(tx: Tx, delegation: Delegation, *, duplicate: bool) -> Delegated:
    status = delegation.status
    found = Delegated(
        # what came after a task was handed over is told by its messages
        "delegated" if status == "completed" or status == "ended" else status,
        delegation.order.client_message_id,
        duplicate,
        delegation.order.correlation_id or UNSET,
        delegation.grant or UNSET,
        delegation.collaboration_id,
    )
    if delegation.approval is not None and status == "folder_access_requested":
        found.approval_id = delegation.approval
    message = message_rows.find(tx, delegation.message or "")
    if message is not None:
        found.message_id, found.delivery_id = message.id, message.delivery.delivery_id
        found.queued_at = message.delivery.queued_at
        found.communication_session_id = message.grant
    return found


def _conflict() -> ClientMessageIdConflict:
    return ClientMessageIdConflict(
        "This clientMessageId came with something else before; use a new one.",
        field="clientMessageId",
    )
