"""Groups: who may make, change, read and write them, who follows as admin, and what newcomers
see.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.main import create_app
from app.settings import Settings
from tests.conftest import UNSYNCED, Client, MovableClock, Served
from tests.network.test_messages import conversations, group, send
from tests.support.agents import value

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings() -> Settings:
    return Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, group_limit=0)


@pytest.fixture
async def carol(served: Served) -> AsyncIterator[Client]:
    client = await served.person("carol")
    yield client
    await client.aclose()


async def names(client: Client, number: int) -> list[tuple[str, str]]:
    shown = (await client.ok("GET", f"/network/groups/{number}"))["group"]
    return [(member["username"], member["role"]) for member in shown["members"]]


async def test_a_group_is_made_of_contacts_and_its_maker_is_its_admin(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    for other in ("bob", "carol"):
        await served.command("connect_users", username="alice", contact=other)
    made = await alice.ok(
        "POST",
        "/network/groups",
        status=201,
        json={"name": " Te\u0301am ", "members": ["bob", "CAROL", "alice", "bob"]},
    )
    shown, now = made["group"], "2026-11-21T09:30:00.000Z"
    assert shown["name"] == "T\u00e9am"
    assert [
        (member["username"], member["role"], member["joinedAt"]) for member in shown["members"]
    ] == [("alice", "admin", now), ("bob", "member", now), ("carol", "member", now)]
    assert (shown["adminId"], shown["memberCount"], shown["createdAt"]) == (
        shown["members"][0]["userId"],
        3,
        now,
    )
    for person in (alice, bob, carol):
        assert (await person.ok("GET", "/network/groups"))["groups"] == [shown]
        assert (await person.ok("GET", f"/network/groups/{shown['conversationId']}"))[
            "group"
        ] == shown
        (thread,) = await conversations(person, view="group")
        assert thread["group"] == {
            "name": "T\u00e9am",
            "adminId": shown["adminId"],
            "memberCount": 3,
        }
        assert (thread["contact"], thread["ownerId"], thread["title"]) == (None, None, "T\u00e9am")


async def test_a_group_of_one_is_a_group(alice: Client) -> None:
    made = await alice.ok("POST", "/network/groups", status=201, json={"name": "Me", "members": []})
    assert made["group"]["memberCount"] == 1
    assert (await send(alice, f"group:{made['group']['conversationId']}", "note to self"))[
        "delivered"
    ]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"members": []}, 400, "invalid_request", "name"),
        ({"name": "", "members": []}, 400, "invalid_request", "name"),
        ({"name": "x" * 101, "members": []}, 400, "invalid_request", "name"),
        ({"name": "a\nb", "members": []}, 400, "invalid_request", "name"),
        ({"name": "x"}, 400, "invalid_request", "members"),
        ({"name": "x", "members": "bob"}, 400, "invalid_request", "members"),
        ({"name": "x", "members": ["b" * 2] * 101}, 400, "invalid_request", "members"),
        ({"name": "x", "members": ["carol"]}, 409, "not_connected", "members"),
        ({"name": "x", "members": ["nobody"]}, 404, "not_found", None),
    ],
)
async def test_a_group_that_cannot_be_is_refused_whole(
    served: Served,
    alice: Client,
    carol: Client,
    body: Any,
    status: int,
    code: str,
    field: str | None,
) -> None:
    await alice.refused("POST", "/network/groups", status, code, field=field, json=body)
    assert (await alice.ok("GET", "/network/groups"))["groups"] == []
    assert value(served, "SELECT count(*) FROM conversations") == 0


async def test_strangers_cannot_tell_a_group_from_none(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob)
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"name": "Mine"}),
        ("POST", "/members", {"username": "carol"}),
        ("DELETE", "/members/bob", None),
        ("DELETE", "/members/carol", None),
    ):
        answers = [
            await carol.request(
                method, f"/network/groups/{one}{path}", **({"json": body} if body else {})
            )
            for one in (number, 999)
        ]
        assert {answer.status_code for answer in answers} == {404}
        assert answers[0].content == answers[1].content
    posts = [
        await carol.post("/agent/message", json={"to": f"group:{one}", "message": "hi"})
        for one in (number, 999)
    ]
    assert {post.status_code for post in posts} == {404}
    assert posts[0].content == posts[1].content
    assert "Group not found or access denied" in posts[0].text
    for path in (f"/conversations/{number}",):
        await carol.refused("GET", path, 404, "not_found")
    assert await names(alice, number) == [("alice", "admin"), ("bob", "member")]


async def test_a_conversation_that_is_no_group_cannot_be_used_as_one(
    alice: Client, bob: Client
) -> None:
    thread = (await send(alice, "bob", "hello"))["conversationId"]
    await alice.refused(
        "POST", "/agent/message", 404, "not_found", json={"to": f"group:{thread}", "message": "x"}
    )
    await alice.refused("GET", f"/network/groups/{thread}", 404, "not_found")
    await alice.refused("DELETE", f"/network/groups/{thread}/members/alice", 404, "not_found")


async def test_only_the_admin_changes_a_group(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob)
    await served.command("connect_users", username="bob", contact="carol")
    for method, path, body in (
        ("PATCH", "", {"name": "Mine"}),
        ("POST", "/members", {"username": "carol"}),
        ("DELETE", "/members/alice", None),
        ("DELETE", "/members/nobody", None),
    ):
        await bob.refused(
            method,
            f"/network/groups/{number}{path}",
            403,
            "forbidden",
            **({"json": body} if body else {}),
        )
    renamed = await alice.ok("PATCH", f"/network/groups/{number}", json={"name": "Club"})
    assert renamed["group"]["name"] == "Club"
    assert (await conversations(bob, view="group"))[0]["title"] == "Club"
    await alice.refused(
        "DELETE", f"/network/groups/{number}/members/nobody", 404, "not_found", field="username"
    )


@pytest.mark.parametrize("body", [{}, {"username": "bob", "members": ["bob"]}])
async def test_who_is_added_is_named_in_one_way(
    served: Served, alice: Client, bob: Client, body: Any
) -> None:
    number = await group(served, alice, bob)
    await alice.refused(
        "POST",
        f"/network/groups/{number}/members",
        400,
        "invalid_request",
        field="username",
        json=body,
    )


async def test_adding_again_is_no_error_and_adding_is_all_or_nothing(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob)
    again = await alice.ok("POST", f"/network/groups/{number}/members", json={"username": "bob"})
    assert again["group"]["memberCount"] == 2
    await served.command("connect_users", username="alice", contact="carol")
    await served.command("add_user", username="dave")
    await alice.refused(
        "POST",
        f"/network/groups/{number}/members",
        409,
        "not_connected",
        json={"members": ["carol", "dave"]},
    )
    assert await names(alice, number) == [("alice", "admin"), ("bob", "member")]
    await alice.ok(
        "POST", f"/network/groups/{number}/members", json={"members": ["carol", "bob", "alice"]}
    )
    assert await names(carol, number) == [
        ("alice", "admin"),
        ("bob", "member"),
        ("carol", "member"),
    ]


async def test_newcomers_see_messages_from_their_joining_on(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob)
    before = (await send(alice, f"group:{number}", "the secret plan"))["messageId"]
    await served.command("connect_users", username="alice", contact="carol")
    await alice.ok("POST", f"/network/groups/{number}/members", json={"username": "carol"})
    (thread,) = await conversations(carol)
    assert (thread["messages"], thread["messageCount"], thread["unreadCount"]) == ([], 0, 0)
    assert await conversations(carol, afterMessageId=before - 1) == []
    assert (await carol.ok("GET", f"/conversations/{number}"))["messages"] == []
    assert (await carol.ok("GET", f"/conversations/{number}", params={"before": before + 1}))[
        "messages"
    ] == []
    assert (await carol.ok("GET", "/conversations", params={"q": "secret"}))["summary"][
        "total"
    ] == 0
    assert (await carol.ok("POST", "/os/memory/search", json={"query": "secret plan"}))[
        "results"
    ] == []
    await send(bob, f"group:{number}", "welcome, the secret plan stands")
    (thread,) = await conversations(carol)
    assert [message["content"] for message in thread["messages"]] == [
        "welcome, the secret plan stands"
    ]
    assert (thread["messageCount"], thread["unreadCount"]) == (1, 1)
    assert (await carol.ok("GET", "/conversations", params={"q": "secret"}))["summary"] == {
        "total": 1,
        "view": "all",
        "query": "secret",
    }
    assert (await conversations(bob))[0]["messageCount"] == 2


async def test_when_the_admin_leaves_the_longest_member_follows_and_the_last_one_closes_the_group(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob, carol)
    await send(alice, f"group:{number}", "farewell words")
    assert (await alice.ok("DELETE", f"/network/groups/{number}/members/alice"))["group"] is None
    assert await names(bob, number) == [("bob", "admin"), ("carol", "member")]
    await alice.refused("GET", f"/network/groups/{number}", 404, "not_found")
    await alice.refused("GET", f"/conversations/{number}", 404, "not_found")
    await alice.refused(
        "POST",
        "/agent/message",
        404,
        "not_found",
        json={"to": f"group:{number}", "message": "still here?"},
    )
    assert await conversations(alice) == []
    assert (await alice.ok("GET", "/conversations", params={"q": "farewell"}))["messages"] == []
    assert (await alice.ok("POST", "/os/memory/search", json={"query": "farewell"}))[
        "results"
    ] == []
    removed = await bob.ok("DELETE", f"/network/groups/{number}/members/carol")
    assert [member["username"] for member in removed["group"]["members"]] == ["bob"]
    assert (await bob.ok("DELETE", f"/network/groups/{number}/members/bob"))["group"] is None
    assert (
        value(served, "SELECT count(*) FROM conversations")
        == value(served, "SELECT count(*) FROM messages")
        == 0
    )
    assert (
        value(served, "SELECT count(*) FROM message_words WHERE message_words MATCH 'farewel'") == 0
    )
    await bob.refused("GET", f"/network/groups/{number}", 404, "not_found")


async def test_whoever_comes_back_is_a_newcomer(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob, carol)
    await send(bob, f"group:{number}", "once", clientMessageId="1")
    await bob.ok("DELETE", f"/network/groups/{number}/members/bob")
    await alice.ok("POST", f"/network/groups/{number}/members", json={"username": "bob"})
    assert await names(bob, number) == [("alice", "admin"), ("carol", "member"), ("bob", "member")]
    assert (await conversations(bob))[0]["messages"] == []
    assert (await send(bob, f"group:{number}", "once", clientMessageId="1"))["duplicate"]


async def test_when_an_admins_account_is_deleted_the_longest_member_follows(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    number = await group(served, alice, bob, carol)
    await send(alice, f"group:{number}", "kept")
    await served.command("delete_user", username="alice")
    assert await names(bob, number) == [("bob", "admin"), ("carol", "member")]
    (thread,) = await conversations(bob)
    assert [
        (row["senderId"], row["senderLabel"], row["content"]) for row in thread["messages"]
    ] == [(None, "alice's agent", "kept")]


async def test_a_group_has_at_most_a_hundred_members_and_nobody_is_in_more_than_a_hundred_groups(
    served: Served, alice: Client, bob: Client
) -> None:
    for number in range(99):
        await served.command("add_user", username=f"p{number:02}")
        await served.command("connect_users", username="alice", contact=f"p{number:02}")
    everyone = [f"p{number:02}" for number in range(99)]
    full = (
        await alice.ok(
            "POST", "/network/groups", status=201, json={"name": "Full", "members": everyone}
        )
    )["group"]
    assert full["memberCount"] == 100
    await served.command("connect_users", username="alice", contact="bob")
    await alice.refused(
        "POST",
        f"/network/groups/{full['conversationId']}/members",
        409,
        "quota_exceeded",
        json={"username": "bob"},
    )
    assert (await send(alice, f"group:{full['conversationId']}", "hello all"))["delivered"]
    for _ in range(99):
        await alice.ok("POST", "/network/groups", status=201, json={"name": "Many", "members": []})
    await alice.refused(
        "POST", "/network/groups", 409, "quota_exceeded", json={"name": "One more", "members": []}
    )
    mine = (
        await bob.ok("POST", "/network/groups", status=201, json={"name": "Bob's", "members": []})
    )["group"]["conversationId"]
    await bob.refused(
        "POST", f"/network/groups/{mine}/members", 409, "quota_exceeded", json={"username": "alice"}
    )


async def test_new_groups_are_few_a_minute(data: Any, clock: MovableClock) -> None:
    asgi = create_app(Settings(durability=UNSYNCED, access_log=False), data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        assert served.parts.rates.groups.per_minute == 5
        for username, made in (("alice", 5), ("bob", 1)):
            client = await served.person(username)
            for _ in range(made):
                await client.ok(
                    "POST", "/network/groups", status=201, json={"name": "x", "members": []}
                )
        async with served.client(await served.key("alice")) as client:
            refused = await client.post("/network/groups", json={"name": "x", "members": []})
        assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
        assert 1 <= int(refused.headers["retry-after"]) <= 12
