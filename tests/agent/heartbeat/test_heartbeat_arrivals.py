"""What comes from others wakes the heartbeat, is told by it, and what it did long ago is
forgotten.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.settings import Settings
from tests.agent.heartbeat.test_heartbeat import checklist, run, todo, told
from tests.agent.heartbeat.test_heartbeat_clock import runs, scheduled, tick
from tests.conftest import UNSYNCED, Client, MovableClock, Served
from tests.network.test_messages import send
from tests.network.test_rpc import AGENT, grant
from tests.support.agents import value
from tests.tools.test_integrations import calendar, connect

pytestmark = pytest.mark.anyio
INBOX = "messages that wait for an answer"


async def next_run(client: Client) -> str:
    return str((await client.ok("GET", "/heartbeat/schedule"))["schedule"]["nextRunAt"])


async def triggers(client: Client) -> list[str]:
    found = [
        (await client.ok("GET", f"/heartbeat/runs/{row['id']}"))["receipt"]["trigger"]
        for row in await runs(client)
    ]
    return found[::-1]


async def test_a_message_wakes_its_recipient_once_for_many(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    await scheduled(alice, everyMinutes=600)
    await scheduled(bob, everyMinutes=600)
    await checklist(alice, INBOX)
    before = await next_run(bob)
    for number in range(5):
        await send(bob, "alice", f"message {number}")
    assert [await tick(served), await tick(served)] == [1, 0]
    assert await triggers(alice) == ["message"]
    assert await told(alice) == [
        "bob's agent has waited for an answer since today at 09:30: “message 4”"
    ]
    assert (await next_run(bob), await runs(bob)) == (before, [])
    await send(bob, "alice", "one more")
    assert await tick(served) == 0
    clock.forward(minutes=5)
    assert await tick(served) == 1
    assert await triggers(alice) == ["message", "message"]


async def test_a_request_wakes_and_is_told_until_it_is_answered(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    await scheduled(alice, everyMinutes=600)
    await checklist(alice, INBOX)
    request = (
        await bob.ok(
            "POST",
            "/network/request",
            json={"to": "alice_coo", "note": "We met\nin Rome “by chance”."},
        )
    )["requestId"]
    assert await tick(served) == 1
    assert await told(alice) == [
        "bob has asked for access to your agent since today at 09:30: “We met in Rome 'by chance'.”"
    ]
    (done,) = await runs(alice)
    found = await alice.ok("GET", f"/heartbeat/runs/{done['id']}")
    assert [(action["type"], action["target"]) for action in found["actions"]] == [
        ("reminder", {"kind": "request", "id": request})
    ]
    await alice.ok(
        "POST", "/network/accept", json={"requestId": request, "type": "agent", "action": "reject"}
    )
    clock.forward(days=2)
    assert (await run(alice))["actions"] == []


async def test_a_group_wakes_all_but_whoever_wrote(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    group = (
        await alice.ok(
            "POST", "/network/groups", status=201, json={"name": "Choir", "members": ["bob"]}
        )
    )["group"]["conversationId"]
    for one in (alice, bob):
        await scheduled(one, everyMinutes=600)
    await send(alice, f"group:{group}", "hello")
    assert await tick(served) == 1
    assert (len(await runs(alice)), len(await runs(bob))) == (0, 1)


async def test_what_ones_own_agent_writes_wakes_nobody_who_owns_it(
    served: Served, alice: Client, bob: Client
) -> None:
    await grant(served, alice, bob, {**AGENT, "notesAccess": {"scope": "all"}})
    await scheduled(alice, everyMinutes=600)
    await checklist(alice, INBOX)
    await todo(alice, "Late", dueDate="2026-11-20")
    await send(alice, "alice_coo", "hello me")
    await alice.ok(
        "POST",
        "/tools",
        json={
            "tool": "send_message_to_human",
            "params": {"to": "bob", "message": "From the agent"},
        },
    )
    await run(alice)
    await send(bob, "alice_coo", "what is there?")
    assert await tick(served) == 0
    done = await run(alice)
    assert [action["title"] for action in done["actions"]] == []
    assert await told(alice) == []


async def test_a_heartbeat_that_is_off_or_failing_is_not_woken(
    served: Served, alice: Client, bob: Client
) -> None:
    await send(bob, "alice", "hello")
    assert value(served, "SELECT count(*) FROM heartbeats") == 0
    await scheduled(alice, everyMinutes=600)
    before = await next_run(alice)
    await served.parts.write(lambda tx: tx.run("UPDATE heartbeats SET failures = 2"))
    await send(bob, "alice", "hello again")
    assert (await next_run(alice), await tick(served)) == (before, 0)


async def test_a_wake_stays_inside_the_hours(served: Served, alice: Client, bob: Client) -> None:
    await scheduled(
        alice, everyMinutes=600, activeHours={"start": "20:00", "end": "22:00"}, timezone="UTC"
    )
    await send(bob, "alice", "hello")
    assert (await next_run(alice))[:16] == "2026-11-21T20:00"
    assert await tick(served) == 0


async def test_patience_holds_for_requests_too(
    alice: Client, bob: Client, clock: MovableClock
) -> None:
    await checklist(alice, "unanswered requests older than 3 hours")
    await bob.ok("POST", "/network/request", json={"to": "alice"})
    assert (await run(alice))["actions"] == []
    clock.forward(hours=3)
    assert [action["title"] for action in (await run(alice))["actions"]] == [
        "bob has asked to become a contact since today at 09:30."
    ]


async def test_events_of_connected_calendars_are_told_before_they_begin(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    events = (
        "UID:1|SUMMARY:Dentist|LOCATION:Main Street "
        "5|DTSTART:20261121T103000Z|DTEND:20261121T110000Z",
        "UID:2|SUMMARY:Over|DTSTART:20261121T080000Z|DTEND:20261121T120000Z",
        "UID:3|SUMMARY:Later|DTSTART:20261121T180000Z|DTEND:20261121T190000Z",
    )
    await connect(alice, content=calendar(*events))
    await todo(alice, "Call mum", dueDate="2026-11-21T10:00:00Z")
    await checklist(alice, "calendar of the next 2 hours")
    first = await run(alice)
    assert [action["title"] for action in first["actions"]] == [
        "'Call mum' begins today at 10:00.",
        "'Dentist' (Main Street 5) begins today at 10:30.",
    ]
    assert [entry["rule"] for entry in first["receipt"]["agenda"]] == ["calendar", "calendar"]
    await served.parts.write(lambda tx: tx.run("UPDATE calendar_events SET id = id + 100"))
    assert (await run(alice))["actions"] == []
    await checklist(bob, "calendar of the next 2 hours")
    assert (await run(bob))["actions"] == []
    clock.now = datetime(2026, 11, 21, 17, 0, tzinfo=UTC)
    assert [action["title"] for action in (await run(alice))["actions"]] == [
        "'Later' begins today at 18:00."
    ]


async def pruned(served: Served) -> int:
    return int((await served.command("prune_heartbeat_runs")).runs)


async def test_old_runs_are_deleted_with_their_actions_but_not_what_still_counts(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    note = await alice.note("Plants", "x")
    await checklist(
        alice, "replan overdue todos", "Every Saturday: add water them to the note Plants"
    )
    await todo(alice, "Pay rent", dueDate="2026-11-20")
    waits = await run(alice)
    assert "awaiting_approval" in {action["status"] for action in waits["actions"]}
    clock.forward(days=1)
    await todo(alice, "Pay tax", dueDate="2026-11-21")
    done = await run(alice)
    assert {action["status"] for action in done["actions"]} == {"executed"}
    clock.forward(days=60)
    assert await pruned(served) == 0
    await checklist(alice, "overdue todos")
    newest = await run(alice)
    clock.forward(days=29, hours=23)
    assert await pruned(served) == 0
    assert (await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo"))["conflicts"] == []
    clock.forward(days=1)
    assert await pruned(served) == 1
    await alice.refused("GET", f"/heartbeat/runs/{done['run']['id']}", 404, "not_found")
    assert (
        value(served, f"SELECT count(*) FROM heartbeat_actions WHERE run_id = {done['run']['id']}")
        == 0
    )
    kept = {row["id"] for row in await runs(alice)}
    assert {waits["run"]["id"], newest["run"]["id"]} <= kept
    clock.forward(days=400)
    await pruned(served)
    assert waits["run"]["id"] in {row["id"] for row in await runs(alice)}
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "x"


async def test_hundreds_of_old_runs_are_deleted_and_the_newest_stays(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    await run(alice)
    await run(bob)
    await served.parts.write(lambda tx: _copies(tx, 450))
    clock.forward(days=91)
    assert await pruned(served) == 450
    assert (len(await runs(alice)), len(await runs(bob))) == (1, 1)


def _copies(tx: Any, number: int) -> None:
    for place in range(number):
        tx.run(
            """INSERT INTO heartbeat_runs (user_id, policy, tier, overridden,
          source_trigger, dry_run, status, started_at)
               VALUES (1, 'MESSAGES', 'MESSAGES', 0, 'timer', 0, 'completed', :at)""",
            at=f"2026-11-0{1 + place % 9}T00:00:00.000Z",
        )


class TestWithAPrice:
    """A server that knows what a token costs."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, token_price_micros=3)

    async def test_a_receipt_tells_what_the_run_cost_as_the_invoice_does(
        self, alice: Client
    ) -> None:
        await todo(alice, "Pay rent", dueDate="2026-11-20")
        done = await run(alice)
        tokens = done["run"]["tokenUsage"]["total"]
        assert tokens > 0
        assert done["receipt"]["cost"] == 3 * tokens
        (line,) = [
            line
            for line in (await alice.ok("GET", "/metering/invoice"))["lines"]
            if line["item"] == "tokens"
        ]
        assert line["amountMicros"] == done["receipt"]["cost"]
        assert (await run(alice))["receipt"]["cost"] == 0


async def test_without_a_price_a_receipt_names_no_cost(alice: Client) -> None:
    await todo(alice, "Pay rent", dueDate="2026-11-20")
    assert (await run(alice))["receipt"]["cost"] is None


async def test_the_hourly_sweep_prunes(
    served: Served, alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run(alice)
    clock.forward(days=91)
    await run(alice)
    await served.command("prune_heartbeat_runs")
    assert [row["startedAt"][:10] for row in await runs(alice)] == [
        (datetime(2026, 11, 21, tzinfo=UTC) + timedelta(days=91)).date().isoformat()
    ]
