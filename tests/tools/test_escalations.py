"""Escalations: what waits for a person, what a decision does and when it is refused, and that
nothing is ever done twice.
"""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from app.agent.heartbeat.records import run_rows
from app.catalog import CATALOG
from app.core.caller import Caller
from app.core.operation import Plan, Taint
from app.errors import AppError, NotFound, StorageFull, Unavailable
from app.tools.approvals import escalation_rows, tool_gate
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.escalation_rows import SETTLED, Settled
from app.tools.registry import registry
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.agents import ACTIONS, CHAT, World, caller, restarted, settled, value, world

pytestmark = pytest.mark.anyio
__all__ = ["world"]
WEB: frozenset[Taint] = frozenset({"web"})


async def ask(
    served: Served,
    me: Caller,
    tool: str,
    *,
    origin: Origin = ACTIONS,
    taint: frozenset[Taint] = frozenset(),
    **params: Any,
) -> tool_gate.Waiting:
    """Make a call that must wait."""
    found = await tool_gate.use_tool(served.parts, me, tool, params, origin=origin, taint=taint)
    assert isinstance(found, tool_gate.Waiting)
    return found


async def edit(served: Served, alice: Client, content: str = "two\n") -> tuple[Any, int]:
    """Give a note and the escalation by which a heartbeat would change it."""
    note = await alice.note("Soup", "one\n")
    return note, (
        await ask(served, caller(served, "alice"), "edit_note", noteId=note["id"], content=content)
    ).escalation_id


async def text(client: Client, note: Any) -> str:
    return str((await client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"])


async def decide(client: Client, id_: int, decision: str = "continue", **more: Any) -> Any:
    return (
        await client.ok("POST", f"/escalations/{id_}/decision", json={"decision": decision, **more})
    )["escalation"]


async def test_what_waits_says_exactly_what_would_be_done(served: Served, alice: Client) -> None:
    note, id_ = await edit(served, alice)
    body = await alice.ok("GET", "/escalations")
    (row,) = body["escalations"]
    assert (body["total"], body["pendingCount"], row["id"], row["status"], row["kind"]) == (
        1,
        1,
        id_,
        "pending",
        "tool_call",
    )
    assert row["arguments"] == {"noteId": note["id"], "content": "two\n"}
    frozen = json.dumps(row["arguments"], sort_keys=True, separators=(",", ":")).encode()
    assert row["argumentsSha256"] == hashlib.sha256(frozen).hexdigest()
    assert row["origin"] == {"kind": "heartbeat", "runId": 1}
    assert row["requestedBy"] == {"kind": "heartbeat", "id": None, "name": "alice"}
    assert row["target"] == {"kind": "note", "id": note["id"], "baseRevision": 1}
    assert row["preview"] == {
        "kind": "diff",
        "text": "--- Soup\n+++ Soup\n@@ -1,2 +1,2 @@\n-one\n+two\n ",
    }
    assert (row["toolName"], row["risk"]) == ("edit_note", "low")
    assert row["summary"] == "edit_note “Soup”: content “two”"
    assert [
        row[name] for name in ("decision", "decidedBy", "decidedAt", "note", "result", "failure")
    ] == [None] * 6
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"] == row
    assert await text(alice, note) == "one\n"


async def test_a_yes_does_exactly_what_was_shown_with_a_snapshot_first(
    served: Served, alice: Client
) -> None:
    note, id_ = await edit(served, alice)
    done = await decide(alice, id_, note="fine")
    assert (done["status"], done["decision"], done["note"], done["failure"]) == (
        "executed",
        "continue",
        "fine",
        None,
    )
    assert done["decidedBy"]["kind"] == "key"
    assert done["decidedAt"]
    assert done["result"]["note"]["revision"] == 2
    assert await text(alice, note) == "two\n"
    (snapshot,) = (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"]
    assert snapshot["author"]["kind"] == "heartbeat"
    body = await alice.ok("GET", "/escalations")
    assert (body["escalations"], body["pendingCount"]) == ([], 0)
    assert [
        row["id"]
        for row in (await alice.ok("GET", "/escalations", params={"status": "decided"}))[
            "escalations"
        ]
    ] == [id_]


async def test_a_no_does_nothing(served: Served, alice: Client) -> None:
    note, id_ = await edit(served, alice)
    assert (await decide(alice, id_, "stop"))["status"] == "stopped"
    assert await text(alice, note) == "one\n"


@pytest.mark.parametrize(("first", "second"), [("continue", "stop"), ("stop", "continue")])
async def test_the_first_decision_holds(
    served: Served, alice: Client, first: str, second: str
) -> None:
    note, id_ = await edit(served, alice)
    done = await decide(alice, id_, first, note="once")
    assert await decide(alice, id_, first, note="again") == done
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 409, "already_decided", json={"decision": second}
    )
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"] == done
    assert await text(alice, note) == ("two\n" if first == "continue" else "one\n")


async def test_two_who_say_yes_at_once_do_it_once(
    served: Served, alice: Client, world: World
) -> None:
    id_ = (await ask(served, caller(served, "alice"), "post_outside", text="hello")).escalation_id
    answers = await asyncio.gather(*(decide(alice, id_) for _ in range(5)))
    assert {answer["decision"] for answer in answers} == {"continue"}
    assert world.reached == ["hello"]


async def test_what_has_changed_meanwhile_is_not_overwritten(served: Served, alice: Client) -> None:
    note, id_ = await edit(served, alice)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "three\n"})
    for _ in range(2):
        refusal = await alice.refused(
            "POST",
            f"/escalations/{id_}/decision",
            409,
            "base_revision_changed",
            json={"decision": "continue"},
        )
        assert refusal["revision"] == 2
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "superseded"
    assert await text(alice, note) == "three\n"


async def test_what_has_changed_meanwhile_waits_no_more(served: Served, alice: Client) -> None:
    note, id_ = await edit(served, alice)
    other, kept = await edit(served, alice)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "three\n"})
    body = await alice.ok("GET", "/escalations")
    assert ([row["id"] for row in body["escalations"]], body["total"], body["pendingCount"]) == (
        [kept],
        1,
        1,
    )
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "superseded"
    refusal = await alice.refused(
        "POST",
        f"/escalations/{id_}/decision",
        409,
        "base_revision_changed",
        json={"decision": "continue"},
    )
    assert refusal["revision"] == 2
    assert (await decide(alice, kept))["status"] == "executed"
    assert await text(alice, other) != "three\n"


@pytest.mark.parametrize("failure", [StorageFull("full"), Unavailable("read only")])
async def test_what_waits_is_listed_where_nothing_can_be_written(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, failure: AppError
) -> None:
    note, id_ = await edit(served, alice)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "three\n"})

    async def refuse(*_: Any, **__: Any) -> None:
        raise failure

    with monkeypatch.context() as full:
        full.setattr(served.parts, "write", refuse)
        assert [row["id"] for row in (await alice.ok("GET", "/escalations"))["escalations"]] == [
            id_
        ]
        assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "pending"
    assert (await alice.ok("GET", "/escalations"))["escalations"] == []


async def test_a_todo_that_has_changed_meanwhile_is_not_overwritten(
    served: Served, alice: Client
) -> None:
    todo = (await alice.ok("POST", "/os/todos", status=201, json={"title": "Pay"}))["result"][
        "todo"
    ]
    me = caller(served, "alice")
    id_ = (
        await ask(served, me, "edit_todo", taint=WEB, id=todo["id"], title="Do not pay")
    ).escalation_id
    await alice.ok("PATCH", f"/os/todos/{todo['id']}", json={"priority": 3})
    await alice.refused(
        "POST",
        f"/escalations/{id_}/decision",
        409,
        "base_revision_changed",
        json={"decision": "continue"},
    )
    again = (
        await ask(served, me, "edit_todo", taint=WEB, id=todo["id"], title="Do not pay")
    ).escalation_id
    assert (await decide(alice, again))["status"] == "executed"


async def test_a_note_that_is_gone_is_told_as_changed(served: Served, alice: Client) -> None:
    note, id_ = await edit(served, alice)
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    body = await alice.refused(
        "POST",
        f"/escalations/{id_}/decision",
        409,
        "base_revision_changed",
        json={"decision": "continue"},
    )
    assert body["revision"] is None


async def test_what_nobody_decides_ends_as_a_no(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    heard: list[Any] = []
    served.parts.events.on("escalation.expired", heard.append)
    await alice.ok("PATCH", "/account/settings", json={"escalationTtlHours": 2})
    note, id_ = await edit(served, alice)
    clock.forward(hours=1, minutes=59)
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "pending"
    assert (await served.command("expire_escalations")).expired == 0
    clock.forward(minutes=1)
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "expired"
    assert (await alice.ok("GET", "/escalations"))["pendingCount"] == 0
    assert (await served.command("expire_escalations")).expired == 1
    assert (await served.command("expire_escalations")).expired == 0
    assert [event["escalationId"] for event in heard] == [id_]
    for decision in ("continue", "stop"):
        await alice.refused(
            "POST",
            f"/escalations/{id_}/decision",
            409,
            "escalation_expired",
            json={"decision": decision},
        )
    assert await text(alice, note) == "one\n"


async def test_a_decision_that_comes_too_late_ends_it_without_the_sweep(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    _, id_ = await edit(served, alice)
    clock.forward(hours=72)
    await alice.refused(
        "POST",
        f"/escalations/{id_}/decision",
        409,
        "escalation_expired",
        json={"decision": "continue"},
    )
    assert value(served, "SELECT status FROM escalations") == "expired"


async def test_a_call_of_a_runtime_waits_five_minutes(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    me = caller(served, "alice")

    def raised(tx: Any) -> int:
        return escalation_rows.raise_(
            tx,
            me,
            kind="runtime_tool_call",
            origin=Origin("runtime", communication_session_id="comm_1"),
            tool="shell",
            arguments={"c": "ls"},
            summary="shell",
            reason="It asks.",
        )

    id_ = await served.parts.write(raised)
    clock.forward(minutes=4, seconds=59)
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "pending"
    clock.forward(seconds=1)
    await alice.refused(
        "POST",
        f"/escalations/{id_}/decision",
        409,
        "escalation_expired",
        json={"decision": "continue"},
    )


async def test_a_revoked_key_takes_its_requests_with_it(served: Served, alice: Client) -> None:
    note = await alice.note("Soup", "one\n")
    made = await served.command("issue_key", username="alice", name="agent")
    me = caller(served, "alice", kind="key", credential=made.key.id)
    id_ = (
        await ask(served, me, "edit_note", origin=CHAT, taint=WEB, noteId=note["id"], content="two")
    ).escalation_id
    await served.command("end_key", id=made.key.id)
    for _ in range(2):
        await alice.refused(
            "POST",
            f"/escalations/{id_}/decision",
            409,
            "grant_revoked",
            json={"decision": "continue"},
        )
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "superseded"
    assert await text(alice, note) == "one\n"


async def test_an_action_has_the_rights_it_had_and_never_more(
    served: Served, alice: Client, bob: Client, world: World
) -> None:
    me = caller(served, "alice", scopes=("os.notes:write",), kind="heartbeat")
    note = await alice.note("Soup", "one\n")
    id_ = (await ask(served, me, "edit_note", noteId=note["id"], content="two")).escalation_id
    served.parts.hooks.rights["heartbeat"] = lambda tx, row: ("os.todos:write",)
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 409, "grant_revoked", json={"decision": "continue"}
    )
    served.parts.hooks.rights["heartbeat"] = lambda tx, row: ("*",)
    again = (await ask(served, me, "edit_note", noteId=note["id"], content="two")).escalation_id
    assert (await decide(alice, again))["status"] == "executed"


@pytest.mark.parametrize("kind", ["guest", "managed_agent", "device"])
async def test_a_credential_that_nobody_vouches_for_is_taken_for_gone(
    served: Served, alice: Client, kind: Any
) -> None:
    note = await alice.note("Soup", "one\n")
    me = caller(served, "alice", kind=kind, credential=7)
    id_ = (
        await ask(
            served,
            me,
            "edit_note",
            origin=Origin("guest", share_token="t"),
            noteId=note["id"],
            content="two",
        )
    ).escalation_id
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 409, "grant_revoked", json={"decision": "continue"}
    )


async def test_what_the_effect_refuses_has_failed_and_is_not_tried_again(
    served: Served, alice: Client
) -> None:
    me = caller(served, "alice")
    folder = await alice.folder("Gone soon")
    id_ = (
        await ask(served, me, "create_note", taint=WEB, title="x", content="y", folderId=folder)
    ).escalation_id
    await alice.ok("DELETE", f"/os/folders/{folder}")
    for _ in range(2):
        done = await decide(alice, id_)
        assert (done["status"], done["failure"]["error"]) == ("failed", "not_found")
    await alice.folder("Gone soon")
    assert (await decide(alice, id_))["status"] == "failed"
    assert value(served, "SELECT count(*) FROM notes") == 0


async def test_what_an_effect_wrote_before_it_failed_is_undone(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_done(tx: Any, me: Caller) -> Any:
        tx.run("UPDATE users SET name = 'half done' WHERE id = :me", me=me.user)
        raise NotFound("There is nobody of that name.")

    me = caller(served, "alice")
    id_ = (await ask(served, me, "create_note", taint=WEB, title="x", content="y")).escalation_id
    monkeypatch.setattr(tool_gate, "_write_of", lambda *_: Plan({}, half_done))
    done = await decide(alice, id_)
    assert (done["status"], done["failure"]["error"]) == ("failed", "not_found")
    assert value(served, "SELECT count(*) FROM users WHERE name = 'half done'") == 0


async def test_what_the_other_side_refuses_has_failed(
    served: Served, alice: Client, world: World
) -> None:
    id_ = (await ask(served, caller(served, "alice"), "post_outside", text="broken")).escalation_id
    done = await decide(alice, id_)
    assert (done["status"], done["failure"]["error"]) == ("failed", "unavailable")


@pytest.mark.parametrize("kind", ["device", "managed_agent", "guest", "heartbeat"])
async def test_only_an_owner_decides(served: Served, alice: Client, kind: Any) -> None:
    _, id_ = await edit(served, alice)
    with pytest.raises(AppError) as refusal:
        await served.parts.call(
            caller(served, "alice", kind=kind, credential=1),
            "decide_escalation",
            {"id": id_, "decision": "continue"},
        )
    assert refusal.value.status == 403
    assert value(served, "SELECT status FROM escalations") == "pending"


async def test_the_credential_that_asked_does_not_decide(served: Served, alice: Client) -> None:
    made = await served.command("issue_key", username="alice", name="agent")
    asker = served.client(made.secret)
    me = caller(served, "alice", kind="key", credential=made.key.id)
    id_ = (await ask(served, me, "create_todo", origin=CHAT, taint=WEB, title="x")).escalation_id
    for decision in ("continue", "stop"):
        await asker.refused(
            "POST", f"/escalations/{id_}/decision", 403, "forbidden", json={"decision": decision}
        )
    reader = served.client(await served.key("alice", ["escalations:read"]))
    await reader.refused(
        "POST", f"/escalations/{id_}/decision", 403, "insufficient_scope", json={"decision": "stop"}
    )
    decider = served.client(await served.key("alice", ["escalations:decide"]))
    assert (await decide(decider, id_))["status"] == "executed"
    session = caller(served, "alice", kind="session")
    own = (
        await ask(served, session, "create_todo", origin=CHAT, taint=WEB, title="y")
    ).escalation_id
    assert (
        await served.parts.call(session, "decide_escalation", {"id": own, "decision": "continue"})
    ).escalation.status == "executed"


async def test_no_key_decides_by_one_that_it_made_or_saw_the_secret_of(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await served.command("issue_key", username="alice", name="agent")
    agent = served.client(made.secret)
    child = await agent.ok("POST", "/account/keys", status=201, json={"name": "child"})
    grandchild = await served.client(child["secret"]).ok(
        "POST", "/account/keys", status=201, json={"name": "grandchild"}
    )
    other = await served.command("issue_key", username="alice", name="phone")
    seen = await agent.ok("POST", f"/account/keys/{other.key.id}/rotate")
    session = (await served.command("sign_in", key=made.secret)).secret
    clock.forward(minutes=1)
    me = caller(served, "alice", kind="key", credential=made.key.id)
    id_ = (await ask(served, me, "create_todo", origin=CHAT, taint=WEB, title="x")).escalation_id
    by_session = {
        "Cookie": f"hearth_session={session}",
        "Content-Type": "application/json",
        "Origin": ORIGIN,
    }
    for client in (
        *(served.client(one["secret"]) for one in (child, grandchild, seen)),
        served.client(**by_session),
    ):
        for decision in ("continue", "stop"):
            refused = await client.refused(
                "POST",
                f"/escalations/{id_}/decision",
                403,
                "forbidden",
                json={"decision": decision},
            )
            assert refused["reason"] == "asked_by_it"
            assert "hearth escalation" in refused["message"]
    code = (await served.command("make_sign_in_code", username="alice")).code
    own = served.client(
        **by_session
        | {"Cookie": f"hearth_session={(await served.command('sign_in', code=code)).secret}"}
    )
    assert (await decide(own, id_))["status"] == "executed"


async def test_a_credential_that_is_younger_than_what_waits_does_not_decide_it(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    _, id_ = await edit(served, alice)
    older = await served.command("issue_key", username="alice", name="older")
    clock.forward(seconds=1)
    younger = served.client(await served.key("alice"))
    refused = await younger.refused(
        "POST", f"/escalations/{id_}/decision", 403, "forbidden", json={"decision": "continue"}
    )
    assert refused["reason"] == "younger_than_it"
    rotated = (await alice.ok("POST", f"/account/keys/{older.key.id}/rotate"))["secret"]
    await served.client(rotated).refused(
        "POST", f"/escalations/{id_}/decision", 403, "forbidden", json={"decision": "continue"}
    )
    assert (await decide(alice, id_))["status"] == "executed"


async def test_an_escalation_of_another_is_not_there(
    served: Served, alice: Client, bob: Client
) -> None:
    _, id_ = await edit(served, alice)
    for method, path, body in (
        ("GET", f"/escalations/{id_}", None),
        ("POST", f"/escalations/{id_}/decision", {"decision": "continue"}),
    ):
        await bob.refused(
            method, path, 404, "not_found", **({} if body is None else {"json": body})
        )
    assert (await bob.ok("GET", "/escalations", params={"status": "all"}))["total"] == 0
    assert value(served, "SELECT status FROM escalations") == "pending"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "decision"),
        ({"decision": "yes"}, "decision"),
        ({"decision": "continue", "remember": "always"}, "remember"),
        ({"decision": "continue", "note": "x" * 501}, "note"),
        ({"decision": None}, "decision"),
    ],
)
async def test_a_bad_decision_is_refused_and_decides_nothing(
    served: Served, alice: Client, body: Any, field: str
) -> None:
    _, id_ = await edit(served, alice)
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 400, "invalid_request", field=field, json=body
    )
    assert value(served, "SELECT status FROM escalations") == "pending"
    for status, number in (("0", 404), ("999", 404), ("x", 400)):
        assert (
            await alice.post(f"/escalations/{status}/decision", json={"decision": "stop"})
        ).status_code in (number, 400)


async def test_lists_are_cut_into_pages(served: Served, alice: Client) -> None:
    me = caller(served, "alice")
    ids = [
        (await ask(served, me, "create_todo", taint=WEB, title=f"t{number}")).escalation_id
        for number in range(5)
    ]
    body = await alice.ok("GET", "/escalations", params={"limit": 2, "offset": 1})
    assert [row["id"] for row in body["escalations"]] == ids[::-1][1:3]
    assert (body["total"], body["pendingCount"]) == (5, 5)
    await alice.refused(
        "GET", "/escalations", 400, "invalid_request", field="status", params={"status": "open"}
    )


async def test_the_same_request_waits_once(served: Served, alice: Client) -> None:
    me = caller(served, "alice")
    first = await ask(served, me, "create_todo", taint=WEB, title="x")
    assert await ask(served, me, "create_todo", taint=WEB, title="x") == first
    assert await ask(served, me, "create_todo", taint=WEB, title="y") != first
    await decide(alice, first.escalation_id, "stop")
    assert await ask(served, me, "create_todo", taint=WEB, title="x") != first


async def test_at_most_two_hundred_wait_for_a_user(
    served: Served, alice: Client, bob: Client
) -> None:
    me = caller(served, "alice")

    def fill(tx: Any) -> None:
        for number in range(escalation_rows.MOST_PENDING):
            escalation_rows.raise_(
                tx,
                me,
                kind="owner_question",
                origin=ACTIONS,
                tool="",
                arguments={"n": number},
                summary="?",
                reason="It asks.",
            )

    await served.parts.write(fill)
    with pytest.raises(escalation_rows.TooManyPending) as refusal:
        await tool_gate.use_tool(
            served.parts, me, "create_todo", {"title": "x"}, origin=ACTIONS, taint=WEB
        )
    assert (refusal.value.status, refusal.value.code) == (409, "quota_exceeded")
    await ask(served, caller(served, "bob"), "create_todo", taint=WEB, title="x")
    await decide(alice, 1, "stop")
    await ask(served, me, "create_todo", taint=WEB, title="x")


async def test_what_is_too_large_to_show_is_refused(served: Served, alice: Client) -> None:
    with pytest.raises(AppError) as refusal:
        await tool_gate.use_tool(
            served.parts,
            caller(served, "alice"),
            "create_note",
            {"title": "x", "content": "y" * 300_000},
            origin=ACTIONS,
            taint=WEB,
        )
    assert refusal.value.status == 413
    assert value(served, "SELECT count(*) FROM escalations") == 0


async def test_a_yes_for_longer_lets_the_same_pass_and_nothing_else(
    served: Served, alice: Client, world: World, clock: MovableClock
) -> None:
    me = caller(served, "alice")
    id_ = (await ask(served, me, "post_outside", text="one")).escalation_id
    await decide(alice, id_, remember="tool")
    assert isinstance(
        await tool_gate.use_tool(served.parts, me, "post_outside", {"text": "two"}, origin=ACTIONS),
        tool_gate.Done,
    )
    (precedent,) = (await alice.ok("GET", "/escalations/precedents"))["precedents"]
    assert (precedent["toolName"], precedent["origin"], precedent["scope"], precedent["uses"]) == (
        "post_outside",
        "heartbeat",
        "tool",
        1,
    )
    assert precedent["expiresAt"] == "2026-12-21T09:30:00.000Z"
    await ask(served, me, "post_outside", origin=CHAT, text="three")
    await ask(served, me, "post_outside", taint=WEB, text="three")
    await ask(served, me, "unknown_effect", text="three")
    clock.forward(days=30)
    await ask(served, me, "post_outside", text="four")
    assert (await alice.ok("GET", "/escalations/precedents"))["precedents"] == []
    assert world.reached == ["one", "two"]


async def test_a_yes_under_words_of_others_holds_for_those_words(
    served: Served, alice: Client
) -> None:
    me = caller(served, "alice")
    await decide(
        alice,
        (await ask(served, me, "create_todo", taint=WEB, title="x")).escalation_id,
        remember="tool",
    )
    assert isinstance(
        await tool_gate.use_tool(
            served.parts, me, "create_todo", {"title": "y"}, origin=ACTIONS, taint=WEB
        ),
        tool_gate.Done,
    )
    await ask(served, me, "create_todo", taint=frozenset({"web", "mail"}), title="z")


async def test_a_yes_for_a_session_ends_with_its_conversation(
    served: Served, alice: Client, world: World
) -> None:
    chat = (await alice.ok("POST", "/chat", json={"message": "Hello", "stream": False}))[
        "conversationId"
    ]
    origin, me = Origin("chat", conversation_id=chat), caller(served, "alice", kind="session")
    await decide(
        alice,
        (await ask(served, me, "post_outside", origin=origin, text="one")).escalation_id,
        remember="session",
    )
    assert isinstance(
        await tool_gate.use_tool(served.parts, me, "post_outside", {"text": "two"}, origin=origin),
        tool_gate.Done,
    )
    await ask(
        served, me, "post_outside", origin=Origin("chat", conversation_id=chat + 1), text="three"
    )
    assert [
        row["scope"] for row in (await alice.ok("GET", "/escalations/precedents"))["precedents"]
    ] == ["session"]
    await alice.ok("DELETE", f"/conversations/{chat}")
    assert (await alice.ok("GET", "/escalations/precedents"))["precedents"] == []


async def test_a_yes_for_a_session_ends_with_its_run(
    served: Served, alice: Client, world: World
) -> None:
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    me = caller(served, "alice")
    begun = await served.parts.write(
        run_rows.begin, me, policy="ACTIONS", tier="ACTIONS", trigger="manual"
    )
    origin = Origin("heartbeat", run_id=begun.id, tier="ACTIONS")
    waiting = await ask(served, me, "post_outside", origin=origin, text="one")
    await decide(alice, waiting.escalation_id, remember="session")
    await tool_gate.use_tool(served.parts, me, "post_outside", {"text": "two"}, origin=origin)
    (precedent,) = (await alice.ok("GET", "/escalations/precedents"))["precedents"]
    assert (precedent["scope"], precedent["uses"]) == ("session", 1)
    await served.parts.write(run_rows.end, begun, run_rows.RunEnding())
    assert (await alice.ok("GET", "/escalations/precedents"))["precedents"] == []
    await served.command("expire_escalations")
    assert value(served, "SELECT count(*) FROM precedents") == 0


@pytest.mark.parametrize("remember", ["session", "tool"])
async def test_what_a_key_was_allowed_ends_with_it(
    served: Served, alice: Client, world: World, remember: str
) -> None:
    made = await alice.ok("POST", "/account/keys", status=201, json={"name": "Robot"})
    other = served.client(made["secret"])
    body = {"tool": "careful_write", "params": {"text": "one"}}
    answer = (await other.post("/tools", json=body)).json()
    await decide(alice, answer["result"]["escalationId"], remember=remember)
    assert len((await alice.ok("GET", "/escalations/precedents"))["precedents"]) == 1
    await alice.ok("DELETE", f"/account/keys/{made['key']['id']}")
    assert (await alice.ok("GET", "/escalations/precedents"))["precedents"] == []
    await served.command("expire_escalations")
    assert value(served, "SELECT count(*) FROM precedents") == 0


async def test_what_was_allowed_for_longer_can_be_taken_back(
    served: Served, alice: Client, bob: Client, world: World
) -> None:
    me = caller(served, "alice")
    await decide(
        alice, (await ask(served, me, "post_outside", text="one")).escalation_id, remember="tool"
    )
    (precedent,) = (await alice.ok("GET", "/escalations/precedents"))["precedents"]
    await bob.refused("DELETE", f"/escalations/precedents/{precedent['id']}", 404, "not_found")
    assert (await bob.ok("GET", "/escalations/precedents"))["precedents"] == []
    await alice.ok("DELETE", f"/escalations/precedents/{precedent['id']}")
    await alice.refused("DELETE", f"/escalations/precedents/{precedent['id']}", 404, "not_found")
    await ask(served, me, "post_outside", text="two")


async def test_what_cannot_be_taken_back_is_asked_for_each_time(
    served: Served, alice: Client, world: World
) -> None:
    me = caller(served, "alice")
    id_ = (await ask(served, me, "unknown_effect", text="one")).escalation_id
    for remember in ("session", "tool"):
        await alice.refused(
            "POST",
            f"/escalations/{id_}/decision",
            400,
            "invalid_request",
            field="remember",
            json={"decision": "continue", "remember": remember},
        )
    assert (await decide(alice, id_))["status"] == "executed"
    await ask(served, me, "unknown_effect", text="two")


async def test_a_tool_that_has_become_another_is_not_called(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, id_ = await edit(served, alice)
    monkeypatch.setitem(vars(registry.native_tools(CATALOG)["edit_note"]), "sha256", "0" * 64)
    await alice.refused(
        "POST",
        f"/escalations/{id_}/decision",
        409,
        "base_revision_changed",
        json={"decision": "continue"},
    )


async def test_a_tool_that_was_switched_off_is_not_called(served: Served, alice: Client) -> None:
    _, id_ = await edit(served, alice)
    session = caller(served, "alice", kind="session")
    await served.parts.call(session, "switch_namespaces", {"disable": ["notes"]})
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 409, "grant_revoked", json={"decision": "continue"}
    )


async def test_whoever_raised_it_hears_in_the_same_transaction_how_it_ended(
    served: Served, alice: Client
) -> None:
    heard: list[Settled] = []
    served.parts.events.on_within(SETTLED, lambda tx, settled: heard.append(settled))
    _, id_ = await edit(served, alice)
    _, other = await edit(served, alice, "three")
    await decide(alice, id_)
    await decide(alice, other, "stop")
    assert [(one.id, one.status, one.origin, one.tool) for one in heard] == [
        (id_, "executed", ACTIONS, "edit_note"),
        (other, "stopped", ACTIONS, "edit_note"),
    ]


async def test_events_tell_what_the_contract_says(served: Served, alice: Client) -> None:
    heard: list[tuple[str, Any]] = []
    for name in ("escalation.created", "escalation.decided"):
        served.parts.events.on(name, lambda payload, name=name: heard.append((name, payload)))  # type: ignore[misc]
    _, id_ = await edit(served, alice)
    await decide(alice, id_)
    assert [
        (name, payload["escalationId"], payload["status"], payload["decision"])
        for name, payload in heard
    ] == [
        ("escalation.created", id_, "pending", None),
        ("escalation.decided", id_, "executed", "continue"),
    ]
    assert set(heard[0][1]) == {
        "user",
        "escalationId",
        "kind",
        "toolName",
        "summary",
        "status",
        "decision",
        "expiresAt",
        "decidedAt",
    }


async def test_what_stood_behind_many_takes_them_all(
    served: Served, alice: Client, bob: Client
) -> None:
    _, id_ = await edit(served, alice)
    others = (
        await ask(served, caller(served, "bob"), "create_todo", taint=WEB, title="x")
    ).escalation_id
    me = caller(served, "alice")
    gone = AppError("The run is gone.")
    ended = await served.parts.write(
        escalation_rows.supersede, me, me.user, lambda origin, row: origin.run_id == 1, failure=gone
    )
    assert ended == 1
    assert [
        value(served, "SELECT status FROM escalations WHERE id = :id", id=each)
        for each in (id_, others)
    ] == ["superseded", "pending"]


async def test_the_owner_decides_at_the_machine(served: Served, alice: Client, bob: Client) -> None:
    note, id_ = await edit(served, alice)
    assert [
        row.id for row in (await served.command("user_escalations", username="alice")).escalations
    ] == [id_]
    assert (await served.command("user_escalations", username="bob")).escalations == []
    with pytest.raises(AppError):
        await served.command("settle_escalation", username="bob", id=id_, decision="continue")
    done = (
        await served.command("settle_escalation", username="alice", id=id_, decision="continue")
    ).escalation
    assert (done.status, json.loads(bytes(done.decided_by))["kind"]) == ("executed", "user")
    assert await text(alice, note) == "two\n"


async def test_a_crash_before_the_commit_leaves_it_waiting_and_nothing_done(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note, id_ = await edit(served, alice)
    with monkeypatch.context() as patched:
        patched.setattr(escalation_rows, "end", lambda *_, **__: 1 / 0)
        assert (
            await alice.post(f"/escalations/{id_}/decision", json={"decision": "continue"})
        ).status_code == 500
    async with restarted(served, tmp_path) as again:
        assert value(again, "SELECT status FROM escalations") == "pending"
        assert value(again, "SELECT content FROM notes") == "one\n"
        done = await again.command(
            "settle_escalation", username="alice", id=id_, decision="continue"
        )
        assert done.escalation.status == "executed"
        assert value(again, "SELECT revision FROM notes") == 2
    assert await text(alice, note) == "one\n"


async def test_a_crash_after_the_commit_finds_it_done_once(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    _, id_ = await edit(served, alice)
    await decide(alice, id_)
    async with restarted(served, tmp_path) as again:
        for _ in range(2):
            done = await again.command(
                "settle_escalation", username="alice", id=id_, decision="continue"
            )
            assert done.escalation.status == "executed"
        assert value(again, "SELECT revision FROM notes") == 2
        assert value(again, "SELECT count(*) FROM snapshots") == 1


@pytest.mark.parametrize("sent", [False, True])
async def test_a_crash_while_it_is_sent_never_sends_it_again(
    served: Served, alice: Client, world: World, tmp_path: Path, sent: bool
) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        if sent:
            world.reached.append("hello")
        reached.set()
        await go_on.wait()

    world.before = wait
    id_ = (await ask(served, caller(served, "alice"), "post_outside", text="hello")).escalation_id
    deciding = asyncio.ensure_future(decide(alice, id_))
    await reached.wait()
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "continued"
    before = list(world.reached)
    async with restarted(served, tmp_path) as again:
        row = (
            await again.command("settle_escalation", username="alice", id=id_, decision="continue")
        ).escalation
        assert (row.status, json.loads(bytes(row.failure))["error"]) == (
            "failed",
            "unknown_outcome",
        )
        assert world.reached == before
    world.before = None
    go_on.set()
    assert (await deciding)["status"] == "executed"


async def test_it_goes_on_when_whoever_said_yes_has_left(
    served: Served, alice: Client, world: World
) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        reached.set()
        await go_on.wait()

    world.before = wait
    id_ = (await ask(served, caller(served, "alice"), "post_outside", text="hello")).escalation_id
    session = caller(served, "alice", kind="session")
    deciding = asyncio.ensure_future(
        served.parts.call(session, "decide_escalation", {"id": id_, "decision": "continue"})
    )
    await reached.wait()
    deciding.cancel()
    await asyncio.wait([deciding])
    go_on.set()
    await settled(served)
    assert value(served, "SELECT status FROM escalations") == "executed"
    assert world.reached == ["hello"]


async def raised(served: Served, kind: Any, tool: str, **arguments: Any) -> int:
    """Raise what no gate has made, as other parts of the program do."""
    me = caller(served, "alice")
    return await served.parts.write(
        lambda tx: escalation_rows.raise_(
            tx,
            me,
            kind=kind,
            origin=ACTIONS,
            tool=tool,
            arguments=arguments,
            summary=tool,
            reason="It asks.",
        )
    )


@pytest.mark.parametrize("kind", ["runtime_tool_call", "folder_access", "owner_question"])
async def test_a_tool_of_a_runtime_that_is_called_like_ours_is_not_ours(
    served: Served, alice: Client, kind: Any
) -> None:
    done = await decide(alice, await raised(served, kind, "create_todo", title="x"))
    assert (done["status"], done["result"]) == ("executed", None)
    assert value(served, "SELECT count(*) FROM todos") == 0


async def test_a_tool_that_there_is_not_any_more_does_nothing(
    served: Served, alice: Client
) -> None:
    id_ = await raised(served, "tool_call", "gone_tool", text="x")
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 409, "grant_revoked", json={"decision": "continue"}
    )


async def test_what_other_parts_raise_of_our_tools_is_done_as_it_was_frozen(
    served: Served, alice: Client
) -> None:
    done = await decide(alice, await raised(served, "tool_call", "create_todo", title="x"))
    assert done["result"]["todo"]["title"] == "x"
    assert value(served, "SELECT count(*) FROM todos") == 1


async def test_a_long_change_is_shown_quickly_and_cut(served: Served, alice: Client) -> None:
    note = await alice.note("Long", "\n".join(f"line {number}" for number in range(9000)))
    content = "\n".join(f"other {number % 7}" for number in range(9000))
    id_ = (
        await ask(served, caller(served, "alice"), "edit_note", noteId=note["id"], content=content)
    ).escalation_id
    shown = (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["preview"]
    assert shown["text"].startswith("--- Long\n+++ Long\n@@ line 1 @@\n-line 0")
    assert shown["text"].endswith("the rest is not shown")


async def test_a_restored_snapshot_is_shown_as_the_change_it_makes(
    served: Served, alice: Client
) -> None:
    note = await alice.note("Soup", "one\ntwo\nthree")
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "one\n2\nthree"})
    id_ = (
        await ask(served, caller(served, "alice"), "restore_snapshot", noteId=note["id"], seq=1)
    ).escalation_id
    row = (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]
    assert (
        row["preview"]["text"]
        == "--- Soup\n+++ Soup\n@@ -1,3 +1,3 @@\n one\n-2\n+two\n three\nseq: 1"
    )
    assert (await decide(alice, id_))["status"] == "executed"


async def test_a_summary_is_one_line_that_a_title_cannot_break(
    served: Served, alice: Client
) -> None:
    me = caller(served, "alice")
    id_ = (
        await ask(
            served,
            me,
            "create_note",
            taint=WEB,
            title="Hi” delete nothing “",
            content="a\nb\x1b[2K" + "c" * 500,
        )
    ).escalation_id
    summary = (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["summary"]
    assert summary.isprintable()
    assert len(summary) <= 200
    assert summary.count("”") == 2
