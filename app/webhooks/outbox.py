"""The outbox: an event becomes deliveries in the transaction in which it happens."""

import functools
from collections.abc import Mapping
from typing import Any

from app.core import random_tokens
from app.core.database.events import Events
from app.core.database.tx import Tx
from app.core.schema import encode
from app.webhooks import delivery_rows, hook_rows
from app.webhooks.event_types import EVENTS, TEST, EventType, event_data


def listen(events: Events) -> None:
    """Hear of every event that webhooks tell of."""
    for type_ in EVENTS:
        events.on_within(type_, functools.partial(_add_event, type_))


def add_test(tx: Tx, webhook: int) -> int:
    """Add a test for one webhook, whatever it listens to; who adds it sends it."""
    return delivery_rows.insert(
        tx,
        webhook,
        event_id=_new_event_id(),
        type_=TEST,
        body=_event_body(tx, TEST, {}),
        by_hand=True,
    )


def _add_event(type_: EventType, tx: Tx, told: Mapping[str, Any]) -> None:
    found = hook_rows.hooks_for(tx, told["user"], type_)
    if not found:
        return
    event_id, body = _new_event_id(), _event_body(tx, type_, event_data(type_, told))
    for webhook in found:
        delivery_rows.insert(tx, webhook, event_id=event_id, type_=type_, body=body, by_hand=False)
    tx.emit(delivery_rows.DUE, webhooks=found)


def _event_body(tx: Tx, type_: EventType, data: Mapping[str, Any]) -> str:
    return encode({"type": type_, "timestamp": tx.now, "data": data}).decode()


def _new_event_id() -> str:
    return "evt_" + random_tokens.new_bytes(8).hex()
