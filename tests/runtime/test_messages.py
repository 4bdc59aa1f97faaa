"""Messages over HTTP: what is refused, what waits, what is sent again, and how each ends."""

from typing import Any

import pytest

from app.errors import StorageFull
from app.runtime.realtime import event_rows
from tests.conftest import Client, MovableClock
from tests.runtime.devices import device, registered
from tests.runtime.pairs import Pair, acknowledge, delivery, message, send

pytestmark = pytest.mark.anyio
MESSAGES = "/local-agent/messages"
VALIDATE = "/local-agent/injections/validate"


async def valid(pair: Pair, grant: str, id_: str, **more: Any) -> Any:
    """Give what a check right before the injection says."""
    body = {
        "messageId": id_,
        "communicationSessionId": grant,
        "endpointId": pair.bob.endpoint,
        "sessionHandle": pair.bob.session,
        **more,
    }
    found = await pair.bob.device.ok("POST", VALIDATE, json=body)
    return found.get("reason", found["valid"])


async def test_bad_messages_are_refused_and_leave_no_number_behind(
    pair: Pair, carol: Client
) -> None:
    grant = await pair.granted()
    alice = pair.alice.device
    for body, status, code in (
        (message(grant, kind="control"), 400, "invalid_message_kind"),
        (message(grant, payload={"text": "x" * (33 << 10)}), 413, "payload_too_large"),
        (message(grant, payload=[]), 400, "invalid_request"),
        (message(grant, ""), 400, "invalid_request"),
        (message(grant, "x" * 201), 400, "invalid_request"),
        (message(grant, replyTo="msg_none"), 409, "wrong_target"),
        (message("comm_none"), 404, "not_found"),
        ({**message(grant), "communicationSessionId": None}, 400, "invalid_request"),
        (
            {
                "target": {"kind": "human_inbox", "principalId": pair.bob.principal},
                "clientMessageId": "m",
                "kind": "text",
                "payload": {},
            },
            400,
            "invalid_target_kind",
        ),
    ):
        await alice.refused("POST", MESSAGES, status, code, json=body)
    await carol.refused("POST", MESSAGES, 404, "not_found", json=message(grant))
    forged = message(grant, senderPrincipalId=pair.bob.principal, senderDeviceId="forged")
    await alice.ok("POST", MESSAGES, json=forged)
    (event,) = await pair.bob.poll("message.dispatch")
    envelope = event["data"]["envelope"]
    assert (envelope["senderPrincipalId"], envelope["senderDeviceId"], envelope["sequence"]) == (
        pair.alice.principal,
        "alice-laptop",
        1,
    )


async def test_an_id_of_the_sender_sends_once(pair: Pair) -> None:
    grant = await pair.granted()
    first = await pair.alice.device.ok("POST", MESSAGES, json=message(grant))
    again = await pair.alice.device.ok("POST", MESSAGES, json=message(grant))
    assert again == {**first, "duplicate": True}
    other = message(grant, payload={"text": "other"})
    await pair.alice.device.refused("POST", MESSAGES, 409, "client_message_id_conflict", json=other)
    theirs = await pair.bob.device.ok("POST", MESSAGES, json=message(grant))
    assert theirs["messageId"] != first["messageId"]
    await pair.alice.device.post(f"/local-agent/grants/{grant}/revoke")
    late = await pair.alice.device.ok("POST", MESSAGES, json=message(grant))
    assert late == again  # a sender that heard no answer learns that it was sent


async def test_only_the_device_that_gets_a_message_acknowledges_it(
    pair: Pair, carol: Client
) -> None:
    id_ = await send(pair.alice, await pair.granted())
    path, body = f"{MESSAGES}/{id_}/ack", {"phase": "device_ack", "attemptId": "a"}
    await pair.alice.device.refused("POST", path, 403, "endpoint_not_owned", json=body)
    await carol.refused("POST", path, 404, "not_found", json=body)
    await carol.refused("GET", f"{MESSAGES}/{id_}", 404, "not_found")
    made = await registered(pair.bob.owner, deviceId="desktop")
    async with device(pair.served, made) as desktop:
        await desktop.refused("POST", path, 403, "endpoint_not_owned", json=body)
        check = {"messageId": id_, "communicationSessionId": "c", "endpointId": pair.bob.endpoint}
        await desktop.refused("POST", VALIDATE, 403, "endpoint_not_owned", json=check)
    await pair.bob.owner.ok("POST", path, json=body)
    bad = {"phase": "replied", "attemptId": "a"}
    await pair.bob.device.refused("POST", path, 400, "invalid_request", json=bad)


async def test_acknowledgements_out_of_order_and_after_the_end_are_only_written_down(
    pair: Pair,
) -> None:
    id_ = await send(pair.alice, await pair.granted())
    bob = pair.bob
    assert await acknowledge(bob, id_, "runtime_ack", runtimeAckId="r1") == "state"
    for phase in ("device_ack", "runtime_pending", "runtime_ack"):
        assert await acknowledge(bob, id_, phase, "late") == "audit_only"
    assert await acknowledge(bob, id_, "runtime_failed", "f", retryable=True) == "audit_only"
    assert (await delivery(pair.alice, id_))["status"] == "runtime_acked"
    assert await acknowledge(bob, id_, "runtime_failed", "f2", resultCode="lost") == "state"
    assert await acknowledge(bob, id_, "runtime_ack", "f3") == "audit_only"
    found = await pair.alice.device.ok("GET", f"{MESSAGES}/{id_}")
    assert (found["delivery"]["status"], found["delivery"]["resultCode"]) == ("failed", "lost")
    assert found["delivery"]["terminalAt"] is not None
    assert [one["phase"] for one in found["attempts"]] == [
        "runtime_ack",
        "device_ack",
        "runtime_pending",
        "runtime_ack",
        "runtime_failed",
        "runtime_failed",
        "runtime_ack",
    ]


async def test_endless_acknowledgements_fill_nothing(pair: Pair) -> None:
    id_ = await send(pair.alice, await pair.granted())
    for number in range(210):
        await acknowledge(pair.bob, id_, "runtime_pending", f"a{number}")
    assert len((await pair.bob.device.ok("GET", f"{MESSAGES}/{id_}"))["attempts"]) == 200
    assert await acknowledge(pair.bob, id_, "runtime_ack", "last") == "state"


async def test_what_failed_is_dispatched_again_later_each_time(
    pair: Pair, clock: MovableClock
) -> None:
    grant = await pair.granted()
    id_ = await send(pair.alice, grant)
    assert len(await pair.bob.poll("message.dispatch")) == 1
    failed = await acknowledge(pair.bob, id_, "runtime_failed", "first", retryable=True)
    assert failed == "state"
    assert len(await pair.bob.poll("message.dispatch")) == 1  # the first time at once
    for number, pause in enumerate((1, 2, 4, 8)):
        failed = await acknowledge(pair.bob, id_, "runtime_failed", f"f{number}", retryable=True)
        assert failed == "state"
        clock.forward(seconds=pause - 0.5)
        await pair.served.command("dispatch_due_messages")
        assert await pair.bob.poll("message.dispatch") == []
        clock.forward(seconds=0.5)
        await pair.served.command("dispatch_due_messages")
        (event,) = await pair.bob.poll("message.dispatch")
        assert event["data"]["envelope"]["id"] == id_
        assert await valid(pair, grant, id_) is True
    assert await acknowledge(pair.bob, id_, "runtime_ack") == "state"


async def test_a_busy_session_gets_its_messages_in_order_when_it_is_free(pair: Pair) -> None:
    grant = await pair.granted()
    await pair.bob.set_session(state="busy")
    ids = [await send(pair.alice, grant, f"m{number}") for number in range(3)]
    assert await pair.bob.poll("message.dispatch") == []
    assert (await delivery(pair.alice, ids[0]))["status"] == "queued"
    await pair.bob.set_session(state="idle")
    events = await pair.bob.poll("message.dispatch")
    assert [event["data"]["envelope"]["id"] for event in events] == ids
    assert [event["data"]["envelope"]["sequence"] for event in events] == [1, 2, 3]


async def test_a_busy_session_may_take_messages_in_the_middle_of_a_turn(pair: Pair) -> None:
    steered = {"liveInject": True, "midTurnSteer": True, "replyEvents": True}
    session = await pair.bob.more_session(capabilities=steered, allowMidTurnSteer=True)
    route = {"endpointId": pair.bob.endpoint, "sessionHandle": session}
    await pair.bob.device.ok("PUT", "/local-agent/default-route", json=route)
    grant = await pair.granted()
    body = {"state": "busy"}
    await pair.bob.device.ok("PATCH", f"/local-agent/sessions/{session}", json=body)
    await send(pair.alice, grant)
    assert len(await pair.bob.poll("message.dispatch")) == 1


async def test_a_session_that_is_closed_or_takes_nothing_gets_nothing(pair: Pair) -> None:
    grant = await pair.granted()
    id_ = await send(pair.alice, grant)
    await pair.bob.set_session(allowInbound=False)
    assert await valid(pair, grant, id_) == "inbound_disabled"
    refused = pair.alice.device.refused
    await refused("POST", MESSAGES, 409, "inbound_disabled", json=message(grant, "m2"))
    # it may still answer
    await send(pair.bob, grant)
    await pair.bob.set_session(state="closed")
    assert await valid(pair, grant, id_) == "session_closed"
    await refused("POST", MESSAGES, 409, "session_closed", json=message(grant, "m2"))


async def test_a_removed_runtime_gets_nothing(pair: Pair) -> None:
    grant = await pair.granted()
    path = f"/local-agent/endpoints/{pair.bob.endpoint}"
    assert (await pair.bob.owner.delete(path)).status_code == 204
    response = await pair.alice.device.post(MESSAGES, json=message(grant))
    assert (response.status_code, response.json()["error"]) == (409, "session_closed")


async def test_what_a_runtime_has_is_not_injected_twice_and_nothing_of_others(pair: Pair) -> None:
    grant = await pair.granted()
    id_, own = await send(pair.alice, grant), await send(pair.bob, grant)
    assert await valid(pair, grant, id_) is True
    assert await valid(pair, grant, "msg_none") == "not_found"
    assert await valid(pair, "comm_none", id_) == "wrong_target"
    assert await valid(pair, grant, id_, sessionHandle="rs_other") == "wrong_target"
    assert await valid(pair, grant, own) == "wrong_target"
    await acknowledge(pair.bob, id_, "runtime_ack")
    assert await valid(pair, grant, id_) == "delivery_terminal"
    pair.bob.cursor = "0"
    events = await pair.bob.poll("message.dispatch")
    assert events == []  # also not to a bridge that has forgotten where it was


@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_with_its_grant_ends_what_no_runtime_has_taken(
    pair: Pair, clock: MovableClock, end: str
) -> None:
    grant = await pair.granted()
    await pair.bob.set_session(state="busy")
    waiting = await send(pair.alice, grant, "waiting")
    await pair.bob.set_session(state="idle")
    acked, taken = await send(pair.alice, grant, "acked"), await send(pair.alice, grant, "taken")
    await acknowledge(pair.bob, acked, "device_ack")
    await acknowledge(pair.bob, taken, "runtime_ack")
    if end == "revoked":
        await pair.alice.device.post(f"/local-agent/grants/{grant}/revoke")
    else:
        clock.forward(minutes=30)
        # it holds at once, and also once the server has written it down
        assert (await delivery(pair.alice, waiting))["status"] == end
        await pair.served.command("dispatch_due_messages")
    assert (await delivery(pair.alice, waiting))["status"] == end
    assert (await delivery(pair.alice, acked))["status"] == end
    assert (await delivery(pair.alice, taken))["status"] == "handled"
    assert await valid(pair, grant, acked) == f"communication_session_{end}"
    assert await acknowledge(pair.bob, acked, "runtime_ack") == "audit_only"
    pair.bob.cursor = "0"
    assert await pair.bob.poll("message.dispatch") == []


async def test_what_an_endpoint_waits_for_keeps_it_draining(pair: Pair) -> None:
    grant = await pair.granted()
    id_ = await send(pair.alice, grant)
    await pair.bob.owner.delete(f"/local-agent/endpoints/{pair.bob.endpoint}")

    async def presence() -> Any:
        found = await pair.bob.owner.ok("GET", "/local-agent/endpoints")
        return found["endpoints"][0]["presence"] if found["endpoints"] else "gone"

    assert await presence() == "draining"
    body = {"phase": "runtime_ack", "attemptId": "a"}
    await pair.bob.owner.ok("POST", f"{MESSAGES}/{id_}/ack", json=body)
    assert await presence() == "gone"


async def test_a_user_who_is_deleted_leaves_no_grant_and_no_message_behind(pair: Pair) -> None:
    grant = await pair.granted()
    await send(pair.alice, grant, payload={"text": "rhubarb"})
    asked = {
        "communicationSessionId": grant,
        "sessionHandle": pair.bob.session,
        "toolName": "Bash",
        "toolInputSummary": "ls",
    }
    await pair.bob.device.ok("POST", "/local-agent/tool-approvals", json=asked)
    await pair.served.command("delete_user", username="alice")
    told = await pair.bob.poll()
    assert [one["type"] for one in told][-1] == "grant.revoked"
    assert "message.dispatch" not in [one["type"] for one in told]
    found = await pair.bob.owner.ok("GET", "/escalations", params={"status": "all"})
    assert [one["status"] for one in found["escalations"]] == ["superseded"]
    events = pair.served.parts.glance(lambda tx: tx.all("SELECT data FROM runtime_events"))
    assert not [row for row in events if "rhubarb" in row["data"]]


async def test_events_are_read_also_while_the_disk_is_full(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise StorageFull("The disk is full.")

    await send(pair.alice, await pair.granted())
    monkeypatch.setattr(event_rows, "note_sent", full)
    assert [one["type"] for one in await pair.bob.poll("message.dispatch")] == ["message.dispatch"]
