"""The table of messages between runtimes, with how far the delivery of each has got."""

import sqlite3
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import msgspec

from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.schema import Record
from app.runtime.grants import grant_states
from app.runtime.messages import delivery_states
from app.runtime.messages.delivery_states import End, Status

Kind = Literal["text", "task_invite", "resource_request"]
PREFIX, DELIVERY_PREFIX = "msg_", "del_"
LONGEST_PAUSE = timedelta(seconds=30)
"""At most so long after a failure a message is dispatched again: after the first one at once, then
after a second, then after twice as long each time."""
AT_ONCE = 500
UNDELIVERED = "m.status IN ('queued', 'dispatched', 'device_acked', 'runtime_pending')"
COLUMNS = (
    "m.*, sender.uuid AS sender_uuid, recipient.uuid AS recipient_uuid, g.ends_at AS grant_ends, "
    "g.status AS grant_status FROM runtime_messages m "
    "JOIN runtime_grants g ON g.id = m.grant_id JOIN users sender ON sender.id = m.sender_id "
    "JOIN users recipient ON recipient.id = m.recipient_id"
)
REACHED_AT: dict[Status, str] = {
    "device_acked": "device_acked_at",
    "runtime_pending": "runtime_pending_at",
    "runtime_acked": "runtime_acked_at",
    "handled": "runtime_acked_at",
}
"""The column that tells when a delivery came to a state."""


class Delivery(Record):
    """How far the delivery of a message has got."""

    delivery_id: str
    status: Status
    queued_at: str
    dispatched_at: str | None
    device_ack_received_at: str | None
    runtime_pending_at: str | None
    runtime_ack_received_at: str | None
    terminal_at: str | None
    result_code: str | None
    runtime_ack_id: str | None
    adapter_label: str | None


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A message that was checked and is to be written; the times and ids come with the row."""

    grant: str
    sender: int
    sender_device: str
    recipient: int
    endpoint: str
    session: str
    target_kind: str
    client_message_id: str
    body_sha256: str
    kind: Kind
    payload: str
    reply_to: str | None
    correlation_id: str | None
    collaboration_id: str | None
    turn: str | None
    expires_at: str


class Message(Draft, frozen=True, kw_only=True):
    """A message as it is at a moment; `stored` is the status that was last written down."""

    id: str
    number: int
    delivery: Delivery
    stored: Status
    sequence: int
    sender_uuid: str
    recipient_uuid: str
    failures: int

    @property
    def status(self) -> Status:
        return self.delivery.status


def insert(tx: Tx, draft: Draft, sequence: int) -> Message:
    """Write a message into the queue of its session, and return it."""
    id_ = random_tokens.new_id(PREFIX)
    columns = msgspec.structs.asdict(draft)
    tx.insert(
        "runtime_messages",
        id=id_,
        delivery_id=random_tokens.new_id(DELIVERY_PREFIX),
        grant_id=columns.pop("grant"),
        sender_id=columns.pop("sender"),
        recipient_id=columns.pop("recipient"),
        sequence=sequence,
        status="queued",
        queued_at=tx.now,
        **columns,
    )
    return require(tx, id_)


def find(tx: Tx, id_: str) -> Message | None:
    """Return a message as it is now."""
    row = tx.one(f"SELECT {COLUMNS} WHERE m.id = :id", id=id_)
    return None if row is None else _message(tx, row)


def require(tx: Tx, id_: str) -> Message:
    """Return a message that is known to be there."""
    return _message(tx, tx.require_row(f"SELECT {COLUMNS} WHERE m.id = :id", id=id_))


def find_sent(tx: Tx, sender: int, client_message_id: str) -> Message | None:
    """Return the message that a user sent under an id of their own."""
    row = tx.one(
        f"SELECT {COLUMNS} WHERE m.sender_id = :sender AND m.client_message_id = :client",
        sender=sender,
        client=client_message_id,
    )
    return None if row is None else _message(tx, row)


def find_by_delivery(tx: Tx, delivery: str) -> Message | None:
    """Return the message of a delivery."""
    row = tx.one(f"SELECT {COLUMNS} WHERE m.delivery_id = :delivery", delivery=delivery)
    return None if row is None else _message(tx, row)


def has_answer(tx: Tx, message: Message) -> bool:
    """Return whether its recipient has answered a message."""
    return (
        tx.one(
            "SELECT 1 FROM runtime_messages WHERE reply_to = :id AND sender_id = :sender LIMIT 1",
            id=message.id,
            sender=message.recipient,
        )
        is not None
    )


def count_undelivered(tx: Tx, grant: str, endpoint: str) -> int:
    """Return how many messages to an endpoint under a grant have not come to their runtime."""
    return int(
        tx.value(
            # by the index of what is on its way: a grant may have seen thousands of messages
            f"SELECT count(*) FROM runtime_messages m WHERE m.endpoint = :endpoint "
            f"AND +m.grant_id = :grant AND {UNDELIVERED}",
            endpoint=endpoint,
            grant=grant,
        )
    )


def is_delivering(tx: Tx, endpoint_id: str) -> bool:
    """Return whether deliveries to an endpoint have not come to their end."""
    return (
        tx.one(
            f"SELECT 1 FROM runtime_messages m WHERE m.endpoint = :endpoint AND {UNDELIVERED} "
            "AND m.expires_at > :now LIMIT 1",
            endpoint=endpoint_id,
            now=tx.now,
        )
        is not None
    )


def list_waiting(tx: Tx, session: str) -> list[Message]:
    """Return what waits for a session to be free, in order; what failed waits for its time."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE m.session = :session AND m.status = 'queued'
              AND m.handed_over = 0 AND (m.due_at IS NULL OR m.due_at <= :now)
            ORDER BY m.number LIMIT :most""",
        session=session,
        now=tx.now,
        most=AT_ONCE,
    )
    return _live(tx, rows)


def list_due(tx: Tx) -> list[Message]:
    """Return what failed and is to be tried again now, in order."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE m.status = 'queued' AND m.handed_over = 0
              AND m.due_at <= :now ORDER BY m.due_at, m.number LIMIT :most""",
        now=tx.now,
        most=AT_ONCE,
    )
    return _live(tx, rows)


def any_due(tx: Tx) -> bool:
    """Return whether something that failed is to be tried again."""
    return (
        tx.one(
            "SELECT 1 FROM runtime_messages WHERE status = 'queued' AND handed_over = 0 "
            "AND due_at <= :now LIMIT 1",
            now=tx.now,
        )
        is not None
    )


def list_deliveries(tx: Tx, user: int) -> list[str]:
    """Return the deliveries of all that a user has sent or got."""
    return [
        row["delivery_id"]
        for row in tx.all(
            "SELECT delivery_id FROM runtime_messages "
            "WHERE sender_id = :user OR recipient_id = :user",
            user=user,
        )
    ]


def list_unfinished(tx: Tx, grant: str) -> list[Message]:
    """Return the messages under a grant that have not come to an end, in order."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE m.grant_id = :grant AND m.status IN
              ('queued', 'dispatched', 'device_acked', 'runtime_pending', 'runtime_acked')
            ORDER BY m.number""",
        grant=grant,
    )
    return [_message(tx, row) for row in rows]


def hand_over(tx: Tx, message: Message) -> None:
    """Write that a message lies with the stream of its endpoint."""
    tx.update("runtime_messages", {"id": message.id}, handed_over=1, due_at=None)


def put_back(tx: Tx, message: Message, *, result_code: str | None) -> None:
    """Queue a message again after a failure, for a later moment the more often it failed."""
    pause = min(LONGEST_PAUSE, timedelta(seconds=2 ** min(message.failures, 10) // 2))
    tx.run(
        """UPDATE runtime_messages SET status = 'queued', handed_over = 0,
             failures = failures + 1, due_at = :due, result_code = :code WHERE id = :id""",
        due=stamp(tx.moment + pause),
        code=result_code,
        id=message.id,
    )


def come_to(tx: Tx, message: Message, status: Status, more: Mapping[str, Any]) -> None:
    """Write that a delivery has come to a state; `more` are further columns."""
    columns = dict(more)
    if status == "dispatched":
        columns["dispatched_at"] = message.delivery.dispatched_at or tx.now
    if status in REACHED_AT:
        columns[REACHED_AT[status]] = tx.now
    if delivery_states.is_terminal(status):
        columns["terminal_at"] = tx.now
    assigned = "".join(f", {name} = :{name}" for name in columns)
    tx.run(
        f"UPDATE runtime_messages SET status = :status{assigned} WHERE id = :id",
        status=status,
        id=message.id,
        **columns,
    )


def _live(tx: Tx, rows: list[sqlite3.Row]) -> list[Message]:
    """Return those whose grant has not ended meanwhile."""
    found = (_message(tx, row) for row in rows)
    return [message for message in found if message.status == "queued"]


def _message(tx: Tx, row: sqlite3.Row) -> Message:
    status = _status_now(tx, row)
    delivery = copy_fields(
        Delivery,
        row,
        status=status,
        device_ack_received_at=row["device_acked_at"],
        runtime_ack_received_at=row["runtime_acked_at"],
        terminal_at=row["terminal_at"] or (row["expires_at"] if status != row["status"] else None),
    )
    return copy_fields(
        Message,
        row,
        delivery=delivery,
        stored=row["status"],
        grant=row["grant_id"],
        sender=row["sender_id"],
        recipient=row["recipient_id"],
    )


def _status_now(tx: Tx, row: sqlite3.Row) -> Status:
    """Return the state of a delivery, which ends with its grant."""
    status: Status = row["status"]
    grant = grant_states.status_at(row["grant_status"], row["grant_ends"], tx.now)
    if grant == "active":
        return status
    end: End = "revoked" if grant == "revoked" else "expired"
    return delivery_states.after_end(status, end)
