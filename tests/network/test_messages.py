"""Messages to people and groups.

Where they lie, who reads them, what is refused, and that each comes exactly once.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.core.caller import Caller
from app.core.schema import encode
from app.network.messages import deliver_message
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import Client, Served
from tests.support.agents import caller, settled

pytestmark = pytest.mark.anyio
HOSTILE = (
    "<script>alert('x')</script><img src=x onerror=alert(1)> "
    "[a](javascript:alert(1)) &lt;b&gt; \u202e\u2066 ' OR 1=1 --"
)


async def send(client: Client, to: str, message: str, **more: Any) -> Any:
    return await client.ok("POST", "/agent/message", json={"to": to, "message": message, **more})


async def sent_by_hand(served: Served, username: str, **fields: Any) -> Any:
    """Send as a person at the pages of the server does."""
    return json.loads(
        encode(
            await served.parts.call(
                caller(served, username, kind="session"), "send_message", fields
            )
        )
    )


async def conversations(client: Client, **query: Any) -> list[Any]:
    found: list[Any] = (await client.ok("GET", "/conversations", params=query))["conversations"]
    return found


@pytest.fixture
async def carol(served: Served) -> AsyncIterator[Client]:
    client = await served.person("carol")
    yield client
    await client.aclose()


async def group(served: Served, owner: Client, *others: Client, name: str = "Team") -> int:
    """A group of people who know each other."""
    for other in others:
        await served.command("connect_users", username=owner.username, contact=other.username)
    made = await owner.ok(
        "POST",
        "/network/groups",
        status=201,
        json={"name": name, "members": [other.username for other in others]},
    )
    return int(made["group"]["conversationId"])


async def test_a_message_to_a_person_lies_in_their_inbox(alice: Client, bob: Client) -> None:
    body = await send(alice, "bob", "Lunch at one?")
    assert body.pop("elapsedMs") >= 0
    conversation, message = body.pop("conversationId"), body.pop("messageId")
    assert body == {
        "success": True,
        "mode": "human",
        "recipientName": "bob",
        "delivered": True,
        "response": None,
        "intent": "inform",
    }
    (thread,) = await conversations(bob)
    assert (thread["conversationId"], thread["type"], thread["view"], thread["unreadCount"]) == (
        conversation,
        "shared_agent",
        "coo",
        1,
    )
    assert (thread["contact"]["username"], thread["title"], thread["ownerId"]) == (
        "alice",
        "alice",
        thread["contact"]["userId"],
    )
    (kept,) = thread["messages"]
    assert kept == {
        "id": message,
        "role": "user",
        "senderType": "agent",
        "senderId": thread["ownerId"],
        "senderLabel": "alice's agent",
        "content": "Lunch at one?",
        "createdAt": "2026-11-21T09:30:00.000Z",
        "clientMessageId": None,
    }
    (mine,) = await conversations(alice)
    assert (mine["contact"]["username"], mine["unreadCount"], mine["messageCount"]) == ("bob", 0, 1)


async def test_how_a_message_came_in_decides_whose_it_is(
    served: Served, alice: Client, bob: Client
) -> None:
    by_hand = await sent_by_hand(served, "alice", to="bob", message="from me")
    by_key = await send(alice, "bob", "from my agent")
    back = await sent_by_hand(served, "bob", to="alice", message="from me too")
    assert by_hand["conversationId"] == back["conversationId"] != by_key["conversationId"]
    (direct,) = await conversations(alice, view="me")
    assert [
        (row["senderType"], row["senderLabel"], row["content"]) for row in direct["messages"]
    ] == [("human", "alice", "from me"), ("human", "bob", "from me too")]
    assert (direct["type"], direct["ownerId"], direct["contact"]["username"]) == (
        "direct",
        None,
        "bob",
    )
    (shared,) = await conversations(alice, view="coo")
    assert [row["senderType"] for row in shared["messages"]] == ["agent"]


async def test_the_thread_of_one_agent_and_one_person_stays_the_same_and_each_direction_has_its_own(
    alice: Client, bob: Client
) -> None:
    first, again = await send(alice, "bob", "one"), await send(alice, " BOB ", "two")
    other_way = await send(bob, "alice", "three")
    assert first["conversationId"] == again["conversationId"] != other_way["conversationId"]
    assert first["messageId"] < again["messageId"] < other_way["messageId"]


async def test_a_user_id_is_a_recipient_too(alice: Client, bob: Client) -> None:
    user_id = (await bob.ok("GET", "/identity"))["profile"]["userId"]
    assert (await send(alice, user_id, "by id"))["recipientName"] == "bob"


@pytest.mark.parametrize(
    ("fields", "status", "code", "field"),
    [
        ({"to": "alice", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "ALICE", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "nobody", "message": "x"}, 404, "not_found", "to"),
        ({"to": "nobody_coo", "message": "x"}, 404, "not_found", "to"),
        ({"to": "_coo", "message": "x"}, 404, "not_found", "to"),
        ({"to": "' OR 1=1 --", "message": "x"}, 404, "not_found", "to"),
        ({"to": "bob_coo", "message": "x"}, 403, "forbidden", None),
        ({"to": "group:", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "group:one", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "group:1.5", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "group:٣", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "group:7", "message": "x"}, 404, "not_found", "to"),
        ({"to": "group:-1", "message": "x"}, 404, "not_found", "to"),
        ({"to": "group:" + "9" * 190, "message": "x"}, 404, "not_found", "to"),
        ({"to": "", "message": "x"}, 400, "invalid_request", "to"),
        ({"to": 7, "message": "x"}, 400, "invalid_request", "to"),
        ({"message": "x"}, 400, "invalid_request", "to"),
        ({"to": "x" * 201, "message": "x"}, 400, "invalid_request", "to"),
        ({"to": "bob"}, 400, "invalid_request", "message"),
        ({"to": "bob", "message": ""}, 400, "invalid_request", "message"),
        ({"to": "bob", "message": "x" * 4001}, 400, "invalid_request", "message"),
        ({"to": "bob", "message": "a\0b"}, 400, "invalid_request", "message"),
        ({"to": "bob", "message": ["x"]}, 400, "invalid_request", "message"),
        ({"to": "bob", "message": "x", "intent": "i" * 65}, 400, "invalid_request", "intent"),
        (
            {"to": "bob", "message": "x", "clientMessageId": "c" * 129},
            400,
            "invalid_request",
            "clientMessageId",
        ),
    ],
)
async def test_a_message_that_cannot_be_sent_is_refused_and_nothing_is_kept(
    alice: Client, bob: Client, fields: Any, status: int, code: str, field: str | None
) -> None:
    await alice.refused("POST", "/agent/message", status, code, field=field, json=fields)
    assert await conversations(bob) == await conversations(alice) == []


async def test_the_longest_message_and_the_longest_labels_are_taken(
    alice: Client, bob: Client
) -> None:
    text = "\U0001f600" * 4000
    assert (await send(alice, "bob", text, intent="i" * 64, clientMessageId="c" * 128))[
        "intent"
    ] == "i" * 64
    (thread,) = await conversations(bob)
    assert thread["messages"][0]["content"] == text
    assert thread["messages"][0]["clientMessageId"] is None


async def test_an_inbox_may_be_open_to_contacts_alone(
    served: Served, alice: Client, bob: Client
) -> None:
    await bob.ok("PATCH", "/account/settings", json={"inboxFrom": "contacts"})
    refused = await alice.refused(
        "POST", "/agent/message", 403, "forbidden", json={"to": "bob", "message": "hello?"}
    )
    assert refused["reason"] == "contacts_only"
    assert await conversations(bob) == []
    await served.command("connect_users", username="alice", contact="bob")
    await send(alice, "bob", "hello!")


async def test_markup_in_names_and_messages_stays_text(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.ok(
        "PATCH", "/account/settings", json={"name": "<b>Al</b>", "agentName": "<i>bot</i>"}
    )
    await send(alice, "bob", HOSTILE, intent="<u>hm</u>")
    number = await group(served, alice, bob, name="<script>x</script>")
    await send(alice, f"group:{number}", HOSTILE)
    response = await bob.get("/conversations")
    assert response.headers["content-type"].startswith("application/json")
    assert response.headers["x-content-type-options"] == "nosniff"
    threads = response.json()["conversations"]
    assert {message["content"] for thread in threads for message in thread["messages"]} == {HOSTILE}
    assert {thread["title"] for thread in threads} == {"<b>Al</b>", "<script>x</script>"}
    assert (await bob.ok("GET", "/conversations", params={"q": "<script>alert('x')"}))["summary"][
        "total"
    ] == 2


async def test_whoever_a_message_is_for_is_told_of_it_once_it_is_stored(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    heard: list[Any] = []
    served.parts.events.on(deliver_message.RECEIVED, heard.append)
    one = await send(alice, "bob", "x" * 300)
    assert [
        (event["mode"], event["messageId"], event["sender"]["username"], len(event["preview"]))
        for event in heard
    ] == [("human", one["messageId"], "alice", 200)]
    assert heard[0]["user"] == caller(served, "bob").user
    heard.clear()
    number = await group(served, alice, bob, carol)
    await send(alice, f"group:{number}", "all of you", clientMessageId="1")
    await send(alice, f"group:{number}", "all of you", clientMessageId="1")
    await alice.refused(
        "POST", "/agent/message", 404, "not_found", json={"to": "nobody", "message": "x"}
    )
    assert [(event["mode"], event["user"]) for event in heard] == [
        ("group", caller(served, "bob").user),
        ("group", caller(served, "carol").user),
    ]


async def test_both_sides_find_a_message_in_their_memory_and_nobody_else_does(
    alice: Client, bob: Client, carol: Client
) -> None:
    await send(alice, "bob", "The rhubarb is ripe")
    for person, found in ((alice, 1), (bob, 1), (carol, 0)):
        hits = (await person.ok("POST", "/os/memory/search", json={"query": "rhubarb"}))["results"]
        assert len(hits) == found
        assert all(hit["kind"] == "conversation" for hit in hits)


class TestOnce:
    """Retries: by Idempotency-Key for five minutes, by clientMessageId in a group for good."""

    async def test_the_same_key_and_body_gets_the_first_answer_again(
        self, served: Served, alice: Client, bob: Client
    ) -> None:
        body, headers = {"to": "bob", "message": "once"}, {"Idempotency-Key": "k"}
        first = await alice.post("/agent/message", json=body, headers=headers)
        again = await alice.post("/agent/message", json=body, headers=headers)
        assert first.json() == again.json()
        assert (
            first.headers.get("idempotency-replayed"),
            again.headers["idempotency-replayed"],
        ) == (None, "true")
        (thread,) = await conversations(bob)
        assert thread["messageCount"] == 1

    async def test_another_body_under_one_key_is_a_conflict(
        self, alice: Client, bob: Client
    ) -> None:
        headers = {"Idempotency-Key": "k"}
        await alice.ok(
            "POST", "/agent/message", json={"to": "bob", "message": "one"}, headers=headers
        )
        await alice.refused(
            "POST",
            "/agent/message",
            409,
            "idempotency_conflict",
            json={"to": "bob", "message": "two"},
            headers=headers,
        )
        assert (await conversations(bob))[0]["messageCount"] == 1

    async def test_keys_belong_to_one_user(self, alice: Client, bob: Client, carol: Client) -> None:
        headers = {"Idempotency-Key": "k"}
        for person in (alice, bob):
            response = await person.post(
                "/agent/message", json={"to": "carol", "message": "mine"}, headers=headers
            )
            assert "idempotency-replayed" not in response.headers
        assert len(await conversations(carol)) == 2

    async def test_five_minutes_later_a_key_is_free_again(
        self, alice: Client, bob: Client, clock: Any
    ) -> None:
        headers = {"Idempotency-Key": "k"}
        for number in (1, 2):
            await alice.ok(
                "POST", "/agent/message", json={"to": "bob", "message": "x"}, headers=headers
            )
            assert (await conversations(bob))[0]["messageCount"] == number
            clock.forward(minutes=5)

    async def test_a_refusal_is_remembered_too(self, served: Served, alice: Client) -> None:
        body, headers = {"to": "dave", "message": "x"}, {"Idempotency-Key": "k"}
        await alice.refused("POST", "/agent/message", 404, "not_found", json=body, headers=headers)
        await served.command("add_user", username="dave")
        again = await alice.post("/agent/message", json=body, headers=headers)
        assert (again.status_code, again.headers["idempotency-replayed"]) == (404, "true")
        await send(alice, "dave", "x")

    @pytest.mark.parametrize("key", ["", "k" * 256, "schlüssel"])
    async def test_a_key_that_is_none_is_refused(
        self, alice: Client, bob: Client, key: str
    ) -> None:
        headers = {
            b"Idempotency-Key": key.encode("latin-1"),
            b"Authorization": alice.headers["authorization"].encode(),
        }
        await alice.refused(
            "POST",
            "/agent/message",
            400,
            "invalid_request",
            json={"to": "bob", "message": "x"},
            headers=headers,
        )

    @pytest.mark.parametrize("to", ["bob", "alice_coo"])
    async def test_of_many_identical_requests_at_once_one_has_an_effect(
        self, alice: Client, bob: Client, to: str
    ) -> None:
        headers = {"Idempotency-Key": "race"}
        answers = await asyncio.gather(
            *(
                alice.post("/agent/message", json={"to": to, "message": "x"}, headers=headers)
                for _ in range(8)
            )
        )
        assert {answer.status_code for answer in answers} <= {200, 409}
        done = [answer.json() for answer in answers if answer.status_code == 200]
        assert done
        assert all(body == done[0] for body in done)
        assert {answer.json()["error"] for answer in answers if answer.status_code == 409} <= {
            "idempotency_in_progress"
        }
        (thread,) = await conversations(alice)
        assert sum(message["role"] == "user" for message in thread["messages"]) == 1

    async def test_a_client_message_id_comes_into_a_group_once_for_good(
        self, served: Served, alice: Client, bob: Client, clock: Any
    ) -> None:
        number = await group(served, alice, bob)
        first = await send(alice, f"group:{number}", "hello", clientMessageId="c-1")
        assert (
            first["mode"],
            first["groupName"],
            first["delivered"],
            first["duplicate"],
            first["response"],
        ) == ("group", "Team", True, False, None)
        clock.forward(days=400)
        again = await send(alice, f"group:{number}", "hello", clientMessageId="c-1")
        assert (again["duplicate"], again["messageId"], again["conversationId"]) == (
            True,
            first["messageId"],
            number,
        )
        other = await send(bob, f"group:{number}", "mine", clientMessageId="c-1")
        assert not other["duplicate"]
        await alice.refused(
            "POST",
            "/agent/message",
            409,
            "client_message_id_conflict",
            json={"to": f"group:{number}", "message": "other", "clientMessageId": "c-1"},
        )
        (thread,) = await conversations(bob, view="group")
        assert [
            (message["content"], message["clientMessageId"]) for message in thread["messages"]
        ] == [("hello", "c-1"), ("mine", "c-1")]

    async def test_a_client_message_id_is_of_one_group(
        self, served: Served, alice: Client, bob: Client
    ) -> None:
        one, two = await group(served, alice, bob), await group(served, alice, bob)
        for number in (one, two):
            assert not (await send(alice, f"group:{number}", "hello", clientMessageId="c-1"))[
                "duplicate"
            ]

    async def test_fifty_senders_at_once_with_retries_are_each_heard_exactly_once_and_in_order(
        self, served: Served, alice: Client
    ) -> None:
        """10,000 messages by 50 senders into inboxes and a group, a third of them sent twice,
        either one after the other or both at once.
        """
        senders, each = 50, 200
        people = [
            caller(
                served,
                (await served.command("add_user", username=f"p{number:02}")).user.username,
                kind="key",
            )
            for number in range(senders)
        ]
        for person in people[1:]:
            await served.command("connect_users", username="p00", contact=person.username)
        made = await served.parts.call(
            people[0],
            "create_group",
            {"name": "All", "members": [person.username for person in people[1:4]]},
        )
        number = made.group.conversation_id
        await asyncio.gather(
            *(
                sending(served, person, number, each, in_group=place < 4)
                for place, person in enumerate(people)
            )
        )
        for place, person in enumerate(people):
            type_ = "group" if place < 4 else "shared_agent"
            heard = served.parts.quick(
                lambda tx, user=person.user, type_=type_: [
                    row[0]
                    for row in tx.all(
                        """SELECT content FROM messages m
                           JOIN conversations c ON c.id = m.conversation_id
                           WHERE sender_id = :user AND c.type = :type ORDER BY m.id""",
                        user=user,
                        type=type_,
                    )
                ]
            )
            assert heard == [f"{person.username} says {turn}" for turn in range(each)]


async def sending(
    served: Served, person: Caller, group: int, number: int, *, in_group: bool
) -> None:
    """Send so many messages, one after the other as one does, a third of them again."""
    chance = random.Random(person.username)
    for turn in range(number):
        text = {"message": f"{person.username} says {turn}"}
        fields, key = (
            ({**text, "to": f"group:{group}", "clientMessageId": str(turn)}, None)
            if in_group
            else ({**text, "to": "alice"}, f"k{turn}")
        )
        times = chance.choice([1, 1, 2])
        tries = [served.parts.call(person, "send_message", fields, once=key) for _ in range(times)]
        if chance.random() < 0.5:
            await asyncio.gather(*tries)
        else:
            for one in tries:
                await one


async def test_an_agent_may_write_to_people_where_its_user_says_yes(
    served: Served, alice: Client, bob: Client
) -> None:
    body = await alice.ok(
        "POST",
        "/tools",
        json={
            "tool": "send_message_to_human",
            "params": {"to": "bob", "message": "From the agent"},
        },
    )
    assert body["result"]["recipientName"] == "bob"
    user_id = (await bob.ok("GET", "/identity"))["profile"]["userId"]
    await alice.ok(
        "POST",
        "/tools",
        json={
            "tool": "send_message_to_human",
            "params": {"recipient_id": user_id, "message": "Again"},
        },
    )
    (thread,) = await conversations(bob)
    assert [(row["senderType"], row["content"]) for row in thread["messages"]] == [
        ("agent", "From the agent"),
        ("agent", "Again"),
    ]
    for params in (
        {"message": "x", "to": "bob", "recipient_id": user_id},
        {"message": "x", "to": "alice"},
    ):
        await alice.refused(
            "POST",
            "/tools",
            422,
            "unprocessable",
            json={"tool": "send_message_to_human", "params": params},
        )


async def test_what_an_agent_sends_is_never_taken_for_a_person(
    served: Served, alice: Client, bob: Client
) -> None:
    session = caller(served, "alice", kind="session")
    await served.parts.call(
        session,
        "call_tool",
        {"tool": "send_message_to_human", "params": {"to": "bob", "message": "tool"}},
    )
    await settled(served)
    (thread,) = await conversations(bob)
    assert (thread["type"], thread["messages"][0]["senderType"]) == ("shared_agent", "agent")


@pytest.mark.parametrize("blank", ["   ", "\n\n", "\t \u00a0"])
async def test_a_message_of_blanks_is_refused_wherever_one_is_sent(
    alice: Client, bob: Client, blank: str
) -> None:
    for path, fields in (
        ("/agent/message", {"to": "bob"}),
        ("/agent/message", {"to": "alice_coo"}),
        ("/chat", {"stream": False}),
    ):
        refused = await alice.refused(
            "POST", path, 400, "invalid_request", field="message", json={"message": blank, **fields}
        )
        assert "blanks" in refused["message"]


async def test_a_message_to_nobody_lies_unread_in_the_owners_conversation_with_their_agent(
    alice: Client,
) -> None:
    calls = [
        {"tool": "send_message_to_human", "params": {"message": f"The kettle boils: {number}"}}
        for number in range(2)
    ]
    sent = [(await alice.ok("POST", "/tools", json=call))["result"] for call in calls]
    assert [(one["recipientName"], one["delivered"], one["mode"]) for one in sent] == [
        ("alice", True, "human")
    ] * 2
    (thread,) = (await alice.ok("GET", "/conversations?view=me"))["conversations"]
    assert (thread["type"], thread["contact"], thread["unreadCount"]) == ("direct", None, 2)
    assert [
        (row["id"], row["role"], row["senderType"], row["content"]) for row in thread["messages"]
    ] == [
        (one["messageId"], "assistant", "agent", f"The kettle boils: {number}")
        for number, one in enumerate(sent)
    ]
    assert {one["conversationId"] for one in sent} == {thread["conversationId"]}


async def test_an_agent_may_always_write_to_its_owner_and_to_others_only_with_a_yes(
    served: Served, alice: Client, bob: Client
) -> None:
    me, chat = caller(served, "alice", kind="session"), Origin("chat", conversation_id=1)
    told = await tool_gate.use_tool(
        served.parts,
        me,
        "send_message_to_human",
        {"message": "Bob has written."},
        origin=chat,
        taint=frozenset({"agent"}),
    )
    assert isinstance(told, tool_gate.Done)
    waits = await tool_gate.use_tool(
        served.parts, me, "send_message_to_human", {"message": "Hello.", "to": "bob"}, origin=chat
    )
    assert isinstance(waits, tool_gate.Waiting)
