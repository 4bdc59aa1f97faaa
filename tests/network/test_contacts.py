"""Contacts: asking, answering, connecting by a link, what one grants the other, and the end of
it.
"""

from typing import Any

import pytest

from app.network.grants import grant_rows, share_rows
from app.network.grants.permission_object import NotesAccess, Permissions
from tests.conftest import Client, MovableClock, Served
from tests.support.agents import caller, value

pytestmark = pytest.mark.anyio
NOTHING = {"notes": "none", "calendar": "none", "email": False, "todos": False, "tools": []}
P_NOTHING = {
    "agentAccess": False,
    "notesAccess": {"scope": "none", "folderIds": [], "access": "read"},
    "calendarAccess": {"read": "none", "write": False},
    "emailAccess": {"read": False},
    "todoAccess": {"read": False, "create": False},
    "toolAccess": {"allowedTools": []},
}


class Heard:
    """What was published of the network, in order."""

    def __init__(self, served: Served) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        for name in ("contact.requested", "contact.connected", "grant.revoked"):
            served.parts.events.on(
                name, lambda payload, name=name: self.events.append((name, payload))
            )

    def taken(self) -> list[tuple[str, dict[str, Any]]]:
        found, self.events = self.events, []
        return found


@pytest.fixture
def heard(served: Served) -> Heard:
    return Heard(served)


async def asked(client: Client, to: str, **more: Any) -> int:
    return int((await client.ok("POST", "/network/request", json={"to": to, **more}))["requestId"])


async def befriended(one: Client, other: Client, kind: str = "friend", **more: Any) -> Any:
    """Let `one` ask and `other` accept."""
    id_ = await asked(one, other.username + ("_coo" if kind == "agent" else ""))
    return (
        await other.ok(
            "POST",
            "/network/accept",
            json={"requestId": id_, "type": kind, "action": "accept", **more},
        )
    )["contact"]


def user_id(served: Served, name: str) -> str:
    return caller(served, name).user_id


async def test_a_request_waits_until_it_is_accepted(
    served: Served, alice: Client, bob: Client, heard: Heard
) -> None:
    id_ = await asked(alice, "Bob", note="We met in <b>Rome</b>.")
    assert heard.taken() == [
        (
            "contact.requested",
            {
                "user": 2,
                "requestId": id_,
                "from": {"userId": user_id(served, "alice"), "username": "alice", "name": "alice"},
            },
        )
    ]
    waiting = await bob.ok("GET", "/network/requests")
    assert waiting["outgoing"] == []
    (row,) = waiting["incoming"]
    assert row == {
        "requestId": id_,
        "type": "friend",
        "createdAt": "2026-11-21T09:30:00.000Z",
        "note": "We met in <b>Rome</b>.",
        "from": {"userId": user_id(served, "alice"), "username": "alice", "name": "alice"},
    }
    (sent,) = (await alice.ok("GET", "/network/requests"))["outgoing"]
    assert sent["to"]["username"] == "bob"
    done = await bob.ok(
        "POST", "/network/accept", json={"requestId": id_, "type": "friend", "action": "accept"}
    )
    assert done["status"] == "accepted"
    assert done["contact"] == {
        "userId": user_id(served, "alice"),
        "username": "alice",
        "name": "alice",
        "direction": "mutual",
        "yourPermissionsToThem": NOTHING,
        "theirPermissionsToYou": NOTHING,
        "agentAccess": {"granted": False, "received": False},
        "connectedAt": "2026-11-21T09:30:00.000Z",
    }
    assert sorted(
        (name, payload["user"], payload["username"]) for name, payload in heard.taken()
    ) == [("contact.connected", 1, "bob"), ("contact.connected", 2, "alice")]
    assert (await bob.ok("GET", "/network/requests"))["incoming"] == []
    await bob.refused(
        "POST",
        "/network/accept",
        409,
        "request_not_pending",
        json={"requestId": id_, "type": "friend", "action": "reject"},
    )
    await alice.refused("DELETE", f"/network/requests/{id_}", 409, "request_not_pending")
    await alice.refused(
        "POST", "/network/request", 409, "already_connected", field="to", json={"to": "bob"}
    )


async def test_a_request_for_the_agent_grants_that_and_nothing_else(
    alice: Client, bob: Client
) -> None:
    made = await befriended(alice, bob, "agent")
    assert (made["direction"], made["agentAccess"]) == (
        "inbound",
        {"granted": True, "received": False},
    )
    assert made["yourPermissionsToThem"] == NOTHING
    (seen,) = (await alice.ok("GET", "/network/contacts"))["contacts"]
    assert (seen["username"], seen["direction"], seen["agentAccess"]) == (
        "bob",
        "outbound",
        {"granted": False, "received": True},
    )
    await alice.refused(
        "POST", "/network/request", 409, "already_connected", json={"to": "bob_coo"}
    )
    await befriended(bob, alice, "agent")
    assert (await alice.ok("GET", "/network/contacts"))["contacts"][0]["direction"] == "mutual"
    await befriended(alice, bob)
    folder = await alice.folder("Plans")
    await alice.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "viewer"}
    )


@pytest.mark.parametrize(("to", "kind"), [("alice", "friend"), ("alice_coo", "agent")])
async def test_whoever_was_asked_already_approves_by_asking(
    alice: Client, bob: Client, to: str, kind: str
) -> None:
    first = await asked(alice, to.replace("alice", "bob"))
    done = await bob.ok("POST", "/network/request", json={"to": to})
    assert done["status"] == "approved"
    assert done["requestId"] > first
    for client in (alice, bob):
        (contact,) = (await client.ok("GET", "/network/contacts"))["contacts"]
        assert contact["direction"] == "mutual"
        assert contact["agentAccess"] == {"granted": kind == "agent", "received": kind == "agent"}
        assert (await client.ok("GET", "/network/requests")) == {
            "success": True,
            "incoming": [],
            "outgoing": [],
        }


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"to": "nobody"}, 404, "not_found", "to"),
        ({"to": "nobody_coo"}, 404, "not_found", "to"),
        ({"to": "alice"}, 400, "invalid_request", "to"),
        ({"to": "alice_coo"}, 400, "invalid_request", "to"),
        ({"to": ""}, 400, "invalid_request", "to"),
        ({}, 400, "invalid_request", "to"),
        ({"to": 7}, 400, "invalid_request", "to"),
        ({"to": "x" * 65}, 400, "invalid_request", "to"),
        ({"to": "💥\u202e"}, 404, "not_found", "to"),
        ({"to": "bob", "note": "x" * 501}, 400, "invalid_request", "note"),
        ({"to": "bob", "note": "\0"}, 400, "invalid_request", "note"),
    ],
)
async def test_a_bad_request_is_told_its_field(
    alice: Client, bob: Client, body: Any, status: int, code: str, field: str
) -> None:
    await alice.refused("POST", "/network/request", status, code, field=field, json=body)
    assert (await bob.ok("GET", "/network/requests"))["incoming"] == []


async def test_only_one_request_of_a_type_waits_and_it_can_be_taken_back(
    served: Served, alice: Client, bob: Client
) -> None:
    id_ = await asked(alice, "bob")
    await asked(alice, "bob_coo")
    await alice.refused(
        "POST",
        "/network/request",
        409,
        "already_pending",
        field="to",
        json={"to": user_id(served, "bob")},
    )
    for client, number in ((bob, id_), (alice, id_ + 100), (alice, 2**53 - 1)):
        await client.refused("DELETE", f"/network/requests/{number}", 404, "not_found")
    await alice.ok("DELETE", f"/network/requests/{id_}")
    await bob.refused(
        "POST",
        "/network/accept",
        409,
        "request_not_pending",
        json={"requestId": id_, "type": "friend", "action": "accept"},
    )
    assert await asked(alice, "bob") > id_


async def test_a_request_of_another_or_of_another_type_is_not_found(
    served: Served, alice: Client, bob: Client
) -> None:
    id_ = await asked(alice, "bob")
    carol = await served.person("carol")
    for client, kind in ((bob, "agent"), (carol, "friend"), (alice, "friend")):
        body = {"requestId": id_, "type": kind, "action": "accept"}
        await client.refused(
            "POST", "/network/accept", 404, "not_found", field="requestId", json=body
        )
    await bob.refused(
        "POST",
        "/network/accept",
        400,
        "invalid_request",
        field="action",
        json={"requestId": id_, "type": "friend", "action": "ok"},
    )
    done = await bob.ok(
        "POST", "/network/accept", json={"requestId": id_, "type": "friend", "action": "reject"}
    )
    assert (done["status"], done["contact"]) == ("rejected", None)
    assert (await alice.ok("GET", "/network/contacts"))["contacts"] == []


async def test_a_request_expires_after_thirty_days(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    id_ = await asked(alice, "bob")
    clock.forward(days=30, seconds=-1)
    assert len((await bob.ok("GET", "/network/requests"))["incoming"]) == 1
    clock.forward(seconds=1)
    assert (await bob.ok("GET", "/network/requests"))["incoming"] == []
    await bob.refused(
        "POST",
        "/network/accept",
        409,
        "request_not_pending",
        json={"requestId": id_, "type": "friend", "action": "accept"},
    )
    assert (await bob.ok("POST", "/network/request", json={"to": "alice"}))["status"] == "requested"
    assert (await alice.ok("POST", "/network/request", json={"to": "bob"}))["status"] == "approved"
    assert value(served, "SELECT status FROM contact_requests WHERE id = :id", id=id_) == "expired"


async def test_requests_are_limited_to_twenty_a_minute(alice: Client, bob: Client) -> None:
    answers = [await alice.post("/network/request", json={"to": "bob"}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [200] + [409] * 19 + [429]
    assert answers[-1].json()["error"] == "rate_limited"
    assert int(answers[-1].headers["Retry-After"]) >= 1
    await asked(bob, "alice_coo")


async def test_permissions_are_replaced_as_a_whole(
    served: Served, alice: Client, bob: Client
) -> None:
    await befriended(alice, bob)
    folder = await bob.folder("Open/Deep")
    before = await bob.ok("GET", "/network/contacts/alice/permissions")
    assert (before["permissions"], before["revision"], before["yourPermissionsToThem"]) == (
        P_NOTHING,
        0,
        NOTHING,
    )
    wanted = {
        "agentAccess": True,
        "notesAccess": {"scope": "folders", "folderIds": [folder, folder], "access": "edit"},
        "calendarAccess": {"read": True},
        "todoAccess": {"create": True},
        "toolAccess": {"allowedTools": ["web_search", "memory_search", "wiki__find", "web_search"]},
    }
    put = await bob.ok(
        "PUT",
        f"/network/contacts/{user_id(served, 'alice').upper()}/permissions",
        json={"permissions": wanted, "ifRevision": 0},
    )
    assert put["permissions"] == {
        **P_NOTHING,
        "agentAccess": True,
        "notesAccess": {"scope": "folders", "folderIds": [folder], "access": "edit"},
        "calendarAccess": {"read": "full", "write": False},
        "todoAccess": {"read": False, "create": True},
        "toolAccess": {"allowedTools": ["web_search", "memory_search", "wiki__find"]},
    }
    summary = {
        "notes": "edit",
        "calendar": "read",
        "email": False,
        "todos": True,
        "tools": ["web_search", "wiki__find"],
    }
    assert (put["yourPermissionsToThem"], put["theirPermissionsToYou"], put["revision"]) == (
        summary,
        NOTHING,
        1,
    )
    assert put == await bob.ok("GET", "/network/contacts/alice/permissions")
    assert (await alice.ok("GET", "/network/contacts/bob/permissions"))[
        "theirPermissionsToYou"
    ] == summary
    refused = await bob.refused(
        "PUT",
        "/network/contacts/alice/permissions",
        409,
        "revision_conflict",
        json={"permissions": {}, "ifRevision": 0},
    )
    assert refused["revision"] == 1
    again = await bob.ok(
        "PUT", "/network/contacts/alice/permissions", json={"permissions": {}, "ifRevision": 1}
    )
    assert (again["permissions"], again["revision"]) == (P_NOTHING, 2)


@pytest.mark.parametrize(
    ("permissions", "field"),
    [
        (
            {"notesAccess": {"scope": "folders", "folderIds": ["OTHER"]}},
            "permissions.notesAccess.folderIds",
        ),
        (
            {"notesAccess": {"scope": "folders", "folderIds": [2**53 - 1]}},
            "permissions.notesAccess.folderIds",
        ),
        (
            {"notesAccess": {"scope": "all", "folderIds": ["OWN"]}},
            "permissions.notesAccess.folderIds",
        ),
        ({"notesAccess": {"scope": "note_only"}}, "permissions.notesAccess.scope"),
        ({"notesAccess": {"access": "admin"}}, "permissions.notesAccess.access"),
        ({"agentAccess": "yes"}, "permissions.agentAccess"),
        ({"calendarAccess": {"read": "some"}}, "permissions.calendarAccess.read"),
        ({"toolAccess": {"allowedTools": ["x"] * 201}}, "permissions.toolAccess.allowedTools"),
        ([], "permissions"),
        (None, "permissions"),
    ],
)
async def test_bad_permissions_are_refused_and_change_nothing(
    alice: Client, bob: Client, permissions: Any, field: str
) -> None:
    await befriended(alice, bob)
    numbers = {"OTHER": await alice.folder("Hers"), "OWN": await bob.folder("His")}
    if isinstance(permissions, dict) and "folderIds" in permissions.get("notesAccess", {}):
        ids = [numbers.get(id_, id_) for id_ in permissions["notesAccess"]["folderIds"]]
        permissions = {"notesAccess": {**permissions["notesAccess"], "folderIds": ids}}
    body = await bob.refused(
        "PUT",
        "/network/contacts/alice/permissions",
        400,
        "invalid_request",
        json={"permissions": permissions},
    )
    assert body["field"] == field or field.startswith(body["field"])
    assert (await bob.ok("GET", "/network/contacts/alice/permissions"))["revision"] == 0


async def test_a_stranger_is_no_contact_and_neither_is_nobody(
    served: Served, alice: Client, bob: Client
) -> None:
    for who in ("bob", "nobody", user_id(served, "bob"), "alice", "%", "💥"):
        first = await alice.refused(
            "GET", f"/network/contacts/{who}/permissions", 404, "not_found", field="userId"
        )
        assert first["message"] == f"There is no contact called {who}."
        await alice.refused(
            "PUT",
            f"/network/contacts/{who}/permissions",
            404,
            "not_found",
            json={"permissions": {"agentAccess": True}},
        )
        await alice.refused("DELETE", f"/network/contacts/{who}", 404, "not_found")
    assert served.parts.quick(grant_rows.peer_caller, 1, 2) is None


async def test_the_end_of_a_contact_ends_all_between_the_two(
    served: Served, alice: Client, bob: Client, heard: Heard
) -> None:
    await befriended(alice, bob, "agent")
    await befriended(bob, alice, "agent")
    hers, his = await alice.folder("Hers"), await bob.folder("His")
    await alice.ok("POST", f"/os/folders/{hers}/share", json={"username": "bob", "role": "editor"})
    await bob.ok("POST", f"/os/folders/{his}/share", json={"username": "alice", "role": "viewer"})
    heard.taken()
    await alice.ok("DELETE", "/network/contacts/bob")
    for one, other, folder in ((alice, bob, his), (bob, alice, hers)):
        assert (await one.ok("GET", "/network/contacts")) == {
            "success": True,
            "contacts": [],
            "total": 0,
        }
        await one.refused("GET", f"/os/notes?folderId={folder}", 404, "not_found")
        await one.refused("DELETE", f"/network/contacts/{other.username}", 404, "not_found")
    assert [served.parts.quick(grant_rows.peer_caller, *pair) for pair in ((1, 2), (2, 1))] == [
        None,
        None,
    ]
    told = heard.taken()
    assert {name for name, _ in told} == {"grant.revoked"}
    assert sorted(
        (payload["user"], payload["grantKind"], payload["reason"]) for _, payload in told
    ) == sorted(
        [
            (user, kind, "revoked")
            for user in (1, 2)
            for kind in ("contact", "contact", "folder", "folder")
        ]
    )
    assert {payload["by"] for _, payload in told} == {user_id(served, "alice")}
    assert (await bob.ok("POST", "/network/request", json={"to": "alice"}))["status"] == "requested"


async def test_who_listens_hears_what_was_narrowed(
    alice: Client, bob: Client, heard: Heard
) -> None:
    await befriended(
        alice, bob, "agent", permissions={"notesAccess": {"scope": "all", "access": "edit"}}
    )
    heard.taken()
    steps: list[tuple[Any, str | None]] = [
        (
            {
                "agentAccess": True,
                "notesAccess": {"scope": "all", "access": "edit"},
                "emailAccess": {"read": True},
            },
            None,
        ),
        (
            {
                "agentAccess": True,
                "notesAccess": {"scope": "all", "access": "read"},
                "emailAccess": {"read": True},
            },
            "narrowed",
        ),
        ({"agentAccess": True, "notesAccess": {"scope": "all", "access": "read"}}, "narrowed"),
        ({"notesAccess": {"scope": "all", "access": "read"}}, "revoked"),
        ({"agentAccess": True}, "narrowed"),
    ]
    for permissions, reason in steps:
        await bob.ok(
            "PUT", "/network/contacts/alice/permissions", json={"permissions": permissions}
        )
        assert {payload["reason"] for _, payload in heard.taken()} == (
            {reason} if reason else set()
        )


async def test_contacts_are_listed_by_name_in_pages(served: Served, alice: Client) -> None:
    for name in ("zoe", "bob", "mia"):
        await served.command("add_user", username=name, name=f"{name} ÄRGER")
        await served.command("connect_users", username="alice", contact=name)
    assert [
        row["username"] for row in (await alice.ok("GET", "/network/contacts"))["contacts"]
    ] == ["bob", "mia", "zoe"]
    page = await alice.ok("GET", "/network/contacts?limit=1&offset=1")
    assert ([row["username"] for row in page["contacts"]], page["total"]) == (["mia"], 3)
    assert [
        row["username"]
        for row in (await alice.ok("GET", "/network/contacts?q=ärGER&limit=9"))["contacts"]
    ] == ["bob", "mia", "zoe"]
    assert (await alice.ok("GET", "/network/contacts?q=MI"))["total"] == 1
    assert (await alice.ok("GET", "/network/contacts?q=%25"))["total"] == 0
    await alice.refused("GET", "/network/contacts?limit=0", 400, "invalid_request", field="limit")


async def test_a_share_link_connects_with_what_it_grants(
    served: Served,
    alice: Client,
    bob: Client,
    clock: MovableClock,
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note = await bob.note("Only this", "one")
    link = share_rows.OpenLink(
        2,
        Permissions(notes_access=NotesAccess("none", [], "edit")),
        note["id"],
        "2026-12-01T00:00:00.000Z",
    )
    monkeypatch.setattr(
        share_rows,
        "open_link_to_connect",
        lambda tx, token: link if token == "a1B2c3D4e5" else None,
    )
    await alice.refused(
        "POST",
        "/network/connect",
        404,
        "not_found",
        field="shareToken",
        json={"shareToken": "A1B2C3D4E5"},
    )
    await bob.refused(
        "POST",
        "/network/connect",
        400,
        "invalid_request",
        field="shareToken",
        json={"shareToken": "a1B2c3D4e5"},
    )
    done = await alice.ok("POST", "/network/connect", json={"shareToken": "a1B2c3D4e5"})
    assert done["capabilities"] == {**NOTHING, "notes": "edit"}
    assert (done["contact"]["username"], done["contact"]["direction"]) == ("bob", "outbound")
    assert done["contact"]["agentAccess"] == {"granted": False, "received": True}
    row = served.parts.quick(
        lambda tx: tx.require_row(
            "SELECT type, owner_id FROM conversations WHERE id = :id", id=done["conversationId"]
        )
    )
    assert tuple(row) == ("shared_agent", 2)
    assert [name for name, _ in heard.taken()] == ["contact.connected"] * 2
    await alice.refused(
        "POST", "/network/connect", 409, "already_connected", json={"shareToken": "a1B2c3D4e5"}
    )
    peer = served.parts.quick(grant_rows.peer_caller, 2, 1)
    assert peer is not None
    assert (peer.reach.notes, peer.reach.note) == ("note_only", note["id"])
    clock.forward(days=30)
    assert served.parts.quick(grant_rows.peer_caller, 2, 1) is None
    again = await alice.ok("POST", "/network/connect", json={"shareToken": "a1B2c3D4e5"})
    assert again["conversationId"] == done["conversationId"]


async def test_nobody_reads_or_changes_the_grants_of_two_others(
    served: Served, alice: Client, bob: Client
) -> None:
    await befriended(alice, bob, "agent")
    carol = await served.person("carol")
    for name in ("alice", "bob"):
        await carol.refused("GET", f"/network/contacts/{name}/permissions", 404, "not_found")
        await carol.refused(
            "PUT",
            f"/network/contacts/{name}/permissions",
            404,
            "not_found",
            json={"permissions": {}},
        )
    assert (await carol.ok("GET", "/network/contacts"))["total"] == 0
    assert (await carol.ok("GET", "/network/requests"))["incoming"] == []


@pytest.mark.parametrize(
    ("kind", "said", "granted"),
    [
        ("agent", {}, True),
        ("agent", {"agentAccess": None}, True),
        ("agent", {"agentAccess": True}, True),
        ("agent", {"agentAccess": False}, False),
        ("friend", {}, False),
        ("friend", {"agentAccess": True}, True),
    ],
)
async def test_who_accepts_decides_whether_their_agent_may_be_asked(
    alice: Client, bob: Client, kind: str, said: dict[str, Any], granted: bool
) -> None:
    made = await befriended(alice, bob, kind, permissions={"todoAccess": {"read": True}, **said})
    assert (made["agentAccess"]["granted"], made["yourPermissionsToThem"]["todos"]) == (
        granted,
        True,
    )
    kept = (await bob.ok("GET", "/network/contacts/alice/permissions"))["permissions"]
    assert (kept["agentAccess"], kept["todoAccess"]) == (granted, {"read": True, "create": False})


async def test_null_inside_permissions_is_the_same_as_left_out(alice: Client, bob: Client) -> None:
    await befriended(alice, bob)
    given = {
        "agentAccess": None,
        "notesAccess": {"scope": "all", "folderIds": None, "access": None},
        "todoAccess": None,
        "toolAccess": {"allowedTools": None},
    }
    kept = (
        await bob.ok("PUT", "/network/contacts/alice/permissions", json={"permissions": given})
    )["permissions"]
    assert kept == {**P_NOTHING, "notesAccess": {"scope": "all", "folderIds": [], "access": "read"}}
    bad = {"permissions": {"notesAccess": {"scope": "all", "folderIds": [None]}}}
    await bob.refused(
        "PUT", "/network/contacts/alice/permissions", 400, "invalid_request", json=bad
    )
