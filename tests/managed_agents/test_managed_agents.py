"""Managed agents: making, changing, pausing and deleting them, their names and their keys."""

import asyncio
from typing import Any

import pytest

from app.core.caller import OPERATOR
from tests.conftest import Client, MovableClock, Served
from tests.managed_agents.conftest import READS, WRITES, agent, agent_key, ask, change, send
from tests.support.agents import value

pytestmark = pytest.mark.anyio


async def test_an_agent_is_made_with_what_is_given_and_else_reaches_nothing(alice: Client) -> None:
    folder = await alice.folder("Garden")
    made = await agent(
        alice,
        description="Looks after the garden.",
        persona="You are Scout. Be brief.",
        model="none-such",
        namespaces=["notes", "todos", "notes"],
        permissions={"notesAccess": {"scope": "folders", "folderIds": [folder, folder]}},
        visibility="contacts",
        budget={"monthlyTokens": 5000, "perReplyTokens": 900},
    )
    assert len(made["userId"]) == 36
    assert made["permissions"]["notesAccess"]["folderIds"] == [folder]
    assert (made["handle"], made["address"], made["namespaces"], made["model"]) == (
        "scout",
        "scout",
        ["notes", "todos"],
        "none-such",
    )
    assert made["budget"] == {"monthlyTokens": 5000, "perReplyTokens": 900}
    assert made["usage"] == {"tokensThisMonth": 0, "messagesThisMonth": 0}
    plain = await agent(alice, "Plain-1")
    assert (plain["handle"], plain["persona"], plain["visibility"], plain["status"]) == (
        "plain-1",
        "",
        "private",
        "active",
    )
    assert plain["namespaces"] == []
    assert plain["permissions"]["notesAccess"]["scope"] == "none"
    assert plain["budget"] == {"monthlyTokens": None, "perReplyTokens": None}
    listed = await alice.ok("GET", "/managed-agents?limit=1&offset=1")
    assert ([one["handle"] for one in listed["agents"]], listed["total"]) == (["plain-1"], 2)
    assert (await alice.ok("GET", f"/managed-agents/{made['id']}"))["agent"] == made


async def test_what_is_left_out_of_a_change_stays_and_null_takes_limits_away(alice: Client) -> None:
    made = await agent(alice, persona="P", model="m", budget={"monthlyTokens": 7})
    changed = await change(alice, made, name="Other", budget={"perReplyTokens": 9})
    assert (changed["name"], changed["persona"], changed["model"]) == ("Other", "P", "m")
    assert changed["budget"] == {"monthlyTokens": 7, "perReplyTokens": 9}
    cleared = await change(
        alice,
        made,
        model=None,
        persona="",
        handle="another",
        budget={"monthlyTokens": None, "perReplyTokens": None},
    )
    assert (cleared["model"], cleared["persona"], cleared["handle"]) == (None, "", "scout")
    assert cleared["budget"] == {"monthlyTokens": None, "perReplyTokens": None}


async def test_the_months_limit_is_a_cap_of_metering(alice: Client) -> None:
    made = await agent(alice, budget={"monthlyTokens": 700})
    caps = (await alice.ok("GET", "/metering/caps"))["caps"]
    cap = next(one for one in caps if one["subject"] == "agent")
    assert (cap["subjectId"], cap["period"], cap["limit"]) == (str(made["id"]), "month", 700)
    await alice.ok("PATCH", f"/metering/caps/{cap['id']}", json={"limit": 800})
    shown = (await alice.ok("GET", f"/managed-agents/{made['id']}"))["agent"]
    assert shown["budget"]["monthlyTokens"] == 800
    await alice.ok("DELETE", f"/managed-agents/{made['id']}")
    caps = (await alice.ok("GET", "/metering/caps"))["caps"]
    assert "agent" not in [one["subject"] for one in caps]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "too short": ({"handle": "a"}, "handle"),
    "too long": ({"handle": "a" * 33}, "handle"),
    "Cyrillic a": ({"handle": "sc\u0430ut"}, "handle"),
    "Kelvin sign": ({"handle": "\u212aelvin"}, "handle"),
    "dotted capital": ({"handle": "\u0130stanbul"}, "handle"),
    "full width": ({"handle": "\uff53cout"}, "handle"),
    "a joiner": ({"handle": "sco\u200but"}, "handle"),
    "an owner's agent": ({"handle": "scout_coo"}, "handle"),
    "in capitals": ({"handle": "scout_COO"}, "handle"),
    "no text": ({"handle": 5}, "handle"),
    "no name": ({"name": "  "}, "name"),
    "control characters": ({"name": "a\x07b"}, "name"),
    "long name": ({"name": "a" * 101}, "name"),
    "long description": ({"description": "a" * 501}, "description"),
    "huge persona": ({"persona": "a" * 20_001}, "persona"),
    "nul in persona": ({"persona": "a\x00"}, "persona"),
    "unknown namespace": ({"namespaces": ["notes", "kitchen"]}, "namespaces"),
    "namespaces no list": ({"namespaces": "notes"}, "namespaces"),
    "unknown visibility": ({"visibility": "all"}, "visibility"),
    "negative budget": ({"budget": {"monthlyTokens": -1}}, "budget.monthlyTokens"),
    "no tokens a reply": ({"budget": {"perReplyTokens": 0}}, "budget.perReplyTokens"),
    "nobody's folder": (
        {"permissions": {"notesAccess": {"scope": "folders", "folderIds": [9999]}}},
        "permissions.notesAccess.folderIds",
    ),
    "permissions no object": ({"permissions": []}, "permissions"),
}


async def test_bad_fields_are_refused_by_name_and_leave_nothing(alice: Client) -> None:
    for label, (fields, field) in BAD.items():
        body = {"handle": "scout", "name": "Scout", **fields}
        refused = await alice.request("POST", "/managed-agents", json=body)
        assert refused.status_code == 400, (label, refused.text)
        assert field in refused.json()["field"], (label, refused.text)
    assert (await alice.ok("GET", "/managed-agents"))["total"] == 0
    made = await agent(alice)
    for label, (fields, field) in BAD.items():
        if "handle" not in fields:
            refused = await alice.request("PATCH", f"/managed-agents/{made['id']}", json=fields)
            assert refused.status_code == 400, (label, refused.text)
            assert field in refused.json()["field"], (label, refused.text)
    deleted = {"status": "deleted"}
    path = f"/managed-agents/{made['id']}"
    await alice.refused("PATCH", path, 400, "invalid_request", field="status", json=deleted)


async def test_anothers_agent_is_no_agent(alice: Client, bob: Client) -> None:
    made = await agent(alice)
    keys = f"/managed-agents/{made['id']}/keys"
    key = await alice.ok("POST", keys, status=201, json={"name": "k"})
    for method, path, body in (
        ("GET", f"/managed-agents/{made['id']}", None),
        ("PATCH", f"/managed-agents/{made['id']}", {"name": "Mine"}),
        ("DELETE", f"/managed-agents/{made['id']}", None),
        ("GET", keys, None),
        ("POST", keys, {"name": "k"}),
        ("DELETE", f"{keys}/{key['key']['id']}", None),
        ("POST", f"/managed-agents/{made['id']}/chat", {"message": "hi"}),
    ):
        await bob.refused(method, path, 404, "not_found", json=body)
        never = path.replace(f"/{made['id']}", "/999", 1)
        await bob.refused(method, never, 404, "not_found", json=body)
    other = await agent(bob, "other")
    await bob.refused(
        "DELETE", f"/managed-agents/{other['id']}/keys/{key['key']['id']}", 404, "not_found"
    )
    await alice.refused("DELETE", f"/account/keys/{key['key']['id']}", 404, "not_found")
    assert (await bob.ok("GET", "/managed-agents"))["total"] == 1


async def test_users_and_agents_share_one_space_of_names_and_freed_ones_rest(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    made = await agent(alice)

    async def taken(handle: str) -> None:
        body = {"handle": handle, "name": "N"}
        await bob.refused("POST", "/managed-agents", 409, "handle_taken", field="handle", json=body)

    for handle in ("scout", "SCOUT", " scout ", "alice", "bob"):
        await taken(handle)
    for name, fields in (
        ("add_user", {"username": "scout"}),
        ("rename_user", {"username": "bob", "to": "scout"}),
    ):
        with pytest.raises(Exception, match="An agent is called scout"):
            await served.command(name, **fields)
    await alice.ok("DELETE", f"/managed-agents/{made['id']}")
    await served.command("rename_user", username="bob", to="robert")
    clock.forward(days=29, hours=23)
    await taken("scout")
    await taken("bob")
    with pytest.raises(Exception, match="in the last 30 days"):
        await served.command("add_user", username="scout")
    clock.forward(hours=2)
    assert (await agent(alice, "scout"))["id"] != made["id"]
    await agent(alice, "bob")


async def test_a_deleted_users_names_rest_too(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    await agent(bob)
    await served.command("delete_user", username="bob")
    for handle in ("bob", "scout"):
        body = {"handle": handle, "name": "N"}
        await alice.refused("POST", "/managed-agents", 409, "handle_taken", json=body)
    clock.forward(days=31)
    await agent(alice, "bob")
    await agent(alice, "scout")


async def test_a_user_has_at_most_twenty_agents_and_an_agent_ten_live_keys(alice: Client) -> None:
    made = [await agent(alice, f"agent-{number}") for number in range(20)]
    body = {"handle": "one-more", "name": "N"}
    refused = await alice.refused("POST", "/managed-agents", 409, "quota_exceeded", json=body)
    assert refused["limit"] == 20
    await alice.ok("DELETE", f"/managed-agents/{made[0]['id']}")
    await agent(alice, "one-more")
    keys = f"/managed-agents/{made[1]['id']}/keys"
    for _ in range(10):
        key = await alice.ok("POST", keys, status=201, json={"name": "k"})
    refused = await alice.refused("POST", keys, 409, "quota_exceeded", json={"name": "k"})
    assert refused["limit"] == 10
    assert await alice.ok("DELETE", f"{keys}/{key['key']['id']}") == {
        "success": True,
        "revoked": True,
    }
    assert (await alice.ok("DELETE", f"{keys}/{key['key']['id']}"))["revoked"]
    await alice.ok("POST", keys, status=201, json={"name": "k"})
    assert (await alice.ok("GET", keys))["total"] == 11
    assert (await alice.ok("GET", "/account/keys"))["total"] == 1


async def test_a_key_has_only_scopes_that_the_permissions_come_to(
    served: Served, alice: Client
) -> None:
    made = await agent(alice, permissions=READS)
    keys = f"/managed-agents/{made['id']}/keys"
    plain = await alice.ok("POST", keys, status=201, json={"name": "k"})
    assert plain["key"]["scopes"] == ["agent.message:send"]
    reads = ["os.notes:read", "os.todos:read", "os.snapshots:read", "agent.message:send"]
    wide = await alice.ok("POST", keys, status=201, json={"name": "k", "scopes": reads})
    assert wide["key"]["scopes"] == reads
    for scope in (
        "*",
        "os.notes:write",
        "os.todos:write",
        "os.memory:read",
        "tools:run",
        "escalations:decide",
        "escalations:read",
        "account:manage",
        "agents:manage",
        "agents:read",
        "metering:manage",
        "webhooks:manage",
        "runtime:connect",
        "no.such",
    ):
        body = {"name": "k", "scopes": [scope]}
        await alice.refused("POST", keys, 400, "invalid_request", field="scopes", json=body)
    await alice.refused(
        "POST", keys, 400, "invalid_request", field="scopes", json={"name": "k", "scopes": []}
    )
    async with served.client(await served.key("alice", ["agents:manage"])) as lesser:
        await lesser.refused("POST", keys, 403, "insufficient_scope", json={"name": "k"})


async def test_the_identity_behind_a_key_is_the_agents_and_names_its_owner(
    served: Served, alice: Client
) -> None:
    made = await agent(alice, permissions=READS)
    async with await agent_key(served, alice, made) as program:
        who = await program.ok("GET", "/identity")
        assert who["profile"] == {
            "userId": made["userId"],
            "username": "scout",
            "name": "Scout",
            "agentName": "Scout",
            "email": None,
        }
        assert who["owner"]["username"] == "alice"
        assert who["credential"]["kind"] == "managed_agent"
        assert who["credential"]["name"] == "program"
        assert who["scopes"] == ["agent.message:send"]
        used = (await alice.ok("GET", f"/managed-agents/{made['id']}/keys"))["keys"]
        assert used[0]["prefix"] == who["credential"]["prefix"]
    assert "owner" not in await alice.ok("GET", "/identity")


async def test_paused_is_a_refusal_for_all_and_ends_when_its_owner_says_so(
    served: Served, alice: Client
) -> None:
    made = await agent(alice, permissions=READS)
    async with await agent_key(served, alice, made) as program:
        await program.ok("GET", "/identity")
        assert (await change(alice, made, status="paused"))["status"] == "paused"
        refused = await program.refused("GET", "/identity", 403, "forbidden")
        assert refused["reason"] == "agent_paused"
        await program.refused("POST", "/tools", 403, "forbidden", json={"tool": "list_folders"})
        path = f"/managed-agents/{made['id']}/chat"
        await alice.refused("POST", path, 409, "agent_paused", json={"message": "hi"})
        for to in ("scout", "scout_coo", made["userId"]):
            body = {"to": to, "message": "hi"}
            await alice.refused("POST", "/agent/message", 409, "agent_paused", json=body)
        found = await alice.ok("GET", "/managed-agents?status=paused")
        assert [one["id"] for one in found["agents"]] == [made["id"]]
        assert (await alice.ok("GET", "/managed-agents?status=active"))["total"] == 0
        await change(alice, made, status="active")
        await program.ok("GET", "/identity")
        await ask(alice, made, "hi")


async def test_a_deleted_agent_answers_no_more_and_what_was_said_stays(
    served: Served, alice: Client
) -> None:
    made = await agent(alice, namespaces=["notes"], permissions=WRITES)
    said = await ask(alice, made, "hello")
    note = await alice.note("Leeks")
    async with await agent_key(
        served, alice, made, scopes=["os.notes:read", "os.notes:write"]
    ) as program:
        edit = {"tool": "edit_note", "params": {"noteId": note["id"], "content": "New"}}
        waits = (await program.ok("POST", "/tools", json=edit))["result"]["escalationId"]
        for _ in range(2):
            await alice.ok("DELETE", f"/managed-agents/{made['id']}")
        await program.refused("GET", "/identity", 401, "unauthorized")
    escalation = (await alice.ok("GET", f"/escalations/{waits}"))["escalation"]
    assert escalation["status"] == "superseded"
    assert (await alice.ok("GET", "/managed-agents"))["total"] == 0
    shown = (await alice.ok("GET", f"/managed-agents/{made['id']}"))["agent"]
    assert (shown["status"], shown["handle"]) == ("deleted", "scout")
    for method, path, body in (
        ("PATCH", f"/managed-agents/{made['id']}", {"status": "active"}),
        ("POST", f"/managed-agents/{made['id']}/chat", {"message": "hi"}),
        ("POST", f"/managed-agents/{made['id']}/keys", {"name": "k"}),
        ("POST", "/agent/message", {"to": "scout", "message": "hi"}),
        ("POST", "/agent/message", {"to": "scout_coo", "message": "hi"}),
    ):
        await alice.refused(method, path, 404, "not_found", json=body)
    kept = await alice.ok("GET", f"/conversations/{said['conversationId']}")
    assert [one["content"] for one in kept["messages"]] == ["hello", said["response"]]
    assert kept["messages"][1]["senderId"] == made["userId"]
    assert value(served, "SELECT count(*) FROM keys WHERE revoked_at IS NULL") == 1


async def test_an_agents_key_begins_no_session_and_asks_nothing_of_its_owner(
    served: Served, alice: Client
) -> None:
    made = await agent(alice, permissions=WRITES)
    path = f"/managed-agents/{made['id']}/keys"
    secret = (await alice.ok("POST", path, status=201, json={"name": "k"}))["secret"]
    async with served.client() as page:
        answer = await page.post("http://127.0.0.1:8000/api/auth/sign-in", json={"key": secret})
        assert answer.status_code in (401, 403)
    async with served.client(secret) as program:
        for method, asked, body in (
            ("POST", "/chat", {"message": "What do my notes say?"}),
            ("GET", "/conversations", None),
            ("GET", "/chat/models", None),
            ("POST", f"/managed-agents/{made['id']}/chat", {"message": "hi"}),
        ):
            refused = await program.refused(method, asked, 403, "forbidden", json=body)
            assert refused["reason"] == "not_granted"
        await send(program, "alice", "I am here.")


async def test_one_name_asked_for_by_many_at_once_is_given_once(
    served: Served, alice: Client, bob: Client
) -> None:
    body = {"handle": "scout", "name": "Scout"}
    answers = await asyncio.gather(
        *(client.post("/managed-agents", json=body) for client in (alice, bob) * 5),
        served.parts.call(OPERATOR, "add_user", {"username": "scout"}),
        return_exceptions=True,
    )
    made = [one for one in answers[:-1] if one.status_code == 201]  # type: ignore[union-attr]
    added = not isinstance(answers[-1], BaseException)
    assert len(made) + added == 1
    names = value(
        served,
        "SELECT count(*) FROM (SELECT username FROM users UNION ALL "
        "SELECT handle FROM managed_agents) WHERE username = 'scout'",
    )
    assert names == 1
