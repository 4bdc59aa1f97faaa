"""What an endpoint is told: the stream that stays open, and the poll."""

import asyncio
from typing import Any

import pytest

from app.core.database.tx import Tx
from app.runtime.realtime import event_rows, listeners, stream
from app.runtime.realtime.listeners import Listeners
from tests.conftest import Client, MovableClock, Served
from tests.runtime.devices import Stream, device, registered, settled

pytestmark = pytest.mark.anyio


async def told(served: Served, endpoint: str, type_: str = "grant.revoked", **more: Any) -> str:
    """Tell an endpoint something, and give the cursor."""
    return await served.parts.write(event_rows.append_event, endpoint, type_, {"a": "ü\n"}, **more)


async def dispatched(served: Served, endpoint: str, delivery: str = "del_1", **more: Any) -> str:
    return await told(served, endpoint, "message.dispatch", delivery=delivery, **more)


async def polled(client: Client, endpoint: str, cursor: str = "0") -> Any:
    response = await client.get(f"/local-realtime/poll?endpointId={endpoint}&cursor={cursor}")
    assert response.status_code == 200
    return response.json()


@pytest.fixture
async def made(alice: Client) -> Any:
    return await registered(alice)


@pytest.fixture
def endpoint(made: Any) -> str:
    return str(made["endpoint"]["endpointId"])


async def test_a_stream_replays_what_came_after_its_cursor_and_goes_on(
    served: Served, made: Any, endpoint: str, alice: Client
) -> None:
    other = (await registered(alice, deviceId="desktop"))["endpoint"]["endpointId"]
    first, second = await told(served, endpoint), await told(served, endpoint)
    async with Stream(served, made["deviceToken"], endpoint, first) as open_:
        assert open_.status == 200
        assert open_.headers[b"content-type"] == b"text/event-stream"
        assert open_.headers[b"cache-control"] == b"no-store"
        event = await open_.event()
        assert (event["cursor"], event["data"]) == (second, {"a": "ü\n"})
        await told(served, other)
        third = await told(served, endpoint, "grant.activated")
        event = await open_.event()
        assert (event["cursor"], event["type"]) == (third, "grant.activated")
        assert open_.is_quiet()
    assert [one["cursor"] for one in await polled(alice, endpoint)] == [first, second, third]
    assert [one["cursor"] for one in await polled(alice, endpoint, second)] == [third]
    assert await polled(alice, endpoint, third) == []


async def test_a_client_of_the_standard_goes_on_by_its_own_header(
    served: Served, made: Any, endpoint: str
) -> None:
    cursors = [await told(served, endpoint) for _ in range(3)]
    again = Stream(served, made["deviceToken"], endpoint)
    again.scope["headers"] += [(b"last-event-id", cursors[1].encode())]
    async with again as open_:
        assert (await open_.event())["cursor"] == cursors[2]


async def test_a_long_replay_comes_whole_and_in_order(
    served: Served, made: Any, endpoint: str, alice: Client
) -> None:
    def many(tx: Tx) -> list[str]:
        return [
            event_rows.append_event(tx, endpoint, "grant.revoked", {"n": number})
            for number in range(215)
        ]

    cursors = await served.parts.write(many)
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        assert [(await open_.event())["cursor"] for _ in cursors] == cursors
    first = await polled(alice, endpoint)
    assert len(first) == stream.MOST_POLLED
    rest = await polled(alice, endpoint, first[-1]["cursor"])
    assert [one["cursor"] for one in first + rest] == cursors


async def test_an_idle_stream_is_kept_open_by_comments(
    served: Served, made: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "PING_SECONDS", 0.02)
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        assert [await open_.event() for _ in range(3)] == ["ping"] * 3
        cursor = await told(served, endpoint)
        event: Any = "ping"
        while event == "ping":
            event = await open_.event()
        assert event["cursor"] == cursor


@pytest.mark.parametrize("cursor", ["x", "-1", "1.0", "%C2%B9", "9" * 18, "9" * 90, "1", "0 "])
async def test_a_cursor_that_was_never_given_is_refused(
    alice: Client, endpoint: str, cursor: str
) -> None:
    for path in ("stream", "poll"):
        await alice.refused(
            "GET",
            f"/local-realtime/{path}?endpointId={endpoint}&cursor={cursor}",
            400,
            "invalid_request",
            field="cursor",
        )


async def test_the_cursor_of_a_deleted_event_still_holds(
    served: Served, alice: Client, endpoint: str, clock: MovableClock
) -> None:
    old = await told(served, endpoint)
    clock.forward(days=7, seconds=1)
    await served.command("sweep_runtime_events")
    assert await polled(alice, endpoint) == []
    new = await told(served, endpoint)
    assert int(new) > int(old)
    assert [one["cursor"] for one in await polled(alice, endpoint, old)] == [new]


async def test_a_stream_ends_with_the_token_the_key_or_the_endpoint(
    served: Served, alice: Client, made: Any, endpoint: str
) -> None:
    key = await served.key("alice", ["runtime:connect"])
    async with (
        Stream(served, made["deviceToken"], endpoint) as by_token,
        Stream(served, key, endpoint) as by_key,
    ):
        again = await registered(alice)  # the token before ends
        assert await by_token.event() is None
        cursor = await told(served, endpoint)
        assert (await by_key.event())["cursor"] == cursor
        number = (await alice.ok("GET", "/account/keys"))["keys"][0]["id"]
        await alice.ok("DELETE", f"/account/keys/{number}")
        await told(served, endpoint)
        assert await by_key.event() is None
    async with Stream(served, again["deviceToken"], endpoint) as open_:
        assert len([await open_.event() for _ in range(2)]) == 2
        await alice.delete(f"/local-agent/endpoints/{endpoint}")
        assert await open_.event() is None
    await alice.refused("GET", f"/local-realtime/stream?endpointId={endpoint}", 404, "not_found")


async def test_after_its_token_has_ended_a_stream_is_told_nothing(
    served: Served, alice: Client, made: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "LOOK_SECONDS", 60.0)
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        await registered(alice)
        await told(served, endpoint)
        assert await open_.event() is None


async def test_all_streams_end_with_the_server(served: Served, made: Any, endpoint: str) -> None:
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        served.parts.events.publish("server.ending", {})
        assert await open_.event() is None


async def test_of_too_many_streams_the_oldest_ends(
    served: Served, made: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "MOST_OF_ENDPOINT", 1)
    async with (
        Stream(served, made["deviceToken"], endpoint) as first,
        Stream(served, made["deviceToken"], endpoint) as second,
    ):
        assert await first.event() is None
        await told(served, endpoint)
        assert await second.event() is not None
    assert served.parts.part(Listeners).count() == 0


async def test_a_reader_that_stalls_holds_nothing_up_and_misses_nothing(
    served: Served, made: Any, endpoint: str, alice: Client
) -> None:
    async with (
        Stream(served, made["deviceToken"], endpoint) as stalled,
        Stream(served, made["deviceToken"], endpoint) as other,
    ):
        stalled.takes.clear()
        cursors = [await told(served, endpoint) for _ in range(30)]
        assert [(await other.event())["cursor"] for _ in cursors] == cursors
        assert stalled.taken == 0
        stalled.takes.set()
        assert [(await stalled.event())["cursor"] for _ in cursors] == cursors


async def test_a_dispatch_is_sent_again_until_the_device_has_acknowledged_it(
    served: Served, made: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Any] = []
    served.parts.events.on_within(event_rows.DISPATCHED, lambda _, one: heard.append(one))
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        first = await dispatched(served, endpoint)
        assert (await open_.event())["cursor"] == first
        await settled()
        assert heard == ["del_1"]
        assert open_.is_quiet()
        again = await resent(served, endpoint)
        event = await open_.event()
        assert int(event["cursor"]) > int(first)
        assert (event["type"], event["data"]) == ("message.dispatch", {"a": "ü\n"})
        assert again == 1
        await served.parts.write(event_rows.acknowledge, "del_1")
        assert await resent(served, endpoint) == 0
        assert open_.is_quiet()


async def resent(served: Served, endpoint: str) -> int:
    """Let 30 seconds pass for an endpoint, and give how many dispatches are sent again."""
    served.parts.clock.forward(seconds=31)
    listeners_ = served.parts.part(Listeners)
    before = await served.parts.read(event_rows.newest_cursor)
    await settled()
    await listeners_.resend(endpoint)
    return await served.parts.read(event_rows.newest_cursor) - before


async def test_the_timer_of_an_endpoint_sends_again_by_itself(
    served: Served, made: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_rows, "RESEND_AFTER", event_rows.RESEND_AFTER * 0)
    monkeypatch.setattr(listeners, "LOOK_SECONDS", 0.02)
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        cursor = int(await dispatched(served, endpoint))
        seen = [int((await open_.event())["cursor"]) for _ in range(4)]
        assert seen[0] == cursor
        assert seen == sorted(set(seen))
        await served.parts.write(event_rows.acknowledge, "del_1")


async def test_who_comes_back_after_a_dispatch_without_acknowledging_it_gets_it_again(
    served: Served, alice: Client, made: Any, endpoint: str, clock: MovableClock
) -> None:
    cursor = await dispatched(served, endpoint)
    assert len(await polled(alice, endpoint)) == 1
    assert await polled(alice, endpoint, cursor) == []  # it may be at work on it
    clock.forward(seconds=30)
    event = (await polled(alice, endpoint, cursor))[0]
    assert int(event["cursor"]) > int(cursor)
    clock.forward(seconds=30)
    async with Stream(served, made["deviceToken"], endpoint, event["cursor"]) as open_:
        await served.parts.part(Listeners).resend(endpoint)
        assert (await open_.event())["type"] == "message.dispatch"
    await served.parts.write(event_rows.acknowledge, "del_1")
    assert await polled(alice, endpoint) == []


async def test_many_dispatches_are_sent_again_in_several_writes_and_in_order(
    served: Served,
    alice: Client,
    endpoint: str,
    clock: MovableClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_rows, "MOST_RENEWED", 2)
    for number in range(3):
        await dispatched(served, endpoint, f"del_{number}")
    last = (await polled(alice, endpoint))[-1]["cursor"]
    clock.forward(seconds=31)
    assert len(await polled(alice, endpoint, last)) == 2
    assert len(await polled(alice, endpoint, last)) == 3


async def test_what_has_expired_is_not_sent_any_more(
    served: Served, alice: Client, made: Any, endpoint: str, clock: MovableClock
) -> None:
    ends = clock().isoformat()[:19] + ".500Z"
    await dispatched(served, endpoint, expires_at=ends)
    assert len(await polled(alice, endpoint)) == 1
    clock.forward(seconds=1)
    assert await polled(alice, endpoint) == []


async def test_nothing_asks_the_database_while_nothing_happens(
    served: Served, made: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    async with Stream(served, made["deviceToken"], endpoint) as open_:
        await told(served, endpoint)
        await open_.event()
        await settled()
        for name in ("quick", "glance", "read", "write"):
            monkeypatch.setattr(served.parts.store, name, lambda *a, **_: asked.append(a))
        await asyncio.sleep(0.3)
        monkeypatch.undo()
    assert asked == []


async def test_a_head_request_ends_at_once(served: Served, alice: Client, endpoint: str) -> None:
    response = await alice.head(f"/local-realtime/stream?endpointId={endpoint}")
    assert (response.status_code, response.content) == (200, b"")
    assert served.parts.part(Listeners).count() == 0


async def test_a_token_without_the_scope_gets_no_stream(served: Served, endpoint: str) -> None:
    async with served.client(await served.key("alice", ["os.notes:read"])) as client:
        path = f"/local-realtime/stream?endpointId={endpoint}"
        await client.refused("GET", path, 403, "insufficient_scope")


async def test_events_of_a_removed_endpoint_wait_until_it_is_registered_again(
    served: Served, alice: Client, made: Any, endpoint: str
) -> None:
    cursor = await told(served, endpoint)
    await alice.delete(f"/local-agent/endpoints/{endpoint}")
    async with device(served, await registered(alice)) as back:
        assert [one["cursor"] for one in await polled(back, endpoint)] == [cursor]
