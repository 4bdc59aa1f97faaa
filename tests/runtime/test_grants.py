"""Grants and offers over HTTP: who may ask for what, and how each of them ends."""

from typing import Any

import pytest

from tests.conftest import Client, MovableClock
from tests.runtime.devices import device, registered
from tests.runtime.pairs import Pair, message, send

pytestmark = pytest.mark.anyio
GRANTS = "/local-agent/grants"


async def test_only_a_contact_with_a_runtime_that_takes_messages_is_asked(
    strangers: Pair, clock: MovableClock
) -> None:
    pair, ask = strangers, strangers.alice.device.refused
    await ask("POST", GRANTS, 409, "not_connected", json=pair.request())
    await pair.served.command("connect_users", username="alice", contact="bob")
    for target, status, code in (
        ({"kind": "human_inbox", "principalId": pair.bob.principal}, 400, "invalid_target_kind"),
        ({"kind": "runtime_session", "principalId": pair.bob.principal}, 400, "invalid_request"),
        ({"kind": "person_default_runtime", "principalId": "nobody"}, 404, "not_found"),
        (
            {"kind": "person_default_runtime", "principalId": pair.alice.principal},
            400,
            "invalid_request",
        ),
    ):
        await ask("POST", GRANTS, status, code, json=pair.request(target=target))
    for ttl in (0, 31, "x"):
        body = pair.request(requestedTtlMinutes=ttl)
        await ask("POST", GRANTS, 400, "invalid_request", field="requestedTtlMinutes", json=body)
    body = pair.request(replyEndpointId=pair.bob.endpoint)
    await ask("POST", GRANTS, 403, "endpoint_not_owned", json=body)
    body = pair.request(replySessionHandle=pair.bob.session)
    await ask("POST", GRANTS, 403, "session_not_owned", json=body)
    await pair.bob.set_session(allowInbound=False)
    await ask("POST", GRANTS, 409, "inbound_disabled", json=pair.request())
    await pair.bob.set_session(allowInbound=True)
    clock.forward(seconds=61)
    await ask("POST", GRANTS, 409, "no_default_route", json=pair.request())
    await pair.bob.beat()
    await pair.asked()


async def test_the_same_request_waits_once_and_is_answered_by_its_recipient(
    pair: Pair, carol: Client
) -> None:
    alice, bob = pair.alice.device, pair.bob.device
    id_ = await pair.asked()
    assert await pair.asked() == id_
    assert await pair.asked(requestedTtlMinutes=5) != id_
    for event in ("accept", "decline"):
        await alice.refused("POST", f"{GRANTS}/{id_}/{event}", 403, "wrong_participant")
        await carol.refused("POST", f"{GRANTS}/{id_}/{event}", 404, "not_found")
        await carol.refused("POST", f"{GRANTS}/comm_none/{event}", 404, "not_found")
    await alice.refused("POST", f"{GRANTS}/{id_}/revoke", 409, "communication_session_not_active")
    assert (await bob.post(f"{GRANTS}/{id_}/decline")).status_code == 204
    await bob.refused("POST", f"{GRANTS}/{id_}/accept", 409, "request_not_pending")
    assert await pair.status(id_) == "declined"
    assert "grant.declined" in [event["type"] for event in await pair.alice.poll()]
    assert (await carol.get(GRANTS)).json() == []


async def test_where_a_grant_leads_is_decided_once(pair: Pair) -> None:
    id_ = await pair.granted()
    other = await pair.bob.more_session()
    route = {"endpointId": pair.bob.endpoint, "sessionHandle": other}
    await pair.bob.device.ok("PUT", "/local-agent/default-route", json=route)
    await send(pair.alice, id_)
    (event,) = await pair.bob.poll("message.dispatch")
    assert event["data"]["envelope"]["target"]["sessionHandle"] == pair.bob.session


async def test_a_session_serves_one_grant_and_another_after_its_end(
    pair: Pair, clock: MovableClock
) -> None:
    first, second = await pair.asked(requestedTtlMinutes=1), await pair.asked()
    bob = pair.bob.device
    await bob.ok("POST", f"{GRANTS}/{first}/accept")
    path = f"{GRANTS}/{second}/accept"
    await bob.refused("POST", path, 409, "runtime_session_already_granted")
    clock.forward(seconds=61)
    await pair.bob.beat()
    assert await pair.status(first) == "expired"
    assert (await bob.ok("POST", path))["status"] == "active"
    ended = [event["type"] for event in await pair.alice.poll("grant.expired")]
    assert ended == ["grant.expired"]


async def test_a_request_waits_ten_minutes_and_a_grant_its_time(
    pair: Pair, clock: MovableClock
) -> None:
    id_ = await pair.asked()
    clock.forward(minutes=10)
    await pair.bob.beat()
    await pair.bob.device.refused("POST", f"{GRANTS}/{id_}/accept", 409, "request_expired")
    assert await pair.status(id_) == "expired"
    id_ = await pair.granted(requestedTtlMinutes=30)
    clock.forward(minutes=30)
    await pair.alice.device.refused(
        "POST", "/local-agent/messages", 409, "communication_session_expired", json=message(id_)
    )
    await pair.alice.device.refused(
        "POST", f"{GRANTS}/{id_}/revoke", 409, "communication_session_expired"
    )


async def test_what_has_ended_stays_so_when_the_clock_is_set_back(
    pair: Pair, clock: MovableClock
) -> None:
    id_ = await pair.granted(requestedTtlMinutes=5)
    clock.forward(minutes=6)
    await pair.served.command("dispatch_due_messages")
    clock.forward(minutes=-6)
    assert await pair.status(id_) == "expired"
    await pair.alice.device.refused(
        "POST", "/local-agent/messages", 409, "communication_session_expired", json=message(id_)
    )


@pytest.mark.parametrize("side", ["alice", "bob"])
async def test_either_side_revokes_and_all_are_told(pair: Pair, side: str) -> None:
    told: list[Any] = []
    pair.served.parts.events.on("grant.revoked", told.append)
    id_ = await pair.granted()
    client = getattr(pair, side).device
    for _ in range(2):
        assert (await client.post(f"{GRANTS}/{id_}/revoke")).status_code == 204
    for one in (pair.alice, pair.bob):
        (event,) = await one.poll("grant.revoked")
        assert event["data"]["communicationSessionId"] == id_
        assert event["data"]["sessionHandle"] == pair.bob.session
    assert [(one["user"], one["grantKind"], one["grantId"], one["reason"]) for one in told] == [
        (1, "runtime", id_, "revoked"),
        (2, "runtime", id_, "revoked"),
    ]
    assert {one["by"] for one in told} == {getattr(pair, side).principal}


async def test_a_device_acts_for_its_own_side_only(pair: Pair) -> None:
    id_ = await pair.granted()
    made = await registered(pair.bob.owner, deviceId="desktop")
    async with device(pair.served, made) as desktop:
        await desktop.refused("POST", f"{GRANTS}/{id_}/revoke", 403, "endpoint_not_owned")
        await desktop.refused(
            "POST", "/local-agent/messages", 403, "endpoint_not_owned", json=message(id_)
        )
        assert (await desktop.get(GRANTS)).json() == []
        await pair.bob.owner.post(f"{GRANTS}/{id_}/revoke")
        asked = await pair.asked()
        assert [row["commSessionId"] for row in (await desktop.get(GRANTS)).json()] == [asked]
        await desktop.refused("POST", f"{GRANTS}/{asked}/accept", 403, "endpoint_not_owned")


async def test_who_is_no_contact_any_more_has_no_grant(pair: Pair) -> None:
    active, waiting = await pair.granted(), await pair.asked(requestedTtlMinutes=3)
    await pair.bob.owner.ok("DELETE", "/network/contacts/alice")
    assert await pair.status(active) == "revoked"
    assert await pair.status(waiting) == "declined"
    await pair.alice.device.refused(
        "POST", "/local-agent/messages", 409, "communication_session_revoked", json=message(active)
    )


async def test_closed_sessions_are_not_let_in_or_asked_from(pair: Pair) -> None:
    id_ = await pair.asked()
    await pair.alice.set_session(state="closed")
    await pair.bob.device.refused("POST", f"{GRANTS}/{id_}/accept", 409, "session_closed")
    await pair.alice.device.refused("POST", GRANTS, 409, "session_closed", json=pair.request())


async def test_an_offered_session_is_for_its_audience_and_its_time(
    pair: Pair, carol: Client, clock: MovableClock
) -> None:
    bob, alice = pair.bob, pair.alice
    session = await bob.more_session(label="offered")
    offer = {
        "endpointId": bob.endpoint,
        "sessionHandle": session,
        "audiencePrincipalId": alice.principal,
        "ttlSeconds": 300,
    }
    path = "/local-agent/target-offers"
    await bob.device.refused("POST", path, 400, "invalid_request", json={**offer, "ttlSeconds": 0})
    mine = {**offer, "audiencePrincipalId": bob.principal}
    await bob.device.refused("POST", path, 400, "invalid_request", json=mine)
    theirs = {**offer, "audiencePrincipalId": "carol"}
    await bob.device.refused("POST", path, 409, "not_connected", json=theirs)
    await alice.device.refused("POST", path, 403, "endpoint_not_owned", json=offer)
    made = [(await bob.device.ok("POST", path, json=offer))["targetOfferId"] for _ in range(3)]

    def asking(id_: str) -> Any:
        target = {"kind": "runtime_session", "principalId": bob.principal, "targetOfferId": id_}
        return pair.request(target=target)

    asked = await alice.device.ok("POST", GRANTS, json=asking(made[0]))
    row = await bob.device.ok("POST", f"{GRANTS}/{asked['commSessionId']}/accept")
    assert (row["frozenSessionHandle"], row["targetOfferId"]) == (session, made[0])
    await alice.device.refused("POST", f"{path}/{made[1]}/revoke", 404, "offer_not_found")
    for _ in range(2):
        assert (await bob.device.post(f"{path}/{made[1]}/revoke")).status_code == 204
    await alice.device.refused("POST", GRANTS, 409, "offer_revoked", json=asking(made[1]))
    await alice.device.refused("POST", GRANTS, 404, "offer_not_found", json=asking("to_none"))
    await pair.served.command("connect_users", username="carol", contact="bob")
    laptop = await registered(carol)
    begun = await carol.ok(
        "POST",
        "/local-agent/sessions",
        json={
            "endpointId": laptop["endpoint"]["endpointId"],
            "label": "s",
            "state": "idle",
            "deliveryMode": "managed_stream",
            "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
            "allowInbound": True,
            "allowMidTurnSteer": False,
        },
    )
    body = {
        **asking(made[2]),
        "replyEndpointId": laptop["endpoint"]["endpointId"],
        "replySessionHandle": begun["sessionHandle"],
    }
    await carol.refused("POST", GRANTS, 403, "offer_audience_mismatch", json=body)
    clock.forward(seconds=300)
    await alice.device.refused("POST", GRANTS, 409, "offer_expired", json=asking(made[2]))
