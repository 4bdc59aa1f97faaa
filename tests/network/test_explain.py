"""Seeing as another: the same verdict and answer as the real call, and nothing of it stays."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import __main__ as program
from app.core.database.tx import Tx
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio

COUNTED = (
    "notes",
    "todos",
    "keys",
    "snapshots",
    "trash",
    "teams",
    "team_invites",
    "web_sessions",
    "sqlite_sequence",
)


async def explained(client: Client, caller: str, operation: str, **args: Any) -> Any:
    return await client.ok(
        "GET",
        "/network/explain",
        params={"caller": caller, "operation": operation, "args": json.dumps(args)},
    )


async def key_of(
    served: Served, alice: Client, scopes: list[str] | None = None, **more: Any
) -> tuple[str, Client]:
    """Make a key of alice's; give its name for explain and a client that uses it."""
    made = await served.command(
        "issue_key",
        username="alice",
        name="phone",
        **({"scopes": scopes} if scopes else {}),
        **more,
    )
    return f"key:{made.key.id}", served.client(made.secret)


async def state(served: Served) -> list[Any]:
    """Give every row of the tables that the calls below would change."""

    def rows(tx: Tx) -> list[Any]:
        there = {row[0] for row in tx.all("SELECT name FROM sqlite_master")}
        return [
            [tuple(row) for row in tx.all(f"SELECT * FROM {table}")]
            for table in COUNTED
            if table in there
        ]

    return await served.parts.read(rows)


@pytest.mark.parametrize(
    "scopes",
    [
        None,
        ["os.notes:read"],
        ["os.notes:write"],
        ["os.todos:write", "os.team:write"],
        ["account:manage"],
    ],
)
async def test_the_verdict_and_the_answer_are_those_of_the_real_call(
    served: Served, alice: Client, bob: Client, scopes: Any
) -> None:
    own, foreign = (await alice.note("Mine"))["id"], (await bob.note("Theirs"))["id"]
    caller, client = await key_of(served, alice, scopes)
    grant = 999
    calls: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
        *(("GET", "/os/notes/{id}", {"id": id_}, {}) for id_ in (own, foreign, 2**50)),
        ("GET", "/os/notes", {}, {"limit": 5}),
        ("GET", "/os/folders", {}, {}),
        ("POST", "/os/notes/search", {}, {"query": "Mine"}),
        ("POST", "/os/todos", {}, {"title": ""}),
        ("POST", "/os/notes", {}, {"content": "no title"}),
        ("POST", "/os/notes/{id}/pin", {"id": foreign}, {"pinned": True}),
        ("DELETE", "/account/grants/{id}", {"id": grant}, {}),
        ("DELETE", "/account/keys/{id}", {"id": 2**40}, {}),
        ("POST", "/account/keys", {}, {"name": "n", "scopes": ["os.notes:read"]}),
        ("DELETE", "/os/team/members/{username}", {"username": "bob"}, {}),
        ("POST", "/os/todos", {}, {"title": "Do it"}),
        ("POST", "/os/notes", {}, {"title": "New", "content": "text"}),
        ("POST", "/os/notes/{id}/pin", {"id": own}, {"pinned": True}),
        ("DELETE", "/os/notes/{id}", {"id": own}, {}),
    ]
    for method, path, named, body in calls:
        before = await state(served)
        said = await explained(alice, caller, f"{method} {path}", **named, **body)
        assert await state(served) == before
        sent = {"params": body} if method in ("GET", "DELETE") else {"json": body}
        real = await client.request(method, path.format_map(named), **sent)
        answer = real.json()
        assert (said["status"], said["error"], said["allowed"]) == (
            real.status_code,
            answer.get("error"),
            real.is_success,
        ), (method, path, said)
        if not real.is_success:
            assert (said["message"], said["checks"][-1]["passed"], said["answer"]) == (
                answer["message"],
                False,
                None,
            )
        elif method == "GET":
            inner = (
                answer.get("note", answer)
                if "note" in answer and "note" not in said["answer"]
                else answer
            )
            assert {name: inner[name] for name in said["answer"]} == said["answer"]
        else:
            assert said["checks"][-1]["check"] == "rules"
    await client.aclose()


async def test_the_checks_are_told_in_their_order_up_to_the_one_that_fails(
    served: Served, alice: Client
) -> None:
    caller, _ = await key_of(served, alice, ["os.notes:read"])
    for args, operation, checks in (
        ({"id": 1}, "delete_note", ["caller", "scope"]),
        ({"id": "x"}, "get_note_content", ["caller", "scope", "fields"]),
        ({"id": 77}, "get_note_content", ["caller", "scope", "fields", "rules"]),
    ):
        said = await explained(alice, caller, operation, **args)
        assert [check["check"] for check in said["checks"]] == checks
        assert [check["passed"] for check in said["checks"]] == [True] * (len(checks) - 1) + [False]
    assert said["caller"] == {
        "kind": "key",
        "id": int(caller[4:]),
        "name": "phone",
        "username": "alice",
        "scopes": ["os.notes:read"],
    }
    assert said["operation"] == {
        "name": "get_note_content",
        "method": "GET",
        "path": "/os/notes/{id}",
    }


async def test_a_key_that_has_ended_is_explained_as_refused(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    expired, _ = await key_of(served, alice, expiresIn="1h")
    revoked, _ = await key_of(served, alice)
    await alice.ok("DELETE", f"/account/keys/{revoked[4:]}")
    clock.forward(hours=1)
    for caller in (expired, revoked):
        said = await explained(alice, caller, "list_folders")
        assert (said["allowed"], said["status"], said["error"], said["caller"], said["answer"]) == (
            False,
            401,
            "unauthorized",
            None,
            None,
        )


async def test_nobody_sees_more_by_anothers_eyes_than_by_their_own(
    served: Served, alice: Client, bob: Client
) -> None:
    whole, _ = await key_of(served, alice)
    narrow, onlooker = await key_of(served, alice, ["os.network:read", "os.notes:read"])
    refused = await onlooker.refused(
        "GET",
        "/network/explain",
        403,
        "insufficient_scope",
        params={"caller": whole, "operation": "list_folders"},
    )
    assert refused["scope"] not in ("os.network:read", "os.notes:read")
    assert (await explained(onlooker, narrow, "list_folders"))["allowed"] is True
    await onlooker.refused(
        "GET",
        "/network/explain",
        403,
        "insufficient_scope",
        params={"caller": "session", "operation": "list_folders"},
    )
    foreign = await bob.refused(
        "GET",
        "/network/explain",
        404,
        "not_found",
        params={"caller": whole, "operation": "list_folders"},
    )
    never = await bob.refused(
        "GET",
        "/network/explain",
        404,
        "not_found",
        params={"caller": "key:9999", "operation": "list_folders"},
    )
    assert foreign["message"].replace(whole[4:], "") == never["message"].replace("9999", "")
    await onlooker.aclose()


async def test_a_contact_is_seen_within_what_was_granted(
    served: Served, alice: Client, bob: Client
) -> None:
    shared = await alice.folder("Shared")
    inside, outside = (
        (await alice.note("Open", folderId=shared))["id"],
        (await alice.note("Shut"))["id"],
    )
    await alice.refused(
        "GET",
        "/network/explain",
        404,
        "not_found",
        field="caller",
        params={"caller": "contact:bob", "operation": "list_notes"},
    )
    await served.command("connect_users", username="alice", contact="bob")
    said = await explained(alice, "contact:bob", "list_notes")
    assert (said["allowed"], said["status"], said["error"], said["caller"]) == (
        False,
        403,
        "forbidden",
        None,
    )
    granted = {"agentAccess": True, "notesAccess": {"scope": "folders", "folderIds": [shared]}}
    await alice.ok("PUT", "/network/contacts/bob/permissions", json={"permissions": granted})
    said = await explained(alice, "contact:bob", "get_note_content", id=inside)
    assert (
        said["allowed"],
        said["caller"]["kind"],
        said["caller"]["name"],
        said["answer"]["note"]["title"],
    ) == (True, "peer", "bob", "Open")
    assert (await explained(alice, "contact:bob", "get_note_content", id=outside))[
        "error"
    ] == "not_found"
    assert (
        await explained(
            alice, "contact:bob", "create_note", title="x", content="y", folderId=shared
        )
    )["error"] == "forbidden"
    assert (await explained(bob, "contact:alice", "list_notes"))["allowed"] is False


@pytest.mark.parametrize(
    ("params", "status", "field"),
    [
        ({"operation": "list_folders"}, 400, "caller"),
        ({"caller": "me"}, 400, "operation"),
        ({"caller": "root", "operation": "list_folders"}, 400, "caller"),
        ({"caller": "key:x", "operation": "list_folders"}, 400, "caller"),
        ({"caller": "key:٣", "operation": "list_folders"}, 400, "caller"),
        ({"caller": "key:" + "9" * 190, "operation": "list_folders"}, 404, "id"),
        ({"caller": "me", "operation": "fly"}, 404, "operation"),
        ({"caller": "me", "operation": "sign_in"}, 404, "operation"),
        ({"caller": "me", "operation": "list_folders", "args": "["}, 400, "args"),
        ({"caller": "me", "operation": "list_folders", "args": "[]"}, 400, "args"),
    ],
)
async def test_a_bad_question_is_named(
    resident: Client, params: dict[str, str], status: int, field: str
) -> None:
    code = "not_found" if status == 404 else "invalid_request"
    await resident.refused("GET", "/network/explain", status, code, field=field, params=params)


async def test_what_reaches_outside_is_not_run(served: Served, alice: Client) -> None:
    before = await state(served)
    for operation, args in (
        ("chat", {"message": "Hello"}),
        ("POST /tools", {"tool": "create_todo", "params": {"title": "x"}}),
    ):
        said = await explained(alice, "session", operation, **args)
        assert (said["allowed"], said["ran"], said["answer"]) == (True, False, None)
    assert (await alice.ok("GET", "/conversations"))["conversations"] == []
    assert await state(served) == before


async def test_a_rehearsal_tells_nobody_of_what_did_not_happen(
    served: Served, alice: Client
) -> None:
    heard: list[Any] = []
    served.parts.events.on("keys.changed", heard.append)
    caller, _ = await key_of(served, alice)
    assert (await explained(alice, caller, "revoke_key", id=int(caller[4:])))["allowed"] is True
    assert heard == []
    assert (await explained(alice, caller, "list_folders"))["allowed"] is True


def test_the_command_line_explains(tmp_path: Path) -> None:
    def run(*args: str) -> Any:
        return CliRunner().invoke(
            program.hearth,
            [*args, "--data", str(tmp_path / "data")],
            env={"HEARTH_DURABILITY": "normal"},
        )

    assert run("user", "add", "alice").exit_code == 0
    assert run("key", "create", "--scope", "os.notes:read").exit_code == 0
    refused = run("explain", "key:1", "create_note", "title=New", "content=text")
    assert refused.stdout.splitlines()[0].startswith("Refused: 403 insufficient_scope.")
    allowed = run("explain", "key:1", "GET /os/folders", "--json")
    assert [folder["name"] for folder in json.loads(allowed.stdout)["answer"]["folders"]] == [
        "General"
    ]
    assert run("explain", "key:1", "list_folders", "x").exit_code == 2
    code = run("user", "code", "alice")
    assert [len(group) for group in code.stdout.splitlines()[-1].split("-")] == [4, 4, 4]
    assert run("user", "sign-out", "alice").stdout == "Ended 0 sessions of alice.\n"


async def test_tools_without_an_endpoint_are_known_too(
    served: Served, alice: Client, bob: Client
) -> None:
    note = await alice.note("Plan", "one")
    said = await explained(alice, "me", "edit_note", noteId=note["id"], content="two")
    assert (said["allowed"], said["ran"], said["operation"]) == (
        True,
        True,
        {"name": "edit_note", "method": "TOOL", "path": ""},
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "one"
    gone = await explained(alice, "me", "edit_note", noteId=10**6, content="two")
    assert (gone["allowed"], gone["status"], gone["checks"][-1]["check"]) == (False, 404, "rules")
    wrong = await explained(alice, "me", "edit_note", colour="red")
    assert (wrong["allowed"], wrong["checks"][-1]["check"], "colour" in wrong["message"]) == (
        False,
        "fields",
        True,
    )
    found = await explained(alice, "me", "list_network")
    assert found["answer"]["totalContacts"] == 0
    sent = await explained(alice, "me", "send_message_to_human", recipient_id="bob", message="hi")
    assert (sent["allowed"], sent["ran"]) == (True, False)
    reader, _ = await key_of(served, alice, ["os.notes:read"])
    refused = await explained(alice, reader, "edit_note", noteId=note["id"])
    assert (refused["status"], refused["error"]) == (403, "insufficient_scope")


async def test_what_a_contact_may_do_with_tools_is_explained(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    note = await alice.note("Plan", "one")
    for access, allowed in (("read", False), ("edit", True)):
        permissions = {"agentAccess": True, "notesAccess": {"scope": "all", "access": access}}
        await alice.ok(
            "PUT", "/network/contacts/bob/permissions", json={"permissions": permissions}
        )
        said = await explained(alice, "contact:bob", "edit_note", noteId=note["id"], content="two")
        assert (said["allowed"], said["error"]) == (allowed, None if allowed else "forbidden")
    assert (await explained(alice, "contact:bob", "list_network"))["error"] == "forbidden"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("edit_notes", "edit_note"),
        ("Edit_Note", "edit_note"),
        ("get /os/notes", "GET /os/notes"),
        ("GET /os/note", "GET /os/notes"),
        ("contact_agents", "contact_agent"),
        ("snapshot", "save_snapshot"),
        ("network", "list_network"),
    ],
)
async def test_an_unknown_operation_is_refused_with_the_nearest_names(
    resident: Client, name: str, near: str
) -> None:
    params = {"caller": "me", "operation": name}
    body = await resident.refused(
        "GET", "/network/explain", 404, "not_found", field="operation", params=params
    )
    assert near in body["near"]
    assert len(body["near"]) <= 3
    assert near in body["message"]


@pytest.mark.parametrize("name", ["qqqqqqqq", "x", "issue_key", "prune_heartbeat_runs", "/"])
async def test_what_is_like_nothing_or_only_a_command_is_not_found(
    resident: Client, name: str
) -> None:
    params = {"caller": "me", "operation": name}
    body = await resident.refused(
        "GET", "/network/explain", 404, "not_found", field="operation", params=params
    )
    assert name not in body["near"]
