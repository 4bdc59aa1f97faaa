"""The table of deliveries: the outbox of webhooks, and what became of each."""

import sqlite3
from collections.abc import Mapping
from datetime import timedelta
from typing import Literal, NamedTuple

import msgspec

from app.core.database.tx import Tx, stamp
from app.core.schema import Record, encode
from app.errors import NotFound
from app.webhooks import hook_rows, retries

DUE = "webhooks.due"
"""Published with the webhooks for which there may be something to send."""
KEPT = timedelta(days=30)
MOST_ATTEMPTS = 50
"""Attempts that are kept of one delivery; only retries by hand make more than ten."""
AT_ONCE = 5_000
HAND_LEASE = timedelta(seconds=30)
"""So long what is sent by hand is left to that, which a crash may cut off."""
Status = Literal["pending", "succeeded", "failed", "cancelled"]


class Attempt(Record):
    """One attempt: the status that the receiver answered with, or why there was none."""

    at: str
    status_code: int | None
    error: str | None
    duration_ms: int


class Delivery(Record):
    """An event for a webhook, and what became of it."""

    id: int
    event_id: str
    type: str
    status: Status
    attempts: list[Attempt]
    next_attempt_at: str | None
    created_at: str


class Waiting(NamedTuple):
    """A delivery that waits, and until when."""

    id: int
    due: str


class ToSend(NamedTuple):
    """All that one attempt needs; the secrets are sealed."""

    delivery: int
    webhook: int
    user: int
    url: str
    event_id: str
    body: bytes
    secrets: list[bytes]


class LastTry(NamedTuple):
    """A delivery as it stood when an attempt came back, and where its webhook is now."""

    attempts: list[Attempt]
    status: Status
    tries: int
    url: str


def insert(tx: Tx, webhook: int, *, event_id: str, type_: str, body: str, by_hand: bool) -> int:
    """Add what is to be sent: at once, or by whoever adds it, who then makes the one attempt."""
    return tx.insert(
        "webhook_deliveries",
        webhook_id=webhook,
        event_id=event_id,
        type=type_,
        body=body,
        status="pending",
        tries=retries.MOST_TRIES - 1 if by_hand else 0,
        next_attempt_at=stamp(tx.moment + HAND_LEASE) if by_hand else tx.now,
        created_at=tx.now,
    )


def first_dues(tx: Tx) -> Mapping[int, str]:
    """Return when each webhook with pending deliveries is to be looked at first.

    It takes one look into an index for each webhook, however much waits.
    """
    rows = tx.all(
        """SELECT id, (SELECT min(next_attempt_at) FROM webhook_deliveries
             WHERE webhook_id = webhooks.id AND status = 'pending') AS due FROM webhooks"""
    )
    return {row["id"]: row["due"] for row in rows if row["due"] is not None}


def next_pending(tx: Tx, webhook: int, most: int) -> list[Waiting]:
    """Return what waits for an active webhook, the next first."""
    rows = tx.all(
        """SELECT d.id, d.next_attempt_at FROM webhooks w
             JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.status = 'pending'
           WHERE w.id = :webhook AND w.status = 'active' ORDER BY d.next_attempt_at LIMIT :most""",
        webhook=webhook,
        most=most,
    )
    return [Waiting(*row) for row in rows]


def to_send(tx: Tx, delivery: int, *, by_hand: bool) -> ToSend | None:
    """Return a pending delivery as it is sent; None when it is not to be sent any more.

    By hand it is sent whether its webhook is active or not.
    """
    row = tx.one(
        """SELECT d.id, d.webhook_id, w.user_id, w.url, d.event_id, d.body
           FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
           WHERE d.id = :id AND d.status = 'pending' AND (w.status = 'active' OR :by_hand)""",
        id=delivery,
        by_hand=by_hand,
    )
    if row is None:
        return None
    id_, webhook, user, url, event, body = row
    return ToSend(id_, webhook, user, url, event, body.encode(), hook_rows.secrets(tx, webhook))


def last_try(tx: Tx, delivery: int) -> LastTry | None:
    """Return how a delivery stands; None when it was deleted with its webhook."""
    row = tx.one(
        """SELECT d.attempts, d.status, d.tries, w.url
           FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = :id""",
        id=delivery,
    )
    return None if row is None else LastTry(_attempts(row["attempts"]), *row[1:])


def note_attempt(
    tx: Tx,
    delivery: int,
    attempts: list[Attempt],
    *,
    status: Status,
    tries: int,
    due: str | None = None,
) -> None:
    """Note what became of an attempt, the last of those given, and when there is another."""
    tx.update(
        "webhook_deliveries",
        {"id": delivery},
        attempts=encode(attempts[-MOST_ATTEMPTS:]).decode(),
        status=status,
        tries=tries,
        next_attempt_at=due,
    )


def cancel_pending(tx: Tx, webhook: int) -> None:
    """Send nothing more of what waits for a webhook."""
    tx.run(
        """UPDATE webhook_deliveries SET status = 'cancelled', next_attempt_at = NULL
           WHERE webhook_id = :webhook AND status = 'pending'""",
        webhook=webhook,
    )


def lend_to_hand(tx: Tx, webhook: int, delivery: int) -> None:
    """Leave a delivery to somebody who sends it now; one that has ended gets one try more.

    Raise NotFound for one that is not the webhook's.
    """
    changed = tx.run(
        """UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = :due,
             tries = iif(status = 'pending', tries, :last)
           WHERE id = :id AND webhook_id = :webhook""",
        due=stamp(tx.moment + HAND_LEASE),
        last=retries.MOST_TRIES - 1,
        id=delivery,
        webhook=webhook,
    )
    if not changed.rowcount:
        raise NotFound(f"There is no delivery {delivery} of this webhook.", field="deliveryId")
    tx.emit(DUE, webhooks=[webhook])


def page(
    tx: Tx, webhook: int, *, status: Status | None, before: int | None, limit: int
) -> list[Delivery]:
    """Return deliveries of a webhook, newest first, older than `before`."""
    rows = tx.all(
        f"""{_SELECT} WHERE webhook_id = :webhook AND (:before IS NULL OR id < :before)
              AND (:status IS NULL OR status = :status) ORDER BY id DESC LIMIT :limit""",
        webhook=webhook,
        before=before,
        status=status,
        limit=limit,
    )
    return [_delivery(row) for row in rows]


def require(tx: Tx, delivery: int) -> Delivery:
    """Return a delivery; raise NotFound when it was deleted with its webhook."""
    row = tx.one(f"{_SELECT} WHERE id = :id", id=delivery)
    if row is None:
        raise NotFound(f"There is no delivery {delivery} of this webhook.", field="deliveryId")
    return _delivery(row)


def sweep(tx: Tx) -> int:
    """Delete the oldest deliveries, as many as one transaction should, and return their number."""
    return tx.run(
        """DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries WHERE created_at <= :limit
             ORDER BY created_at LIMIT :most)""",
        limit=stamp(tx.moment - KEPT),
        most=AT_ONCE,
    ).rowcount


def mend_dues(tx: Tx) -> None:
    """Let what was put off by a clock that was wrong, further than any wait goes, be due now."""
    rows = tx.all(
        """UPDATE webhook_deliveries SET next_attempt_at = :now
           WHERE status = 'pending' AND next_attempt_at > :longest RETURNING webhook_id""",
        now=tx.now,
        longest=stamp(tx.moment + retries.LONGEST_WAIT),
    )
    if rows:
        tx.emit(DUE, webhooks=sorted({row["webhook_id"] for row in rows}))


_SELECT = """SELECT id, event_id, type, status, attempts, next_attempt_at, created_at
    FROM webhook_deliveries"""


def _delivery(row: sqlite3.Row) -> Delivery:
    id_, event_id, type_, status, attempts, due, created_at = row
    return Delivery(id_, event_id, type_, status, _attempts(attempts), due, created_at)


def _attempts(stored: str) -> list[Attempt]:
    return msgspec.json.decode(stored, type=list[Attempt])
