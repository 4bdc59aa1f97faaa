"""The table of events: what each endpoint is told, in order, kept for seven days.

An event that dispatches a message belongs to a delivery. Until the device has acknowledged that,
it may be sent again; afterwards, and when its time is over, it is not sent any more.
"""

import sqlite3
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec

from app.core.database.tx import Tx, stamp

ADDED = "runtime.event_added"
"""Published after the commit, with `endpoint`: wakes those who wait for its events."""
ACKED = "runtime.event_acked"
"""Published after the commit, with `delivery`: its dispatch need not be sent again."""
DISPATCHED = "runtime.dispatched"
"""Told within the transaction that notes the sending of a dispatch, with its delivery's id."""
RESEND_AFTER = timedelta(seconds=30)
KEPT_FOR = timedelta(days=7)
MOST_RENEWED = 200
"""Most dispatches that one transaction renews: others wait for the writer meanwhile."""
SENDABLE = "acked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"


class Event(msgspec.Struct, frozen=True):
    """An event as it is kept; `data` is JSON."""

    id: int
    endpoint_id: str
    type: str
    data: msgspec.Raw
    created_at: str
    delivery_id: str | None


def append_event(
    tx: Tx,
    endpoint_id: str,
    type_: str,
    data: Mapping[str, Any] | msgspec.Struct,
    *,
    delivery: str | None = None,
    expires_at: str | None = None,
) -> str:
    """Tell an endpoint something, and return the cursor of the event.

    Who waits for it is woken after the commit. `delivery` is the delivery that the event
    dispatches: call `acknowledge` when that is acknowledged or ended. It is not sent from
    `expires_at` on.
    """
    return str(_insert(tx, endpoint_id, type_, msgspec.json.encode(data), delivery, expires_at))


def acknowledge(tx: Tx, delivery: str) -> None:
    """Let the events of a delivery not be sent again: it was acknowledged, or has ended."""
    tx.run(
        "UPDATE runtime_events SET acked_at = :now WHERE delivery_id = :delivery "
        "AND acked_at IS NULL",
        now=tx.now,
        delivery=delivery,
    )
    tx.emit(ACKED, delivery=delivery)


def forget(tx: Tx, delivery: str) -> None:
    """Delete the events of a delivery."""
    tx.run("DELETE FROM runtime_events WHERE delivery_id = :delivery", delivery=delivery)


def after(tx: Tx, endpoint_id: str, cursor: int, most: int) -> list[Event]:
    """Return the next events of an endpoint after a cursor that may be sent, at most so many."""
    rows = tx.all(
        f"""SELECT id, endpoint_id, type, data, created_at, delivery_id FROM runtime_events
            WHERE endpoint_id = :endpoint AND id > :cursor AND {SENDABLE}
            ORDER BY id LIMIT :most""",
        endpoint=endpoint_id,
        cursor=cursor,
        most=most,
        now=tx.now,
    )
    return [_event(row) for row in rows]


def newest_cursor(tx: Tx) -> int:
    """Return the highest cursor that was ever given."""
    return int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'runtime_events'") or 0)


def note_sent(tx: Tx, ids: list[int]) -> None:
    """Write that these events were sent now, and tell of the deliveries that they dispatch."""
    for id_ in ids:
        row = tx.one(
            "UPDATE runtime_events SET sent_at = :now WHERE id = :id RETURNING delivery_id",
            now=tx.now,
            id=id_,
        )
        if row is not None and row["delivery_id"] is not None:
            tx.tell(DISPATCHED, row["delivery_id"])


def renew_unacknowledged(tx: Tx, endpoint_id: str, cursor: int) -> int:
    """Give the dispatches up to a cursor that nobody acknowledged in time a new place at the end.

    So they are sent again, to whoever listens. Return how many there were, of which the oldest
    are taken first.
    """
    due = tx.all(
        f"""SELECT id, type, data, delivery_id, expires_at FROM runtime_events
            WHERE endpoint_id = :endpoint AND id <= :cursor AND delivery_id IS NOT NULL
              AND {SENDABLE} AND ifnull(sent_at, created_at) <= :due ORDER BY id LIMIT :most""",
        most=MOST_RENEWED,
        endpoint=endpoint_id,
        cursor=cursor,
        now=tx.now,
        due=stamp(tx.moment - RESEND_AFTER),
    )
    for row in due:
        tx.run("DELETE FROM runtime_events WHERE id = :id", id=row["id"])
        _insert(
            tx,
            endpoint_id,
            row["type"],
            row["data"].encode(),
            row["delivery_id"],
            row["expires_at"],
        )
    return len(due)


def next_due(tx: Tx, endpoint_id: str, cursor: int) -> str | None:
    """Return when the first unacknowledged dispatch up to a cursor was sent; None without one."""
    found: str | None = tx.value(
        f"""SELECT min(ifnull(sent_at, created_at)) FROM runtime_events
            WHERE endpoint_id = :endpoint AND id <= :cursor AND delivery_id IS NOT NULL
              AND {SENDABLE}""",
        endpoint=endpoint_id,
        cursor=cursor,
        now=tx.now,
    )
    return found


def is_any_due(tx: Tx, endpoint_id: str, cursor: int) -> bool:
    """Return whether a dispatch up to a cursor was not acknowledged in time."""
    sent = next_due(tx, endpoint_id, cursor)
    return sent is not None and sent <= stamp(tx.moment - RESEND_AFTER)


def delete_old(tx: Tx) -> int:
    """Delete the events that were kept long enough, and return their number."""
    return tx.run(
        "DELETE FROM runtime_events WHERE created_at <= :past", past=stamp(tx.moment - KEPT_FOR)
    ).rowcount


def _insert(
    tx: Tx, endpoint_id: str, type_: str, data: bytes, delivery: str | None, expires_at: str | None
) -> int:
    id_ = tx.insert(
        "runtime_events",
        endpoint_id=endpoint_id,
        type=type_,
        data=data.decode(),
        created_at=tx.now,
        delivery_id=delivery,
        expires_at=expires_at,
    )
    tx.emit(ADDED, endpoint=endpoint_id)
    return id_


def _event(row: sqlite3.Row) -> Event:
    return Event(**{**dict(row), "data": msgspec.Raw(row["data"].encode())})
