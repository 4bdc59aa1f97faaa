"""The bridge at work: presence, the stream of events, messages, an orderly end.

Begin with `Bridge.run`.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.commands.bridge.client import (
    Answered,
    Client,
    Names,
    NotReached,
    Patience,
    Pauses,
    TokenEnded,
)
from app.commands.bridge.deliveries import Deliveries, Runtime
from app.commands.bridge.home import Device, Home
from app.commands.bridge.journal import OVER, Entry, Journal
from app.commands.bridge.registration import begin_session, token_ended
from app.commands.terminal.command_group import Refused
from app.commands.terminal.terminal_safe import on_one_line

HTTP_BAD_REQUEST = 400
HEARTBEAT_SECONDS = 10.0
DRAIN_SECONDS = 20.0
ENDED = {
    "grant.revoked": "communication_session_revoked",
    "grant.expired": "communication_session_expired",
}
Tell = Callable[[str], None]


class Bridge:
    """One device at work; without a runtime it takes answers alone and leaves tasks waiting."""

    def __init__(self, home: Home, runtime: Runtime | None, folder: str | None, tell: Tell) -> None:
        """Read the journal; raise Refused where it cannot be kept."""
        self.device: Device = home.device()
        self._home = home
        self._runtime = runtime
        self._folder = folder
        self._tell = tell
        try:
            self.journal = Journal(home.journal)
        except OSError as error:
            raise Refused(f"Cannot write {home.journal}: {error.strerror or error}.") from None
        self._stopping = asyncio.Event()
        self._failing = asyncio.Event()
        self._failed: BaseException | None = None
        self._works: dict[asyncio.Task[None], Entry | None] = {}
        self._patience = Patience(tell)

    def stop(self) -> None:
        """End in order: take nothing new, let what runs come to its end; at once if asked again."""
        if self._stopping.is_set():
            for work in self._works:
                work.cancel()
        self._stopping.set()

    async def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Work until told to stop; raise Refused when the device's token has ended."""
        async with Client(self.device.server, self.device.token) as client:
            try:
                async with asyncio.TaskGroup() as group:
                    main = group.create_task(self._work(client, ready))
                    group.create_task(self._end_when_told(main))
            except* TokenEnded as ended:
                raise Refused(token_ended(_first(ended))) from None
            except* Answered as refusals:
                raise Refused(str(_first(refusals))) from None
            except* OSError as errors:
                error = _first(errors)
                raise Refused(
                    f"Cannot write {self._home.journal}: {error.strerror or error}."
                ) from None
            finally:
                self.journal.close()

    async def _end_when_told(self, main: "asyncio.Task[None]") -> None:
        await self._stopping.wait()
        main.cancel()

    async def _work(self, client: Client, ready: Callable[[], None]) -> None:
        self.device = await self._begin(client)
        deliveries = Deliveries(
            self.device,
            client,
            self.journal,
            self._runtime,
            self._tell,
            self._patience,
            Names(client),
        )
        ready()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep_presence(client))
                group.create_task(self._watch_works())
                for entry in self.journal.open_entries():
                    self._start(deliveries, entry)
                await self._follow(client, deliveries)
        finally:
            deliveries.is_draining = True
            await self._drain()

    async def _begin(self, client: Client) -> Device:
        pauses = Pauses()
        while True:
            try:
                device = await begin_session(self._home, self.device, client, self._folder)
            except NotReached as trouble:
                await self._patience.wait(pauses, trouble)
                continue
            self._patience.reached()
            break
        if self._runtime is not None:
            route = {"endpointId": device.endpoint_id, "sessionHandle": device.session_handle}
            await self._patience.ask(client, "PUT", "local-agent/default-route", route)
        return device

    async def _keep_presence(self, client: Client) -> None:
        while True:
            await self._patience.ask(
                client, "POST", f"local-agent/endpoints/{self.device.endpoint_id}/heartbeat"
            )
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _follow(self, client: Client, deliveries: Deliveries) -> None:
        """Read the stream from where it was read to, again and again."""
        pauses = Pauses()
        while True:
            try:
                async with client.stream(
                    "local-realtime/stream",
                    endpointId=self.device.endpoint_id,
                    cursor=self.journal.cursor,
                ) as events:
                    async for event in events:
                        pauses = Pauses()
                        self._patience.reached()
                        self._take(deliveries, event)
                await asyncio.sleep(pauses.next())
            except NotReached as gone:
                await self._patience.wait(pauses, gone)
            except Answered as refusal:
                # a server whose database was restored knows no cursor of a later time
                if refusal.status != HTTP_BAD_REQUEST or self.journal.cursor == "0":
                    raise
                self.journal.keep_cursor("0")

    def _take(self, deliveries: Deliveries, event: dict[str, Any]) -> None:
        """Write an event down before anything is done about it."""
        data, cursor = event.get("data"), event.get("cursor")
        if not isinstance(data, dict) or not isinstance(cursor, str):
            return
        envelope: Any = data.get("envelope")
        if event.get("type") == "message.dispatch" and _is_message(envelope, self.device):
            # a task that this bridge cannot take is sent again to one that can
            if deliveries.takes(Entry(envelope, "")):
                self._start(deliveries, self.journal.receive(envelope))
        elif event.get("type") == "grant.request":
            who = on_one_line(data.get("requesterHandle") or "somebody", 40)
            self._tell(f"@{who} asks to send tasks. Accept or decline with `hearth bridge`.")
        elif event.get("type") in ENDED:
            self._end(deliveries, str(data.get("communicationSessionId")), ENDED[event["type"]])
        elif event.get("type") == "trusted_tool_policy.upserted":
            self._hold(asyncio.create_task(self._take_note(deliveries.client, data)), None)
        self.journal.keep_cursor(cursor)

    def _start(self, deliveries: Deliveries, entry: Entry) -> None:
        if entry.state in OVER or not deliveries.takes(entry):
            return
        self._hold(asyncio.create_task(deliveries.deliver(entry)), entry)

    def _end(self, deliveries: Deliveries, session: str, reason: str) -> None:
        """Stop at once what is done under a grant that has ended."""
        deliveries.end_session(session, reason)
        for work, entry in list(self._works.items()):
            if entry is not None and entry.session == session:
                work.cancel()

    async def _take_note(self, client: Client, policy: dict[str, Any]) -> None:
        """Tell the server that a policy holds here, where it is about the folder of this bridge."""
        place, id_ = policy.get("canonicalFolder"), str(policy.get("policyId"))
        known = isinstance(place, str) and self._runtime is not None and self._folder is not None
        if not known or not Path(self._folder or "").is_relative_to(str(place)):
            return
        noted = {"revision": policy.get("revision"), "canonicalFolder": place}
        try:
            path = f"local-agent/trusted-tool-policies/{id_}/ack"
            await self._patience.ask(client, "POST", path, noted)
            self._tell(f"Taken note: {id_} lets tasks run in {place} without asking.")
        except TokenEnded:
            raise
        except Answered as refusal:
            self._tell(f"The policy {id_} does not hold: {refusal.code}.")

    def _hold(self, work: "asyncio.Task[None]", entry: Entry | None) -> None:
        self._works[work] = entry
        work.add_done_callback(self._forget)

    def _forget(self, work: "asyncio.Task[None]") -> None:
        del self._works[work]
        if not work.cancelled() and (failure := work.exception()) is not None:
            self._failed = failure
            self._failing.set()

    async def _watch_works(self) -> None:
        """Raise what a message failed with beyond a refusal, such as a full disk."""
        await self._failing.wait()
        if self._failed is not None:
            raise self._failed

    async def _drain(self) -> None:
        for work, entry in list(self._works.items()):
            if entry is None or entry.state not in ("running", "answered"):
                work.cancel()  # the journal says where it goes on next time
        await asyncio.sleep(0)
        if self._works:
            self._tell(f"Ending. Waiting up to {DRAIN_SECONDS:g} seconds for what runs.")
            await asyncio.wait(self._works, timeout=DRAIN_SECONDS)
        for work in self._works:
            work.cancel()
        if self._works:
            await asyncio.wait(self._works)


@contextlib.contextmanager
def signals(stop: Callable[[], None]) -> Iterator[None]:
    """Let SIGINT and SIGTERM end a bridge in order while the block runs."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_message(envelope: Any, device: Device) -> bool:
    target = envelope.get("target") if isinstance(envelope, dict) else None
    return (
        isinstance(target, dict)
        and target.get("endpointId") == device.endpoint_id
        and isinstance(envelope.get("id"), str)
        and isinstance(envelope.get("payload"), dict)
    )


def _first(group: BaseExceptionGroup[Any]) -> Any:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
