"""Agents that wake by the clock: when, what for, and what their owner hears of it."""

import asyncio
from typing import Any

import pytest

from app.errors import AppError
from app.managed_agents import agent_turns
from tests.conftest import Client, MovableClock, Served
from tests.managed_agents.conftest import READS, agent, change
from tests.support.agents import settled, value

pytestmark = pytest.mark.anyio
TASK = "Which todos are overdue?"


async def wake(served: Served, **fields: Any) -> Any:
    return await served.command("set_agent_wake", username="alice", handle="scout", **fields)


async def tick(served: Served) -> None:
    await served.command("wake_due_agents")
    await settled(served)


def turns(served: Served) -> int:
    return int(value(served, "SELECT count(*) FROM turns"))


async def test_an_agent_wakes_only_when_its_owner_says_so_and_once_each_time(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "Prune roses", "dueDate": "2026-11-20"}
    )
    made = await agent(alice, namespaces=["todos"], permissions=READS)
    await tick(served)
    clock.forward(days=2)
    await tick(served)
    assert turns(served) == 0
    with pytest.raises(AppError, match="task must say"):
        await wake(served, everyMinutes=30)
    with pytest.raises(AppError):
        await wake(served, everyMinutes=4, task=TASK)
    setting = await wake(served, everyMinutes=30, task=TASK)
    assert (setting.every_minutes, setting.task) == (30, TASK)
    clock.forward(minutes=29)
    await tick(served)
    assert turns(served) == 0
    clock.forward(minutes=1)
    await tick(served)
    await tick(served)
    assert turns(served) == 1
    (thread,) = (await alice.ok("GET", "/conversations"))["conversations"]
    assert [one["senderLabel"] for one in thread["messages"]] == ["Clock", "Scout"]
    assert "Prune roses" in thread["messages"][1]["content"]
    assert thread["unreadCount"] == 1
    # the same again is no news
    clock.forward(hours=5)
    await tick(served)
    assert turns(served) == 2
    (thread,) = (await alice.ok("GET", "/conversations"))["conversations"]
    assert thread["unreadCount"] == 0
    await wake(served)
    clock.forward(hours=5)
    await tick(served)
    assert turns(served) == 2
    assert made["handle"] == "scout"


async def test_a_paused_a_stopped_and_a_spent_agent_sleeps_on(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await agent(alice)
    await wake(served, everyMinutes=60, task=TASK)
    await change(alice, made, status="paused")
    clock.forward(hours=2)
    await tick(served)
    await change(alice, made, status="active", budget={"monthlyTokens": 0})
    await tick(served)
    assert turns(served) == 0
    assert value(served, "SELECT count(*) FROM messages") == 0
    await change(alice, made, budget={"monthlyTokens": None})
    await served.command("stop_agents")
    clock.forward(hours=2)
    await tick(served)
    assert turns(served) == 0
    await served.command("start_agents")
    await tick(served)
    assert turns(served) == 1
    await alice.ok("DELETE", f"/managed-agents/{made['id']}")
    clock.forward(hours=2)
    await tick(served)
    assert turns(served) == 1
    with pytest.raises(AppError, match="no agent called"):
        await wake(served, everyMinutes=60, task=TASK)


async def test_agents_wake_inside_the_hours_of_the_heartbeat(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await agent(alice)
    hours = {"activeHours": {"start": "08:00", "end": "18:00"}}
    await alice.ok("PUT", "/heartbeat/schedule", json=hours)
    await wake(served, everyMinutes=60, task=TASK)
    clock.forward(hours=10)
    await tick(served)
    assert turns(served) == 0
    found = await served.command("agent_wake", username="alice", handle="scout")
    assert found.next_at == "2026-11-22T08:00:00.000Z"
    clock.forward(hours=12, minutes=31)
    await tick(served)
    assert turns(served) == 1


async def test_a_clock_that_was_put_back_silences_nobody_for_long(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await agent(alice)
    clock.forward(days=30)
    await wake(served, everyMinutes=60, task=TASK)
    clock.forward(days=-20)
    await tick(served)
    assert turns(served) == 1


async def test_nobody_wakes_anothers_agent(served: Served, alice: Client, bob: Client) -> None:
    await agent(bob)
    with pytest.raises(AppError, match="no agent called"):
        await wake(served, everyMinutes=60, task=TASK)


async def test_a_task_that_takes_long_holds_up_no_tick_and_is_not_begun_again(
    served: Served, alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = asyncio.Event(), asyncio.Event()
    run = agent_turns.run

    async def slow(*given: Any) -> Any:
        begun.set()
        await goes_on.wait()
        return await run(*given)

    monkeypatch.setattr(agent_turns, "run", slow)
    await agent(alice)
    await wake(served, everyMinutes=30, task=TASK)
    clock.forward(minutes=30)
    ticking = asyncio.ensure_future(served.command("wake_due_agents"))
    await begun.wait()
    assert ticking.done()
    clock.forward(minutes=30)
    await served.command("wake_due_agents")
    assert turns(served) == 1
    goes_on.set()
    await settled(served)
    assert turns(served) == 1
