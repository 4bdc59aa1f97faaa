"""What moves a task on while nobody asks.

Contacts, grants and decisions that come or end, and the turns of those who work on it.
"""

from typing import Literal

import msgspec

from app.account import contact_pairs
from app.account.users import caller_for
from app.core.app import App
from app.core.caller import Caller
from app.core.database.events import Events
from app.core.database.tx import Tx
from app.core.operation import HOUR, operation
from app.core.schema import Record
from app.errors import AppError, NotConnected
from app.network.contacts import contact_requests, people
from app.runtime.approvals import tool_approvals, trusted_policies
from app.runtime.delegations import delegation_rows, hand_over
from app.runtime.delegations.delegation_rows import Delegation
from app.runtime.devices import route_rows
from app.runtime.grants import grant_rows, refusals
from app.runtime.grants.grant_rows import Ended, Grant
from app.runtime.messages import dispatch, message_rows, messages
from app.runtime.messages.message_rows import Message
from app.runtime.messages.messages import Turn, Words
from app.tools.approvals import escalation_rows
from app.tools.approvals.escalation_rows import Settled

ADVANCE_SECONDS = 15
QUESTION: Literal["owner_question"] = "owner_question"
ANSWERS = {"executed": "My owner says yes.", "stopped": "My owner says no."}


class Advanced(Record):
    went_on: int
    ended: int


def listen(events: Events) -> None:
    """Hear of all that messages, approvals and tasks between runtimes depend on."""
    dispatch.listen(events)
    tool_approvals.listen(events)
    events.on_within(contact_pairs.CONNECTED, _connected)
    events.on_within(contact_pairs.DISCONNECTED, _disconnected)
    events.on_within(contact_requests.REFUSED, _contact_refused)
    events.on_within(grant_rows.ACTIVATED, _grant_activated)
    events.on_within(grant_rows.ENDED, _grant_ended)
    events.on_within(escalation_rows.SETTLED, _settled)
    events.on_within(messages.SENT, _message_sent)


@operation("COMMAND", every=ADVANCE_SECONDS)
async def advance_delegations(app: App, me: Caller) -> Advanced:
    """Go on with the tasks whose way has become free, and end those that waited in vain."""
    if not app.quick(_any_to_advance):
        return Advanced(0, 0)
    return await app.write(_advance)


@operation("COMMAND", every=HOUR)
def forget_delegations(tx: Tx, me: Caller) -> Record:
    """Delete the tasks that came to their end long ago."""
    delegation_rows.delete_old(tx)
    return Record()


def _any_to_advance(tx: Tx) -> bool:
    return bool(delegation_rows.list_overdue(tx)) or any(
        _has_route(tx, one) for one in delegation_rows.list_ready(tx)
    )


def _has_route(tx: Tx, delegation: Delegation) -> bool:
    return (
        delegation.order.offer is not None
        or route_rows.find_reachable(tx, delegation.peer) is not None
    )


def _advance(tx: Tx) -> Advanced:
    overdue = delegation_rows.list_overdue(tx)
    for delegation in overdue:
        hand_over.end_waiting(tx, delegation, refusals.RequestExpired)
    ready = [one for one in delegation_rows.list_ready(tx) if _has_route(tx, one)]
    for delegation in ready:
        hand_over.try_on(tx, hand_over.requester(tx, delegation), delegation)
    return Advanced(len(ready), len(overdue))


def _connected(tx: Tx, users: tuple[int, int]) -> None:
    for user, peer in (users, users[::-1]):
        for delegation in delegation_rows.list_waiting_between(tx, user, peer):
            hand_over.try_on(tx, hand_over.requester(tx, delegation), delegation)


def _disconnected(tx: Tx, users: tuple[int, int]) -> None:
    """End all that two people, who are no contacts any more, have let each other's agents do."""
    me = caller_for(tx, users[0], "session")
    grant_rows.end_between(tx, me, *users)
    trusted_policies.end_between(tx, me, *users)


def _contact_refused(tx: Tx, users: tuple[int, int]) -> None:
    for delegation in delegation_rows.list_waiting_between(tx, *users):
        hand_over.end_waiting(tx, delegation, NotConnected)


def _grant_activated(tx: Tx, grant: Grant) -> None:
    for delegation in delegation_rows.list_under(tx, grant.id):
        _hand_over_or_end(tx, delegation, grant, asked=False)


def _hand_over_or_end(tx: Tx, delegation: Delegation, grant: Grant, *, asked: bool) -> None:
    """Hand over a task that waited for this grant, or end it where that is refused.

    `asked`: its recipient has opened the folder that it is about.
    """
    me, step = hand_over.requester(tx, delegation), hand_over.send if asked else hand_over.hand_over
    try:
        with tx.savepoint():
            step(tx, me, delegation, grant)
    except AppError as error:
        hand_over.end_waiting(tx, delegation, type(error))


def _grant_ended(tx: Tx, ended: Ended) -> None:
    grant = ended.grant
    over = grant.status == "expired"
    for delegation in delegation_rows.list_under(tx, grant.id):
        if delegation.status == "delegated":
            delegation_rows.change(tx, delegation, "ended")
            event = "collaboration.expired" if over else "collaboration.revoked"
            hand_over.tell(tx, delegation, event, grant)
        else:
            hand_over.end_waiting(tx, delegation, _why(ended))


def _why(ended: Ended) -> type[AppError]:
    if ended.grant.status == "expired":
        return refusals.CommunicationExpired if ended.was_active else refusals.RequestExpired
    declined = ended.grant.status == "declined"
    return refusals.CommunicationDeclined if declined else refusals.CommunicationRevoked


def _settled(tx: Tx, found: Settled) -> None:
    """Go on after a decision: a task whose folder was opened, or a question to an owner."""
    if found.origin.kind != "runtime":
        return
    if found.tool == QUESTION:
        _answer_question(tx, found)
        return
    delegation = delegation_rows.find_by_escalation(tx, found.id)
    if delegation is None:
        return
    grant = hand_over.grant_of(tx, delegation)
    if found.status == "executed" and grant is not None and grant.status == "active":
        _hand_over_or_end(tx, delegation, grant, asked=True)
    elif found.status == "expired":
        hand_over.end_waiting(tx, delegation, refusals.RequestExpired)
    elif found.status == "stopped":
        hand_over.end_waiting(tx, delegation, refusals.PermissionRequired)


def _message_sent(tx: Tx, message: Message) -> None:
    """Do what the outcome of a turn asks for."""
    if message.turn is None:
        return
    turn = msgspec.json.decode(message.turn, type=Turn)
    if turn.outcome == "needs_owner":
        _ask_owner(tx, message)
    delegation = delegation_rows.find(tx, message.collaboration_id or "")
    if delegation is None or delegation.status != "delegated":
        return
    if turn.outcome == "failed":
        delegation_rows.change(tx, delegation, "ended")
    elif turn.outcome == "propose_complete" and _is_agreed(tx, message, turn):
        delegation_rows.change(tx, delegation, "completed")
        hand_over.tell(
            tx, delegation, "collaboration.completed", hand_over.grant_of(tx, delegation)
        )


def _is_agreed(tx: Tx, message: Message, turn: Turn) -> bool:
    """Return whether a proposal to finish needs no further word: it asks for none, or answers one
    like it."""
    if not turn.expects_reply:
        return True
    before = message_rows.find(tx, message.reply_to or "")
    if before is None or before.turn is None or before.sender == message.sender:
        return False
    return msgspec.json.decode(before.turn, type=Turn).outcome == "propose_complete"


def _ask_owner(tx: Tx, message: Message) -> None:
    """Ask the owner of the agent that says it needs them."""
    peer = people.person_row(tx, message.recipient)
    grant = grant_rows.require(tx, message.grant)
    me = caller_for(tx, message.sender, "device")
    payload = msgspec.json.decode(message.payload)
    text = payload.get("text")
    question = text if isinstance(text, str) and text.strip() else message.payload
    escalation_rows.raise_(
        tx,
        me,
        kind=QUESTION,
        origin=tool_approvals.origin_of(grant),
        tool=QUESTION,
        arguments={
            "communicationSessionId": grant.id,
            "messageId": message.id,
            "question": question[:4000],
        },
        summary=f"Your agent asks you, at work for {peer['name']}: {question[:200]}",
        reason="Your agent says that it needs you to go on.",
        taint=frozenset({"agent"}),
    )


def _answer_question(tx: Tx, found: Settled) -> None:
    """Send the owner's yes or no to the other side, while the grant lasts."""
    grant = grant_rows.find(tx, found.origin.communication_session_id or "")
    said = ANSWERS.get(found.status)
    row = tx.one("SELECT arguments FROM escalations WHERE id = :id", id=found.id)
    if grant is None or grant.status != "active" or said is None or row is None:
        return
    asked = message_rows.find(tx, msgspec.json.decode(row["arguments"])["messageId"])
    if asked is None:
        return
    me = caller_for(tx, found.user, "session")
    decision = "continue" if found.status == "executed" else "stop"
    client = f"owner-decision:{found.id}"
    words = Words(
        client_message_id=client,
        kind="text",
        payload={"text": said, "decision": decision},
        body_sha256=client,
        reply_to=asked.reply_to,
        correlation_id=asked.correlation_id,
        collaboration_id=asked.collaboration_id,
        turn=Turn(client, "control", expects_reply=False, outcome="respond"),
    )
    try:
        with tx.savepoint():
            messages.send(tx, me, grant, words)
    except AppError:
        return  # the decision stands, though nobody can be told
