"""What an endpoint is told: as a stream that stays open, or page by page."""

import contextlib
import re
from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.line_stream import EventStream
from app.core.operation import HOUR, Http, operation
from app.core.schema import DocumentedPattern, Record
from app.errors import Invalid, StorageFull
from app.runtime.devices import endpoint_rows, fields
from app.runtime.realtime import event_rows
from app.runtime.realtime.event_view import EventView, view
from app.runtime.realtime.listeners import Listeners

MOST_POLLED = 200
CURSOR = re.compile(r"[0-9]{1,18}")
Cursor = Annotated[
    str,
    Meta(description="that of the last event that was seen; 0 is the beginning"),
    DocumentedPattern(f"^{CURSOR.pattern}$"),
]
REFUSES = {"cursor": "this server never gave it"}


class Swept(Record):
    events: int


@operation("GET /local-realtime/stream", scope="runtime:connect", http=Http(refuses=REFUSES))
async def stream_events(
    app: App, me: Caller, *, endpoint_id: fields.EndpointId, cursor: Cursor = "0"
) -> EventStream:
    """Tell an endpoint of the caller's what happens after a cursor, as server-sent events.

    A comment comes every 15 seconds. A dispatch that is not acknowledged within 30 seconds is
    sent again. The stream ends with the credential, the endpoint or the server; go on with the
    cursor of the last event.
    """
    place = app.quick(_require_place, me, endpoint_id, cursor)
    return app.part(Listeners).listen(endpoint_id, place)


@operation(
    "GET /local-realtime/poll", scope="runtime:connect", http=Http(bare=True, refuses=REFUSES)
)
async def poll_events(
    app: App, me: Caller, *, endpoint_id: fields.EndpointId, cursor: Cursor = "0"
) -> list[EventView]:
    """Give what an endpoint of the caller's was told after a cursor, at most 200 events."""
    place = app.quick(_require_place, me, endpoint_id, cursor)
    # what cannot be noted on a full disk is sent again, as by the stream
    with contextlib.suppress(StorageFull):
        if app.quick(event_rows.is_any_due, endpoint_id, place):
            await app.write(event_rows.renew_unacknowledged, endpoint_id, place)
    found = await app.read(event_rows.after, endpoint_id, place, MOST_POLLED)
    if sent := [event.id for event in found if event.delivery_id is not None]:
        with contextlib.suppress(StorageFull):
            await app.write(event_rows.note_sent, sent)
    return [view(event) for event in found]


@operation("COMMAND", every=HOUR)
def sweep_runtime_events(tx: Tx, me: Caller) -> Swept:
    """Delete the events that endpoints were told more than seven days ago."""
    return Swept(event_rows.delete_old(tx))


def _require_place(tx: Tx, me: Caller, endpoint_id: str, cursor: str) -> int:
    """Return a cursor's number; raise unless the endpoint is the caller's and the cursor one that
    was given.
    """
    if not CURSOR.fullmatch(cursor):
        raise Invalid("cursor must be that of an event, or 0.", field="cursor")
    endpoint_rows.require_live(tx, me, endpoint_id)
    place = int(cursor)
    if place > event_rows.newest_cursor(tx):
        # it comes from another server, or from before a backup was restored: waiting for it
        # would pass over everything that is told until then
        raise Invalid(
            "cursor is later than every event of this server; begin at 0.", field="cursor"
        )
    return place
