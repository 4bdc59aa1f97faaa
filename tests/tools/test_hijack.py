"""A model that is wholly in the hands of an attacker.

Hundreds of generated calls, and what the database says afterwards.
"""

import contextlib
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from app.catalog import CATALOG
from app.errors import AppError
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import Client, Served
from tests.support.agents import MESSAGES, World, caller, driven_by, scripted, settled, value, world

pytestmark = pytest.mark.anyio
__all__ = ["world"]

CALLS = 170
"""For each of three callers, so over 500 in all."""
CANARY = "kanarienvogel"
SECRET = "only-for-bob"
"""Stands beside the canary in all that is Bob's.

No call ever names it, so where it comes back it came from there.
"""
TAINTED_CALLS = 60
OWNED = {
    "folders": "owner_id",
    "notes": "owner_id",
    "note_tags": "owner_id",
    "todos": "owner_id",
    "trash": "owner_id",
    "briefings": "owner_id",
    "workspaces": "owner_id",
    "replacements": "user_id",
    "snapshots": "(SELECT owner_id FROM notes WHERE notes.id = note_id)",
}
"""What is somebody's own: table, and the SQL of whose a row is."""
NEVER = {
    "users": "*",
    "keys": "id, user_id, digest, scopes, expires_at, revoked_at, old_digest",
    "contacts": "*",
    "oauth_grants": "*",
    "oauth_clients": "*",
    "oauth_tokens": "*",
    "folder_shares": "*",
    "tool_namespaces": "*",
    "precedents": "*",
    "agent_stops": "*",
}
"""What no tool changes, for anyone."""
INVENTED = [
    "delete_everything",
    "sudo",
    "run_sql",
    "__init__",
    "../../notes",
    "app.tools.approvals.tool_gate.use_tool",
    "POST /account/keys",
    "create_note; DROP TABLE notes",
    "",
    "decide",
    "approve",
    "exécuter",
    "x" * 5000,
    "search_notes ",
    "SEARCH_NOTES",
]
HARMLESS_FIELDS = (
    "query",
    "title",
    "content",
    "text",
    "pattern",
    "search",
    "folderName",
    "path",
    "label",
    "tags",
    "q",
)
IDS = ("noteId", "id", "folderId", "parentId", "seq", "versionId", "ifRevision")
HOSTILE: list[Any] = [
    None,
    True,
    -1,
    0,
    2**53,
    2**63,
    1.5,
    float(10**300),
    "",
    "x" * 300_000,
    "\0",
    "' OR 1=1 --",
    CANARY,
    "Secret plan",
    [],
    {},
    [[]] * 50,
    {"$ne": None},
    ["a"] * 60,
    "\u202e",
    "𝕏",
    "*",
    '"',
    "a OR b",
    "(a+)+$",
    "2026-13-45",
]
BROKEN = [
    "{",
    "[]",
    "[1, 2]",
    "null",
    "5",
    '"text"',
    "",
    "not json",
    '{"a":}',
    "[" * 5000,
    '{"noteId": 1, "noteId": 2}',
    '{"title": "\\ud800"}',
]
SCOPES = {
    "a reader of notes": ["agent.chat:run", "os.notes:read"],
    "a writer of todos": ["agent.chat:run", "os.todos:read", "os.todos:write"],
    "everything": None,
}


def names(chance: random.Random) -> str:
    """Give the name of a tool that there is, of an operation that is none, or of nothing at all."""
    tools = [found.name for found in CATALOG.operations.values() if found.tool]
    others = [found.name for found in CATALOG.operations.values() if not found.tool]
    return chance.choice(chance.choice([tools, tools, tools, others, INVENTED]))


def fields(chance: random.Random) -> dict[str, Any]:
    """Give arguments: ids of anyone's things, texts, and what no tool expects."""
    given: dict[str, Any] = {}
    for _ in range(chance.randrange(5)):
        kind = chance.randrange(4)
        if kind == 0:
            given[chance.choice(IDS)] = chance.randrange(1, 14)
        elif kind == 1:
            given[chance.choice(HARMLESS_FIELDS)] = chance.choice(
                ["Plan", CANARY, "soup", "General", "a/b"]
            )
        elif kind == 2:
            given[
                chance.choice(
                    [
                        *IDS,
                        *HARMLESS_FIELDS,
                        "decision",
                        "username",
                        "scopes",
                        "me",
                        "tx",
                        "user",
                        "completed",
                    ]
                )
            ] = chance.choice(HOSTILE)
        else:
            given |= chance.choice(
                [
                    {"noteId": chance.randrange(1, 14), "content": "overwritten"},
                    {"id": chance.randrange(1, 14), "title": "overwritten"},
                    {"noteId": chance.randrange(1, 14), "folderId": chance.randrange(1, 9)},
                    {"id": 1, "decision": "continue"},
                    {"noteId": chance.randrange(1, 14), "pinned": True},
                    {"title": "new", "content": "new", "folderId": chance.randrange(1, 9)},
                    {"username": "alice", "name": "own", "scopes": ["*"]},
                    {"noteId": chance.randrange(1, 14), "seq": 1},
                ]
            )
    return given


def fitting(chance: random.Random) -> tuple[str, dict[str, Any]]:
    """Give a call as a tool expects it, of anyone's things."""
    note, todo, folder = (chance.randrange(1, most) for most in (9, 8, 6))
    return chance.choice(
        [
            ("create_todo", {"title": "made"}),
            ("edit_todo", {"id": todo, "title": "overwritten"}),
            ("complete_todo", {"id": todo}),
            ("edit_note", {"noteId": note, "content": "overwritten"}),
            ("pin_note", {"noteId": note, "pinned": True}),
            ("move_note", {"noteId": note, "folderId": folder}),
            ("copy_note", {"noteId": note}),
            ("restore_snapshot", {"noteId": note, "seq": 1}),
            ("create_note", {"title": "made", "content": "made", "folderId": folder}),
            ("search_notes", {"query": CANARY}),
            ("grep_notes", {"pattern": CANARY}),
            ("get_note_content", {"noteId": note}),
            ("get_todo", {"id": todo}),
            ("search_todos", {"q": CANARY}),
            ("list_snapshots", {"noteId": note}),
            ("list_notes", {"folderId": folder, "recursive": True}),
        ]
    )


def calls(chance: random.Random) -> Iterator[tuple[str, Any]]:
    while True:
        kind = chance.random()
        if kind < 0.3:
            yield fitting(chance)
        else:
            yield names(chance), chance.choice(BROKEN) if kind < 0.4 else fields(chance)


def held(
    served: Served, table: str, columns: str = "*", condition: str = "1", **params: Any
) -> list[tuple[Any, ...]]:
    return served.parts.quick(
        lambda tx: sorted(
            map(tuple, tx.all(f"SELECT {columns} FROM {table} WHERE {condition}", **params)),
            key=repr,
        )
    )


def others(served: Served, user: int) -> dict[str, Any]:
    """Give everything that is not this user's, and what no tool may change."""
    owned = {
        table: held(served, table, condition=f"{owner} <> :user", user=user)
        for table, owner in OWNED.items()
    }
    return owned | {table: held(served, table, columns) for table, columns in NEVER.items()}


def own(served: Served, user: int, *tables: str) -> dict[str, Any]:
    return {
        table: held(served, table, condition=f"{OWNED[table]} = :user", user=user)
        for table in tables
    }


async def furnish(served: Served, alice: Client, bob: Client) -> int:
    """Give both a workspace, the canary to Bob alone, and let something wait for Alice's yes.

    Give its id.
    """
    for client, word in ((alice, "soup"), (bob, f"{CANARY} {SECRET}")):
        folder = await client.folder("Work")
        for number in range(3):
            note = await client.note(f"Plan {number} {word}", f"All about {word}.", folderId=folder)
        await client.ok("POST", f"/os/snapshots/{note['id']}", json={})
        for number in range(3):
            await client.ok(
                "POST", "/os/todos", status=201, json={"title": f"Todo {number} {word}"}
            )
    waits = await tool_gate.use_tool(
        served.parts,
        caller(served, "alice"),
        "edit_note",
        {"noteId": 1, "content": "over"},
        origin=Origin("heartbeat", tier="ACTIONS"),
    )
    assert isinstance(waits, tool_gate.Waiting)
    return waits.escalation_id


async def hijacked(
    served: Served,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    chance: random.Random,
    number: int,
) -> list[dict[str, Any]]:
    """Let the model make so many calls, in as many turns as it takes; give all that came back."""
    driven_by(monkeypatch, lambda: scripted(*[[next(source)] for _ in range(6)]))
    source, events, made = calls(chance), [], 0
    while made < number:
        response = await client.post("/chat", json={"message": "Tidy up."})
        assert response.status_code == 200, response.text
        turn = [json.loads(line) for line in response.text.splitlines()]
        assert turn[-1]["type"] == "completion"
        made += sum(event["type"] == "tool-call-start" for event in turn)
        events += turn
    await settled(served)
    return events


@pytest.mark.parametrize("who", SCOPES)
async def test_a_hijacked_model_can_do_nothing_that_its_caller_could_not(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    waiting = await furnish(served, alice, bob)
    client = served.client(await served.key("alice", SCOPES[who]))
    before, mine = (
        others(served, 1),
        own(served, 1, "folders", "notes", "note_tags", "snapshots", "trash"),
    )
    todos, everything = own(served, 1, "todos"), own(served, 1, *OWNED)
    events = await hijacked(served, client, monkeypatch, random.Random(len(who)), CALLS)
    assert others(served, 1) == before
    assert own(served, 1, *OWNED) != everything or who == "a reader of notes", (
        "the calls that are allowed do something"
    )
    if SCOPES[who] is not None:
        assert own(served, 1, "folders", "notes", "note_tags", "snapshots", "trash") == mine
    if who == "a reader of notes":
        assert own(served, 1, "todos") == todos
    assert value(served, "SELECT status FROM escalations WHERE id = :id", id=waiting) == "pending"
    assert value(served, "SELECT count(*) FROM escalations WHERE decision IS NOT NULL") == 0
    assert value(served, "SELECT count(*) FROM turns WHERE status = 'running'") == 0
    assert sum(event["type"] == "tool-call-start" for event in events) >= CALLS
    results = [
        part
        for row in held(served, "turns", "history")
        if row[0]
        for message in json.loads(row[0])
        for part in message["parts"]
    ]
    given = [part for part in results if part["part_kind"] == "tool-return"]
    assert given
    assert SECRET not in json.dumps(given)
    assert SECRET not in json.dumps(events)
    assert (await served.command("verify_audit")).intact


@pytest.mark.parametrize("who", SCOPES)
async def test_words_of_others_make_a_hijacked_model_harmless(
    served: Served,
    alice: Client,
    bob: Client,
    monkeypatch: pytest.MonkeyPatch,
    who: str,
    world: World,
) -> None:
    await furnish(served, alice, bob)
    client = served.client(await served.key("alice", SCOPES[who]))
    monkeypatch.setattr(
        "app.agent.turn.turn_rows.recent_taint", lambda tx, conversation: frozenset({"web"})
    )
    before, mine = others(served, 1), own(served, 1, *OWNED)
    await hijacked(served, client, monkeypatch, random.Random(7), TAINTED_CALLS)
    assert (others(served, 1), own(served, 1, *OWNED)) == (before, mine)
    assert world.reached == []


@pytest.mark.parametrize(
    "origin",
    [MESSAGES, Origin("guest", share_token="t"), Origin("rpc", peer="u")],
    ids=lambda origin: origin.kind,
)
async def test_from_elsewhere_nothing_that_is_there_is_changed(
    served: Served, alice: Client, bob: Client, world: World, origin: Origin
) -> None:
    waiting = await furnish(served, alice, bob)
    before, mine = others(served, 1), dict(held(served, "notes", "id, content", "owner_id = 1"))
    kept = {table: own(served, 1, table) for table in OWNED}
    chance = random.Random(11)
    source, done = calls(chance), 0
    me = caller(
        served,
        "alice",
        kind="guest" if origin.kind != "heartbeat" else "heartbeat",
        credential=1,
        scopes=("os.notes:read", "os.notes:write"),
    )
    for _ in range(CALLS):
        name, params = next(source)
        with contextlib.suppress(AppError):
            done += isinstance(
                await tool_gate.use_tool(
                    served.parts,
                    me,
                    name,
                    params if isinstance(params, dict) else {},
                    origin=origin,
                ),
                tool_gate.Done,
            )
    assert done > 0
    assert others(served, 1) == before
    after = dict(held(served, "notes", "id, content", "owner_id = 1"))
    assert {number: content for number, content in after.items() if number in mine} == mine
    if origin.kind == "heartbeat":
        assert {table: own(served, 1, table) for table in OWNED} == kept
    assert value(served, "SELECT status FROM escalations WHERE id = :id", id=waiting) == "pending"
    assert world.reached == []
