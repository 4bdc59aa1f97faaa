"""A rehearsal of the heartbeat.

It says exactly what a run would do, and changes nothing but its own record.
"""

import random
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.core.database.data_dir import DATABASE
from tests.agent.heartbeat.test_heartbeat import checklist, run, todo, told
from tests.conftest import Client, MovableClock

pytestmark = pytest.mark.anyio
LINES = (
    "overdue todos",
    "todos due within 2 days",
    "top priority",
    "replan overdue todos",
    "pinned notes that are stale for 10 days",
    "unpin notes that have not changed for 20 days",
    "calendar of the next 12 hours",
    "Every Saturday: write the weekly note",
    "daily briefing",
    "every day at 07:00: water the plants",
    "every Saturday: create a todo “Plan the week”",
    "always summarise",
    "delete all notes",
    "every day at 08:00 write into the journal",
    "Every Saturday: add eggs to the note Note 1",
    "Check the weather",
    "every day: add x to the note None",
)
WATCHED = (
    "notes",
    "folders",
    "todos",
    "todo_lists",
    "snapshots",
    "trash",
    "conversations",
    "conversation_members",
    "messages",
    "escalations",
    "audit",
    "workspaces",
    "memory_writes",
    "note_tags",
    "note_links",
    "episodes",
    "briefings",
    "heartbeats",
    "precedents",
    "users",
    "turns",
    "caps",
)


def contents(data: Path) -> dict[str, Any]:
    """Give every row of what a rehearsal must leave alone."""
    connection = sqlite3.connect(data / DATABASE)
    try:
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in WATCHED}
    finally:
        connection.close()


async def furnish(client: Client, clock: MovableClock, chance: random.Random) -> None:
    """Fill a workspace with what the rules look at."""
    today = clock.now.date()
    for number in range(chance.randint(0, 12)):
        day = (today + timedelta(days=chance.randint(-9, 9))).isoformat()
        fields: dict[str, Any] = {"priority": chance.randint(0, 5)}
        if chance.random() < 0.8:
            fields["dueDate"] = (
                day if chance.random() < 0.6 else f"{day}T{chance.randint(0, 23):02}:30:00Z"
            )
            if chance.random() < 0.3:
                fields["recurrence"] = {"rule": "FREQ=WEEKLY"}
        made = await todo(client, f"Todo {number}", **fields)
        if chance.random() < 0.2:
            await client.ok("POST", f"/os/todos/{made}/complete")
    clock.forward(days=-30)
    for number in range(chance.randint(0, 4)):
        note = await client.note(f"Note {number}", chance.choice(("", "- milk\n", "Text.\n")))
        if chance.random() < 0.6:
            await client.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
    clock.forward(days=30)
    await client.ok(
        "POST", "/heartbeat/policy", json={"tier": chance.choice(("MESSAGES", "ACTIONS"))}
    )
    await checklist(client, *chance.sample(LINES, chance.randint(0, len(LINES))))


def predicted(action: Any) -> tuple[Any, ...]:
    return action["type"], action["title"], action["payload"], action["result"]["would"]


def done(action: Any) -> tuple[Any, ...]:
    return action["type"], action["title"], action["payload"], action["status"]


@pytest.mark.parametrize("seed", range(12))
async def test_a_rehearsal_predicts_exactly_what_the_run_then_does(
    alice: Client, clock: MovableClock, data: Path, seed: int
) -> None:
    await furnish(alice, clock, random.Random(seed))
    await run(alice)  # makes what only a first run makes
    clock.forward(days=8)
    before = contents(data)
    rehearsed = await run(alice, dryRun=True)
    assert contents(data) == before
    real = await run(alice)
    assert [predicted(action) for action in rehearsed["actions"]] == [
        done(action) for action in real["actions"]
    ]
    assert {action["status"] for action in rehearsed["actions"]} <= {"proposed"}
    same = ("status", "actionsCreated", "text", "skipReason", "suppressed", "suppressReason")
    assert {name: rehearsed["result"][name] for name in same} == {
        name: real["result"][name] for name in same
    }
    assert (rehearsed["result"]["delivered"], rehearsed["result"]["dryRun"]) == (False, True)
    assert rehearsed["run"]["items"] == real["run"]["items"]


async def test_a_rehearsal_is_no_news_and_cannot_be_taken_back(alice: Client) -> None:
    await todo(alice, "Pay rent", dueDate="2026-11-20")
    rehearsed = await run(alice, dryRun=True)
    assert await told(alice) == []
    assert (await run(alice))["result"]["delivered"] is True
    await alice.refused(
        "POST", f"/heartbeat/runs/{rehearsed['run']['id']}/undo", 409, "nothing_to_undo"
    )
    assert [one["dryRun"] for one in (await alice.ok("GET", "/heartbeat/runs"))["runs"]] == [
        False,
        True,
    ]
