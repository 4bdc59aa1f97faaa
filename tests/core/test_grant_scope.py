"""A caller narrowed to a grant.

Which operations there are for it, which notes, and that what is taken back stops at once.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from app.agent.models import model_loop
from app.catalog import CATALOG
from app.core.caller import NOBODY, Caller
from app.core.grant_scope import (
    BY_ACCESS,
    CREATE_TODOS,
    LENT,
    READ_CALENDAR,
    READ_TODOS,
    GrantScope,
)
from app.core.schema import encode
from app.errors import AppError, Forbidden, GrantRevoked, NotFound
from app.network.grants import grant_rows
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import Client, Served
from tests.support.agents import caller, scripted, settled, value

pytestmark = pytest.mark.anyio
HERE = "/network/contacts/bob/permissions"


async def granted(served: Served, alice: Client, **permissions: Any) -> Caller:
    """Let alice grant bob this, and give the peer that bob is to her agent."""
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok("PUT", HERE, json={"permissions": {"agentAccess": True, **permissions}})
    peer = served.parts.quick(grant_rows.peer_caller, 1, 2)
    assert peer is not None
    return peer


def notes(*folders: int, access: str = "read", scope: str = "folders") -> dict[str, Any]:
    return {
        "scope": scope,
        "access": access,
        **({"folderIds": list(folders)} if scope == "folders" else {}),
    }


async def outcome(served: Served, peer: Caller, name: str, **params: Any) -> str:
    try:
        await served.parts.call(peer, name, params)
    except AppError as error:
        return error.code
    return "done"


def test_every_operation_that_a_grant_lists_is_one_of_the_catalogue() -> None:
    listed = BY_ACCESS["edit"] | READ_TODOS | CREATE_TODOS
    assert listed <= set(CATALOG.operations)


def test_a_grant_of_nothing_comes_to_nothing() -> None:
    nothing = Caller(7, "u", "u", "peer", GrantScope().scopes, 1, reach=GrantScope())
    assert (nothing.reach.operations, nothing.scopes, nothing.rights, nothing.owns) == (
        frozenset(),
        (),
        frozenset(),
        NOBODY,
    )


@pytest.mark.parametrize("scope", ["none", "all", "folders", "note_only"])
@pytest.mark.parametrize("access", ["read", "write", "edit"])
def test_what_may_be_called_grows_with_the_access_alone(scope: Any, access: Any) -> None:
    reach = GrantScope(scope, access, frozenset({1}), 1)
    writes = {"create_note", "edit_note", "save_snapshot", "restore_snapshot"} & reach.operations
    creates = {"create_note"} if access != "read" and scope in ("all", "folders") else set()
    edits = (
        {"edit_note", "save_snapshot", "restore_snapshot"}
        if access == "edit" and scope != "none"
        else set()
    )
    assert writes == creates | edits
    assert ("get_note_content" in reach.operations) == (scope != "none")
    assert ("os.notes:write" in reach.scopes) == bool(writes)
    assert ("os.snapshots:write" in reach.scopes) == bool(edits)


async def test_no_operation_beside_the_list_can_be_called(
    served: Served, alice: Client, bob: Client
) -> None:
    tools = sorted(CATALOG.operations)[:200]
    everything = {
        "notesAccess": notes(scope="all", access="edit"),
        "calendarAccess": {"read": "full", "write": True},
        "emailAccess": {"read": True},
        "todoAccess": {"read": True, "create": True},
        "toolAccess": {"allowedTools": tools},
    }
    peer = await granted(served, alice, **everything)
    assert peer.reach is not None
    allowed = peer.reach.operations
    assert allowed == BY_ACCESS[
        "edit"
    ] | READ_TODOS | CREATE_TODOS | READ_CALENDAR | LENT.intersection(tools)
    for name, found in CATALOG.operations.items():
        if name not in allowed:
            with pytest.raises(NotFound if found.method == "COMMAND" else Forbidden):
                await served.parts.call(
                    peer, name, lambda: pytest.fail("the body of a refused call was read")
                )
            if found.tool:
                with pytest.raises(AppError):
                    await tool_gate.use_tool(
                        served.parts, peer, name, {}, origin=Origin("rpc", peer=peer.user_id)
                    )


async def test_outside_of_the_folders_there_is_nothing(
    served: Served, alice: Client, bob: Client
) -> None:
    inside, outside = await alice.folder("Open/Deep"), await alice.folder("Shut")
    within = await alice.note("Kettle", "copper kettle", folderId=inside)
    hidden = [
        await alice.note("Kettle", "secret kettle", folderId=outside),
        await alice.note("Root kettle", "kettle"),
    ]
    strangers = await bob.note("Kettle of bob", "kettle")
    opened = (await alice.ok("GET", "/os/folders"))["folders"]
    top = next(folder["id"] for folder in opened if folder["name"] == "Open")
    peer = await granted(served, alice, notesAccess=notes(top, access="edit"))
    for note in (*hidden, strangers):
        for name, params in (
            ("get_note_content", {"id": note["id"]}),
            ("list_snapshots", {"noteId": note["id"]}),
            ("read_snapshot", {"noteId": note["id"], "seq": 1}),
            ("edit_note", {"noteId": note["id"], "content": "x"}),
            ("save_snapshot", {"noteId": note["id"]}),
            ("diff_snapshots", {"noteId": note["id"], "from": "current"}),
            ("restore_snapshot", {"noteId": note["id"], "seq": 1}),
        ):
            assert await outcome(served, peer, name, **params) == "not_found", name
    for name, params in (
        ("create_note", {"title": "x", "content": "y"}),
        ("list_notes", {}),
        ("search_notes", {"query": "kettle"}),
    ):
        for place in ({"folderId": outside}, {"folderName": "Shut"}, {"folderName": "General"}):
            assert await outcome(served, peer, name, **params, **place) == "not_found", (
                name,
                place,
            )
    assert await outcome(served, peer, "create_note", title="x", content="y") == "forbidden"
    call = served.parts.call
    assert [hit.id for hit in (await call(peer, "search_notes", {"query": "kettle"})).results] == [
        within["id"]
    ]
    grepped = await call(peer, "grep_notes", {"pattern": "kettle"})
    assert ([found.note_id for found in grepped.results], grepped.summary.notes_scanned) == (
        [within["id"]],
        1,
    )
    assert [
        (one.name, one.parent_id, one.role)
        for one in (await call(peer, "list_folders", {})).folders
    ] == [("Deep", top, "editor"), ("Open", None, "editor")]
    listed = await call(peer, "list_notes", {})
    assert (listed.notes, listed.total_notes) == ([], 0)
    assert [note.id for note in (await call(peer, "list_notes", {"recursive": True})).notes] == [
        within["id"]
    ]
    made = await call(
        peer, "create_note", {"title": "New", "content": "kettle", "folderName": "Open/Deep"}
    )
    assert value(served, "SELECT owner_id FROM notes WHERE id = :id", id=made.note.id) == 1


async def test_a_note_alone_is_all_there_is_and_tells_not_where_it_lies(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await alice.folder("Confidential name")
    note = await alice.note("Kettle", "copper kettle", folderId=folder)
    other = await alice.note("Other", "copper pot", folderId=folder)
    row = served.parts.quick(
        lambda tx: tx.require_row("SELECT id, uuid, username FROM users WHERE id = 1")
    )
    from app.network.grants.permission_object import NotesAccess, Permissions, caller_for

    permissions = Permissions(notes_access=NotesAccess("all", [], "edit"))
    guest = served.parts.quick(
        caller_for, row, permissions, kind="guest", name="G", credential=1, note_id=note["id"]
    )
    call = served.parts.call
    answers = [
        await call(guest, name, params)
        for name, params in (
            ("get_note_content", {"id": note["id"]}),
            ("search_notes", {"query": "copper"}),
            ("grep_notes", {"pattern": "copper"}),
            ("list_notes", {}),
            ("list_folders", {}),
            ("edit_note", {"noteId": note["id"], "title": "Pot"}),
            ("list_notes", {"tag": "x"}),
        )
    ]
    text = b"".join(encode(answer) for answer in answers).decode()
    assert "Confidential" not in text
    assert f'"folderId":{folder}' not in text
    assert [hit.id for hit in answers[1].results] == [note["id"]]
    assert (answers[2].summary.notes_scanned, [found.note_id for found in answers[2].results]) == (
        1,
        [note["id"]],
    )
    assert [item.id for item in answers[3].notes] == [note["id"]]
    assert answers[4].folders == []
    for name, params in (
        ("get_note_content", {"id": other["id"]}),
        ("list_notes", {"folderId": folder}),
        ("search_notes", {"query": "x", "folderId": folder}),
    ):
        assert await outcome(served, guest, name, **params) == "not_found"
    assert await outcome(served, guest, "create_note", title="x", content="y") == "forbidden"


async def test_what_others_share_with_the_owner_is_not_passed_on(
    served: Served, alice: Client, bob: Client
) -> None:
    carol = await served.person("carol")
    await served.command("connect_users", username="alice", contact="carol")
    hers = await carol.folder("Hers")
    note = await carol.note("Kettle", "kettle", folderId=hers)
    await carol.ok("POST", f"/os/folders/{hers}/share", json={"username": "alice", "role": "admin"})
    await alice.note("Mine", "kettle")
    peer = await granted(served, alice, notesAccess=notes(scope="all", access="edit"))
    assert await outcome(served, peer, "get_note_content", id=note["id"]) == "not_found"
    assert (
        await outcome(served, peer, "create_note", title="x", content="y", folderId=hers)
        == "not_found"
    )
    assert [
        hit.title
        for hit in (await served.parts.call(peer, "search_notes", {"query": "kettle"})).results
    ] == ["Mine"]
    assert "Hers" not in [
        one.name for one in (await served.parts.call(peer, "list_folders", {})).folders
    ]


@pytest.mark.parametrize(
    ("access", "may"), [("read", (False, False)), ("write", (True, False)), ("edit", (True, True))]
)
async def test_write_creates_and_edit_changes_what_is_there(
    served: Served, alice: Client, bob: Client, access: str, may: tuple[bool, bool]
) -> None:
    folder = await alice.folder("Open")
    note = await alice.note("One", "one", folderId=folder)
    peer = await granted(served, alice, notesAccess=notes(folder, access=access))
    assert (
        await outcome(served, peer, "create_note", title="x", content="y", folderId=folder)
        == "done"
    ) == may[0]
    assert (
        await outcome(served, peer, "edit_note", noteId=note["id"], content="two") == "done"
    ) == may[1]
    assert (await outcome(served, peer, "save_snapshot", noteId=note["id"]) == "done") == may[1]
    for name, params in (
        ("move_note", {"id": note["id"], "folderId": None}),
        ("pin_note", {"id": note["id"], "pinned": True}),
    ):
        assert await outcome(served, peer, name, **params) == "forbidden"


async def test_what_is_narrowed_holds_from_the_next_call_on(
    served: Served, alice: Client, bob: Client
) -> None:
    open_, shut = await alice.folder("Open"), await alice.folder("Shut")
    note, other = (
        await alice.note("One", "one", folderId=open_),
        await alice.note("Two", "two", folderId=shut),
    )
    peer = await granted(
        served, alice, notesAccess=notes(open_, shut, access="write"), todoAccess={"create": True}
    )
    assert await outcome(served, peer, "get_note_content", id=other["id"]) == "done"
    await alice.ok(
        "PUT", HERE, json={"permissions": {"agentAccess": True, "notesAccess": notes(open_)}}
    )
    assert await outcome(served, peer, "get_note_content", id=other["id"]) == "not_found"
    assert await outcome(served, peer, "get_note_content", id=note["id"]) == "done"
    assert (
        await outcome(served, peer, "create_note", title="x", content="y", folderId=open_)
        == "forbidden"
    )
    assert await outcome(served, peer, "create_todo", title="x") == "forbidden"
    await alice.ok("DELETE", f"/os/folders/{open_}")
    assert await outcome(served, peer, "get_note_content", id=note["id"]) == "not_found"
    await alice.ok("DELETE", "/network/contacts/bob")
    with pytest.raises(GrantRevoked):
        await served.parts.call(peer, "get_note_content", {"id": note["id"]})
    await settled(served)


async def test_a_write_reads_the_grant_in_its_own_transaction(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check before it is fooled here: it still sees the grant that was taken back."""
    peer = await granted(
        served, alice, notesAccess=notes(scope="all", access="write"), todoAccess={"create": True}
    )
    await alice.ok(
        "PUT", HERE, json={"permissions": {"agentAccess": True, "todoAccess": {"read": True}}}
    )
    monkeypatch.setattr(served.parts, "renew_caller", lambda caller: caller)
    assert await outcome(served, peer, "create_note", title="x", content="y") == "forbidden"
    with pytest.raises(Forbidden):
        await tool_gate.use_tool(
            served.parts, peer, "create_todo", {"title": "x"}, origin=Origin("rpc", peer="b")
        )
    await alice.ok("DELETE", "/network/contacts/bob")
    assert await outcome(served, peer, "create_note", title="x", content="y") == "grant_revoked"
    assert (
        value(served, "SELECT count(*) FROM notes"),
        value(served, "SELECT count(*) FROM todos"),
    ) == (0, 0)
    await settled(served)


async def turn(
    served: Served, me: Caller, *steps: Sequence[Any] | str
) -> tuple[model_loop.Turn, model_loop.TurnEnd]:
    """Run a turn of the owner's agent for a peer, with a model that does what it is told."""
    run = model_loop.Turn(served.parts, me, "2026-11-21T09:30", "UTC", lambda event: None)
    run.origin = Origin("rpc", peer=me.name)
    ended = await model_loop.run_model(run, scripted(*steps), "Go on.", ())
    await settled(served)
    return run, ended


async def test_a_turn_is_offered_only_what_the_grant_lists(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.note("One", "one")
    peer = await granted(served, alice, notesAccess=notes(scope="all"))
    run, _ = await turn(
        served,
        peer,
        [("create_note", {"title": "x", "content": "y"})],
        [("search_todos", {})],
        [("search_notes", {"query": "one"})],
    )
    assert [(call.tool, call.outcome) for call in run.calls] == [("search_notes", "done")]


async def test_a_turn_that_is_running_stops_when_its_grant_goes(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await alice.note("One", "the secret")
    peer = await granted(served, alice, notesAccess=notes(scope="all"))
    real = tool_gate.use_tool

    async def use(*args: Any, **more: Any) -> Any:
        done = await real(*args, **more)
        await alice.ok("DELETE", "/network/contacts/bob")
        return done

    monkeypatch.setattr(tool_gate, "use_tool", use)
    run, ended = await turn(
        served,
        peer,
        [("search_notes", {"query": "other"})],
        [("get_note_content", {"noteId": note["id"]})],
        "“the secret” [note 1]",
    )
    assert [call.tool for call in run.calls] == ["search_notes"]
    assert isinstance(ended.error, GrantRevoked)
    assert run.quotes.citations == []
    assert "secret" not in run.text


async def waiting(served: Served, peer: Caller, note: int) -> int:
    """Let the peer's turn ask for a change of a note, and give the escalation that waits."""
    done = await tool_gate.use_tool(
        served.parts,
        peer,
        "edit_note",
        {"noteId": note, "content": "two"},
        origin=Origin("rpc", peer="b"),
    )
    assert isinstance(done, tool_gate.Waiting)
    await settled(served)
    return done.escalation_id


async def test_a_change_waits_for_the_owner_and_then_has_the_rights_of_the_grant(
    served: Served, alice: Client, bob: Client
) -> None:
    note = await alice.note("One", "one")
    peer = await granted(served, alice, notesAccess=notes(scope="all", access="edit"))
    id_ = await waiting(served, peer, note["id"])
    asked = (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]
    assert asked["requestedBy"] == {"kind": "peer", "id": "1", "name": "bob"}
    done = (await alice.ok("POST", f"/escalations/{id_}/decision", json={"decision": "continue"}))[
        "escalation"
    ]
    assert done["status"] == "executed"
    assert value(served, "SELECT content FROM notes") == "two"
    author = value(served, "SELECT author FROM snapshots")
    assert '"kind":"peer"' in author


@pytest.mark.parametrize(
    "narrower",
    [
        {"notesAccess": {"scope": "all", "access": "write"}},
        {"notesAccess": {"scope": "none"}},
        {"notesAccess": {"scope": "folders"}},
    ],
)
async def test_a_yes_to_what_the_grant_does_not_hold_any_more_does_nothing(
    served: Served, alice: Client, bob: Client, narrower: Any
) -> None:
    note = await alice.note("One", "one")
    peer = await granted(served, alice, notesAccess=notes(scope="all", access="edit"))
    id_ = await waiting(served, peer, note["id"])
    await alice.ok("PUT", HERE, json={"permissions": {"agentAccess": True, **narrower}})
    response = await alice.post(f"/escalations/{id_}/decision", json={"decision": "continue"})
    assert response.status_code in (200, 409)
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] in (
        "superseded",
        "failed",
    )
    assert value(served, "SELECT content FROM notes") == "one"


async def test_what_waits_goes_with_its_grant(served: Served, alice: Client, bob: Client) -> None:
    note = await alice.note("One", "one")
    peer = await granted(served, alice, notesAccess=notes(scope="all", access="edit"))
    id_ = await waiting(served, peer, note["id"])
    await alice.ok("PUT", HERE, json={"permissions": {}})
    assert (await alice.ok("GET", f"/escalations/{id_}"))["escalation"]["status"] == "superseded"
    await alice.refused(
        "POST", f"/escalations/{id_}/decision", 409, "grant_revoked", json={"decision": "continue"}
    )
    assert value(served, "SELECT content FROM notes") == "one"


async def test_what_was_allowed_for_longer_ends_with_the_contact(
    served: Served, alice: Client, bob: Client
) -> None:
    note = await alice.note("One", "one")
    who = caller(served, "bob").user_id
    peer = await granted(served, alice, notesAccess=notes(scope="all", access="edit"))
    done = await tool_gate.use_tool(
        served.parts,
        peer,
        "edit_note",
        {"noteId": note["id"], "content": "two"},
        origin=Origin("rpc", peer=who),
    )
    assert isinstance(done, tool_gate.Waiting)
    await alice.ok(
        "POST",
        f"/escalations/{done.escalation_id}/decision",
        json={"decision": "continue", "remember": "tool"},
    )
    assert value(served, "SELECT count(*) FROM precedents") == 1
    await alice.ok("DELETE", "/network/contacts/bob")
    assert value(served, "SELECT count(*) FROM precedents") == 0
    await settled(served)


async def test_scores_tell_nothing_of_what_is_outside(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await alice.folder("Open")
    for title in ("Kettle", "Pot"):
        await alice.note(title, f"{title} of copper kettle", folderId=folder)
    peer = await granted(served, alice, notesAccess=notes(folder))
    before = encode(await served.parts.call(peer, "search_notes", {"query": "kettle copper"}))
    assert b'"score":0.' in before
    for number in range(20):
        await alice.note(f"{number}", "copper" if number % 3 else "something else entirely")
    assert (
        encode(await served.parts.call(peer, "search_notes", {"query": "kettle copper"})) == before
    )
