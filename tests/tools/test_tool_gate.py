"""The door of tools: what a turn and a direct call may do, what the audit says of it, the switch
that stops agents, and stuck turns.
"""

import asyncio
import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.core.database.data_dir import STOP
from app.errors import AppError
from app.tools.approvals import audit, stop_switch, tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import Client, MovableClock, Served
from tests.support.agents import (
    ACTIONS,
    CHAT,
    MESSAGES,
    World,
    caller,
    driven_by,
    restarted,
    scripted,
    settled,
    value,
    world,
)

pytestmark = pytest.mark.anyio
__all__ = ["world"]


async def talk(
    served: Served, client: Client, monkeypatch: pytest.MonkeyPatch, *steps: Any, **more: Any
) -> list[dict[str, Any]]:
    """Give the events of a turn in which the model does what it is told here."""
    driven_by(monkeypatch, lambda: scripted(*steps))
    response = await client.post("/chat", json={"message": "Go on.", **more})
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.text.splitlines()]


def said(events: list[dict[str, Any]]) -> str:
    return "".join(event.get("textDelta", "") for event in events)


def rows(served: Served) -> list[tuple[str, str, str]]:
    return [
        (row[0], row[1], row[2])
        for row in served.parts.quick(
            lambda tx: tx.all("SELECT event, tool, outcome FROM audit ORDER BY id")
        )
    ]


async def test_a_chat_with_the_owner_works_as_smoothly_as_without_a_gate(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await alice.note("Soup", "one")
    calls = [
        [("create_todo", {"title": "x"})],
        [("edit_note", {"noteId": note["id"], "content": "two"})],
        [("search_notes", {"query": "two"})],
    ]
    events = await talk(served, alice, monkeypatch, *calls)
    assert [event["ok"] for event in events if event["type"] == "tool-call-result"] == [True] * 3
    assert not [event for event in events if event["type"] == "escalation"]
    await settled(served)
    assert rows(served) == [
        ("call", "create_todo", "done"),
        ("call", "edit_note", "done"),
        ("call", "search_notes", "done"),
    ]


async def test_a_turn_goes_on_without_what_waits(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    events = await talk(
        served, alice, monkeypatch, [("post_outside", {"text": "hello"})], "I asked you."
    )
    kinds = [event["type"] for event in events]
    assert kinds == [
        "conversation-start",
        "tool-call-start",
        "escalation",
        "tool-call-result",
        "tool-call-complete",
        "text-delta",
        "completion",
    ]
    (waits,) = (await alice.ok("GET", "/escalations"))["escalations"]
    started = events[1]
    assert events[2] == {
        "type": "escalation",
        "escalationId": waits["id"],
        "toolCallId": started["toolCallId"],
        "toolName": "post_outside",
        "summary": "post_outside: text “hello”",
    }
    assert waits["origin"] == {
        "kind": "chat",
        "conversationId": events[-1]["metadata"]["conversationId"],
    }
    assert waits["requestedBy"]["kind"] == "agent"
    assert world.reached == []
    session = caller(served, "alice", kind="session")
    await served.parts.call(
        session, "decide_escalation", {"id": waits["id"], "decision": "continue"}
    )
    assert world.reached == ["hello"]


async def test_the_model_is_told_that_it_waits(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    await talk(served, alice, monkeypatch, [("post_outside", {"text": "hello"})])
    history = value(served, "SELECT history FROM turns")
    assert b'"status":"awaiting_approval","escalationId":1' in history


async def test_a_tainted_turn_cannot_change_anything_by_itself(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    note = await alice.note("HEARTBEAT.md", "one")
    events = await talk(
        served,
        alice,
        monkeypatch,
        [("read_outside", {})],
        [
            ("edit_note", {"noteId": note["id"], "content": "two"}),
            ("create_todo", {"title": "x"}),
            ("post_outside", {"text": "secret"}),
        ],
        "Done.",
    )
    assert [event["toolName"] for event in events if event["type"] == "escalation"] == [
        "edit_note",
        "create_todo",
        "post_outside",
    ]
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "one"
    assert value(served, "SELECT count(*) FROM todos") == 0
    assert world.reached == []
    assert {row["risk"] for row in (await alice.ok("GET", "/escalations"))["escalations"]} == {
        "medium",
        "high",
    }


async def test_words_of_others_are_remembered_with_the_conversation(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    events = await talk(served, alice, monkeypatch, [("read_outside", {})], "I read it.")
    conversation = events[-1]["metadata"]["conversationId"]
    later = await talk(
        served, alice, monkeypatch, [("create_todo", {"title": "x"})], conversationId=conversation
    )
    assert later, "a turn"
    assert value(served, "SELECT count(*) FROM todos") == 0
    await talk(served, alice, monkeypatch, [("create_todo", {"title": "y"})])
    assert value(served, "SELECT count(*) FROM todos") == 1


async def test_without_a_model_only_the_turn_that_reads_words_of_others_waits(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    events = await talk(served, alice, monkeypatch, [("read_outside", {})], "I read it.")
    conversation = events[-1]["metadata"]["conversationId"]
    monkeypatch.undo()
    said_offline = {"message": "add a todo: buy milk", "stream": False}
    told = await alice.ok("POST", "/chat", json=said_offline | {"conversationId": conversation})
    assert "Added: buy milk" in told["response"]
    await talk(
        served, alice, monkeypatch, [("create_todo", {"title": "x"})], conversationId=conversation
    )
    assert value(served, "SELECT group_concat(title) FROM todos") == "buy milk"


async def test_three_refusals_in_a_row_end_the_turn(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [[("get_note_content", {"noteId": number})] for number in range(100, 110)]
    events = await talk(served, alice, monkeypatch, *calls)
    assert [event["type"] for event in events].count("tool-call-start") == 3
    assert "3 calls in a row were refused" in said(events)
    assert events[-1]["type"] == "completion"
    assert value(served, "SELECT status FROM turns") == "completed"
    mixed = [
        [("get_note_content", {"noteId": 100})],
        [("get_note_content", {"noteId": 101})],
        [("list_notes", {})],
    ]
    assert said(await talk(served, alice, monkeypatch, *mixed, *mixed, "Good.")) == "Good."


async def test_the_same_call_again_and_again_ends_the_turn(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = await talk(served, alice, monkeypatch, *[[("create_todo", {"title": "x"})]] * 8)
    assert value(served, "SELECT count(*) FROM todos") == 1
    assert "calls in a row were refused" in said(events)


@pytest.mark.parametrize("by_file", [True, False])
async def test_stopped_agents_do_nothing_while_people_go_on(
    served: Served,
    alice: Client,
    monkeypatch: pytest.MonkeyPatch,
    by_file: bool,
    world: World,
    tmp_path: Path,
) -> None:
    note = await alice.note("Soup", "one")
    waiting = await tool_gate.use_tool(
        served.parts,
        caller(served, "alice"),
        "edit_note",
        {"noteId": note["id"], "content": "two"},
        origin=ACTIONS,
    )
    assert isinstance(waiting, tool_gate.Waiting)
    file = served.parts.store.path.parent / STOP
    if by_file:
        file.touch()
    else:
        await served.command("stop_agents", reason="testing")
    events = await talk(
        served, alice, monkeypatch, [("create_todo", {"title": "x"})], "Never said."
    )
    assert [event["type"] for event in events] == ["conversation-start", "error", "completion"]
    assert "Agents are stopped" in events[1]["message"]
    kept = (await alice.ok("GET", f"/conversations/{events[2]['metadata']['conversationId']}"))[
        "messages"
    ]
    assert "Agents are stopped" in kept[-1]["content"]
    body = await alice.refused(
        "POST", "/chat", 503, "unavailable", json={"message": "x", "stream": False}
    )
    assert body["message"].startswith("Agents are stopped")
    for tool, params in (("create_todo", {"title": "x"}), ("list_notes", {})):
        await alice.refused(
            "POST", "/tools", 503, "unavailable", json={"tool": tool, "params": params}
        )
    decision = f"/escalations/{waiting.escalation_id}/decision"
    await alice.refused("POST", decision, 503, "unavailable", json={"decision": "continue"})
    await alice.ok("POST", "/os/todos", status=201, json={"title": "by hand"})
    assert value(served, "SELECT count(*) FROM todos") == 1
    state = await served.command("agents_state")
    assert (state.stopped, state.by_file, state.reason) == (
        True,
        by_file,
        None if by_file else "testing",
    )
    if by_file:
        file.unlink()
    else:
        async with restarted(served, tmp_path) as again:
            assert (await again.command("agents_state")).stopped
        await served.command("start_agents")
    assert not (await served.command("agents_state")).stopped
    await alice.ok("POST", "/tools", json={"tool": "create_todo", "params": {"title": "x"}})
    await alice.ok("POST", decision, json={"decision": "continue"})


async def test_agents_that_are_stopped_in_the_middle_start_no_further_call(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    async def pull() -> None:
        await served.command("stop_agents")

    world.before = pull
    session = caller(served, "alice", kind="session")
    found = await tool_gate.use_tool(
        served.parts, session, "post_outside", {"text": "one"}, origin=CHAT
    )
    assert isinstance(found, tool_gate.Waiting)
    steps = [[("create_todo", {"title": f"t{number}"})] for number in range(5)]
    made = 0

    def count(_: Any) -> None:
        nonlocal made
        made += 1
        if made == 2:
            (served.parts.store.path.parent / STOP).touch()

    real = audit.add
    monkeypatch.setattr(
        audit,
        "add",
        lambda tx, me, entry, **more: (
            count(entry) if entry.tool == "create_todo" else None,
            real(tx, me, entry, **more),
        )[1],
    )
    events = await talk(served, alice, monkeypatch, *steps)
    assert events[-2]["type"] == "error"
    assert value(served, "SELECT count(*) FROM todos") == 2


async def test_stop_and_start_are_told_and_kept(served: Served) -> None:
    heard: list[Any] = []
    served.parts.events.on(stop_switch.STOPPED, heard.append)
    for _ in range(2):
        await served.command("stop_agents", reason="one")
    await served.command("start_agents")
    assert len(heard) == 2
    assert [event for event, _, _ in rows(served)] == ["stop", "stop", "start"]


async def test_a_direct_call_that_needs_a_human_answers_at_once(
    served: Served, alice: Client, world: World
) -> None:
    descriptors = {
        tool["name"]: tool["approval"] for tool in (await alice.ok("GET", "/tools"))["tools"]
    }
    assert (descriptors["careful_write"], descriptors["create_todo"]) == (True, False)
    body = await alice.ok(
        "POST", "/tools", json={"tool": "careful_write", "params": {"text": "Al"}}
    )
    assert body["result"] == {"status": "awaiting_approval", "escalationId": 1}
    (row,) = (await alice.ok("GET", "/escalations"))["escalations"]
    assert (row["origin"], row["requestedBy"]["kind"], row["reason"]) == (
        {"kind": "mcp"},
        "key",
        "This tool asks each time.",
    )
    await alice.refused(
        "POST", "/escalations/1/decision", 403, "forbidden", json={"decision": "continue"}
    )
    other = served.client(await served.key("alice"))
    assert (await other.ok("POST", "/escalations/1/decision", json={"decision": "continue"}))[
        "escalation"
    ]["status"] == "executed"
    assert value(served, "SELECT name FROM users WHERE username = 'alice'") == "Al"


async def test_a_direct_call_acts_by_its_own_scopes(
    served: Served, alice: Client, world: World
) -> None:
    await alice.ok("POST", "/tools", json={"tool": "post_outside", "params": {"text": "hello"}})
    assert world.reached == ["hello"]
    narrow = served.client(await served.key("alice", ["os.notes:read"]))
    for tool in ("post_outside", "careful_write", "unknown_effect"):
        await narrow.refused(
            "POST",
            "/tools",
            403,
            "insufficient_scope",
            json={"tool": tool, "params": {"text": "x"}},
        )
    assert world.reached == ["hello"]
    assert value(served, "SELECT count(*) FROM escalations") == 0


@pytest.mark.parametrize(
    ("origin", "tool", "params"),
    [
        (MESSAGES, "create_todo", {"title": "x"}),
        (MESSAGES, "post_outside", {"text": "x"}),
        (Origin("guest"), "post_outside", {"text": "x"}),
        (Origin("rpc"), "unknown_effect", {"text": "x"}),
    ],
)
async def test_what_the_policy_denies_is_not_done_and_stands_in_the_audit(
    served: Served, alice: Client, world: World, origin: Origin, tool: str, params: Any
) -> None:
    with pytest.raises(tool_gate.Denied):
        await tool_gate.use_tool(served.parts, caller(served, "alice"), tool, params, origin=origin)
    await settled(served)
    assert rows(served) == [("denial", tool, "forbidden")]
    assert value(served, "SELECT count(*) FROM todos") == 0
    assert world.reached == []


async def test_everything_stands_in_the_audit_with_its_effect(
    served: Served, alice: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.refused("POST", "/tools", 404, "not_found", json={"tool": "nothing"})
    await alice.refused(
        "POST",
        "/tools",
        422,
        "unprocessable",
        json={"tool": "get_note_content", "params": {"noteId": 5}},
    )
    await alice.ok("POST", "/tools", json={"tool": "create_todo", "params": {"title": "x"}})
    await alice.ok("POST", "/tools", json={"tool": "post_outside", "params": {"text": "x"}})
    await alice.refused(
        "POST",
        "/tools",
        422,
        "unprocessable",
        json={"tool": "create_todo", "params": {"title": ""}},
    )
    await talk(served, alice, monkeypatch, [("no_such_tool", {})], "No.")
    await settled(served)
    assert sorted(rows(served)) == sorted(
        [
            ("denial", "nothing", "not_found"),
            ("call", "get_note_content", "not_found"),
            ("call", "create_todo", "done"),
            ("call", "post_outside", "begun"),
            ("denial", "create_todo", "unprocessable"),
            ("denial", "no_such_tool", "refused"),
        ]
    )
    assert (await served.command("verify_audit")).intact


async def test_no_row_no_effect(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise sqlite3.OperationalError("no audit")

    monkeypatch.setattr(audit, "add", fail)
    for tool, params in (("create_todo", {"title": "x"}), ("post_outside", {"text": "x"})):
        response = await alice.post("/tools", json={"tool": tool, "params": params})
        assert response.status_code == 500
    assert value(served, "SELECT count(*) FROM todos") == 0
    assert world.reached == []


@contextlib.contextmanager
def tampered(served: Served) -> Any:
    """Give a connection that may do what the triggers forbid."""
    connection = sqlite3.connect(served.parts.store.path)
    try:
        for change in ("update", "delete"):
            connection.execute(f"DROP TRIGGER audit_refuses_{change}")
        yield connection
        connection.commit()
    finally:
        connection.close()


COPIED = """INSERT INTO audit SELECT 7, at, user_id, actor, origin, event,
          tool, arguments_sha256, outcome, escalation_id, taint, hash
    FROM audit WHERE id = 6"""
TAMPERING = {
    "a change": ("UPDATE audit SET outcome = 'denied' WHERE id = 3", 3),
    "another's name": ("UPDATE audit SET user_id = 2 WHERE id = 1", 1),
    "a row that was taken out": ("DELETE FROM audit WHERE id = 4", 4),
    "the first": ("DELETE FROM audit WHERE id = 1", 1),
    "the end": ("DELETE FROM audit WHERE id >= 5", 5),
    "everything": ("DELETE FROM audit", 1),
    "another order": (
        "UPDATE audit SET id = CASE id WHEN 2 THEN 100 ELSE 2 END WHERE id IN (2, 3)",
        2,
    ),
    "a row put in": (COPIED, 7),
}


@pytest.mark.parametrize(("statement", "at"), TAMPERING.values(), ids=TAMPERING)
async def test_tampering_is_found(served: Served, alice: Client, statement: str, at: int) -> None:
    for number in range(6):
        await alice.ok(
            "POST", "/tools", json={"tool": "create_todo", "params": {"title": f"t{number}"}}
        )
    before = await served.command("verify_audit")
    assert (before.intact, before.rows, before.problem) == (True, 6, None)
    with tampered(served) as connection:
        connection.execute(statement)
    found = await served.command("verify_audit")
    assert (found.intact, found.broken_at) == (False, at)
    await alice.ok("POST", "/tools", json={"tool": "create_todo", "params": {"title": "later"}})
    assert not (await served.command("verify_audit")).intact


async def test_a_record_made_anew_does_not_go_back_to_the_hash_that_was_kept(
    served: Served, alice: Client
) -> None:
    await alice.ok("POST", "/tools", json={"tool": "create_todo", "params": {"title": "x"}})
    head = (await served.command("verify_audit")).head
    with tampered(served) as connection:
        connection.execute("DELETE FROM audit")
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'audit'")
    await alice.ok("POST", "/tools", json={"tool": "create_todo", "params": {"title": "y"}})
    assert (await served.command("verify_audit")).intact
    found = await served.command("verify_audit", head=head)
    assert (found.intact, found.broken_at) == (False, None)


@pytest.mark.parametrize("statement", ["UPDATE audit SET outcome = 'x'", "DELETE FROM audit"])
async def test_the_program_itself_cannot_change_the_record(
    served: Served, alice: Client, statement: str
) -> None:
    await alice.ok("POST", "/tools", json={"tool": "create_todo", "params": {"title": "x"}})
    with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
        await served.parts.write(lambda tx: tx.run(statement))


async def test_the_record_outlives_the_account_and_holds_no_word_of_it(
    served: Served, alice: Client
) -> None:
    await alice.ok(
        "POST", "/tools", json={"tool": "create_todo", "params": {"title": "a-word-of-alice"}}
    )
    await served.command("delete_user", username="alice")
    assert (await served.command("verify_audit")).rows == 1
    assert "a-word-of-alice" not in str((await served.command("list_audit")).rows)


async def test_the_record_is_listed_newest_first(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    for number in range(5):
        await alice.ok(
            "POST", "/tools", json={"tool": "create_todo", "params": {"title": f"t{number}"}}
        )
    listed = (await served.command("list_audit", limit=2)).rows
    assert [row.id for row in listed] == [5, 4]
    assert [row.id for row in (await served.command("list_audit", before=4)).rows] == [3, 2, 1]


async def test_an_edit_through_the_gate_keeps_the_state_before(
    served: Served, alice: Client
) -> None:
    note = await alice.note("Soup", "one")
    await alice.ok(
        "POST", "/tools", json={"tool": "edit_note", "params": {"search": "Soup", "content": "two"}}
    )
    assert (await alice.ok("GET", f"/os/snapshots/{note['id']}/seq/1"))["snapshot"][
        "markdown"
    ] == "one"


async def test_an_edit_by_search_is_frozen_by_its_id(served: Served, alice: Client) -> None:
    note = await alice.note("Soup", "one")
    found = await tool_gate.use_tool(
        served.parts,
        caller(served, "alice"),
        "edit_note",
        {"search": "Soup", "content": "two"},
        origin=ACTIONS,
    )
    assert isinstance(found, tool_gate.Waiting)
    assert (await alice.ok("GET", f"/escalations/{found.escalation_id}"))["escalation"][
        "arguments"
    ] == {"noteId": note["id"], "content": "two"}


async def test_what_another_owns_is_not_told_by_what_waits(
    served: Served, alice: Client, bob: Client
) -> None:
    note = await bob.note("Secret plan", "secret words")
    todo = (await bob.ok("POST", "/os/todos", status=201, json={"title": "Secret"}))["result"][
        "todo"
    ]
    me = caller(served, "alice")
    for tool, params in (
        ("edit_note", {"noteId": note["id"], "content": "x"}),
        ("edit_todo", {"id": todo["id"], "title": "x"}),
    ):
        with pytest.raises(AppError) as refusal:
            await tool_gate.use_tool(
                served.parts, me, tool, params, origin=ACTIONS, taint=frozenset({"web"})
            )
        assert refusal.value.code == "not_found"
    assert value(served, "SELECT count(*) FROM escalations") == 0


@pytest.mark.parametrize("slow", ["search_notes", "search_todos"])
async def test_calls_side_by_side_that_are_made_again_are_refused_whichever_was_slower(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    use, others = tool_gate.use_tool, asyncio.Event()

    async def waits(app: Any, me: Any, tool: str, *rest: Any, **more: Any) -> Any:
        if tool == slow:
            await others.wait()
        done = await use(app, me, tool, *rest, **more)
        others.set()
        return done

    monkeypatch.setattr(tool_gate, "use_tool", waits)
    both = [("search_notes", {"query": "harbour"}), ("search_todos", {"q": "rope"})]
    events = await talk(
        served, alice, monkeypatch, both, both[::-1], [("list_folders", {})], both, "Good."
    )
    assert [event["ok"] for event in events if event["type"] == "tool-call-result"] == [
        True,
        True,
        False,
        False,
        True,
        True,
        True,
    ]
    assert said(events) == "Good."


async def test_the_same_call_twice_in_one_step_is_made_once(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = await talk(served, alice, monkeypatch, [("create_todo", {"title": "x"})] * 2, "Good.")
    assert value(served, "SELECT count(*) FROM todos") == 1
    assert [event["ok"] for event in events if event["type"] == "tool-call-result"] == [True, False]
