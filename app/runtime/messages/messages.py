"""Messages under a grant: sending them, reading how far they have got, and acknowledging them."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Body, DocumentedPattern, Record, Text
from app.errors import (
    ClientMessageIdConflict,
    EndpointNotOwned,
    Invalid,
    NotFound,
    PayloadTooLarge,
    QuotaExceeded,
    SessionClosed,
)
from app.runtime.devices import endpoint_rows, session_rows
from app.runtime.grants import grant_rows, grant_states, grants, refusals
from app.runtime.grants.grant_rows import Grant
from app.runtime.messages import attempt_rows, delivery_states, dispatch, message_rows
from app.runtime.messages.attempt_rows import Attempt
from app.runtime.messages.delivery_states import Phase
from app.runtime.messages.message_rows import Delivery, Draft, Kind, Message
from app.runtime.realtime import event_rows

LARGEST_PAYLOAD = 32 << 10
MOST_UNDELIVERED = 1000
"""So many messages may wait for one side of a grant."""
SENT = "runtime.message_sent"
"""Told within the transaction that queues a message, with the Message."""
Handle = Annotated[str, Meta(min_length=1, max_length=64)]
Word = Annotated[str, Meta(min_length=1, max_length=200), Text(200)]
KINDS: tuple[Kind, ...] = ("text", "task_invite", "resource_request")


class Turn(Body, omit_defaults=True):
    """A turn of a collaboration: what kind of word it is, and what came of the one before."""

    client_turn_id: Word
    type: Literal["task", "question", "response", "result", "control"]
    expects_reply: bool
    parent_turn_id: Word | None = None
    outcome: Literal["respond", "needs_owner", "propose_complete", "failed"] | None = None


class Sent(Record):
    """A message that is stored, now or since before (`duplicate`)."""

    message_id: str
    delivery_id: str
    status: Literal["queued"]
    duplicate: bool
    queued_at: str


class MessageState(Record):
    delivery: Delivery
    attempts: list[Attempt]


class Acknowledged(Record):
    """Whether an acknowledgement changed the delivery, or was only written down."""

    recorded: Literal["state", "audit_only"]


class Validity(Record, omit_defaults=True):
    """Whether a message may be given to a runtime now; else why not."""

    valid: bool
    reason: str | UnsetType = UNSET


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What a message says, before it is known where it goes."""

    client_message_id: str
    kind: Kind
    payload: Mapping[str, Any]
    body_sha256: str
    reply_to: str | None = None
    correlation_id: str | None = None
    collaboration_id: str | None = None
    turn: Turn | None = None


@operation(
    "POST /local-agent/messages",
    scope="runtime:connect",
    http=Http(
        refuses={
            "communicationSessionId": "it is left out",
            "target": "a message goes to its grant",
        }
    ),
)
def send_runtime_message(
    tx: Tx,
    me: Caller,
    *,
    communication_session_id: Handle | None = None,
    client_message_id: Word,
    kind: Annotated[str, DocumentedPattern(f"^({'|'.join(KINDS)})$")],
    payload: dict[str, Any],
    reply_to: Handle | None = None,
    correlation_id: Word | None = None,
    collaboration_turn: Turn | None = None,
    target: dict[str, Any] | None = None,
) -> Sent:
    """Send a message to the other side of a grant; the same clientMessageId sends once.

    A grant decides where it goes, so `target` can name nothing else.
    """
    if communication_session_id is None:
        if target is not None:
            raise refusals.InvalidTargetKind(
                "A message goes to the session of a grant: name its communicationSessionId.",
                field="target",
            )
        raise Invalid("communicationSessionId is required.", field="communicationSessionId")
    if kind not in KINDS:
        raise refusals.InvalidMessageKind(f"kind must be one of {', '.join(KINDS)}.", field="kind")
    body = [communication_session_id, kind, payload, reply_to, correlation_id, collaboration_turn]
    sha = hashlib.sha256(msgspec.json.encode(body, order="sorted")).hexdigest()
    if (earlier := find_earlier(tx, me, client_message_id, sha)) is not None:
        return receipt(earlier, duplicate=True)
    if len(msgspec.json.encode(payload)) > LARGEST_PAYLOAD:
        raise PayloadTooLarge("payload is too large.", field="payload", limitBytes=LARGEST_PAYLOAD)
    grant = grant_rows.require_own(tx, me.user, communication_session_id)
    words = Words(
        client_message_id=client_message_id,
        kind=kind,
        payload=payload,
        body_sha256=sha,
        reply_to=reply_to,
        correlation_id=correlation_id,
        turn=collaboration_turn,
    )
    return receipt(send(tx, me, grant, words), duplicate=False)


@operation("GET /local-agent/messages/{id}", scope="runtime:connect")
def read_runtime_message(tx: Tx, me: Caller, *, id: Handle) -> MessageState:
    """Read how far a message that the caller sent or gets has come, and what was said of it."""
    message = _require_seen(tx, me, id)
    return MessageState(message.delivery, attempt_rows.list_of(tx, message.id))


@operation("POST /local-agent/messages/{id}/ack", scope="runtime:connect")
def acknowledge_message(
    tx: Tx,
    me: Caller,
    *,
    id: Handle,
    phase: Phase,
    attempt_id: Word,
    result_code: Word | None = None,
    retryable: bool = False,
    runtime_ack_id: Word | None = None,
) -> Acknowledged:
    """Say how far a message has got on the device that it went to.

    A repeat, a step back or a word after the end is written down and changes nothing.
    """
    message = _require_seen(tx, me, id)
    if message.recipient != me.user:
        raise EndpointNotOwned("Only whoever gets a message can acknowledge it.", field="id")
    endpoint = endpoint_rows.find(tx, message.endpoint)
    if endpoint is not None:
        endpoint_rows.require_device(me, endpoint.device_id)
    grant_rows.settle(tx, grant_rows.require(tx, message.grant))
    attempt = Attempt(attempt_id, phase, result_code, retryable, runtime_ack_id, tx.now)
    if not attempt_rows.add(tx, message.id, attempt):
        return Acknowledged("audit_only")
    label = None if endpoint is None else f"{endpoint.runtime} {endpoint.adapter_version}"
    return Acknowledged("state" if _apply(tx, message, attempt, label) else "audit_only")


@operation("POST /local-agent/injections/validate", scope="runtime:connect", effect="read")
def validate_injection(
    tx: Tx,
    me: Caller,
    *,
    message_id: Handle,
    communication_session_id: Handle,
    endpoint_id: Handle,
    session_handle: Handle | None = None,
) -> Validity:
    """Check, right before a runtime is given a message, that it may still have it.

    What a runtime has acknowledged is not given to it twice.
    """
    endpoint_rows.require_own(tx, me, endpoint_id)
    message = message_rows.find(tx, message_id)
    if message is None or me.user not in (message.sender, message.recipient):
        return Validity(False, NotFound.code)
    reason = _reason_not_to(
        tx, message, (communication_session_id, endpoint_id, session_handle or message.session)
    )
    return Validity(True) if reason is None else Validity(False, reason)


def find_earlier(tx: Tx, me: Caller, client_message_id: str, sha: str) -> Message | None:
    """Return the message that the caller sent under this id before.

    Raise ClientMessageIdConflict when it said something else.
    """
    found = message_rows.find_sent(tx, me.user, client_message_id)
    if found is not None and found.body_sha256 != sha:
        raise ClientMessageIdConflict(
            "This clientMessageId came with another message before; use a new one.",
            field="clientMessageId",
            messageId=found.id,
        )
    return found


def receipt(message: Message, *, duplicate: bool) -> Sent:
    """Return what the sender of a message is told."""
    delivery = message.delivery
    return Sent(message.id, delivery.delivery_id, "queued", duplicate, delivery.queued_at)


def send(tx: Tx, me: Caller, grant: Grant, words: Words) -> Message:
    """Queue a message of a participant to the other side of a grant, and dispatch it where its
    session is free.

    Raise why nothing can be sent.
    """
    grant_states.require_active(grant.status)
    grants.require_side(tx, me, grant)
    side = grant.side_of(me.user)
    other: grant_states.Side = "recipient" if side == "requester" else "requester"
    session = _require_taking(tx, grant, other)
    replied = _require_replied(tx, grant, words.reply_to)
    if message_rows.count_undelivered(tx, grant.id, session.endpoint_id) >= MOST_UNDELIVERED:
        raise QuotaExceeded(
            "Too many messages wait under this grant; let some be delivered first.",
            limit=MOST_UNDELIVERED,
        )
    sender = endpoint_rows.find(tx, grant.endpoint_of(side) or "")
    draft = Draft(
        grant=grant.id,
        sender=me.user,
        sender_device=grant.row.requester_device_id if sender is None else sender.device_id,
        recipient=grant.other(me.user),
        endpoint=session.endpoint_id,
        session=session.session_handle,
        target_kind=grant.row.target_kind if other == "recipient" else "runtime_session",
        client_message_id=words.client_message_id,
        body_sha256=words.body_sha256,
        kind=words.kind,
        payload=msgspec.json.encode(words.payload).decode(),
        reply_to=words.reply_to,
        correlation_id=words.correlation_id,
        collaboration_id=words.collaboration_id
        or (None if replied is None else replied.collaboration_id),
        turn=None if words.turn is None else msgspec.json.encode(words.turn).decode(),
        expires_at=grant.ends_at,
    )
    message = message_rows.insert(tx, draft, grant_rows.next_sequence(tx, grant.id))
    dispatch.dispatch_if_free(tx, message)
    if replied is not None and replied.recipient == me.user:
        _come_to(tx, replied, delivery_states.after_reply(replied.status))
    tx.tell(SENT, message)
    return message


def _require_taking(tx: Tx, grant: Grant, side: grant_states.Side) -> session_rows.Session:
    """Return the session of one side; raise where it takes no messages."""
    session = session_rows.find(tx, grant.session_of(side) or "")
    if session is None or session.state == "closed":
        raise SessionClosed("The session that this would go to is closed.")
    if side == "recipient" and not session.allow_inbound:
        raise refusals.InboundDisabled("The session that this would go to takes no messages.")
    return session


def _require_replied(tx: Tx, grant: Grant, reply_to: str | None) -> Message | None:
    if reply_to is None:
        return None
    found = message_rows.find(tx, reply_to)
    if found is None or found.grant != grant.id:
        raise refusals.WrongTarget(
            "replyTo must name a message under the same grant.", field="replyTo"
        )
    return found


def _require_seen(tx: Tx, me: Caller, id_: str) -> Message:
    found = message_rows.find(tx, id_)
    if found is None or me.user not in (found.sender, found.recipient):
        raise NotFound("There is no such message.", field="id")
    return found


def _apply(tx: Tx, message: Message, attempt: Attempt, label: str | None) -> bool:
    """Let a delivery go on by what its device said; return whether that changed anything."""
    status = delivery_states.after_ack(
        message.status, attempt.phase, retryable=attempt.retryable, result_code=attempt.result_code
    )
    if status is None:
        return False
    # whatever the device said, it has got the message
    event_rows.acknowledge(tx, message.delivery.delivery_id)
    if status == "queued":
        message_rows.put_back(tx, message, result_code=attempt.result_code)
        if message.failures == 0:
            dispatch.dispatch_if_free(tx, message_rows.require(tx, message.id))
        return True
    more: dict[str, Any] = {"result_code": attempt.result_code}
    if attempt.phase == "runtime_ack":
        more |= {"runtime_ack_id": attempt.runtime_ack_id, "adapter_label": label}
    message_rows.come_to(tx, message, status, more)
    if status == "runtime_acked" and message_rows.has_answer(tx, message):
        _come_to(tx, message, delivery_states.after_reply(status))
    return True


def _come_to(tx: Tx, message: Message, status: delivery_states.Status) -> None:
    if status != message.status:
        message_rows.come_to(tx, message, status, {})


def _reason_not_to(tx: Tx, message: Message, target: tuple[str, str, str]) -> str | None:
    """Return why a runtime must not have a message; None where it may."""
    if target != (message.grant, message.endpoint, message.session):
        return refusals.WrongTarget.code
    grant = grant_rows.require(tx, message.grant)
    if grant.status != "active":
        return grant_states.REFUSALS[grant.status].code
    if not delivery_states.is_undelivered(message.status):
        return refusals.DeliveryTerminal.code
    session = session_rows.find(tx, message.session)
    if session is None:
        return "session_not_found"
    if session.state == "closed":
        return SessionClosed.code
    to_recipient = message.recipient == grant.recipient
    return refusals.InboundDisabled.code if to_recipient and not session.allow_inbound else None
