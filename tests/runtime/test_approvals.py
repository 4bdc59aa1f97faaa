"""Approvals and trusted policies: what a runtime may do for another person, and who says so."""

from typing import Any

import pytest

from app.runtime.approvals.trusted_tools import lies_in
from tests.conftest import Client, MovableClock
from tests.runtime.devices import device, registered
from tests.runtime.pairs import Pair, send
from tests.support.looping import through

pytestmark = pytest.mark.anyio
ASK = "/local-agent/tool-approvals"
POLICIES = "/local-agent/trusted-tool-policies"


def wish(pair: Pair, grant: str, tool: str = "Bash", **more: Any) -> dict[str, Any]:
    """Give what Bob's runtime wants to do for Alice."""
    return {
        "communicationSessionId": grant,
        "sessionHandle": pair.bob.session,
        "toolName": tool,
        "toolInputSummary": "make test",
        **more,
    }


async def ask(pair: Pair, grant: str, tool: str = "Bash", **more: Any) -> Any:
    return await pair.bob.device.ok("POST", ASK, json=wish(pair, grant, tool, **more))


async def look(pair: Pair, asked: Any) -> Any:
    found = await pair.bob.device.ok("GET", f"{ASK}/{asked['approvalId']}")
    return found["status"], found["decision"], found["scope"]


async def waiting(client: Client) -> Any:
    return (await client.ok("GET", "/escalations"))["escalations"]


async def decide(pair: Pair, decision: str, **more: Any) -> Any:
    """Let Bob decide what waits, by a key that did not ask."""
    (found,) = await waiting(pair.bob.owner)
    path = f"/escalations/{found['id']}/decision"
    await pair.bob.owner.ok("POST", path, json={"decision": decision, **more})
    return found


@pytest.mark.parametrize(
    ("decision", "remember", "wanted"),
    [
        ("continue", "once", ("allowed", "allow", "once")),
        ("continue", "session", ("allowed", "allow", "session")),
        ("stop", "once", ("denied", "deny", None)),
    ],
)
async def test_the_owner_decides_a_call_as_every_escalation(
    pair: Pair, decision: str, remember: str, wanted: Any
) -> None:
    grant = await pair.granted()
    message = await send(pair.alice, grant)
    asked = await ask(pair, grant, messageId=message)
    assert (asked["status"], asked["decision"], asked["scope"]) == ("pending", None, None)
    assert await ask(pair, grant, messageId=message) == asked  # asked again, it waits once
    found = await decide(pair, decision, remember=remember)
    assert (found["kind"], found["toolName"], found["risk"]) == (
        "runtime_tool_call",
        "Bash",
        "high",
    )
    assert found["origin"] == {"kind": "runtime", "communicationSessionId": grant}
    assert (found["requestedBy"]["kind"], found["arguments"]["messageId"]) == ("agent", message)
    assert found["summary"] == "Bash for alice: make test"
    assert await look(pair, asked) == wanted
    again = await ask(pair, grant)
    if remember == "session":
        assert (again["status"], again["decision"], again["scope"]) == (
            "auto_allow",
            "allow",
            "session",
        )
        assert (await ask(pair, grant, "Write"))["status"] == "pending"  # another tool
    else:
        assert again["status"] == "pending"


async def test_nobody_decides_by_what_asked_and_no_device_at_all(pair: Pair) -> None:
    grant = await pair.granted()
    await ask(pair, grant)
    (found,) = await waiting(pair.bob.owner)
    path, body = f"/escalations/{found['id']}/decision", {"decision": "continue"}
    await pair.bob.device.refused("POST", path, 403, "insufficient_scope", json=body)
    await pair.alice.owner.refused("POST", path, 404, "not_found", json=body)


async def test_an_approval_expires_after_five_minutes_which_is_a_no(
    pair: Pair, clock: MovableClock
) -> None:
    asked = await ask(pair, await pair.granted())
    clock.forward(minutes=5)
    assert await look(pair, asked) == ("expired", "deny", None)
    assert await waiting(pair.bob.owner) == []


@pytest.mark.parametrize("end", ["revoke", "time"])
async def test_with_its_grant_ends_what_was_asked_allowed_and_remembered(
    pair: Pair, clock: MovableClock, end: str
) -> None:
    grant = await pair.granted(requestedTtlMinutes=4)
    allowed = await ask(pair, grant)
    await decide(pair, "continue", remember="session")
    asked = await ask(pair, grant, "Write")
    (found,) = await waiting(pair.bob.owner)
    if end == "revoke":
        await pair.alice.device.post(f"/local-agent/grants/{grant}/revoke")
    else:
        clock.forward(minutes=4)
    for one in (allowed, asked):
        assert await look(pair, one) == ("revoked", "deny", None)
    path, body = f"/escalations/{found['id']}/decision", {"decision": "continue"}
    await pair.bob.owner.refused("POST", path, 409, "grant_revoked", json=body)
    await pair.served.command("dispatch_due_messages")
    assert (await pair.bob.owner.ok("GET", "/escalations/precedents"))["precedents"] == []
    code = "communication_session_revoked" if end == "revoke" else "communication_session_expired"
    await pair.bob.device.refused("POST", ASK, 409, code, json=wish(pair, grant))


async def test_only_the_session_of_the_grant_asks_for_its_messages(
    pair: Pair, carol: Client
) -> None:
    grant = await pair.granted()
    own, refused = await send(pair.bob, grant), pair.bob.device.refused
    other = await pair.bob.more_session()
    for body, status, code in (
        (wish(pair, grant, sessionHandle=other), 409, "wrong_target"),
        (wish(pair, grant, sessionHandle=pair.alice.session), 403, "session_not_owned"),
        (wish(pair, grant, sessionHandle="rs_none"), 404, "session_not_found"),
        (wish(pair, "comm_none"), 404, "not_found"),
        (wish(pair, grant, messageId=own), 409, "wrong_target"),
        (wish(pair, grant, toolInputSummary="x" * 4001), 400, "invalid_request"),
        (wish(pair, grant, toolName="two\nlines"), 400, "invalid_request"),
    ):
        await refused("POST", ASK, status, code, json=body)
    await carol.refused("POST", ASK, 404, "not_found", json=wish(pair, grant))
    asked = await ask(pair, grant)
    path = f"{ASK}/{asked['approvalId']}"
    await pair.alice.device.refused("GET", path, 404, "not_found")
    async with device(pair.served, await registered(pair.bob.owner, deviceId="desktop")) as desktop:
        await desktop.refused("GET", path, 403, "endpoint_not_owned")


async def trusted(pair: Pair, **more: Any) -> Any:
    """Let Bob trust Alice's agent."""
    body = {
        "peerPrincipalId": pair.alice.principal,
        "accessPreset": "read-project",
        "canonicalFolder": "/home/ann",
        "scope": "persistent",
        **more,
    }
    return await pair.bob.owner.ok("POST", POLICIES, status=201, json=body)


async def test_a_trusted_policy_lets_its_tools_pass_once_a_bridge_holds_to_it(pair: Pair) -> None:
    grant = await pair.granted()
    await pair.bob.poll()
    policy = await trusted(pair)
    assert (policy["status"], policy["revision"]) == ("pending_ack", 1)
    (event,) = await pair.bob.poll()
    assert event["type"] == "trusted_tool_policy.upserted"
    assert event["data"] == {
        "policyId": policy["policyId"],
        "revision": 1,
        "ownerPrincipalId": pair.bob.principal,
        "ownerDeviceId": "bob-laptop",
        "requesterPrincipalId": pair.alice.principal,
        "requesterDeviceId": "alice-laptop",
        "canonicalFolder": "/home/ann",
        "accessPreset": "read-project",
        "tools": policy["tools"],
        "scope": "persistent",
        "createdFrom": "settings",
        "createdBy": pair.bob.principal,
        "createdAt": policy["createdAt"],
        "bridgeInstanceId": "bridge_0000000000000bob",
    }
    assert (await ask(pair, grant, "Read"))["status"] == "pending"
    path = f"{POLICIES}/{policy['policyId']}"
    body = {"revision": 1, "canonicalFolder": "/home/ann"}
    early = {"revision": 2, "canonicalFolder": "/home/ann"}
    await pair.bob.device.refused("POST", f"{path}/ack", 409, "ack_not_applicable", json=early)
    await pair.alice.device.refused("POST", f"{path}/ack", 404, "not_found", json=body)
    assert (await pair.bob.device.ok("POST", f"{path}/ack", json=body))["status"] == "active"
    passed = await ask(pair, grant, "Read")
    assert (passed["status"], passed["decision"], passed["scope"]) == (
        "auto_allow",
        "allow",
        "once",
    )
    assert (await ask(pair, grant, "Bash"))["status"] == "pending"
    await pair.bob.device.refused("DELETE", path, 403, "insufficient_scope")
    for _ in range(2):
        assert (await pair.bob.owner.delete(path)).status_code == 204
    (event,) = await pair.bob.poll("trusted_tool_policy.revoked")
    assert event["data"] == {
        "policyId": policy["policyId"],
        "revision": 2,
        "revokedBy": pair.bob.principal,
    }
    assert (await ask(pair, grant, "Read"))["status"] == "pending"
    listed = (await pair.bob.device.ok("GET", POLICIES))["policies"]
    assert [(one["policyId"], one["status"]) for one in listed] == [(policy["policyId"], "revoked")]


CASES = {
    "another folder": {"canonicalFolder": "/home/other"},
    "a folder whose name only begins so": {"canonicalFolder": "/home/wor"},
    "one tool": {"tools": ["Grep"]},
    "chat only": {"accessPreset": "chat-only", "canonicalFolder": None},
}


@pytest.mark.parametrize("case", CASES)
async def test_a_policy_covers_no_more_than_it_says(pair: Pair, case: str) -> None:
    grant = await pair.granted()
    policy = await trusted(pair, **CASES[case])
    path = f"{POLICIES}/{policy['policyId']}/ack"
    if case == "chat only":
        assert policy["status"] == "active"
        assert [one["data"]["access"] for one in await pair.bob.poll("relationship.policy_update")]
    else:
        body = {"revision": 1, "canonicalFolder": CASES[case].get("canonicalFolder", "/home/ann")}
        await pair.bob.device.ok("POST", path, json=body)
    assert (await ask(pair, grant, "Read"))["status"] == "pending"


async def test_a_policy_for_one_run_of_a_bridge_ends_with_it(pair: Pair) -> None:
    grant = await pair.granted()
    policy = await trusted(pair, scope="bridge_run")
    body = {"revision": 1, "canonicalFolder": "/home"}
    await pair.bob.device.ok("POST", f"{POLICIES}/{policy['policyId']}/ack", json=body)
    assert (await ask(pair, grant, "Read"))["status"] == "auto_allow"
    await registered(
        pair.bob.owner, deviceId="bob-laptop", capabilities=["bridge-instance:bridge_next"]
    )
    listed = (await pair.bob.owner.ok("GET", POLICIES))["policies"]
    assert [one["status"] for one in listed] == ["revoked"]


async def test_saying_it_again_is_a_new_revision_of_the_same_policy(pair: Pair) -> None:
    first = await trusted(pair)
    second = await trusted(pair, accessPreset="edit-project")
    assert (second["policyId"], second["revision"]) == (first["policyId"], 2)
    assert "Write" in second["tools"]
    refused = pair.bob.owner.refused
    for body, status, code in (
        ({"peerPrincipalId": pair.bob.principal}, 400, "invalid_request"),
        ({"peerPrincipalId": "nobody"}, 404, "not_found"),
        ({"accessPreset": "chat-only", "tools": ["Read"]}, 400, "invalid_request"),
        ({"accessPreset": "everything"}, 400, "invalid_request"),
    ):
        given = {
            "peerPrincipalId": pair.alice.principal,
            "accessPreset": "read-project",
            "scope": "persistent",
            **body,
        }
        await refused("POST", POLICIES, status, code, json=given)
    await pair.bob.owner.ok("DELETE", "/network/contacts/alice")
    listed = (await pair.bob.owner.ok("GET", POLICIES))["policies"]
    assert [one["status"] for one in listed] == ["revoked"]
    body = {
        "peerPrincipalId": pair.alice.principal,
        "accessPreset": "read-project",
        "scope": "persistent",
    }
    await refused("POST", POLICIES, 409, "not_connected", json=body)


async def test_uses_are_counted_once_and_without_gaps(pair: Pair) -> None:
    policy = await trusted(pair)
    path = f"{POLICIES}/{policy['policyId']}/usage"

    async def report(*numbers: int, revision: int = 1) -> Any:
        uses = [{"sequence": one, "usedAt": "2026-11-21T09:30:00.000Z"} for one in numbers]
        body = {"revision": revision, "uses": uses}
        found = await pair.bob.device.ok("POST", path, json=body)
        return found["acceptedThroughSequence"], found["duplicate"]

    assert await report(1, 2) == (2, False)
    assert await report(1, 2) == (2, True)
    assert await report(4) == (2, False)
    assert await report(2, 4, 3) == (4, False)
    for body in (
        {"revision": 1, "uses": []},
        {"revision": 1, "uses": [{"sequence": 0, "usedAt": ""}]},
        {"revision": 0, "uses": [{"sequence": 5, "usedAt": ""}]},
    ):
        await pair.bob.device.refused("POST", path, 400, "invalid_request", json=body)
    body = {"revision": 2, "uses": [{"sequence": 5, "usedAt": ""}]}
    await pair.bob.device.refused("POST", path, 409, "ack_not_applicable", json=body)


INSIDE = [
    ("/home/ann", "/home/ann", True),
    ("/home/ann/a", "/home/ann", True),
    ("/home/ann/../x", "/home/ann", False),
    ("/home/anna", "/home/ann", False),
    ("home/ann", "/home/ann", False),
    ("/home/ann", "home/ann", False),
    ("C:\\Work\\a", "c:\\work", True),
    ("D:\\work", "C:\\work", False),
]


@through(
    "case", [(f"{path} in {folder}", (path, folder, wanted)) for path, folder, wanted in INSIDE]
)
def test_a_path_lies_in_a_folder_by_its_spelling(case: tuple[str, str, bool]) -> None:
    path, folder, wanted = case
    assert lies_in(path, folder) is wanted


async def test_nothing_is_let_through_while_agents_are_stopped(pair: Pair) -> None:
    grant = await pair.granted()
    policy = await trusted(pair)
    acked = {"revision": policy["revision"], "canonicalFolder": "/home/ann"}
    await pair.bob.device.ok("POST", f"{POLICIES}/{policy['policyId']}/ack", json=acked)
    assert (await ask(pair, grant, "Read"))["status"] == "auto_allow"
    await pair.served.command("stop_agents")
    asked = await ask(pair, grant, "Read")
    assert asked["status"] == "pending"
    (found,) = await waiting(pair.bob.owner)
    path = f"/escalations/{found['id']}/decision"
    await pair.bob.owner.refused("POST", path, 503, "unavailable", json={"decision": "continue"})
    await pair.served.command("start_agents")
    assert (await ask(pair, grant, "Read"))["status"] == "auto_allow"
    await decide(pair, "continue")
    assert (await look(pair, asked))[1] == "allow"
