"""A year of the heartbeat in a few seconds.

Clock changes, nights asleep, crashes, a model that fails a tenth of the time.
"""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from app.agent.heartbeat import run_once
from app.agent.heartbeat.records import schedule_rows
from app.agent.models import model_or_rules
from app.agent.models.model_or_rules import Brain
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.settings import Settings
from tests.agent.heartbeat.test_heartbeat import checklist, todo
from tests.agent.heartbeat.test_heartbeat_clock import tick
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio
BERLIN = ZoneInfo("Europe/Berlin")
LINES = (
    "overdue todos",
    "todos due within 12 hours",
    "replan overdue todos",
    "every Monday at 08:00 write the weekly note",
    "daily briefing at 07:30",
    "every day at 18:00: journal",
    "every Friday at 16:00: tidy the desk",
    "look after the garden",
    "unpin notes that have not changed for 90 days",
)


class Year:
    """The person, their server, and chance."""

    def __init__(self, data: Path, settings: Settings, clock: MovableClock) -> None:
        self.data, self.settings, self.clock = data, settings, clock
        self.chance = random.Random(17)
        self.served: Served
        self.client: Client
        self._context: Any = None

    async def start(self) -> None:
        asgi = create_app(self.settings, self.data, clock=self.clock)
        self._context = asgi.router.lifespan_context(asgi)
        await self._context.__aenter__()
        self.served = Served(asgi, asgi.state.parts)

    async def stop(self) -> None:
        await self.client.aclose()
        await self._context.__aexit__(None, None, None)

    async def restart(self) -> None:
        await self.stop()
        await self.start()
        self.client = self.served.client(await self.served.key("alice"))

    async def live(self) -> None:
        """Do something that people do."""
        match self.chance.randrange(8):
            case 0 | 1:
                day = (
                    (self.clock.now + timedelta(days=self.chance.randint(-1, 4))).date().isoformat()
                )
                await todo(
                    self.client,
                    f"Todo {self.chance.randrange(1000)}",
                    dueDate=day,
                    priority=self.chance.randint(0, 10),
                )
            case 2 | 3:
                found = (await self.client.ok("GET", "/os/todos?completed=false&limit=5"))[
                    "result"
                ]["todos"]
                for one in found:
                    await self.client.ok("POST", f"/os/todos/{one['id']}/complete")
            case 4:
                note = await self.client.note("A note", f"Words {self.chance.random()}")
                await self.client.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
            case _:
                await self.client.ok("GET", "/heartbeat/status")

    def moves(self) -> timedelta:
        """Give how far the clock goes until the server looks again."""
        return (
            timedelta(hours=9)
            if self.chance.random() < 0.1
            else timedelta(minutes=self.chance.choice((60, 230, 250, 260)))
        )

    def brain(self) -> Brain:
        """Give a model that fails a tenth of the time, and else now and then has a wish."""

        async def stream(messages: list[Any], info: AgentInfo) -> AsyncIterator[Any]:
            if self.chance.random() < 0.1:
                raise ModelHTTPError(500, "scripted", None)
            if len(messages) > 1 or self.chance.random() < 0.5:
                yield "Nothing more."
            else:
                name, arguments = self.chance.choice(
                    (
                        ("create_todo", '{"title": "Water"}'),
                        ("tell_owner", '{"text": "The garden is dry."}'),
                    )
                )
                yield {0: DeltaToolCall(name=name, json_args=arguments, tool_call_id="c")}

        return Brain(FunctionModel(stream_function=stream), "scripted", "compatible", local=True)


@pytest.fixture
async def year(
    data: Path, settings: Settings, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Year]:
    found = Year(data, settings, clock)
    clock.now = datetime(2026, 1, 1, 6, 0, tzinfo=UTC)

    async def pick(*_: Any, **__: Any) -> Brain:
        return found.brain()

    monkeypatch.setattr(model_or_rules, "pick_brain", pick)
    monkeypatch.setattr(model_or_rules, "brain_name", lambda *_: "scripted")
    await found.start()
    found.client = await found.served.person("alice")
    await found.client.ok("PATCH", "/account/settings", json={"timezone": "Europe/Berlin"})
    yield found
    await found.stop()


async def cut_off(year: Year, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server die while a run acts."""

    def dies(*_: Any) -> Any:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(run_once.act, "attempt_action", dies)
        await tick(year.served)
    await year.restart()


async def test_a_year(year: Year, monkeypatch: pytest.MonkeyPatch) -> None:
    await year.client.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(year.client, *LINES)
    schedule = {
        "enabled": True,
        "everyMinutes": 240,
        "activeHours": {"start": "07:00", "end": "22:00"},
        "weekdays": [1, 2, 3, 4, 5, 6],
    }
    await year.client.ok("PUT", "/heartbeat/schedule", json=schedule)
    end = year.clock.now + timedelta(days=365)
    while year.clock.now < end:
        year.clock.now += year.moves()
        if year.chance.random() < 0.25:
            await year.live()
        if year.chance.random() < 0.004:
            await cut_off(year, monkeypatch)
        await tick(year.served)
        beat = year.served.parts.quick(schedule_rows.heartbeat_of, 1)
        if not beat.enabled:
            await year.client.ok("PUT", "/heartbeat/schedule", json={"enabled": True})
        elif year.chance.random() < 0.02:
            await year.served.asgi.front.credentials.ring.flush()
        assert beat.shown_next is None or datetime.fromisoformat(beat.shown_next) > year.clock.now
    judge(year.data)


def judge(data: Path) -> None:
    connection = sqlite3.connect(data / DATABASE)
    connection.row_factory = sqlite3.Row
    try:
        runs = connection.execute("SELECT * FROM heartbeat_runs ORDER BY id").fetchall()
        actions = connection.execute("SELECT * FROM heartbeat_actions ORDER BY id").fetchall()
        audited = connection.execute(
            "SELECT count(*) FROM audit WHERE tool LIKE 'heartbeat.%' AND event = 'call'"
        ).fetchone()[0]
        by_day = (
            "SELECT prompt + completion + reserved AS sum FROM token_counts "
            "WHERE subject = 'feature' AND day <> ''"
        )
        counts = connection.execute(by_day).fetchall()
        reserved = connection.execute("SELECT sum(reserved) FROM token_counts").fetchone()[0]
    finally:
        connection.close()
    every_due_run_happened_once(runs)
    nothing_was_told_twice(actions)
    assert len(runs) > 800
    assert {run["status"] for run in runs} == {"completed", "failed"}
    assert {run["skip_reason"] for run in runs} >= {None, "nothing_due", "outside_hours"}
    assert {action["type"] for action in actions} >= {
        "reminder",
        "message_draft",
        "note_create",
        "note_edit",
        "memory_write",
        "todo_create",
    }
    assert max(row["sum"] for row in counts) <= 50_000
    assert reserved == 0
    per_run = [sum(action["run_id"] == run["id"] for action in actions) for run in runs[:200]]
    assert max(per_run) <= 20
    known = {run["id"] for run in runs}
    assert all(action["run_id"] in known for action in actions)
    assert audited == sum(action["executed_at"] is not None for action in actions)


def every_due_run_happened_once(runs: list[Any]) -> None:
    due = [run["due_at"] for run in runs]
    assert None not in due
    assert len(set(due)) == len(due)
    for run, after in pairwise(runs):
        assert run["due_at"] <= run["started_at"]
        assert run["due_at"] < after["due_at"]
        if run["status"] == "completed":
            assert after["due_at"] == run["next_due_at"]
    for run in runs:
        wall = datetime.fromisoformat(run["due_at"]).astimezone(BERLIN)
        assert 7 <= wall.hour < 22
        assert wall.isoweekday() != 7


def nothing_was_told_twice(actions: list[Any]) -> None:
    told: dict[str, datetime] = {}
    for action in actions:
        at = datetime.fromisoformat(action["created_at"])
        key = action["content_key"]
        assert key is not None
        assert at - told.get(key, datetime(2000, 1, 1, tzinfo=UTC)) >= timedelta(days=1)
        told[key] = at
