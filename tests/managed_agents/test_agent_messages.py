"""Messages to managed agents and from them: who may, what both sides see, and what stops them."""

import asyncio
import json
import re
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from app.errors import Forbidden
from app.managed_agents import agent_messages
from app.managed_agents.agent_callers import turn_caller
from app.network.messages import deliver_message
from app.tools.approvals import policy
from tests.conftest import Client, MovableClock, Served
from tests.managed_agents.conftest import READS, agent, agent_key, change, send
from tests.managed_agents.test_agent_turns import brain
from tests.support.agents import scripted, settled, value

pytestmark = pytest.mark.anyio


async def conversations(client: Client) -> list[Any]:
    found: list[Any] = (await client.ok("GET", "/conversations"))["conversations"]
    return found


async def test_an_agent_answers_by_its_handle_in_the_shape_of_every_agent(
    served: Served, alice: Client
) -> None:
    await alice.note("Leeks", "Simmer the leeks for twenty minutes.")
    made = await agent(alice, namespaces=["notes"], permissions=READS)
    for to in ("scout", "SCOUT", " scout_coo ", made["userId"]):
        body = await send(alice, to, "simmer leeks", intent="ask")
        assert (body["mode"], body["agentName"], body["ownerName"], body["intent"]) == (
            "agent",
            "Scout",
            "alice",
            "ask",
        )
        assert "twenty minutes" in body["response"]
        assert body["toolsUsed"] == ["search_notes"]
        assert body["elapsedMs"] >= 0
    (thread,) = await conversations(alice)
    assert (thread["title"], thread["type"], thread["unreadCount"]) == ("Scout", "direct", 0)
    assert {one["senderId"] for one in thread["messages"] if one["role"] == "assistant"} == {
        made["userId"]
    }
    replayed = {"Idempotency-Key": "once"}
    body = {"to": "scout", "message": "hello"}
    first = await alice.post("/agent/message", json=body, headers=replayed)
    again = await alice.post("/agent/message", json=body, headers=replayed)
    assert (first.json(), again.headers["idempotency-replayed"]) == (again.json(), "true")
    month = await alice.ok("GET", "/metering/usage")
    assert [one["feature"] for one in month["byFeature"]] == ["managed_agent"]


async def test_visibility_says_who_may_ask(served: Served, alice: Client, bob: Client) -> None:
    made = await agent(alice)
    heard: list[Any] = []
    served.parts.events.on(deliver_message.RECEIVED, heard.append)
    body = {"to": "scout", "message": "hello"}

    async def refused() -> None:
        for to in ("scout", "scout_coo"):
            answer = await bob.refused(
                "POST", "/agent/message", 403, "forbidden", json={**body, "to": to}
            )
            assert answer["reason"] == "agent_access_not_granted"

    await refused()
    await change(alice, made, status="paused")
    await refused()
    await change(alice, made, status="active", visibility="contacts")
    await refused()
    assert (await conversations(bob), heard) == ([], [])
    await served.command("connect_users", username="alice", contact="bob")
    assert (await send(bob, "scout", "hello"))["agentName"] == "Scout"
    await alice.ok("DELETE", "/network/contacts/bob")
    await refused()
    await change(alice, made, visibility="anyone")
    await send(bob, "scout", "hello again")
    assert [one["sender"]["username"] for one in heard] == ["bob", "bob"]
    (mine,), (hers,) = await conversations(bob), await conversations(alice)
    assert mine["conversationId"] == hers["conversationId"]
    assert (mine["type"], mine["unreadCount"]) == ("shared_agent", 0)
    assert hers["unreadCount"] == 4
    await served.command("add_user", username="dave")
    month = await alice.ok("GET", "/metering/usage")
    assert month["tokens"]["total"] > 0
    assert (await bob.ok("GET", "/metering/usage"))["tokens"]["total"] == 0


async def test_another_hears_of_the_owner_by_name_and_not_what_is_left_of_the_budget(
    alice: Client, bob: Client
) -> None:
    made = await agent(alice, visibility="anyone", budget={"monthlyTokens": 0})
    body = {"to": "scout", "message": "hello"}
    refused = await bob.refused("POST", "/agent/message", 429, "budget_exceeded", json=body)
    assert refused["cap"] is None
    assert "0" not in refused["message"]
    assert await conversations(bob) == []
    mine = await alice.refused("POST", "/agent/message", 429, "budget_exceeded", json=body)
    assert mine["cap"]
    await change(alice, made, budget={"monthlyTokens": None})
    await send(bob, "scout", "hello")


async def test_writes_that_others_ask_for_wait_for_the_owner(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain(monkeypatch, scripted([("create_note", {"title": "Spam", "content": "x"})]))
    made = await agent(
        alice,
        namespaces=["notes"],
        permissions={"notesAccess": {"scope": "all", "access": "write"}},
        visibility="anyone",
    )
    await send(bob, "scout", "write a note")
    assert value(served, "SELECT count(*) FROM notes WHERE title = 'Spam'") == 0
    (waits,) = (await alice.ok("GET", "/escalations"))["escalations"]
    assert waits["origin"]["agentId"] == made["id"]
    await send(alice, "scout", "write a note")
    assert value(served, "SELECT count(*) FROM notes WHERE title = 'Spam'") == 1


async def test_what_an_agent_sends_is_its_own(served: Served, alice: Client, bob: Client) -> None:
    made = await agent(alice)
    heard: list[Any] = []
    served.parts.events.on(deliver_message.RECEIVED, heard.append)
    async with await agent_key(served, alice, made) as program:
        sent = await send(program, "bob", "Your parcel is here.")
        assert (sent["mode"], sent["recipientName"], sent["delivered"]) == ("human", "bob", True)
        home = await send(program, "alice", "Done.")
        for to, status, code in (
            ("nobody", 404, "not_found"),
            ("nobody_coo", 404, "not_found"),
            ("bob_coo", 403, "forbidden"),
            ("alice_coo", 403, "forbidden"),
            ("scout", 400, "invalid_request"),
            ("group:1", 404, "not_found"),
        ):
            body = {"to": to, "message": "hi"}
            await program.refused("POST", "/agent/message", status, code, json=body)
    assert [one["sender"] for one in heard] == [
        {"userId": made["userId"], "username": "scout", "senderType": "agent"}
    ] * 2
    (thread,) = await conversations(bob)
    (message,) = thread["messages"]
    assert (message["senderType"], message["senderId"], message["senderLabel"]) == (
        "agent",
        made["userId"],
        "Scout",
    )
    assert thread["unreadCount"] == 1
    reads = await alice.ok("GET", f"/conversations/{home['conversationId']}")
    assert reads["conversation"]["unreadCount"] == 1
    assert reads["messages"][0]["senderId"] == made["userId"]
    usage = (await alice.ok("GET", f"/managed-agents/{made['id']}"))["agent"]["usage"]
    assert usage["messagesThisMonth"] == 2
    # what it wrote is known to it when the person writes back
    await change(alice, made, visibility="anyone")
    back = await send(bob, "scout", "thank you")
    assert back["conversationId"] == sent["conversationId"]
    await bob.ok("PATCH", "/account/settings", json={"inboxFrom": "contacts"})
    async with await agent_key(served, alice, made) as program:
        body = {"to": "bob", "message": "hi"}
        refused = await program.refused("POST", "/agent/message", 403, "forbidden", json=body)
        assert refused["reason"] == "contacts_only"


async def test_a_turn_speaks_to_its_owner_freely_and_to_others_when_they_agree(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await agent(alice, namespaces=["messaging"])
    brain(
        monkeypatch,
        scripted(
            [("send_message_to_human", {"message": "For you."})],
            [("send_message_to_human", {"message": "For Bob.", "to": "bob"})],
        ),
    )
    await alice.ok(
        "POST", f"/managed-agents/{made['id']}/chat", json={"message": "go", "stream": False}
    )
    thread = next(one for one in await conversations(alice) if one["title"] == "Scout")
    assert [one["content"] for one in thread["messages"]] == ["For you."]
    assert await conversations(bob) == []
    (waits,) = (await alice.ok("GET", "/escalations"))["escalations"]
    await served.command("settle_escalation", username="alice", id=waits["id"], decision="continue")
    ((message,),) = [one["messages"] for one in await conversations(bob)]
    assert (message["senderId"], message["content"]) == (made["userId"], "For Bob.")


async def test_agents_that_ask_each_other_in_a_circle_are_stopped(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await agent(alice, "one", namespaces=["messaging"], visibility="anyone")
    two = await agent(bob, "two", namespaces=["messaging"], visibility="anyone")
    # the policy lets nobody through here, so that the guard behind it is seen
    monkeypatch.setattr(policy, "decide", lambda _: policy.Decision("allow", "for this test"))
    turns = {"one": "two", "two": "one"}

    async def relay(messages: list[ModelMessage], info: AgentInfo) -> Any:
        name = re.search(r"Your name is (\w+)", info.instructions or "")
        assert name is not None
        to = turns[name[1].lower()]
        if len(messages) == 1:
            yield {0: DeltaToolCall("contact_agent", json.dumps({"to": to, "message": "hi"}))}
        else:
            yield "done"

    brain(monkeypatch, FunctionModel(stream_function=relay))
    path = f"/managed-agents/{one['id']}/chat"
    whole = alice.ok("POST", path, json={"message": "go", "stream": False})
    await asyncio.wait_for(whole, 10)
    await settled(served)
    assert value(served, "SELECT count(*) FROM turns") == 2
    rows = served.parts.quick(lambda tx: tx.all("SELECT outcome FROM turn_calls ORDER BY id"))
    assert sorted(row[0][:20] for row in rows) == ["Agents must not ask ", "done"]
    three = await agent(alice, "three", namespaces=["messaging"], visibility="anyone")
    line = served.parts.quick(
        lambda tx: turn_caller(tx, three["id"], before=(one["id"], two["id"]))
    )
    await agent(bob, "four", visibility="anyone")
    for to in ("one", "two", "four"):
        with pytest.raises(Forbidden, match="in a circle"):
            await served.parts.call(line, "contact_agent", {"to": to, "message": "hi"})


async def test_an_owner_is_asked_before_an_agent_asks_on(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await agent(alice, "one", namespaces=["messaging"], visibility="anyone")
    brain(monkeypatch, scripted([("contact_agent", {"to": "bob", "message": "hi"})]))
    await send(bob, "one", "Ask everybody.")
    (waits,) = (await alice.ok("GET", "/escalations"))["escalations"]
    assert (waits["toolName"], waits["origin"]["kind"]) == ("contact_agent", "managed_agent")


async def test_programs_that_answer_each_other_come_to_an_end(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    one, two = await agent(alice, "one"), await agent(bob, "two", visibility="anyone")
    await change(alice, one, visibility="anyone")
    async with (
        await agent_key(served, alice, one) as first,
        await agent_key(served, bob, two) as second,
    ):
        for _ in range(agent_messages.MOST_AN_HOUR):
            await send(first, "two", "ping")
            await send(second, "one", "pong")
        for program, to in ((first, "two"), (second, "one")):
            body = {"to": to, "message": "ping"}
            answer = await program.request("POST", "/agent/message", json=body)
            assert (answer.status_code, answer.json()["error"]) == (429, "rate_limited")
            assert answer.headers["retry-after"]
        clock.forward(minutes=61)
        await send(first, "two", "ping")
    kinds = {(one["type"], one["contact"]["username"]) for one in await conversations(alice)}
    assert kinds == {("shared_agent", "bob")}
    assert len(await conversations(alice)) == 2


async def test_an_agent_speaks_with_others_of_its_owner_in_a_thread_of_their_own(
    served: Served, alice: Client
) -> None:
    one, two = await agent(alice, "one"), await agent(alice, "two")
    async with await agent_key(served, alice, one) as program:
        # a private one may reach further than the one that asks
        body = {"to": "two", "message": "hello"}
        refused = await program.refused("POST", "/agent/message", 403, "forbidden", json=body)
        assert refused["reason"] == "agent_access_not_granted"
        await change(alice, two, visibility="contacts")
        asked = await send(program, "two", "hello")
    mine = await send(alice, "two", "hello")
    assert asked["conversationId"] != mine["conversationId"]
    thread = await alice.ok("GET", f"/conversations/{asked['conversationId']}")
    assert [message["senderId"] for message in thread["messages"]] == [one["userId"], two["userId"]]


async def test_the_one_who_asked_remembers_it(served: Served, alice: Client, bob: Client) -> None:
    await agent(alice, visibility="anyone")
    await send(bob, "scout", "Is the greenhouse heated?")
    found = await bob.ok("POST", "/os/memory/search", json={"query": "greenhouse"})
    assert "greenhouse" in str(found)


async def test_many_at_once_make_one_thread(served: Served, alice: Client, bob: Client) -> None:
    await agent(alice, visibility="anyone")
    answers = await asyncio.gather(*(send(bob, "scout", f"hello {n}") for n in range(10)))
    assert len({one["conversationId"] for one in answers}) == 1
    assert value(served, "SELECT count(*) FROM messages WHERE role = 'assistant'") == 10


async def test_a_contact_learns_of_no_agents_that_were_not_opened(
    alice: Client, bob: Client
) -> None:
    await agent(alice)
    assert (await bob.ok("GET", "/managed-agents"))["total"] == 0
    body = {"to": "nobody-here", "message": "hi"}
    await bob.refused("POST", "/agent/message", 404, "not_found", json=body)
