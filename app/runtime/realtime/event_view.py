"""An event as the contract shows it."""

import msgspec

from app.core.schema import Record
from app.runtime.realtime.event_rows import Event


class EventView(Record):
    """Something that an endpoint is told; `cursor` is its place among all of them."""

    cursor: str
    type: str
    endpoint_id: str
    created_at: str
    data: msgspec.Raw


def view(event: Event) -> EventView:
    """Return an event as the contract shows it."""
    return EventView(str(event.id), event.type, event.endpoint_id, event.created_at, event.data)
