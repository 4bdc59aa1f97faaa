"""The queue of a local machine.

Messages of guests that the owner's own machine answers, what it decided, and its answers.
"""

import json
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from app.agent.turn import conversation_rows
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import NonBlankText, Offset, Record
from app.errors import GrantRevoked, NotFound
from app.network.grants import share_rows
from app.network.guests import guest_rows
from app.network.messages import senders

MOST = 200
MOST_DECISIONS = 50
LONGEST_EVENT, LARGEST_DECISION = 128, 16 << 10


class QueuedLink(Record):
    share_token: str
    label: str


class QueuedMessage(Record):
    """A message of a session that a local machine answers; `role` is assistant for its own."""

    id: int
    session_id: str
    role: str
    content: str
    link_label: str
    created_at: str


class RejectedDecision(Record):
    client_event_id: str | None
    reason: str


class Decisions(Record):
    """Which decisions are stored, now or since before, and which cannot be."""

    accepted: list[str]
    rejected: list[RejectedDecision]


class GuestQueue(Record):
    links: list[QueuedLink]
    messages: list[QueuedMessage]
    decisions: Decisions | UnsetType = UNSET


class Replied(Record):
    message_id: int


@operation("GET /local-agent/guest-messages", category="runtime", scope="runtime:connect")
def list_guest_messages(tx: Tx, me: Caller, *, since: Offset = 0) -> GuestQueue:
    """List the messages of guests whom a local machine of the caller's answers.

    They begin after `since` and include its own answers.
    """
    # The number of the last message seen is the whole state of the poll: nothing is kept for it.
    return _read_queue(tx, me, since)


@operation("POST /local-agent/guest-messages", category="runtime", scope="runtime:connect")
def sync_guest_messages(
    tx: Tx,
    me: Caller,
    *,
    since: Offset = 0,
    decisions: Annotated[list[dict[str, Any]], Meta(max_length=MOST_DECISIONS)] | None = None,
) -> GuestQueue:
    """List the same messages, and keep what the local machine decided.

    Each decision once, by its clientEventId.
    """
    found = _read_queue(tx, me, since)
    if decisions is not None:
        found.decisions = _keep_decisions(tx, me, decisions)
    return found


@operation("POST /local-agent/guest-messages/reply", category="runtime", scope="runtime:connect")
def reply_to_guest(
    tx: Tx,
    me: Caller,
    *,
    session_id: Annotated[str, Meta(min_length=1, max_length=64)],
    content: Annotated[str, Meta(min_length=1, max_length=20_000), NonBlankText()],
) -> Replied:
    """Answer a guest from a local machine."""
    # An expired link takes this answer: its guest asked while it was open. A revoked one does not.
    session = guest_rows.find_session(tx, me.user, session_id)
    link = None if session is None else share_rows.find_own(tx, me.user, session["token"])
    if session is None or link is None or link.answered_by != "local":
        raise NotFound(
            "There is no such session of a link that a local machine answers.", field="sessionId"
        )
    if link.revoked_at is not None:
        raise GrantRevoked("The share link of this session was revoked.")
    label = senders.agent_name(tx, senders.require_person_of_row(tx, me.user))
    message = conversation_rows.add_message(
        tx,
        session["conversation_id"],
        role="assistant",
        sender_type="agent",
        sender=None,
        label=label,
        content=content,
    )
    guest_rows.note_answer(tx, session["id"])
    return Replied(message)


def _read_queue(tx: Tx, me: Caller, since: int) -> GuestQueue:
    links = tx.all(
        """SELECT token, label FROM share_links WHERE owner_id = :me
          AND revoked_at IS NULL AND answered_by = 'local'
             AND (expires_at IS NULL OR expires_at > :now) ORDER BY id""",
        me=me.user,
        now=tx.now,
    )
    rows = tx.all(
        """SELECT m.id, s.uuid, m.role, m.content, l.label, m.created_at
          FROM share_links l JOIN guest_sessions s ON s.link_id = l.id
           JOIN messages m ON m.conversation_id = s.conversation_id AND m.id > :since
           WHERE l.owner_id = :me AND l.revoked_at IS NULL AND l.answered_by = 'local'
             ORDER BY m.id LIMIT :most""",
        me=me.user,
        since=since,
        most=MOST,
    )
    return GuestQueue([QueuedLink(*row) for row in links], [QueuedMessage(*row) for row in rows])


def _keep_decisions(tx: Tx, me: Caller, decisions: list[dict[str, Any]]) -> Decisions:
    accepted: list[str] = []
    rejected: list[RejectedDecision] = []
    # One bad decision must not keep the others out: the machine would send all of them for ever.
    for decision in decisions:
        event, text = decision.get("clientEventId"), json.dumps(decision)
        if not isinstance(event, str) or not 1 <= len(event) <= LONGEST_EVENT or "\0" in event:
            rejected.append(
                RejectedDecision(
                    None, f"clientEventId must be a text of 1 to {LONGEST_EVENT} characters."
                )
            )
        elif len(text) > LARGEST_DECISION:
            rejected.append(
                RejectedDecision(event, f"The decision is larger than {LARGEST_DECISION} bytes.")
            )
        else:
            guest_rows.store_decision(tx, me.user, event, text)
            accepted.append(event)
    return Decisions(accepted, rejected)
