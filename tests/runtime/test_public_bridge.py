"""The requests of a public bridge of the hosted service, byte for byte in its order.

They were recorded from two of its bridges and its command line, run against this server.
"""

from typing import Any

import pytest

from tests.conftest import Client, Served
from tests.runtime.devices import Stream, device

pytestmark = pytest.mark.anyio
ENDPOINT = {
    "runtime": "claude-code",
    "bridgeVersion": "0.1.0",
    "adapterVersion": "fake-0.1.0",
    "capabilities": [
        "listSessions",
        "startSession",
        "liveInject",
        "bridge-instance:bridge_0123456789abcdef",
    ],
}
SESSION = {
    "label": "Fake managed session 1",
    "workspaceBoundary": "/home/someone/project",
    "state": "idle",
    "deliveryMode": "managed_stream",
    "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": False},
    "allowInbound": True,
    "allowMidTurnSteer": False,
}
ROW = {
    "commSessionId",
    "requesterPrincipalId",
    "requesterDeviceId",
    "requesterReplyEndpointId",
    "requesterReplySessionHandle",
    "recipientPrincipalId",
    "targetKind",
    "targetOfferId",
    "frozenEndpointId",
    "frozenSessionHandle",
    "status",
    "requestedAt",
    "requestExpiresAt",
    "activatedAt",
    "grantExpiresAt",
    "revokedAt",
}


class PublicBridge:
    """One of its bridges: registered, with a session and a default route."""

    def __init__(self, served: Served, made: Any, session: Any) -> None:
        self.device = device(served, made)
        self.token = made["deviceToken"]
        self.endpoint = made["endpoint"]["endpointId"]
        self.principal = made["endpoint"]["principalId"]
        self.device_id = made["endpoint"]["deviceId"]
        self.session = session["sessionHandle"]
        self.route = {"endpointId": self.endpoint, "sessionHandle": self.session}

    async def beat(self) -> None:
        """Do what it does every ten seconds, the first time."""
        beaten = await self.device.post(f"/local-agent/endpoints/{self.endpoint}/heartbeat")
        assert (beaten.status_code, beaten.content) == (204, b"")
        put = await self.device.ok("PUT", "/local-agent/default-route", json=self.route)
        assert put["updatedAt"]

    async def take(self, event: Any, reason: str | None = None) -> Any:
        """Acknowledge a dispatch, validate between the two acks, and hand it to the runtime."""
        assert event["type"] == "message.dispatch"
        envelope = event["data"]["envelope"]
        assert envelope["target"]["endpointId"] == self.endpoint
        id_ = envelope["id"]
        first = {"phase": "device_ack", "attemptId": f"device_ack:{id_}", "retryable": False}
        told = await self.device.ok("POST", f"/local-agent/messages/{id_}/ack", json=first)
        assert told["recorded"] == "state"
        valid = await self.device.ok(
            "POST",
            "/local-agent/injections/validate",
            json={
                "messageId": id_,
                "communicationSessionId": envelope["communicationSessionId"],
                "endpointId": self.endpoint,
                "sessionHandle": self.session,
            },
        )
        assert (valid["valid"], valid.get("reason")) == (reason is None, reason)
        if reason is None:
            second = {
                "phase": "runtime_ack",
                "attemptId": "attempt_0123456789abcdef",
                "retryable": False,
                "runtimeAckId": "fakeack_0123456789abcdef",
            }
            told = await self.device.ok("POST", f"/local-agent/messages/{id_}/ack", json=second)
            assert told["recorded"] == "state"
        return envelope


async def started(served: Served, client: Client, device_id: str) -> PublicBridge:
    who = await client.ok("GET", "/local-agent/whoami")
    made = await client.ok(
        "POST", "/local-agent/endpoints", json={**ENDPOINT, "deviceId": device_id}
    )
    assert made["endpoint"]["principalId"] == who["principalId"]
    endpoint = {"endpointId": made["endpoint"]["endpointId"]}
    session = await device(served, made).ok(
        "POST", "/local-agent/sessions", json={**endpoint, **SESSION}
    )
    return PublicBridge(served, made, session)


@pytest.fixture
async def ann(served: Served, alice: Client, bob: Client) -> PublicBridge:
    await served.command("connect_users", username="alice", contact="bob")
    return await started(served, alice, "vm-1c2259d4-000c-481d-bfd2-a6839e17eaa8")


@pytest.fixture
async def ben(served: Served, bob: Client) -> PublicBridge:
    return await started(served, bob, "vm-1484f56b-274f-400c-b9fc-4c7e91ecd3f6")


async def connected(ann: PublicBridge, ben: PublicBridge, heard: Stream) -> str:
    """Let one ask and the other accept, as its command line does, and give the grant's id."""
    await ann.beat()
    await ben.beat()
    found = await ann.device.ok("GET", "/local-agent/resolve-person?q=%40bob")
    assert (found["principalId"], found["hasReachableRuntime"]) == (ben.principal, True)
    pair = await ann.device.ok("GET", f"/local-agent/pair-status?principalId={ben.principal}")
    assert (pair["status"], pair["targetReachable"]) == ("ready", True)
    row = await ann.device.ok(
        "POST",
        "/local-agent/grants",
        json={
            "target": {"kind": "person_default_runtime", "principalId": ben.principal},
            "replyEndpointId": ann.endpoint,
            "replySessionHandle": ann.session,
            "requestedTtlMinutes": 30,
        },
    )
    assert row.keys() >= ROW
    assert (row["status"], row["requesterDeviceId"]) == ("pending", ann.device_id)
    asked = await heard.event()
    assert asked["type"] == "grant.request"
    assert asked["data"]["communicationSessionId"] == row["commSessionId"]
    (listed,) = (await ben.device.get("/local-agent/grants")).json()
    assert set(listed) == ROW
    # without a body, as all that it sends which needs none
    accepted = await ben.device.ok("POST", f"/local-agent/grants/{row['commSessionId']}/accept")
    assert accepted["status"] == "active"
    assert (accepted["frozenEndpointId"], accepted["frozenSessionHandle"]) == (
        ben.endpoint,
        ben.session,
    )
    activated = await heard.event()
    assert activated["type"] == "grant.activated"
    assert set(activated["data"]) >= {
        "communicationSessionId",
        "endpointId",
        "sessionHandle",
        "activatedAt",
        "grantExpiresAt",
    }
    return str(row["commSessionId"])


async def test_two_of_its_bridges_work_from_the_first_request_to_the_revoked_grant(
    served: Served, alice: Client, ann: PublicBridge, ben: PublicBridge
) -> None:
    async with Stream(served, ben.token, ben.endpoint) as heard:
        grant = await connected(ann, ben, heard)
        sent = await ann.device.ok(
            "POST",
            "/local-agent/messages",
            json={
                "communicationSessionId": grant,
                "clientMessageId": "351c2561-6a93-4259-9764-8e29d77db5e6",
                "kind": "text",
                "payload": {"text": "Hello"},
            },
        )
        assert (sent["status"], sent["duplicate"]) == ("queued", False)
        envelope = await ben.take(await heard.event())
        assert (envelope["payload"], envelope["sequence"]) == ({"text": "Hello"}, 1)
        assert envelope["senderDeviceId"] == ann.device_id
        shown = await ann.device.ok("GET", f"/local-agent/messages/{sent['messageId']}")
        assert shown["delivery"]["status"] == "runtime_acked"
        assert shown["delivery"]["adapterLabel"] == "claude-code fake-0.1.0"
        assert [one["phase"] for one in shown["attempts"]] == ["device_ack", "runtime_ack"]

        word = "delegate:b690ed74-ce4a-49ff-9b96-dce1abc73765"
        delegation = {
            "target": {"kind": "person_default_runtime", "principalId": ben.principal},
            "task": "Look at the plan",
            "sessionHandle": ann.session,
            "clientMessageId": word,
            "correlationId": word,
            "requestedTtlMinutes": 30,
        }
        path = "/local-agent/delegations"
        given = await ann.device.ok("POST", path, status=201, json=delegation)
        assert (given["status"], given["duplicate"]) == ("delegated", False)
        envelope = await ben.take(await heard.event())
        assert (envelope["kind"], envelope["correlationId"]) == ("task_invite", word)
        assert envelope["payload"]["task"] == "Look at the plan"
        again = await ann.device.ok("POST", path, status=201, json=delegation)
        assert (again["messageId"], again["duplicate"]) == (given["messageId"], True)

        revoked = await alice.post(f"/local-agent/grants/{grant}/revoke")
        assert (revoked.status_code, revoked.content) == (204, b"")
        ended = await heard.event()
        assert (ended["type"], ended["data"]["communicationSessionId"]) == ("grant.revoked", grant)
        after = {
            "communicationSessionId": grant,
            "clientMessageId": "663476ba-adcc-4d80-9251-d5483f1f91fa",
            "kind": "text",
            "payload": {"text": "again"},
        }
        await alice.refused(
            "POST", "/local-agent/messages", 409, "communication_session_revoked", json=after
        )


async def test_a_task_without_a_grant_is_handed_over_by_what_its_bridge_repeats(
    served: Served, ann: PublicBridge, ben: PublicBridge
) -> None:
    await ann.beat()
    await ben.beat()
    word = "delegate:ed78b0cf-0de2-4718-a5aa-dae315313c3d"
    delegation = {
        "target": {"kind": "person_default_runtime", "principalId": ben.principal},
        "task": {"text": "Check it", "projectAccessId": "/home/someone/project"},
        "context": {
            "objective": "Check it",
            "summary": "s",
            "items": [
                {
                    "kind": "freeform",
                    "label": "L",
                    "content": "c",
                    "sha256": "2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6",
                }
            ],
            "limitations": [],
        },
        "sessionHandle": ann.session,
        "clientMessageId": word,
        "correlationId": word,
        "requestedTtlMinutes": 30,
    }
    path = "/local-agent/delegations"
    async with Stream(served, ann.token, ann.endpoint) as heard:
        asked = await ann.device.ok("POST", path, status=201, json=delegation)
        assert asked["status"] == "grant_requested"
        # every ten seconds, until it is accepted
        again = await ann.device.ok("POST", path, status=201, json=delegation)
        assert again["communicationSessionId"] == asked["communicationSessionId"]
        grant = asked["communicationSessionId"]
        await ben.device.ok("POST", f"/local-agent/grants/{grant}/accept")
        assert (await heard.event())["type"] == "grant.activated"
        given = await ann.device.ok("POST", path, status=201, json=delegation)
        assert (given["status"], given["duplicate"]) == ("delegated", True)
        assert given["messageId"]
        assert given["deliveryId"]
        assert given["queuedAt"]
        polled = await ben.device.get(f"/local-realtime/poll?endpointId={ben.endpoint}&cursor=0")
        (dispatch,) = [one for one in polled.json() if one["type"] == "message.dispatch"]
        envelope = await ben.take(dispatch)
        turn = envelope["collaborationTurn"]
        reply = {
            "communicationSessionId": grant,
            "clientMessageId": f"runtime-reply:{ben.session}:{ben.session}:1",
            "kind": "text",
            "payload": {"text": "It is fine.", "source": "claude-code"},
            "replyTo": envelope["id"],
            "correlationId": envelope["correlationId"],
            "collaborationTurn": {
                "clientTurnId": "runtime-turn:1",
                "parentTurnId": turn["turnId"],
                "type": "response",
                "expectsReply": False,
                "outcome": "respond",
            },
        }
        await ben.device.ok("POST", "/local-agent/messages", json=reply)
        answer = await ann.take(await heard.event())
        assert (answer["replyTo"], answer["correlationId"]) == (envelope["id"], word)
        assert answer["payload"]["text"] == "It is fine."


async def test_a_bridge_that_starts_again_keeps_its_endpoint_and_session(
    served: Served, alice: Client, ann: PublicBridge
) -> None:
    body = {**ENDPOINT, "deviceId": ann.device_id}
    made = await alice.ok("POST", "/local-agent/endpoints", json=body)
    assert made["endpoint"]["endpointId"] == ann.endpoint
    assert (await ann.device.get("/local-agent/whoami")).status_code == 401
    resumed = await device(served, made).ok(
        "PATCH",
        f"/local-agent/sessions/{ann.session}",
        json={"state": "idle", "allowInbound": True, "workspaceBoundary": "/home/someone/other"},
    )
    assert resumed["workspaceBoundary"] == "/home/someone/other"
    closed = {"state": "closed", "allowInbound": False}
    ended = await device(served, made).ok(
        "PATCH", f"/local-agent/sessions/{ann.session}", json=closed
    )
    assert ended["state"] == "closed"
