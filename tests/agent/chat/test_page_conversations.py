"""Pages of conversations: messages around one, what is found in them, and what is asked again."""

from typing import Any

import pytest

from tests.conftest import Client, Served
from tests.network.test_guests import speaking
from tests.network.test_messages import group, send
from tests.network.test_rpc import brain
from tests.support.agents import caller, scripted

pytestmark = pytest.mark.anyio


async def say(alice: Client, message: str, **more: Any) -> Any:
    return await alice.ok("POST", "/chat", json={"message": message, "stream": False, **more})


async def page(served: Served, number: int, **asked: int) -> Any:
    return await served.parts.call(caller(served, "alice"), "read_talk", {"id": number, **asked})


@pytest.mark.parametrize(
    ("asked", "shown", "earlier", "later"),
    [
        ({}, (8, 12), True, False),
        ({"at": 12}, (8, 12), True, False),
        ({"at": 10}, (8, 12), True, False),
        ({"at": 9}, (7, 11), True, True),
        ({"at": 6}, (4, 8), True, True),
        ({"at": 2}, (1, 4), False, True),
        ({"at": 999_999}, (8, 12), True, False),
        ({"before": 5}, (1, 4), False, True),
        ({"before": 13}, (8, 12), True, False),
    ],
)
async def test_a_page_shows_the_messages_around_one(
    served: Served,
    alice: Client,
    asked: dict[str, int],
    shown: tuple[int, int],
    earlier: bool,
    later: bool,
) -> None:
    first = await say(alice, "one")
    number = first["conversationId"]
    for _ in range(5):
        await say(alice, "more", conversationId=number)
    by = first["messageId"] - 2  # ids count over the whole service
    moved = {name: value + by for name, value in asked.items()}
    found = await page(served, number, limit=5, **moved)
    ids = [each.id - by for each in found.messages]
    assert (ids[0], ids[-1], found.has_more, found.has_later) == (*shown, earlier, later)


async def test_only_the_last_turn_is_asked_again_and_only_if_it_just_read(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain(monkeypatch, scripted([("search_notes", {"query": "beans"})], "In June."))
    read = await say(alice, "when do I plant beans?")
    number = read["conversationId"]
    found = await page(served, number)
    assert found.again == found.messages[0].id
    assert (await page(served, number, before=found.messages[1].id)).again is None
    brain(monkeypatch, scripted([("create_todo", {"title": "Beans"})], "Added."))
    number = (await say(alice, "remember the beans"))["conversationId"]
    assert (await page(served, number)).again is None
    brain(monkeypatch, speaking("You are welcome."))
    await say(alice, "thanks", conversationId=number)
    found = await page(served, number)
    assert found.again == found.messages[-2].id
    file = await alice.ok(
        "POST", "/os/attachments", status=201, params={"name": "a.txt"}, content=b"words"
    )
    await say(alice, "and this?", conversationId=number, attachmentIds=[file["attachment"]["id"]])
    assert (await page(served, number)).again is None


async def test_what_is_found_is_of_ones_own_agent_newest_first_with_the_words_marked(
    served: Served, alice: Client, bob: Client
) -> None:
    old = await say(alice, "Where does the Rhubarb grow?" + " and so on" * 40)
    new = await say(alice, "rhubarbs, again, in **Grow** bags")
    await send(bob, "alice", "rhubarb grows by agent")
    made = await group(served, alice, bob)
    await send(bob, f"group:{made}", "rhubarb grows for all")
    await say(bob, "rhubarb grows for bob")

    async def find(**asked: Any) -> Any:
        me = caller(served, "alice")
        return await served.parts.call(
            me, "search_own_conversations", {"q": "grow RHUBARB", **asked}
        )

    found = await find()
    mine = [each for each in found.passages if each.message.role == "user"]
    assert [each.message.conversation_id for each in mine] == [
        new["conversationId"],
        old["conversationId"],
    ]
    assert [[each.snippet[start:end] for start, end in each.marks] for each in mine] == [
        ["rhubarbs", "Grow"],
        ["Rhubarb", "grow"],
    ]
    assert mine[0].title == "rhubarbs, again, in **Grow** bags"
    assert len(mine[1].snippet) < 300
    assert found.total == len(found.passages)
    second = await find(limit=1, offset=1)
    assert (second.passages[0].message.id, second.total) == (
        found.passages[1].message.id,
        found.total,
    )
    assert (await find(q="?!")).total == 0
