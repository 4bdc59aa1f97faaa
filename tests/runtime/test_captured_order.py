"""What the public bridge of the hosted service sends, in its order: the least that must work."""

import hashlib
from typing import Any

import pytest

from tests.conftest import MovableClock, Served
from tests.runtime.devices import Stream
from tests.runtime.pairs import Pair, delivery

pytestmark = pytest.mark.anyio


async def dispatched(stream: Stream) -> Any:
    """Give the data of the next dispatch."""
    event = await stream.event()
    while event["type"] != "message.dispatch":
        event = await stream.event()
    return event["data"]


async def test_a_bridge_gets_a_message_acknowledges_it_and_replies(
    served: Served, pair: Pair
) -> None:
    alice, bob = pair.alice, pair.bob
    token = bob.device.headers["Authorization"].removeprefix("Bearer ")
    async with Stream(served, token, bob.endpoint) as stream:
        await bob.beat()
        asked = (await alice.device.post("/local-agent/grants", json=pair.request())).json()
        event = await stream.event()
        assert (event["type"], event["data"]["communicationSessionId"]) == (
            "grant.request",
            asked["commSessionId"],
        )
        accepted = await bob.device.ok(
            "POST", f"/local-agent/grants/{asked['commSessionId']}/accept"
        )
        assert (accepted["frozenEndpointId"], accepted["frozenSessionHandle"]) == (
            bob.endpoint,
            bob.session,
        )
        assert accepted["requesterDeviceId"] == "alice-laptop"
        sent = await alice.device.ok(
            "POST",
            "/local-agent/messages",
            json={
                "communicationSessionId": asked["commSessionId"],
                "clientMessageId": "m1",
                "kind": "text",
                "payload": {"text": "Hello"},
            },
        )
        data = await dispatched(stream)
        assert data["deliveryId"] == sent["deliveryId"]
        envelope = data["envelope"]
        assert envelope == {
            "id": sent["messageId"],
            "clientMessageId": "m1",
            "communicationSessionId": asked["commSessionId"],
            "senderPrincipalId": alice.principal,
            "senderDeviceId": "alice-laptop",
            "target": {
                "kind": "person_default_runtime",
                "principalId": bob.principal,
                "endpointId": bob.endpoint,
                "sessionHandle": bob.session,
            },
            "kind": "text",
            "payload": {"text": "Hello"},
            "sequence": 1,
            "createdAt": sent["queuedAt"],
            "expiresAt": accepted["grantExpiresAt"],
        }
        id_ = sent["messageId"]
        ack = {"phase": "device_ack", "attemptId": f"device_ack:{id_}", "retryable": False}
        path = f"/local-agent/messages/{id_}/ack"
        assert (await bob.device.ok("POST", path, json=ack))["recorded"] == "state"
        check = {
            "messageId": id_,
            "communicationSessionId": asked["commSessionId"],
            "endpointId": bob.endpoint,
            "sessionHandle": bob.session,
        }
        validate = "/local-agent/injections/validate"
        assert (await bob.device.ok("POST", validate, json=check))["valid"] is True
        done = {
            "phase": "runtime_ack",
            "attemptId": "attempt_0123456789abcdef",
            "retryable": False,
            "runtimeAckId": "fake_1",
        }
        assert (await bob.device.ok("POST", path, json=done))["recorded"] == "state"
        assert (await bob.device.ok("POST", path, json=done))["recorded"] == "audit_only"
        found = await delivery(alice, id_)
        assert (found["status"], found["runtimeAckId"]) == ("runtime_acked", "fake_1")
        assert found["adapterLabel"] == "codex 0.4"
        reply = {
            "communicationSessionId": asked["commSessionId"],
            "clientMessageId": f"runtime-reply:{bob.session}:e1",
            "kind": "text",
            "payload": {"text": "Hello back", "source": "codex"},
            "replyTo": id_,
            "correlationId": id_,
        }
        await bob.device.ok("POST", "/local-agent/messages", json=reply)
        (answer,) = await alice.poll("message.dispatch")
        assert answer["data"]["envelope"]["target"] == {
            "kind": "runtime_session",
            "principalId": alice.principal,
            "endpointId": alice.endpoint,
            "sessionHandle": alice.session,
        }
        assert answer["data"]["envelope"]["sequence"] == 2
        assert (await delivery(alice, id_))["status"] == "replied"


async def test_a_task_is_delegated_and_after_the_revocation_nothing_is_sent(
    pair: Pair, clock: MovableClock
) -> None:
    alice, bob = pair.alice, pair.bob
    content = "def f(): ..."
    order = {
        "target": pair.target(),
        "task": "Find the bug.",
        "sessionHandle": alice.session,
        "clientMessageId": "delegate:5b0f5c1e-6d0a-4f0e-9d57-3c4b7f1a2e88",
        "correlationId": "delegate:5b0f5c1e-6d0a-4f0e-9d57-3c4b7f1a2e88",
        "context": {
            "objective": "Find the bug.",
            "summary": "It fails.",
            "items": [
                {
                    "kind": "file_excerpt",
                    "label": "a.py",
                    "content": content,
                    "sourcePath": "a.py",
                    "sha256": hashlib.sha256(content.encode()).hexdigest(),
                }
            ],
            "limitations": ["Nothing was run."],
        },
    }
    path = "/local-agent/delegations"
    first = await alice.device.ok("POST", path, status=201, json=order)
    assert (first["status"], first["duplicate"]) == ("grant_requested", False)
    again = await alice.device.ok("POST", path, status=201, json=order)
    assert again == {**first, "duplicate": True}
    grant = first["communicationSessionId"]
    await bob.device.ok("POST", f"/local-agent/grants/{grant}/accept")
    (event,) = await bob.poll("message.dispatch")
    envelope = event["data"]["envelope"]
    assert envelope["kind"] == "task_invite"
    assert envelope["correlationId"] == order["correlationId"]
    assert envelope["collaborationId"] == first["collaborationId"]
    assert envelope["payload"]["task"] == "Find the bug."
    assert envelope["payload"]["context"] == order["context"]
    assert envelope["payload"]["delegation"]["untrustedExternalContent"] is True
    done = await alice.device.ok("POST", path, status=201, json=order)
    assert (done["status"], done["messageId"]) == ("delegated", envelope["id"])
    gone = await alice.device.post(f"/local-agent/grants/{grant}/revoke", json={})
    assert (gone.status_code, gone.content) == (204, b"")
    body = {
        "communicationSessionId": grant,
        "clientMessageId": "late",
        "kind": "text",
        "payload": {},
    }
    for side in (alice, bob):
        await side.device.refused(
            "POST", "/local-agent/messages", 409, "communication_session_revoked", json=body
        )
    told = [one["type"] for one in await bob.poll("grant.revoked", "collaboration.revoked")]
    assert sorted(told) == ["collaboration.revoked", "grant.revoked"]
    assert (await delivery(alice, envelope["id"]))["status"] == "revoked"
