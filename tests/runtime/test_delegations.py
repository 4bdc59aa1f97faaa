"""Delegations: what a task waits for, and that it goes on by itself."""

import hashlib
from typing import Any

import pytest

from tests.conftest import MovableClock
from tests.runtime.pairs import Pair, acknowledge, send

pytestmark = pytest.mark.anyio
DELEGATE = "/local-agent/delegations"


def order(pair: Pair, client: str = "delegate:1", **more: Any) -> dict[str, Any]:
    return {
        "target": pair.target(),
        "task": "Find the bug.",
        "sessionHandle": pair.alice.session,
        "clientMessageId": client,
        "correlationId": client,
        **more,
    }


async def delegate(pair: Pair, client: str = "delegate:1", **more: Any) -> Any:
    return await pair.alice.device.ok(
        "POST", DELEGATE, status=201, json=order(pair, client, **more)
    )


def item(content: str = "text", **more: Any) -> dict[str, Any]:
    sha = hashlib.sha256(content.encode()).hexdigest()
    return {"kind": "freeform", "label": "note", "content": content, "sha256": sha, **more}


def capsule(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"context": {"summary": "s", "items": list(items), "limitations": [], **more}}


async def tasks(pair: Pair) -> list[Any]:
    """Give the tasks that came to Bob's runtime since the last look."""
    events = await pair.bob.poll("message.dispatch")
    return [event["data"]["envelope"] for event in events]


async def test_a_stranger_is_asked_to_become_a_contact_and_then_all_goes_on(
    strangers: Pair,
) -> None:
    pair = strangers
    first = await delegate(pair)
    assert first["status"] == "collaboration_requested"
    assert first["collaborationId"].startswith("col_")
    assert (await delegate(pair))["duplicate"] is True
    requests = (await pair.bob.owner.ok("GET", "/network/requests"))["incoming"]
    assert [one["type"] for one in requests] == ["friend"]
    body = {"requestId": requests[0]["requestId"], "type": "friend", "action": "accept"}
    await pair.bob.owner.ok("POST", "/network/accept", json=body)
    second = await delegate(pair)
    assert (second["status"], second["collaborationId"]) == (
        "grant_requested",
        first["collaborationId"],
    )
    grant = second["communicationSessionId"]
    assert "grant.request" in [event["type"] for event in await pair.bob.poll()]
    await pair.bob.device.ok("POST", f"/local-agent/grants/{grant}/accept")
    (envelope,) = await tasks(pair)
    assert (envelope["kind"], envelope["payload"]["task"]) == ("task_invite", "Find the bug.")
    assert envelope["collaborationTurn"] == {
        "clientTurnId": "delegate:1",
        "type": "task",
        "expectsReply": True,
        "turnId": envelope["id"],
        "sequence": 1,
    }
    assert (await delegate(pair))["messageId"] == envelope["id"]


async def test_both_who_ask_each_other_are_contacts_at_once(strangers: Pair) -> None:
    pair = strangers
    await pair.bob.owner.ok("POST", "/network/request", json={"to": "alice"})
    assert (await delegate(pair))["status"] == "grant_requested"


async def test_a_task_waits_until_its_recipient_has_started_a_runtime(
    strangers: Pair, clock: MovableClock
) -> None:
    pair = strangers
    await delegate(pair)
    clock.forward(seconds=61)
    await pair.served.command("connect_users", username="alice", contact="bob")
    assert (await delegate(pair))["status"] == "collaboration_requested"
    await pair.served.command("advance_delegations")
    await pair.bob.beat()
    assert (await pair.served.command("advance_delegations")).went_on == 1
    assert (await delegate(pair))["status"] == "grant_requested"
    assert (await pair.served.command("advance_delegations")).went_on == 0


@pytest.mark.parametrize("end", ["rejected", "cancelled", "forgotten"])
async def test_a_task_ends_when_its_contact_request_does(
    strangers: Pair, clock: MovableClock, end: str
) -> None:
    pair = strangers
    first = await delegate(pair)
    (request,) = (await pair.bob.owner.ok("GET", "/network/requests"))["incoming"]
    if end == "rejected":
        body = {"requestId": request["requestId"], "type": "friend", "action": "reject"}
        await pair.bob.owner.ok("POST", "/network/accept", json=body)
    elif end == "cancelled":
        await pair.alice.owner.ok("DELETE", f"/network/requests/{request['requestId']}")
    else:
        clock.forward(days=30)
        assert (await pair.served.command("advance_delegations")).ended == 1
    event = "collaboration.expired" if end == "forgotten" else "collaboration.revoked"
    (told,) = await pair.alice.poll("collaboration.expired", "collaboration.revoked")
    assert (told["type"], told["data"]["collaborationId"]) == (event, first["collaborationId"])
    code = "request_expired" if end == "forgotten" else "not_connected"
    await pair.alice.device.refused("POST", DELEGATE, 409, code, json=order(pair))


async def test_bad_orders_leave_nothing_behind(pair: Pair, clock: MovableClock) -> None:
    refused = pair.alice.device.refused
    for more, status, code in (
        ({"task": " "}, 400, "invalid_request"),
        ({"task": {}}, 400, "invalid_request"),
        ({"task": "x" * (33 << 10)}, 413, "payload_too_large"),
        ({"target": {**pair.target(), "kind": "human_inbox"}}, 400, "invalid_target_kind"),
        (
            {"target": {**pair.target(), "principalId": pair.alice.principal}},
            400,
            "invalid_request",
        ),
        ({"sessionHandle": "rs_none"}, 404, "session_not_found"),
        ({"sessionHandle": pair.bob.session}, 403, "session_not_owned"),
        (capsule({**item(), "sha256": "0" * 64}), 400, "invalid_request"),
        (capsule({**item(), "kind": "secret"}), 400, "invalid_request"),
        (capsule({**item(), "label": "x" * 121}), 400, "invalid_request"),
        (capsule(*[item()] * 13), 400, "invalid_request"),
        (capsule(item(), limitations=["x"] * 13), 400, "invalid_request"),
        (capsule(item(), summary="x" * 2001), 400, "invalid_request"),
        (capsule(item("x" * (49 << 10)), item("y" * (49 << 10))), 413, "payload_too_large"),
        (capsule(item("\x01" * (30 << 10))), 413, "payload_too_large"),
    ):
        await refused("POST", DELEGATE, status, code, json=order(pair, **more))
    clock.forward(seconds=61)
    await refused("POST", DELEGATE, 409, "no_default_route", json=order(pair))
    await pair.bob.beat()
    assert (await pair.alice.device.get("/local-agent/grants")).json() == []
    largest = capsule(item("é" * (24 << 10)), item("x" * (48 << 10)), limitations=["x"] * 12)
    assert (await delegate(pair, **largest))["status"] == "grant_requested"


async def test_an_id_hands_over_once(pair: Pair) -> None:
    grant = await pair.granted()
    first = await delegate(pair)
    assert (first["status"], first["communicationSessionId"]) == ("delegated", grant)
    assert await delegate(pair) == {**first, "duplicate": True}
    assert len(await tasks(pair)) == 1
    refused = pair.alice.device.refused
    other = order(pair, task="Something else.")
    await refused("POST", DELEGATE, 409, "client_message_id_conflict", json=other)
    await send(pair.alice, grant, "m1")
    taken = order(pair, "m1")
    await refused("POST", DELEGATE, 409, "client_message_id_conflict", json=taken)


async def test_a_grant_whose_session_was_closed_is_asked_for_anew(pair: Pair) -> None:
    old = await pair.granted()
    await pair.bob.set_session(state="closed")
    pair.bob.session = await pair.bob.more_session()
    route = {"endpointId": pair.bob.endpoint, "sessionHandle": pair.bob.session}
    await pair.bob.device.ok("PUT", "/local-agent/default-route", json=route)
    asked = await delegate(pair)
    assert asked["status"] == "grant_requested"
    assert asked["communicationSessionId"] != old
    path = f"/local-agent/grants/{asked['communicationSessionId']}/accept"
    await pair.bob.device.ok("POST", path)
    assert len(await tasks(pair)) == 1


async def test_several_tasks_wait_for_one_grant_in_their_order(pair: Pair) -> None:
    waiting = [await delegate(pair, f"delegate:{number}") for number in range(3)]
    (grant,) = {one["communicationSessionId"] for one in waiting}
    await pair.bob.device.ok("POST", f"/local-agent/grants/{grant}/accept")
    found = await tasks(pair)
    assert [one["clientMessageId"] for one in found] == ["delegate:0", "delegate:1", "delegate:2"]
    assert [one["sequence"] for one in found] == [1, 2, 3]
    assert len({one["collaborationId"] for one in found}) == 3


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("decline", "communication_session_declined"),
        ("expire", "request_expired"),
        ("disconnect", "communication_session_declined"),
    ],
)
async def test_a_task_ends_with_the_request_that_it_waits_for(
    pair: Pair, clock: MovableClock, end: str, code: str
) -> None:
    grant = (await delegate(pair))["communicationSessionId"]
    if end == "decline":
        await pair.bob.device.post(f"/local-agent/grants/{grant}/decline")
    elif end == "expire":
        clock.forward(minutes=10)
        await pair.served.command("dispatch_due_messages")
    else:
        await pair.bob.owner.ok("DELETE", "/network/contacts/alice")
    await pair.alice.device.refused("POST", DELEGATE, 409, code, json=order(pair))


async def test_a_task_ends_where_its_session_closes_before_it_is_let_in(pair: Pair) -> None:
    grant = await folder_opened(pair)
    outside = capsule(item(sourcePath="/etc/passwd"))
    assert (await delegate(pair, **outside))["communicationSessionId"] == grant
    (found,) = (await pair.bob.owner.ok("GET", "/escalations"))["escalations"]
    await pair.bob.set_session(state="closed")
    path = f"/escalations/{found['id']}/decision"
    await pair.bob.owner.ok("POST", path, json={"decision": "continue"})
    await pair.alice.device.refused(
        "POST", DELEGATE, 409, "session_closed", json=order(pair, **outside)
    )


async def folder_opened(pair: Pair) -> str:
    """Give a grant of Bob's, who trusts Alice in one folder."""
    grant = await pair.granted()
    policy = await pair.bob.owner.ok(
        "POST",
        "/local-agent/trusted-tool-policies",
        status=201,
        json={
            "peerPrincipalId": pair.alice.principal,
            "accessPreset": "read-project",
            "canonicalFolder": "/home/ann",
            "scope": "persistent",
        },
    )
    path = f"/local-agent/trusted-tool-policies/{policy['policyId']}/ack"
    body = {"revision": 1, "canonicalFolder": "/home/ann"}
    await pair.bob.device.ok("POST", path, json=body)
    return grant


@pytest.mark.parametrize("decision", ["continue", "stop", "none"])
async def test_a_task_about_another_folder_asks_its_owner_first(
    pair: Pair, clock: MovableClock, decision: str
) -> None:
    grant = await folder_opened(pair)
    inside = capsule(item(sourcePath="/home/ann/a.py"), item(sourcePath="b.py"))
    assert (await delegate(pair, "delegate:in", **inside))["status"] == "delegated"
    outside = capsule(item(sourcePath="/home/ann/../secret"), item(sourcePath="/etc/passwd"))
    asked = await delegate(pair, **outside)
    assert (asked["status"], asked["communicationSessionId"]) == ("folder_access_requested", grant)
    assert asked["approvalId"].startswith("apr_")
    assert await delegate(pair, **outside) == {**asked, "duplicate": True}
    (found,) = (await pair.bob.owner.ok("GET", "/escalations"))["escalations"]
    assert (found["kind"], found["requestedBy"]["kind"]) == ("folder_access", "peer")
    assert found["arguments"]["paths"] == ["/home/ann/../secret", "/etc/passwd"]
    assert found["requestedBy"]["name"] == "alice"
    await tasks(pair)
    path = f"/escalations/{found['id']}/decision"
    if decision == "none":
        clock.forward(minutes=30)
        await pair.served.command("dispatch_due_messages")
        await pair.bob.owner.refused(
            "POST", path, 409, "grant_revoked", json={"decision": "continue"}
        )
        await pair.alice.device.refused(
            "POST", DELEGATE, 409, "communication_session_expired", json=order(pair, **outside)
        )
        return
    body = {"decision": decision, "remember": "session"}
    await pair.bob.owner.ok("POST", path, json=body)
    if decision == "stop":
        assert await tasks(pair) == []
        await pair.alice.device.refused(
            "POST", DELEGATE, 403, "permission_required", json=order(pair, **outside)
        )
        return
    (envelope,) = await tasks(pair)
    done = await delegate(pair, **outside)
    assert (done["status"], done["messageId"]) == ("delegated", envelope["id"])
    again = await delegate(pair, "delegate:next", **outside)
    assert again["status"] == "delegated"  # it was opened for the session


def turn(outcome: str, *, expects_reply: bool = False) -> dict[str, Any]:
    return {
        "collaborationTurn": {
            "clientTurnId": f"turn {outcome}",
            "type": "response",
            "expectsReply": expects_reply,
            "outcome": outcome,
        }
    }


@pytest.mark.parametrize("agreed", [False, True])
async def test_a_collaboration_is_complete_when_both_say_so(pair: Pair, agreed: bool) -> None:
    grant = await pair.granted()
    first = await delegate(pair)
    (envelope,) = await tasks(pair)
    await acknowledge(pair.bob, envelope["id"], "runtime_ack")
    done = turn("propose_complete", expects_reply=agreed)
    proposal = await send(pair.bob, grant, "p", replyTo=envelope["id"], **done)
    (event,) = await pair.alice.poll("message.dispatch")
    assert event["data"]["envelope"]["collaborationId"] == first["collaborationId"]
    told = await pair.bob.poll("collaboration.completed")
    if agreed:
        assert told == []
        yes = turn("propose_complete", expects_reply=True)
        await send(pair.alice, grant, "yes", replyTo=proposal, **yes)
        told = await pair.bob.poll("collaboration.completed")
    assert [one["data"]["collaborationId"] for one in told] == [first["collaborationId"]]
    assert (await delegate(pair))["status"] == "delegated"
    await pair.bob.device.post(f"/local-agent/grants/{grant}/revoke")
    assert await pair.bob.poll("collaboration.revoked") == []  # it is over already


@pytest.mark.parametrize("decision", ["continue", "stop"])
async def test_an_agent_that_needs_its_owner_asks_them_and_tells_the_answer(
    pair: Pair, decision: str
) -> None:
    grant = await pair.granted()
    await delegate(pair)
    (envelope,) = await tasks(pair)
    await send(
        pair.bob,
        grant,
        "q",
        replyTo=envelope["id"],
        payload={"text": "May I delete the branch?"},
        **turn("needs_owner"),
    )
    await pair.alice.poll()
    (found,) = (await pair.bob.owner.ok("GET", "/escalations"))["escalations"]
    assert (found["kind"], found["arguments"]["question"]) == (
        "owner_question",
        "May I delete the branch?",
    )
    path = f"/escalations/{found['id']}/decision"
    await pair.bob.owner.ok("POST", path, json={"decision": decision})
    (event,) = await pair.alice.poll("message.dispatch")
    assert event["data"]["envelope"]["payload"]["decision"] == decision
    assert event["data"]["envelope"]["replyTo"] == envelope["id"]


async def test_a_failed_turn_ends_its_collaboration(pair: Pair) -> None:
    grant = await pair.granted()
    await delegate(pair)
    (envelope,) = await tasks(pair)
    await send(pair.bob, grant, "f", replyTo=envelope["id"], **turn("failed"))
    await pair.bob.device.post(f"/local-agent/grants/{grant}/revoke")
    assert await pair.alice.poll("collaboration.revoked", "collaboration.completed") == []


async def test_the_hour_forgets_what_ended_a_month_ago(pair: Pair, clock: MovableClock) -> None:
    grant = await pair.granted()
    await delegate(pair)
    await pair.alice.device.post(f"/local-agent/grants/{grant}/revoke")
    clock.forward(days=31)
    for command in ("dispatch_due_messages", "forget_delegations", "forget_offers"):
        await pair.served.command(command)
    assert (await pair.alice.owner.get("/local-agent/grants")).json() == []
    await pair.bob.beat()
    assert (await delegate(pair))["duplicate"] is False
