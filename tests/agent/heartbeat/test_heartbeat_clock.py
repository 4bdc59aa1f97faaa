"""The heartbeat by itself: its schedule, due runs, clock jumps, failures, interruptions."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.agent.heartbeat import clock as heartbeat_clock
from app.agent.heartbeat import run_once
from app.agent.heartbeat.records.run_rows import BegunRun
from app.core.app import App
from app.core.caller import Caller
from app.main import create_app
from app.settings import Settings
from tests.agent.heartbeat.test_heartbeat import checklist, run, todo, told
from tests.conftest import Client, MovableClock, Served
from tests.support.agents import settled, value

pytestmark = pytest.mark.anyio


async def scheduled(client: Client, **fields: Any) -> Any:
    return (await client.ok("PUT", "/heartbeat/schedule", json={"enabled": True, **fields}))[
        "schedule"
    ]


async def tick(served: Served) -> int:
    """Run what is due and return how many runs there are more."""
    counted = "SELECT count(*) FROM heartbeat_runs"
    before = int(value(served, counted))
    await served.command("run_due_heartbeats")
    await settled(served)
    return int(value(served, counted)) - before


async def runs(client: Client) -> Any:
    return (await client.ok("GET", "/heartbeat/runs?limit=50"))["runs"]


async def test_a_run_that_is_due_happens_once(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    schedule = await scheduled(alice, everyMinutes=30)
    assert schedule["nextRunAt"] == "2026-11-21T10:00:00.000Z"
    assert await tick(served) == 0
    clock.forward(minutes=30)
    assert [await tick(served), await tick(served)] == [1, 0]
    (only,) = await runs(alice)
    assert (only["source"], only["skipReason"]) == ("cron", "nothing_due")
    receipt = (await alice.ok("GET", f"/heartbeat/runs/{only['id']}"))["receipt"]
    assert (receipt["trigger"], receipt["dueAt"], receipt["nextDueAt"]) == (
        "timer",
        "2026-11-21T10:00:00.000Z",
        "2026-11-21T10:30:00.000Z",
    )


async def test_two_ticks_at_once_take_a_run_only_once(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await scheduled(alice)
    clock.forward(minutes=31)
    await asyncio.gather(*(tick(served) for _ in range(8)))
    assert len(await runs(alice)) == 1


async def test_a_night_of_sleep_is_made_up_for_by_one_run(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await scheduled(alice, everyMinutes=30)
    clock.forward(hours=9, minutes=5)
    assert [await tick(served), await tick(served)] == [1, 0]
    (only,) = await runs(alice)
    receipt = (await alice.ok("GET", f"/heartbeat/runs/{only['id']}"))["receipt"]
    assert (receipt["trigger"], receipt["missed"]) == ("timer", 17)


async def test_a_run_that_could_only_begin_outside_of_its_hours_is_a_recorded_skip(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await scheduled(alice, activeHours={"start": "09:00", "end": "12:00"}, timezone="UTC")
    clock.forward(hours=8)
    assert await tick(served) == 1
    (only,) = await runs(alice)
    assert (only["status"], only["skipReason"], only["actionsCreated"]) == (
        "completed",
        "outside_hours",
        0,
    )
    assert (await alice.ok("GET", "/heartbeat/status"))["status"]["nextRunAt"][
        :13
    ] == "2026-11-22T09"


async def test_a_clock_that_is_put_back_does_not_stop_the_heartbeat(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    clock.forward(days=30)
    await scheduled(alice)
    clock.forward(days=-29)
    await tick(served)
    assert (await alice.ok("GET", "/heartbeat/schedule"))["schedule"][
        "nextRunAt"
    ] == "2026-11-22T10:00:00.000Z"


async def test_the_next_run_moves_with_the_users_zone(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await scheduled(alice, activeHours={"start": "09:00", "end": "10:00"})
    clock.now = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    await tick(served)
    await alice.ok("PATCH", "/account/settings", json={"timezone": "America/New_York"})
    shown = (await alice.ok("GET", "/heartbeat/schedule"))["schedule"]
    assert shown["timezone"] == "America/New_York"
    assert shown["nextRunAt"][:13] == "2026-11-22T14"
    clock.now = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
    assert await tick(served) == 0
    clock.now = datetime(2026, 11, 22, 14, 30, tzinfo=UTC)
    assert await tick(served) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"everyMinutes": 4}, "everyMinutes"),
        ({"everyMinutes": 1441}, "everyMinutes"),
        ({"weekdays": []}, "weekdays"),
        ({"weekdays": [0]}, "weekdays[0]"),
        ({"timezone": "Mars/Base"}, "timezone"),
        ({"enabled": "yes"}, "enabled"),
        ({"activeHours": {"start": "9:00", "end": "10:00"}}, "activeHours.start"),
        ({"activeHours": {"start": "09:00", "end": "25:00"}}, "activeHours.end"),
        ({"activeHours": {"start": "24:00", "end": "10:00"}}, "activeHours.start"),
        ({"activeHours": {"start": "09:00", "end": "09:00"}}, "activeHours.end"),
        ({"activeHours": {"start": "09:00"}}, "activeHours.end"),
    ],
)
async def test_a_bad_schedule_is_refused_and_changes_nothing(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    await resident.refused(
        "PUT", "/heartbeat/schedule", 400, "invalid_request", field=field, json=body
    )
    assert (await resident.ok("GET", "/heartbeat/schedule"))["schedule"]["enabled"] is False


async def test_someone_elses_message_brings_the_next_run_forward(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await scheduled(alice, everyMinutes=600)
    await served.parts.write(heartbeat_clock.wake, 1)
    assert await tick(served) == 1
    (only,) = await runs(alice)
    assert (await alice.ok("GET", f"/heartbeat/runs/{only['id']}"))["receipt"][
        "trigger"
    ] == "message"
    await served.parts.write(heartbeat_clock.wake, 1)
    assert await tick(served) == 0
    clock.forward(minutes=5)
    assert await tick(served) == 1


async def broken(*_: Any) -> None:
    raise RuntimeError("broken on purpose")


async def fail_once(served: Served, clock: MovableClock) -> None:
    clock.forward(days=1, minutes=1)
    assert await tick(served) == 1


async def test_five_failures_in_a_row_pause_the_heartbeat_with_one_notice(
    served: Served, alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scheduled(alice)
    monkeypatch.setattr(run_once, "_carry_out", broken)
    waits = []
    for _ in range(4):
        await fail_once(served, clock)
        status = (await alice.ok("GET", "/heartbeat/status"))["status"]
        waits.append(datetime.fromisoformat(status["nextRunAt"]) - clock.now)
    assert waits == [timedelta(hours=hours) for hours in (1, 2, 4, 8)]
    assert await told(alice) == []
    await fail_once(served, clock)
    assert (await alice.ok("GET", "/heartbeat/schedule"))["schedule"]["enabled"] is False
    (notice,) = await told(alice)
    assert "paused after 5 failures" in notice
    assert "on purpose" not in notice
    clock.forward(days=1)
    assert await tick(served) == 0
    assert [one["status"] for one in await runs(alice)] == ["failed"] * 5
    monkeypatch.undo()
    await scheduled(alice)
    clock.forward(minutes=30)
    assert await tick(served) == 1
    assert (await runs(alice))[0]["status"] == "completed"


async def test_nobody_is_served_who_has_not_been_here_for_two_weeks(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await scheduled(alice)
    await todo(alice, "Late", dueDate="2026-11-01")
    await served.asgi.front.credentials.ring.flush()
    clock.forward(days=15)
    assert await tick(served) == 1
    (only,) = await runs(alice)
    assert (only["skipReason"], only["actionsCreated"]) == ("user_away", 0)


@pytest.fixture
async def restarted(data: Path, settings: Settings, clock: MovableClock) -> AsyncIterator[Any]:
    """Give a function that starts a server over the same data, and again, as after a crash."""
    opened: list[Any] = []

    async def start() -> Served:
        asgi = create_app(settings, data, clock=clock)
        context = asgi.router.lifespan_context(asgi)
        await context.__aenter__()
        opened.append(context)
        return Served(asgi, asgi.state.parts)

    async def stop() -> None:
        await opened.pop().__aexit__(None, None, None)

    yield start, stop
    while opened:
        await stop()


async def test_a_run_that_a_crash_cut_off_is_failed_and_what_it_did_can_be_taken_back(
    restarted: Any, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, stop = restarted
    served = await start()
    alice = await served.person("alice")
    numbers = [await todo(alice, f"Late {number}", dueDate="2026-11-01") for number in range(3)]
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(alice, "replan overdue todos")
    await scheduled(alice)
    clock.forward(minutes=30)
    attempt = run_once.act.attempt_action
    done: list[int] = []

    def cut_off(*args: Any) -> Any:
        if len(done) == 2:
            raise asyncio.CancelledError
        done.append(1)
        return attempt(*args)

    monkeypatch.setattr(run_once.act, "attempt_action", cut_off)
    await tick(served)
    monkeypatch.undo()
    await stop()
    served = await start()
    alice = served.client(await served.key("alice"))
    (only,) = await runs(alice)
    assert (only["status"], only["actionsCreated"]) == ("failed", 2)
    assert "stopped" in only["error"]
    undone = await alice.ok("POST", f"/heartbeat/runs/{only['id']}/undo")
    assert len(undone["undone"]) == 2
    for number in numbers:
        assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == "2026-11-01"
    assert (await run(alice))["run"]["status"] == "completed"
    await alice.aclose()


async def test_only_what_was_missed_while_the_server_was_away_is_due_to_its_start(
    restarted: Any, clock: MovableClock
) -> None:
    start, stop = restarted
    served = await start()
    await scheduled(await served.person("alice"))
    await stop()
    clock.forward(hours=9)
    served = await start()
    alice = served.client(await served.key("alice"))
    triggers = []
    for minutes in (0, 35):
        clock.forward(minutes=minutes)
        assert await tick(served) == 1
        run_id = (await runs(alice))[0]["id"]
        receipt = (await alice.ok("GET", f"/heartbeat/runs/{run_id}"))["receipt"]
        triggers.append(receipt["trigger"])
    assert triggers == ["startup", "timer"]
    await alice.aclose()


async def test_a_run_that_takes_long_holds_up_no_tick_and_nobody_elses_run(
    served: Served, alice: Client, bob: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, ended = (asyncio.Event() for _ in range(3))
    run_heartbeat = run_once.run_heartbeat

    async def slow(app: App, me: Caller, run: BegunRun) -> None:
        if me.username == "alice":
            begun.set()
            await goes_on.wait()
        await run_heartbeat(app, me, run)
        ended.set()

    monkeypatch.setattr(run_once, "run_heartbeat", slow)
    await scheduled(alice)
    await scheduled(bob, everyMinutes=60)
    clock.forward(minutes=30)
    ticking = asyncio.ensure_future(served.command("run_due_heartbeats"))
    await begun.wait()
    assert ticking.done()
    clock.forward(minutes=30)
    await served.command("run_due_heartbeats")
    await ended.wait()
    assert [one["status"] for one in await runs(bob)] == ["completed"]
    assert (await runs(alice))[0]["status"] == "running"
    goes_on.set()
    await settled(served)
    assert [one["status"] for one in await runs(alice)] == ["completed"]
