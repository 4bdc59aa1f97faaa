"""Share links: what they hold, how they change, end and are told of, and what is refused."""

from typing import Any

import pytest

from app.network.grants import grant_rows, share_rows
from app.network.guests.policy_notes import USUAL
from app.network.guests.shares import MOST_LINKS
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support import guests
from tests.support.agents import value
from tests.support.guests import GUESTS, ask, link

pytestmark = pytest.mark.anyio
NOTHING = {"notes": "none", "calendar": "none", "email": False, "todos": False, "tools": []}


async def meta(guest: Client, made: dict[str, Any]) -> Any:
    return await guest.ok("GET", GUESTS, params={"token": made["token"], "meta": "true"})


async def is_closed(guest: Client, made: dict[str, Any]) -> bool:
    """Say whether a link is as one that never was, wherever a stranger could ask."""
    answers = [
        await guest.get(GUESTS, params={"token": made["token"], "meta": "true"}),
        await guest.post(GUESTS, json=guests.opened(made)),
        await guest.get(GUESTS, params={"token": made["token"], "sessionKey": "gsk_x"}),
        await guest.get(f"{ORIGIN}/a/{made['token']}"),
    ]
    unknown = await guest.get(GUESTS, params={"token": "0000000000", "meta": "true"})
    assert answers[0].json() == unknown.json() or answers[0].status_code == 200
    return {answer.status_code for answer in answers} == {404}


async def test_a_link_holds_what_was_asked_for_and_what_goes_without_saying(alice: Client) -> None:
    body = await alice.ok("POST", "/os/share", status=201, json={"scope": "all"})
    made = body["shareLink"]
    token = made["token"]
    assert (len(token), token.isalnum(), token.isascii()) == (10, True, True)
    assert made == {
        "id": made["id"],
        "token": token,
        "url": f"{ORIGIN}/a/{token}",
        "agentUrl": f"{ORIGIN}/a/{token}",
        "scope": "all",
        "folderIds": [],
        "noteId": None,
        "target": "agent",
        "access": "read",
        "notesAccess": "read",
        "label": "",
        "requireSignIn": True,
        "isActive": True,
        "status": "active",
        "answeredBy": "agent",
        "expiresAt": "2026-12-21T09:30:00.000Z",
        "createdAt": "2026-11-21T09:30:00.000Z",
        "identity": {"loadCoo": True, "loadUser": True, "loadPolicy": True},
        "email": {"read": False},
        "todos": {"read": False, "create": False},
        "tools": {"allowedTools": []},
        "capabilities": {**NOTHING, "notes": "read"},
        "policyNoteId": made["policyNoteId"],
        "analytics": {"uniqueVisitors": 0, "totalConversations": 0, "totalMessages": 0},
    }
    for ref in (made["id"], token):
        assert (await alice.ok("GET", f"/os/share/{ref}"))["shareLink"] == made


async def test_a_link_has_a_policy_note_that_is_the_owners_to_edit(alice: Client) -> None:
    made = await link(alice, label="Old  friends", linkPolicy="Only speak of soup.")
    note = (await alice.ok("GET", f"/os/notes/{made['policyNoteId']}"))["note"]
    assert note["title"] == f"Old-friends_{made['token']}"
    assert "## Policy\n\nOnly speak of soup." in note["markdown"]
    folders = {folder["id"]: folder for folder in (await alice.ok("GET", "/os/folders"))["folders"]}
    assert [
        folders[note["folderId"]]["name"],
        folders[folders[note["folderId"]]["parentId"]]["name"],
    ] == ["links", "Workspace"]
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert (await alice.ok("GET", f"/os/share/{made['id']}"))["shareLink"]["policyNoteId"] is None


@pytest.mark.parametrize(
    ("wanted", "capabilities"),
    [
        (
            {"notesAccess": "edit", "access": "read_calendar_write"},
            {"notes": "edit", "calendar": "write"},
        ),
        (
            {"access": "read_calendar", "todos": {"create": True}, "email": {"read": True}},
            {"notes": "read", "calendar": "free_busy", "todos": True, "email": True},
        ),
        (
            {"tools": {"allowedTools": ["web_search", "send_message"]}},
            {"notes": "read", "tools": ["web_search"]},
        ),
    ],
)
async def test_the_summary_says_what_a_link_comes_to(
    alice: Client, stranger: Client, wanted: Any, capabilities: Any
) -> None:
    made = await link(alice, **wanted)
    assert made["capabilities"] == {**NOTHING, **capabilities}
    can = (await meta(stranger, made))["capabilities"]
    assert (can["notesScope"], can["notesAccess"]) == ("all_notes", made["notesAccess"])
    assert (can["calendarRead"], can["calendarWrite"]) == (
        made["access"] != "read",
        made["access"] == "read_calendar_write",
    )


async def test_a_link_to_one_note_never_reaches_beyond_it(alice: Client, stranger: Client) -> None:
    note = await alice.note("Leek soup", "Simmer the leeks.")
    await alice.note("Leek secret", "Simmer the leeks of the duchess.")
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Simmer the leeks of todos"})
    made = await link(
        alice,
        scope="note_only",
        noteId=note["id"],
        todos={"read": True, "create": True},
        access="read_calendar",
        notesAccess="write",
    )
    assert made["capabilities"] == {**NOTHING, "notes": "write"}
    assert (await meta(stranger, made))["capabilities"]["notesScope"] == "note"
    for message in (
        "simmer leeks",
        "list my notes",
        "which todos are open?",
        "add a todo: buy leeks",
        "create a note called Leek",
    ):
        answer = (await ask(stranger, made, message))["response"]
        assert not {"duchess", "secret", "todos"} & set(answer.lower().replace(".", " ").split()), (
            message,
            answer,
        )
    assert (await alice.ok("GET", "/os/todos"))["result"]["total"] == 1


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({}, "scope"),
        ({"scope": "everything"}, "scope"),
        ({"scope": "folders"}, "folderIds"),
        ({"scope": "folders", "folderIds": []}, "folderIds"),
        ({"scope": "all", "folderIds": [1]}, "folderIds"),
        ({"scope": "note_only"}, "noteId"),
        ({"scope": "all", "noteId": 1}, "noteId"),
        ({"scope": "all", "target": "note"}, "target"),
        ({"scope": "all", "label": "x" * 121}, "label"),
        ({"scope": "all", "label": "a\nb"}, "label"),
        ({"scope": "all", "expiresIn": "1y"}, "expiresIn"),
        ({"scope": "all", "access": "write"}, "access"),
        ({"scope": "all", "notesAccess": "all"}, "notesAccess"),
        ({"scope": "all", "linkPolicy": "x" * 10_001}, "linkPolicy"),
        ({"scope": "all", "answeredBy": "nobody"}, "answeredBy"),
        ({"scope": "all", "identity": {"loadCoo": 1}}, "identity.loadCoo"),
        ({"scope": "all", "tools": {"allowedTools": "x"}}, "tools.allowedTools"),
        ({"scope": "all", "requireSignIn": "yes"}, "requireSignIn"),
    ],
)
async def test_a_bad_link_is_named_and_makes_nothing(
    resident: Client, wanted: Any, field: str
) -> None:
    await resident.refused("POST", "/os/share", 400, "invalid_request", field=field, json=wanted)
    assert (await resident.ok("GET", "/os/share/list"))["total"] == 0
    assert (await resident.ok("GET", "/os/notes", params={"recursive": "true"}))["totalNotes"] == 0


async def test_only_what_is_ones_own_is_shared(alice: Client, bob: Client) -> None:
    folder, note = await bob.folder("Theirs"), await bob.note("Theirs")
    gone = await alice.note("Gone")
    await alice.ok("DELETE", f"/os/notes/{gone['id']}")
    for ids in ([folder], [2**53 - 1]):
        await alice.refused(
            "POST",
            "/os/share",
            404,
            "not_found",
            field="folderIds",
            json={"scope": "folders", "folderIds": ids},
        )
    for id_ in (note["id"], gone["id"], 2**53 - 1):
        await alice.refused(
            "POST",
            "/os/share",
            404,
            "not_found",
            field="noteId",
            json={"scope": "note_only", "noteId": id_},
        )
    made = await link(alice)
    await alice.refused(
        "PATCH",
        f"/os/share/{made['id']}",
        404,
        "not_found",
        field="folderIds",
        json={"scope": "folders", "folderIds": [folder]},
    )
    assert (await alice.ok("GET", f"/os/share/{made['id']}"))["shareLink"] == made


async def test_anothers_link_is_as_one_that_never_was(alice: Client, bob: Client) -> None:
    made = await link(alice)
    for ref in (made["id"], made["token"], 2**53, "x", "9" * 64):
        for method, body in (("GET", None), ("PATCH", {"label": "mine"}), ("DELETE", None)):
            refused = await bob.refused(
                method, f"/os/share/{ref}", 404, "not_found", **({"json": body} if body else {})
            )
            assert refused["message"] == "There is no such share link."
    assert (await bob.ok("GET", "/os/share/list"))["links"] == []


async def test_a_change_holds_at_once_and_leaves_the_rest(alice: Client, stranger: Client) -> None:
    note = await alice.note("Leek soup", "Simmer the leeks.")
    made = await link(alice, label="Before", notesAccess="edit")
    assert "Leek soup" in (await ask(stranger, made, "simmer leeks"))["response"]
    changed = (
        await alice.ok(
            "PATCH",
            f"/os/share/{made['token']}",
            json={"scope": "folders", "folderIds": [await alice.folder("Empty")]},
        )
    )["shareLink"]
    assert (changed["label"], changed["notesAccess"], changed["token"], changed["expiresAt"]) == (
        "Before",
        "edit",
        made["token"],
        made["expiresAt"],
    )
    assert "Leek soup" not in (await ask(stranger, made, "simmer leeks"))["response"]
    alone = (
        await alice.ok(
            "PATCH",
            f"/os/share/{made['id']}",
            json={"scope": "note_only", "noteId": note["id"], "target": "note"},
        )
    )["shareLink"]
    assert (alone["folderIds"], alone["url"]) == ([], f"{ORIGIN}/shared/{made['token']}")
    back = (await alice.ok("PATCH", f"/os/share/{made['id']}", json={"scope": "all"}))["shareLink"]
    assert (back["noteId"], back["target"], back["url"]) == (None, "agent", made["url"])


async def test_a_link_ends_with_its_time_and_lives_again_when_it_is_prolonged(
    alice: Client, stranger: Client, clock: MovableClock
) -> None:
    made = await link(alice, expiresIn="1h")
    clock.forward(minutes=59)
    assert not await is_closed(stranger, made)
    clock.forward(minutes=1)
    assert await is_closed(stranger, made)
    found = (await alice.ok("GET", "/os/share/list", params={"status": "all"}))["links"]
    assert [(each["status"], each["isActive"]) for each in found] == [("expired", False)]
    assert (await alice.ok("GET", "/os/share/list"))["links"] == []
    again = (await alice.ok("PATCH", f"/os/share/{made['id']}", json={"expiresIn": "24h"}))[
        "shareLink"
    ]
    assert (again["status"], again["expiresAt"]) == ("active", "2026-11-22T10:30:00.000Z")
    assert not await is_closed(stranger, made)
    assert (await alice.ok("PATCH", f"/os/share/{made['id']}", json={"expiresIn": "never"}))[
        "shareLink"
    ]["expiresAt"] is None


async def test_a_revoked_link_is_closed_for_good(
    served: Served, alice: Client, stranger: Client
) -> None:
    heard: list[Any] = []
    served.parts.events.on("grant.revoked", heard.append)
    made, other = await link(alice), await link(alice)
    await ask(stranger, made, "hello")
    for _ in range(2):
        assert (await alice.ok("DELETE", f"/os/share/{made['id']}"))[
            "message"
        ] == "The link is revoked."
    assert await is_closed(stranger, made)
    assert not await is_closed(stranger, other)
    await alice.refused(
        "PATCH", f"/os/share/{made['id']}", 404, "not_found", json={"expiresIn": "never"}
    )
    revoked = (await alice.ok("GET", "/os/share/list", params={"status": "revoked"}))["links"]
    assert [
        (each["id"], each["status"], each["analytics"]["totalMessages"]) for each in revoked
    ] == [(made["id"], "revoked", 1)]
    assert [(event["grantKind"], event["grantId"], event["reason"]) for event in heard] == [
        ("share_link", made["id"], "revoked")
    ]
    assert len((await alice.ok("GET", "/os/network/conversations"))["conversations"]) == 1 + 1


async def test_a_purge_deletes_the_transcripts_too(
    served: Served, alice: Client, stranger: Client
) -> None:
    made = await link(alice)
    await ask(stranger, made, "a word that is nowhere else")
    assert (await alice.ok("DELETE", f"/os/share/{made['id']}", params={"purge": "true"}))[
        "message"
    ].endswith("deleted.")
    assert (await alice.ok("GET", "/os/network/conversations"))["conversations"] == []
    assert (
        value(served, "SELECT count(*) FROM messages")
        == value(served, "SELECT count(*) FROM conversations")
        == 0
    )


async def test_a_link_whose_owner_was_deleted_is_closed(
    served: Served, alice: Client, bob: Client, stranger: Client
) -> None:
    made = await link(alice)
    await ask(stranger, made, "hello")
    await served.command("delete_user", username="alice")
    assert await is_closed(stranger, made)
    await bob.refused(
        "POST", "/network/connect", 404, "not_found", json={"shareToken": made["token"]}
    )
    assert value(served, "SELECT count(*) FROM guest_sessions") == 0


async def test_a_contact_connects_by_a_link_as_far_as_it_goes(alice: Client, bob: Client) -> None:
    folder = await alice.folder("Shared")
    note = await alice.note("Shown", folderId=folder)
    made = await link(alice, scope="folders", folderIds=[folder], notesAccess="write")
    body = await bob.ok("POST", "/network/connect", json={"shareToken": made["token"]})
    assert body["capabilities"] == made["capabilities"]
    granted = (await alice.ok("GET", "/network/contacts/bob/permissions"))["permissions"]
    assert (granted["agentAccess"], granted["notesAccess"]) == (
        True,
        {"scope": "folders", "folderIds": [folder], "access": "write"},
    )
    shown = await link(alice, scope="note_only", noteId=note["id"], target="note")
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    ended = await alice.ok("GET", "/network/contacts/bob/permissions")
    assert (
        ended["fromLink"],
        ended["permissions"]["agentAccess"],
        ended["yourPermissionsToThem"],
    ) == (made["id"], False, NOTHING)
    for closed in (made, shown):
        await bob.refused(
            "POST", "/network/connect", 404, "not_found", json={"shareToken": closed["token"]}
        )


async def test_what_was_connected_by_a_link_follows_it_until_its_owner_says_otherwise(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    made = await link(alice, scope="all", notesAccess="edit", expiresIn="24h")
    await bob.ok("POST", "/network/connect", json={"shareToken": made["token"]})

    async def granted() -> Any:
        found = await alice.ok("GET", "/network/contacts/bob/permissions")
        assert (
            found["yourPermissionsToThem"]
            == (await bob.ok("GET", "/network/contacts"))["contacts"][0]["theirPermissionsToYou"]
        )
        return (
            found["fromLink"],
            found["permissions"]["agentAccess"],
            found["yourPermissionsToThem"]["notes"],
        )

    assert await granted() == (made["id"], True, "edit")
    folder = await alice.folder("Garden")
    await alice.ok(
        "PATCH",
        f"/os/share/{made['id']}",
        json={"scope": "folders", "folderIds": [folder], "notesAccess": "read"},
    )
    assert await granted() == (made["id"], True, "read")
    peer = served.parts.quick(grant_rows.peer_caller, 1, 2)
    assert peer is not None
    assert (peer.reach.notes, peer.reach.folders) == ("folders", {folder})
    clock.forward(hours=25)
    assert await granted() == (made["id"], False, "none")
    assert served.parts.quick(grant_rows.peer_caller, 1, 2) is None
    await bob.refused(
        "POST", "/agent/message", 403, "forbidden", json={"to": "alice_coo", "message": "hello"}
    )
    await alice.ok("PATCH", f"/os/share/{made['id']}", json={"expiresIn": "24h"})
    assert await granted() == (made["id"], True, "read")
    await alice.ok(
        "PUT",
        "/network/contacts/bob/permissions",
        json={"permissions": {"agentAccess": True, "notesAccess": {"scope": "all"}}},
    )
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    assert await granted() == (None, True, "read")


async def test_what_waits_by_a_link_one_connected_by_ends_with_it(
    served: Served, alice: Client, bob: Client
) -> None:
    made = await link(alice, scope="all", notesAccess="edit")
    await bob.ok("POST", "/network/connect", json={"shareToken": made["token"]})
    note = await alice.note("Soup", "one")
    peer = served.parts.quick(grant_rows.peer_caller, 1, 2)
    assert peer is not None
    origin = Origin("rpc", peer=(await bob.ok("GET", "/identity"))["profile"]["userId"])
    waits = await tool_gate.use_tool(
        served.parts, peer, "edit_note", {"noteId": note["id"], "content": "two"}, origin=origin
    )
    assert isinstance(waits, tool_gate.Waiting)
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    ended = (await alice.ok("GET", f"/escalations/{waits.escalation_id}"))["escalation"]
    assert (ended["status"], ended["failure"]["error"]) == ("superseded", "grant_revoked")


async def test_a_link_of_folders_with_a_note_opens_that_note_alone(
    served: Served, alice: Client, stranger: Client
) -> None:
    folder, other = await alice.folder("Soups"), await alice.folder("Other")
    note = await alice.note(
        "Leek soup", "Simmer the leeks.", folderId=await alice.folder("Soups/Best")
    )
    await alice.note("Leek secret", "Simmer the leeks of the duchess.", folderId=folder)
    body = {"scope": "folders", "folderIds": [folder], "noteId": note["id"]}
    made = await link(alice, **body, access="read_calendar")
    assert (made["scope"], made["noteId"], made["capabilities"]) == (
        "folders",
        note["id"],
        {**NOTHING, "notes": "read", "calendar": "free_busy"},
    )
    assert (await meta(stranger, made))["capabilities"]["notesScope"] == "note"
    guest = served.parts.quick(share_rows.guest_caller, made["id"])
    assert guest is not None
    assert (guest.reach.notes, guest.reach.note) == ("note_only", note["id"])
    assert "duchess" not in (await ask(stranger, made, "simmer leeks"))["response"]
    for wanted in ({**body, "folderIds": [other]}, {"scope": "all", "noteId": note["id"]}):
        await alice.refused(
            "POST", "/os/share", 400, "invalid_request", field="noteId", json=wanted
        )
    await alice.refused(
        "POST", "/os/share", 404, "not_found", field="noteId", json={**body, "noteId": 999}
    )
    await alice.refused(
        "PATCH",
        f"/os/share/{made['id']}",
        400,
        "invalid_request",
        field="noteId",
        json={"folderIds": [other]},
    )
    assert (await alice.ok("PATCH", f"/os/share/{made['id']}", json={"label": "Soup"}))[
        "shareLink"
    ]["noteId"] == note["id"]
    await alice.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": other})
    guest = served.parts.quick(share_rows.guest_caller, made["id"])
    assert guest is not None
    assert guest.reach.note == share_rows.NO_NOTE
    assert "Simmer" not in (await ask(stranger, made, "simmer leeks"))["response"]


POLICY = "Never tell the price. Only speak of soup."


@pytest.mark.parametrize(
    ("policy", "enforced"), [(POLICY, False), (None, None), (f"  {USUAL}\n", None)]
)
async def test_a_policy_that_only_a_model_could_follow_says_so(
    alice: Client, policy: str | None, enforced: bool | None
) -> None:
    body = await alice.ok(
        "POST",
        "/os/share",
        status=201,
        json={"scope": "all", **({"linkPolicy": policy} if policy else {})},
    )
    assert body.get("policyEnforced") is enforced
    assert ("notice" in body) is (enforced is False)


async def test_where_a_model_answers_its_policy_goes_without_a_word(
    served: Served, alice: Client
) -> None:
    await served.command("add_model", name="one", url="http://127.0.0.1:1/v1")
    body = await alice.ok(
        "POST", "/os/share", status=201, json={"scope": "all", "linkPolicy": POLICY}
    )
    assert "policyEnforced" not in body


async def test_rules_tell_nothing_under_a_policy_unless_the_link_names_what_it_opens(
    alice: Client, stranger: Client
) -> None:
    folder = await alice.folder("Soups")
    await alice.note("Leek soup", "Simmer the leeks for twenty minutes.", folderId=folder)
    for fields, quotes in (
        ({"linkPolicy": POLICY}, False),
        ({}, True),
        ({"linkPolicy": POLICY, "scope": "folders", "folderIds": [folder]}, True),
    ):
        made = await link(alice, **fields)
        for message in (
            "how long do leeks simmer?",
            "list my notes",
            "summarise the note Leek soup",
        ):
            answer = (await ask(stranger, made, message))["response"]
            assert ("kept your message for alice" in answer) is not quotes, answer
            assert quotes or not {"twenty", "leek", "soups"} & set(answer.lower().split()), answer
        assert "Hello" in (await ask(stranger, made, "hello"))["response"]
    edited = await link(alice)
    note = (await alice.ok("GET", f"/os/notes/{edited['policyNoteId']}"))["note"]
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": note["markdown"].replace(USUAL, POLICY)},
    )
    assert (
        "kept your message"
        in (await ask(stranger, edited, "how long do leeks simmer?"))["response"]
    )


async def test_the_list_pages_newest_first(alice: Client) -> None:
    ids = [(await link(alice, label=f"Link {number}"))["id"] for number in range(3)]
    assert [each["id"] for each in (await alice.ok("GET", "/os/share/list"))["links"]] == ids[::-1]
    page = await alice.ok("GET", "/os/share/list", params={"limit": 1, "offset": 1})
    assert ([each["id"] for each in page["links"]], page["total"]) == ([ids[1]], 3)
    await alice.refused(
        "GET", "/os/share/list", 400, "invalid_request", field="status", params={"status": "open"}
    )


async def test_links_have_an_end_to_their_number(served: Served, alice: Client) -> None:
    await link(alice)
    await served.parts.write(
        lambda tx: tx.run(
            """WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
           INSERT INTO share_links (owner_id, token, label, target, answered_by, require_sign_in,
             terms, created_at)
           SELECT owner_id, 'copy' || i, label, target, answered_by, require_sign_in, terms,
             created_at FROM share_links, n""",
            most=MOST_LINKS - 1,
        )
    )
    await alice.refused("POST", "/os/share", 409, "quota_exceeded", json={"scope": "all"})


async def test_the_owners_agent_makes_a_link_only_with_a_yes(alice: Client) -> None:
    made = await alice.ok(
        "POST",
        "/tools",
        json={"tool": "share_agent", "params": {"scope": "all", "label": "By the agent"}},
    )
    assert made["result"]["shareLink"]["requireSignIn"] is True
    await alice.refused(
        "POST",
        "/tools",
        422,
        "unprocessable",
        json={"tool": "share_agent", "params": {"scope": "folders"}},
    )


class TestOverview:
    """The network at a glance."""

    async def test_every_field_is_filled_from_what_there_is(
        self, served: Served, alice: Client, bob: Client
    ) -> None:
        await served.command("connect_users", username="alice", contact="bob")
        await bob.ok(
            "PUT",
            "/network/contacts/alice/permissions",
            json={"permissions": {"agentAccess": True, "todoAccess": {"read": True}}},
        )
        await bob.ok("POST", "/agent/message", json={"to": "alice", "message": "hello"})
        await alice.ok(
            "POST", "/network/groups", status=201, json={"name": "Team", "members": ["bob"]}
        )
        await bob.ok(
            "PATCH", "/account/settings", json={"email": "bob@example.org", "name": "Bob Hill"}
        )
        made, closed = await link(alice, label="Friends"), await link(alice)
        await alice.ok("DELETE", f"/os/share/{closed['id']}")
        await ask(bob, made, "hello")
        await ask(bob, made, "hello again")
        whole = await alice.ok("GET", "/os/network")
        network = (await alice.ok("GET", "/network"))["network"]
        assert (
            whole["network"]
            == network
            == {name: whole[name] for name in ("shareLinks", "visitors", "contacts", "summary")}
        )
        (shown,) = network["shareLinks"]
        assert (shown["token"], shown["agentUrl"], shown["label"]) == (
            made["token"],
            made["agentUrl"],
            "Friends",
        )
        assert (shown["analytics"], shown["capabilities"]) == (
            {"visitors": 1, "sessions": 2, "messages": 2},
            made["capabilities"],
        )
        me = (await bob.ok("GET", "/identity"))["profile"]["userId"]
        for visitor in network["visitors"]:
            assert (visitor["guestUserId"], visitor["guestName"], visitor["guestUsername"]) == (
                me,
                "Bob Hill",
                "bob",
            )
            assert (visitor["guestEmail"], visitor["messages"], visitor["linkLabel"]) == (
                "bob@example.org",
                1,
                "Friends",
            )
        (contact,) = network["contacts"]
        assert (
            contact["userId"],
            contact["direction"],
            contact["availability"],
            contact["unreadCount"],
        ) == (me, "mutual", "available", 1)
        assert contact["theirPermissionsToYou"] == {**NOTHING, "todos": True}
        assert network["summary"] == {
            "totalLinks": 1,
            "activeLinks": 1,
            "totalVisitors": 1,
            "totalContacts": 1,
            "pendingRequests": 0,
            "totalGroups": 1,
            "unreadMessages": 1,
        }

    async def test_it_says_whose_agent_cannot_answer_now(
        self, served: Served, alice: Client, bob: Client
    ) -> None:
        await served.command("connect_users", username="alice", contact="bob")
        await bob.ok(
            "PUT",
            "/network/contacts/alice/permissions",
            json={"permissions": {"agentAccess": True}},
        )
        cap = {"subject": "account", "metric": "tokens", "period": "day", "limit": 0}
        await bob.ok("POST", "/metering/caps", status=201, json=cap)
        (contact,) = (await alice.ok("GET", "/network"))["network"]["contacts"]
        assert (contact["availability"], contact["nextActiveAt"]) == (
            "budget_spent",
            "2026-11-22T00:00:00.000Z",
        )
        await served.command("stop_agents")
        (contact,) = (await alice.ok("GET", "/network"))["network"]["contacts"]
        assert (contact["availability"], contact["nextActiveAt"]) == ("paused", None)
        (other,) = (await bob.ok("GET", "/network"))["network"]["contacts"]
        assert other["availability"] is None

    async def test_transcripts_are_of_ones_own_links(
        self, alice: Client, bob: Client, stranger: Client
    ) -> None:
        made, other = await link(alice, label="Friends"), await link(alice)
        first = await ask(stranger, made, "hello", visitorName="Zoe")
        await ask(stranger, made, "hello again", sessionKey=first["sessionKey"])
        await ask(stranger, other, "hi")
        listed = (
            await alice.ok("GET", "/os/network/conversations", params={"shareToken": made["token"]})
        )["conversations"]
        (row,) = listed
        assert (row["shareToken"], row["linkLabel"], row["guestName"], row["messageCount"]) == (
            made["token"],
            "Friends",
            "Zoe",
            4,
        )
        assert (row["lastRole"], row["lastMessage"]["role"], row["lastContent"]) == (
            "assistant",
            "assistant",
            row["lastMessage"]["content"],
        )
        assert row["visitor"] == {
            "name": "Zoe",
            "username": None,
            "email": None,
            "userId": None,
            "fingerprint": row["visitor"]["fingerprint"],
        }
        whole = await alice.ok("GET", f"/os/network/conversations/{row['sessionId']}")
        assert [(each["role"], each["content"]) for each in whole["messages"]][::2] == [
            ("user", "hello"),
            ("user", "hello again"),
        ]
        assert (whole["total"], {name: whole[name] for name in row}) == (4, row)
        page = await alice.ok(
            "GET",
            f"/os/network/conversations/{row['sessionId']}",
            params={"limit": 1, "before": whole["messages"][2]["id"]},
        )
        assert [each["id"] for each in page["messages"]] == [whole["messages"][1]["id"]]
        assert len((await alice.ok("GET", "/os/network/conversations"))["conversations"]) == 2
        await bob.refused(
            "GET",
            f"/os/network/conversations/{row['sessionId']}",
            404,
            "not_found",
            field="sessionId",
        )
        await bob.refused(
            "GET",
            "/os/network/conversations",
            404,
            "not_found",
            field="shareToken",
            params={"shareToken": made["token"]},
        )
        assert first["sessionKey"] not in str(whole)


class TestExplain:
    """What a guest would see."""

    async def test_a_guest_is_looked_at_as_the_link_is_now(
        self, alice: Client, bob: Client
    ) -> None:
        folder = await alice.folder("Shared")
        inside, outside = await alice.note("In", folderId=folder), await alice.note("Out")
        made = await link(alice, scope="folders", folderIds=[folder])

        async def told(client: Client, operation: str, args: str) -> Any:
            params = {"caller": f"guest:{made['token']}", "operation": operation, "args": args}
            return await client.get("/network/explain", params=params)

        assert (await told(alice, "get_note_content", f'{{"id": {inside["id"]}}}')).json()[
            "allowed"
        ] is True
        for args, code in (
            (f'{{"id": {outside["id"]}}}', "not_found"),
            (f'{{"id": {2**50}}}', "not_found"),
        ):
            assert (await told(alice, "get_note_content", args)).json()["error"] == code
        assert (await told(alice, "create_note", '{"title": "x", "content": ""}')).json()[
            "error"
        ] == "forbidden"
        assert (await told(bob, "list_notes", "{}")).status_code == 404
        await alice.ok("DELETE", f"/os/share/{made['id']}")
        assert (await told(alice, "list_notes", "{}")).json()[
            "message"
        ] == "The share link is revoked."


async def test_a_change_of_a_part_of_the_terms_leaves_the_rest_of_it(alice: Client) -> None:
    made = await link(alice, identity={"loadCoo": False}, todos={"read": True, "create": True})
    changed = (
        await alice.ok(
            "PATCH",
            f"/os/share/{made['id']}",
            json={"identity": {"loadUser": False}, "todos": {"create": False}},
        )
    )["shareLink"]
    assert changed["identity"] == {"loadCoo": False, "loadUser": False, "loadPolicy": True}
    assert changed["todos"] == {"read": True, "create": False}
