"""Dispatching messages: giving them to the streams of their endpoints, and ending them.

What happens elsewhere is told here: that a stream has sent a message, that a session has become
free, that a grant has ended.
"""

from typing import Any

import msgspec

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.events import Events
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import operation
from app.core.schema import Record
from app.runtime.devices import session_rows
from app.runtime.grants import grant_rows
from app.runtime.messages import delivery_states, message_rows
from app.runtime.messages.message_rows import Message
from app.runtime.realtime import event_rows

DISPATCH = "message.dispatch"
DISPATCH_SECONDS = 5


class Target(Record):
    kind: str
    principal_id: str
    endpoint_id: str
    session_handle: str


class Envelope(Record, omit_defaults=True):
    """A message as its endpoint gets it."""

    id: str
    client_message_id: str
    communication_session_id: str
    sender_principal_id: str
    sender_device_id: str
    target: Target
    kind: str
    payload: msgspec.Raw
    sequence: int
    created_at: str
    expires_at: str
    collaboration_id: str | None = None
    collaboration_turn: msgspec.Raw | None = None
    reply_to: str | None = None
    correlation_id: str | None = None


class Dispatched(Record):
    """The data of a dispatch."""

    envelope: Envelope
    delivery_id: str


class DispatchedDue(Record):
    ended: int
    dispatched: int


def listen(events: Events) -> None:
    """Hear of what was sent, of sessions that become free, and of grants that end."""
    events.on_within(event_rows.DISPATCHED, _note_sent)
    events.on_within(session_rows.CHANGED, _session_changed)
    events.on_within(grant_rows.ENDED, _end_messages)
    events.on_within(users.REMOVING, _forget_dispatches)


@operation("COMMAND", every=DISPATCH_SECONDS)
async def dispatch_due_messages(app: App, me: Caller) -> DispatchedDue:
    """End the grants whose time is over, and dispatch again what a runtime failed on."""
    if not app.quick(_any_due):
        return DispatchedDue(0, 0)
    return await app.write(_dispatch_due)


def dispatch_if_free(tx: Tx, message: Message) -> None:
    """Give a message to its endpoint's stream, unless its session is busy and takes nothing in the
    middle of a turn: then it waits until that is free.
    """
    session = session_rows.find(tx, message.session)
    if session is None or not _is_free(session):
        return
    event_rows.append_event(
        tx,
        message.endpoint,
        DISPATCH,
        Dispatched(envelope_of(message), message.delivery.delivery_id),
        delivery=message.delivery.delivery_id,
        expires_at=message.expires_at,
    )
    message_rows.hand_over(tx, message)


def envelope_of(message: Message) -> Envelope:
    """Return a message as its endpoint gets it."""
    return copy_fields(
        Envelope,
        message,
        communication_session_id=message.grant,
        sender_principal_id=message.sender_uuid,
        sender_device_id=message.sender_device,
        target=Target(
            message.target_kind, message.recipient_uuid, message.endpoint, message.session
        ),
        payload=msgspec.Raw(message.payload.encode()),
        created_at=message.delivery.queued_at,
        collaboration_turn=None if message.turn is None else _turn_of(message),
    )


def _turn_of(message: Message) -> msgspec.Raw:
    """Return the turn of a message, with the id and number that it has here."""
    given: dict[str, Any] = msgspec.json.decode(message.turn or "{}")
    return msgspec.Raw(
        msgspec.json.encode({**given, "turnId": message.id, "sequence": message.sequence})
    )


def _is_free(session: session_rows.Session) -> bool:
    return session.state == "idle" or (session.state == "busy" and session.allow_mid_turn_steer)


def _note_sent(tx: Tx, delivery: str) -> None:
    message = message_rows.find_by_delivery(tx, delivery)
    if message is None:
        return
    status = delivery_states.after_sent(message.status)
    if status != message.status:
        message_rows.come_to(tx, message, status, {})


def _session_changed(tx: Tx, change: session_rows.Change) -> None:
    if _is_free(change.after) and not _is_free(change.before):
        for message in message_rows.list_waiting(tx, change.after.session_handle):
            dispatch_if_free(tx, message)


def _end_messages(tx: Tx, ended: grant_rows.Ended) -> None:
    end: delivery_states.End = "revoked" if ended.grant.status == "revoked" else "expired"
    for message in message_rows.list_unfinished(tx, ended.grant.id):
        event_rows.acknowledge(tx, message.delivery.delivery_id)
        message_rows.come_to(tx, message, delivery_states.after_end(message.stored, end), {})


def _any_due(tx: Tx) -> bool:
    return grant_rows.any_due(tx) or message_rows.any_due(tx)


def _dispatch_due(tx: Tx) -> DispatchedDue:
    ended = grant_rows.settle_due(tx)
    due = message_rows.list_due(tx)
    for message in due:
        dispatch_if_free(tx, message)
    return DispatchedDue(ended, len(due))


def _forget_dispatches(tx: Tx, user: int) -> None:
    """Delete the messages of a user who is to be deleted from what the others' endpoints are
    told.
    """
    for delivery in message_rows.list_deliveries(tx, user):
        event_rows.forget(tx, delivery)
