"""The rows of devices, sessions, routes and events, without a server's interfaces."""

from typing import Any

import pytest

from app.account import device_tokens, key_rows
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.errors import EndpointNotOwned, NotFound, SessionClosed, SessionNotFound, SessionNotOwned
from app.runtime.devices import endpoint_rows, route_rows, session_rows
from app.runtime.devices.endpoint_rows import Endpoint
from app.runtime.devices.session_rows import Session
from app.runtime.realtime import event_rows
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio
ALICE = Caller(user=1, user_id="a", username="alice", kind="key")
BOB = Caller(user=2, user_id="b", username="bob", kind="key")


def register(tx: Tx, device: str = "laptop", user: int = 1) -> Endpoint:
    return endpoint_rows.upsert(
        tx,
        user,
        device_id=device,
        runtime="codex",
        bridge_version="1",
        adapter_version="1",
        capabilities=["listSessions"],
    )


def begin(tx: Tx, endpoint: Endpoint, **more: Any) -> Session:
    values = {
        "label": "hearth",
        "workspace_boundary": None,
        "state": "idle",
        "delivery_mode": "managed_stream",
        "capabilities": {"liveInject": True},
        "allow_inbound": True,
        "allow_mid_turn_steer": False,
    }
    return session_rows.insert(tx, endpoint.user_id, endpoint.endpoint_id, values | more)


async def test_an_endpoint_is_the_same_each_time_and_belongs_to_one_device(
    served: Served, alice: Client, bob: Client
) -> None:
    write, read = served.parts.write, served.parts.read
    first = await write(register)
    again = await write(register)
    other = await write(register, "desktop")
    assert first.endpoint_id == again.endpoint_id != other.endpoint_id
    assert first.endpoint_id.startswith("ep_")
    device = Caller(user=1, user_id="a", username="alice", kind="device", device="laptop")
    assert await read(endpoint_rows.list_own, device) == [again]
    assert (await read(endpoint_rows.require_own, ALICE, other.endpoint_id)) == other
    for caller in (BOB, device):
        with pytest.raises(EndpointNotOwned):
            await read(endpoint_rows.require_own, caller, other.endpoint_id)
    with pytest.raises(NotFound):
        await read(endpoint_rows.require_own, ALICE, "ep_none")
    await write(endpoint_rows.remove, other.endpoint_id)
    with pytest.raises(NotFound):
        await read(endpoint_rows.require_live, ALICE, other.endpoint_id)


async def test_a_route_is_reachable_while_its_endpoint_is_heard_of_and_its_session_open(
    served: Served, clock: MovableClock, alice: Client, bob: Client
) -> None:
    write, read = served.parts.write, served.parts.read
    endpoint = await write(register)
    session = await write(begin, endpoint)
    assert await read(route_rows.find, 1) is None
    await write(route_rows.put, 1, endpoint.endpoint_id, session.session_handle)
    assert await read(route_rows.find_reachable, 1) == await read(route_rows.find, 1)
    clock.forward(seconds=60)
    assert await read(route_rows.find_reachable, 1) is None
    await write(endpoint_rows.note_seen, {endpoint.endpoint_id: stamp(clock())})
    assert await read(route_rows.find_reachable, 1) is not None
    clock.forward(seconds=-3600)  # a clock that is set back does not keep it online
    assert await read(route_rows.find_reachable, 1) is None
    await write(endpoint_rows.note_seen, {endpoint.endpoint_id: stamp(clock())})
    await write(session_rows.close_at, endpoint.endpoint_id)
    assert await read(route_rows.find_reachable, 1) is None
    with pytest.raises(SessionClosed):
        await read(session_rows.require_at, ALICE, endpoint.endpoint_id, session.session_handle)
    with pytest.raises(SessionNotOwned):
        await read(session_rows.require_own, BOB, session.session_handle)
    with pytest.raises(SessionNotFound):
        await read(session_rows.require, "rs_none")


async def test_a_new_token_ends_the_one_before_and_a_revoked_one_stays_ended(
    served: Served, alice: Client
) -> None:
    def issue(tx: Tx) -> str:
        return device_tokens.issue(
            tx, 1, "laptop", "codex", name="codex on laptop", scopes=device_tokens.RUNTIME
        )

    write = served.parts.write
    ring = served.asgi.front.credentials.ring
    first = await write(issue)
    caller = ring.find_caller(first)
    assert (caller.kind, caller.device, caller.rights) == (
        "device",
        "laptop",
        frozenset({"runtime:connect"}),
    )
    second = await write(issue)
    assert ring.find_caller(first) is None
    assert ring.find_caller(second).credential == caller.credential
    await write(device_tokens.revoke, 1, "laptop", "codex")
    assert ring.find_caller(second) is None
    assert await served.parts.read(device_tokens.find_caller, key_rows.key_digest(second)) is None


async def test_a_dispatch_is_sent_until_it_is_acknowledged_or_over(
    served: Served, clock: MovableClock, alice: Client
) -> None:
    write, read = served.parts.write, served.parts.read
    heard: list[Any] = []
    served.parts.events.on(event_rows.ADDED, heard.append)
    endpoint = (await write(register)).endpoint_id
    append = event_rows.append_event
    plain = int(await write(append, endpoint, "grant.revoked", {"a": 1}))
    sent = int(await write(append, endpoint, "message.dispatch", {"b": 2}, delivery="del_1"))
    assert sent > plain
    assert heard == [{"endpoint": endpoint}] * 2
    assert [one.id for one in await read(event_rows.after, endpoint, 0, 10)] == [plain, sent]
    await write(event_rows.note_sent, [plain, sent])
    assert await write(event_rows.renew_unacknowledged, endpoint, sent) == 0
    clock.forward(seconds=30)
    assert await write(event_rows.renew_unacknowledged, endpoint, sent) == 1
    again = (await read(event_rows.after, endpoint, sent, 10))[0]
    assert (bytes(again.data), again.delivery_id) == (b'{"b":2}', "del_1")
    await write(event_rows.acknowledge, "del_1")
    assert await read(event_rows.after, endpoint, sent, 10) == []
    ends = "2020-01-01T00:00:00.000Z"
    await write(append, endpoint, "message.dispatch", {}, delivery="del_2", expires_at=ends)
    assert await read(event_rows.after, endpoint, sent, 10) == []
    clock.forward(days=7)
    assert await write(event_rows.delete_old) == 3
    assert await read(event_rows.newest_cursor) > again.id
