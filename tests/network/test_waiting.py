"""Messages to an agent that cannot answer when they come.

They are kept, answered later and once, and the sender is told.
"""

from pathlib import Path
from typing import Any

import pytest

from app.network.messages import deliver_message, waiting_rows
from tests.conftest import Client, MovableClock, Served
from tests.network.test_messages import conversations, send
from tests.network.test_rpc import AGENT, grant
from tests.support.agents import caller, restarted, value

pytestmark = pytest.mark.anyio
NOTES = {**AGENT, "notesAccess": {"scope": "all"}}


async def spent(owner: Client) -> int:
    """A cap of a day under which nothing fits."""
    cap = {"subject": "account", "metric": "tokens", "period": "day", "limit": 1}
    return int((await owner.ok("POST", "/metering/caps", status=201, json=cap))["cap"]["id"])


async def contents(client: Client) -> list[tuple[str, str]]:
    (thread,) = await conversations(client)
    return [(message["role"], message["content"]) for message in thread["messages"]]


async def test_a_message_waits_for_the_budget_and_is_answered_once(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    await grant(served, alice, bob, NOTES)
    cap = await spent(alice)
    body = await send(bob, "alice_coo", "leeks", intent="ask")
    assert (body["response"], body["toolsUsed"], body["intent"]) == ("", [], "ask")
    assert (body["availability"], body["nextActiveAt"]) == (
        "budget_spent",
        "2026-11-22T00:00:00.000Z",
    )
    await served.command("answer_waiting_messages")
    assert await contents(bob) == [("user", "leeks")]
    clock.forward(days=1)
    await served.command("answer_waiting_messages")
    assert await contents(bob) == [("user", "leeks")]
    await alice.ok("DELETE", f"/metering/caps/{cap}")
    heard: list[Any] = []
    served.parts.events.on(deliver_message.RECEIVED, heard.append)
    clock.forward(days=1)
    for _ in range(3):
        await served.command("answer_waiting_messages")
    (asked, answered) = await contents(bob)
    assert asked == ("user", "leeks")
    assert "Leek soup" in answered[1]
    (thread,) = await conversations(bob)
    assert (thread["conversationId"], thread["unreadCount"]) == (body["conversationId"], 1)
    assert [
        (event["user"], event["messageId"], event["sender"]["username"]) for event in heard
    ] == [(caller(served, "bob").user, thread["messages"][1]["id"], "alice")]
    assert "availability" not in await send(bob, "alice_coo", "leeks")


async def test_a_message_waits_while_agents_are_stopped(
    served: Served, alice: Client, bob: Client
) -> None:
    await grant(served, alice, bob, NOTES)
    await served.command("stop_agents")
    body = await send(bob, "alice_coo", "hello")
    assert (body["availability"], body["nextActiveAt"], body["response"]) == ("paused", None, "")
    await served.command("answer_waiting_messages")
    assert len(await contents(bob)) == 1
    await served.command("start_agents")
    await served.command("answer_waiting_messages")
    assert [role for role, _ in await contents(bob)] == ["user", "assistant"]


async def test_what_waits_is_not_answered_when_the_grant_is_gone(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    await grant(served, alice, bob, NOTES)
    await served.command("stop_agents")
    await send(bob, "alice_coo", "leeks")
    await alice.ok("PUT", "/network/contacts/bob/permissions", json={"permissions": {}})
    await served.command("start_agents")
    await served.command("answer_waiting_messages")
    assert "Leek soup" not in str(await contents(bob))
    assert (
        value(served, "SELECT count(*) FROM turns")
        == value(served, "SELECT count(*) FROM waiting_messages")
        == 0
    )


async def test_nothing_waits_for_an_agent_that_may_not_be_asked_or_is_ones_own(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("stop_agents")
    await bob.refused(
        "POST", "/agent/message", 403, "forbidden", json={"to": "alice_coo", "message": "x"}
    )
    await bob.refused(
        "POST", "/agent/message", 404, "not_found", json={"to": "nobody_coo", "message": "x"}
    )
    await bob.refused(
        "POST", "/agent/message", 503, "unavailable", json={"to": "bob_coo", "message": "x"}
    )
    assert value(served, "SELECT count(*) FROM messages") == 0


async def test_what_a_cap_is_stays_its_owners_secret(
    served: Served, alice: Client, bob: Client
) -> None:
    await grant(served, alice, bob, NOTES)
    await spent(alice)
    refused = None
    for number in range(waiting_rows.MOST + 1):
        response = await bob.post(
            "/agent/message", json={"to": "alice_coo", "message": f"number {number}"}
        )
        refused = response.json()
        assert "cap" not in refused
    assert refused is not None
    assert refused["error"] == "unavailable"
    assert (
        value(served, "SELECT count(*) FROM waiting_messages")
        == value(served, "SELECT count(*) FROM messages")
        == waiting_rows.MOST
    )


@pytest.mark.parametrize(("status", "answers"), [("running", 1), ("completed", 0)])
async def test_a_message_whose_turn_was_cut_off_is_answered_after_the_restart_and_no_other_again(
    served: Served, alice: Client, bob: Client, tmp_path: Path, status: str, answers: int
) -> None:
    await grant(served, alice, bob, NOTES)
    await served.command("stop_agents")
    await send(bob, "alice_coo", "hello")
    await served.command("start_agents")
    await served.parts.write(lambda tx: waiting_rows.claim(tx, 1, _turn(tx, status)))
    place = tmp_path / "again"
    place.mkdir()
    async with restarted(served, place) as again:
        await again.command("answer_waiting_messages")
        await again.command("answer_waiting_messages")
        assert value(again, "SELECT count(*) FROM messages WHERE role = 'assistant'") == answers
        assert value(again, "SELECT count(*) FROM waiting_messages") == 0


def _turn(tx: Any, status: str) -> int:
    made = tx.run(
        """INSERT INTO turns (conversation_id, user_id, message_id, model, status, started_at)
           SELECT conversation_id, 1, id, 'offline', :status, :now FROM messages WHERE id = 1""",
        status=status,
        now=tx.now,
    )
    return int(made.lastrowid)
