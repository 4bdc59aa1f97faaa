"""Who listens to the events of an endpoint just now, and is woken when one is added.

Nothing asks the database again and again: the store's events wake those whom they concern, and a
timer for each endpoint, while dispatches to it are unacknowledged, sends them again.
"""

import asyncio
from collections import defaultdict
from datetime import datetime

from app.core.app import App
from app.core.line_stream import EventStream
from app.core.process.gathered import Gathered
from app.core.schema import encode
from app.errors import AppError, StorageFull
from app.runtime.devices import endpoint_rows
from app.runtime.realtime import event_rows
from app.runtime.realtime.event_rows import Event
from app.runtime.realtime.event_view import view

PING_SECONDS = 15.0
PING = b": ping\n\n"
PAGE = 10
"""Most events that are read at once: a payload may have 32 KiB."""
MOST_OF_ENDPOINT = 10
"""Most streams of an endpoint; one more ends the oldest, whose client has probably gone."""
LOOK_SECONDS = 0.1
"""So long after credentials have changed every stream asks once whether its own still holds."""
CREDENTIALS_CHANGED = (
    "keys.changed",
    "grants.changed",
    "devices.changed",
    "sessions.changed",
    "users.changed",
)


class Listener(EventStream):
    """One stream of an endpoint's events. It remembers a place among them, and nothing else."""

    __slots__ = ("_ended", "_has_news", "_listeners", "_sent", "_waiter", "cursor", "endpoint_id")

    def __init__(self, listeners: "Listeners", endpoint_id: str, cursor: int) -> None:
        self.endpoint_id = endpoint_id
        self.cursor = cursor
        self._listeners = listeners
        self._waiter: asyncio.Future[bool] | None = None
        self._has_news = True
        self._ended = False
        self._sent: list[Event] = []

    async def next_part(self) -> bytes | None:
        """Return the events that were added since, else a comment every 15 seconds."""
        if self._sent:
            # whoever asks for the next part has sent the one before
            self._listeners.note_sent(self.endpoint_id, self._sent)
            self._sent = []
        if not (self._has_news or self._ended or await self._is_woken()):
            return PING
        if self._ended:
            return None
        if not self._has_news:
            return b""
        events = self._listeners.read(self.endpoint_id, self.cursor)
        # of a full page there may be more
        self._has_news = len(events) == PAGE
        if not events:
            return b""
        self.cursor, self._sent = events[-1].id, events
        return b"".join(map(_as_sent, events))

    def tell(self) -> None:
        """Let the events be looked at again."""
        self._has_news = True
        self.wake()

    def wake(self) -> None:
        """Let the credential be looked at again."""
        self._settle(woken=True)

    def end(self) -> None:
        """End the stream, also where it is waited for."""
        self._ended = True
        self._listeners.leave(self)
        self.wake()

    async def _is_woken(self) -> bool:
        """Wait for something new; return False where nothing was for 15 seconds."""
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = loop.call_later(PING_SECONDS, self._settle)
        try:
            return await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _settle(self, *, woken: bool = False) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(woken)


class Listeners:
    """All streams that are open, by endpoint."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._open: dict[str, list[Listener]] = defaultdict(list)
        self._sent: Gathered[int, object] = Gathered()
        self._is_writing = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._look: asyncio.TimerHandle | None = None
        on = app.events.on
        on(event_rows.ADDED, lambda event: self._tell(event["endpoint"]))
        on(endpoint_rows.REMOVED, lambda event: self._end_endpoint(event["endpoint"]))
        on("server.ending", lambda _: self.close())
        for name in CREDENTIALS_CHANGED:
            on(name, lambda _: self._look_soon())

    def listen(self, endpoint_id: str, cursor: int) -> Listener:
        """Return a new stream of what an endpoint is told after a cursor."""
        streams = self._open[endpoint_id]
        while len(streams) >= MOST_OF_ENDPOINT:
            streams[0].end()
            streams = self._open[endpoint_id]
        made = Listener(self, endpoint_id, cursor)
        streams.append(made)
        self._plan_resend(endpoint_id)
        return made

    def leave(self, listener: Listener) -> None:
        """Forget a stream that has ended."""
        streams = self._open.get(listener.endpoint_id)
        if streams is None or listener not in streams:
            return
        streams.remove(listener)
        if not streams:
            del self._open[listener.endpoint_id]
            if (timer := self._timers.pop(listener.endpoint_id, None)) is not None:
                timer.cancel()

    def read(self, endpoint_id: str, cursor: int) -> list[Event]:
        """Return the next events of an endpoint."""
        return self._app.quick(event_rows.after, endpoint_id, cursor, PAGE)

    def note_sent(self, endpoint_id: str, events: list[Event]) -> None:
        """Note that events were sent; of those that dispatch a message it is written."""
        dispatched = [event.id for event in events if event.delivery_id is not None]
        if not dispatched:
            return
        # of its own, so that one that is sent again while it is written is written again
        self._sent |= {number: object() for number in dispatched}
        if not self._is_writing:
            # one write for all that is sent meanwhile
            self._is_writing = True
            self._app.tasks.start(self._write_sent())
        if endpoint_id not in self._timers:
            self._plan_at(endpoint_id, event_rows.RESEND_AFTER.total_seconds())

    async def flush(self) -> None:
        """Write which dispatches were sent."""
        await self._sent.flush(lambda held: self._app.write(event_rows.note_sent, list(held)))

    async def resend(self, endpoint_id: str) -> None:
        """Send the dispatches again that nobody has acknowledged in time."""
        streams = self._open.get(endpoint_id)
        if not streams:
            return
        cursor = max(one.cursor for one in streams)
        try:
            if self._app.quick(event_rows.is_any_due, endpoint_id, cursor):
                await self._app.write(event_rows.renew_unacknowledged, endpoint_id, cursor)
        except AppError:  # such as a full disk
            self._plan_at(endpoint_id, event_rows.RESEND_AFTER.total_seconds())
        else:
            self._plan_resend(endpoint_id)

    def count(self) -> int:
        """Return how many streams are open."""
        return sum(map(len, self._open.values()))

    def close(self) -> None:
        """End every stream, since the server ends."""
        for streams in list(self._open.values()):
            for one in list(streams):
                one.end()

    async def _write_sent(self) -> None:
        try:
            while self._sent:
                await self.flush()
        except StorageFull:
            pass  # they stay for the next flush
        finally:
            self._is_writing = False

    def _tell(self, endpoint_id: str) -> None:
        for one in self._open.get(endpoint_id, ()):
            one.tell()

    def _end_endpoint(self, endpoint_id: str) -> None:
        for one in list(self._open.get(endpoint_id, ())):
            one.end()

    def _look_soon(self) -> None:
        if self._open and self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_now)

    def _look_now(self) -> None:
        self._look = None
        for streams in self._open.values():
            for one in streams:
                one.wake()

    def _plan_resend(self, endpoint_id: str) -> None:
        """Look at the dispatches of an endpoint again when the first of them is due."""
        if (timer := self._timers.pop(endpoint_id, None)) is not None:
            timer.cancel()
        streams = self._open.get(endpoint_id)
        if not streams:
            return
        cursor = max(one.cursor for one in streams)
        due = self._app.quick(event_rows.next_due, endpoint_id, cursor)
        if due is not None:
            passed = self._app.clock() - datetime.fromisoformat(due)
            self._plan_at(endpoint_id, (event_rows.RESEND_AFTER - passed).total_seconds())

    def _plan_at(self, endpoint_id: str, seconds: float) -> None:
        # at least a moment, so that a clock that was set back cannot make it a loop
        longest = event_rows.RESEND_AFTER.total_seconds()
        wait = min(max(seconds, 0.0), longest) + LOOK_SECONDS
        self._timers[endpoint_id] = asyncio.get_running_loop().call_later(
            wait, lambda: self._app.tasks.start(self.resend(endpoint_id))
        )


def _as_sent(event: Event) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.type.encode(), encode(view(event)))
