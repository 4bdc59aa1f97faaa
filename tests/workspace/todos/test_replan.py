"""Replanning: overdue todos fill the days from today without overfilling any."""

import contextlib
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def made(client: Client, title: str, due: str | None, **more: Any) -> Any:
    return (
        await client.ok(
            "POST", "/os/todos", status=201, json={"title": title, "dueDate": due, **more}
        )
    )["result"]["todo"]


async def replanned(client: Client, **body: Any) -> dict[str, str]:
    """Replan and give the new due date of each title, in the order of the answer."""
    answer = await client.ok("POST", "/os/todos/replan", json=body)
    assert answer["count"] == len(answer["replanned"])
    for moved in answer["replanned"]:
        assert moved["from"] < moved["to"]
    return {moved["title"]: moved["to"] for moved in answer["replanned"]}


async def test_the_important_come_first_then_the_oldest_then_the_first_made(alice: Client) -> None:
    await made(alice, "b", "2026-11-19", priority=1)
    await made(alice, "a", "2026-11-18", priority=1)
    await made(alice, "twin", "2026-11-19", priority=1)
    await made(alice, "top", "2026-11-20", priority=5)
    await made(alice, "low", "2026-01-01")
    assert list((await replanned(alice, perDay=2)).items()) == [
        ("top", "2026-11-21"),
        ("a", "2026-11-21"),
        ("b", "2026-11-22"),
        ("twin", "2026-11-22"),
        ("low", "2026-11-23"),
    ]
    assert (await alice.ok("GET", "/os/todos", params={"date": "overdue"}))["result"]["total"] == 0
    assert await replanned(alice) == {}


async def test_open_todos_that_are_due_already_take_their_place(alice: Client) -> None:
    await made(alice, "today", "2026-11-21")
    await made(alice, "this evening", "2026-11-21T20:00:00Z")
    done = await made(alice, "done", "2026-11-21")
    await alice.ok("POST", f"/os/todos/{done['id']}/complete")
    gone = await made(alice, "gone", "2026-11-22")
    await alice.ok("DELETE", f"/os/todos/{gone['id']}")
    await made(alice, "tomorrow", "2026-11-22")
    for title in "xyz":
        await made(alice, title, "2026-11-01")
    assert await replanned(alice, perDay=2) == {
        "x": "2026-11-22",
        "y": "2026-11-23",
        "z": "2026-11-23",
    }


async def test_a_day_that_is_overfull_already_gets_nothing_more(alice: Client) -> None:
    for _ in range(3):
        await made(alice, "today", "2026-11-21")
    await made(alice, "late", "2026-11-20")
    assert await replanned(alice, perDay=1) == {"late": "2026-11-22"}


async def test_the_number_a_day_is_the_settings(alice: Client) -> None:
    for number in range(6):
        await made(alice, str(number), "2026-11-01")
    assert Counter((await replanned(alice, dryRun=True)).values()) == {
        "2026-11-21": 5,
        "2026-11-22": 1,
    }
    await alice.ok("PATCH", "/account/settings", json={"replanPerDay": 2})
    assert Counter((await replanned(alice)).values()) == {
        "2026-11-21": 2,
        "2026-11-22": 2,
        "2026-11-23": 2,
    }


async def test_a_time_of_day_is_kept_and_one_that_has_passed_waits_for_tomorrow(
    alice: Client,
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Europe/Berlin"})
    await made(alice, "evening", "2026-07-01T20:00")
    await made(alice, "morning", "2026-07-01T08:00")
    await made(alice, "this morning", "2026-11-21T08:00")
    await made(alice, "day", "2026-07-01")
    assert await replanned(alice) == {
        "morning": "2026-11-22T07:00:00.000Z",
        "evening": "2026-11-21T19:00:00.000Z",
        "day": "2026-11-21",
        "this morning": "2026-11-22T07:00:00.000Z",
    }


async def test_today_is_the_day_of_the_zone_that_is_asked_for(
    alice: Client, clock: MovableClock
) -> None:
    clock.forward(hours=10)
    await made(alice, "late", "2026-11-20")
    assert await replanned(alice, dryRun=True) == {"late": "2026-11-21"}
    assert await replanned(alice, userTimezone="Asia/Tokyo") == {"late": "2026-11-22"}


async def test_nothing_is_put_past_its_next_occurrence(alice: Client) -> None:
    for day in ("2026-11-21", "2026-11-22", "2026-11-23"):
        await made(alice, "full", day)
    daily = {"rule": "FREQ=DAILY", "from": "due"}
    await made(alice, "every day", "2026-11-20", priority=5, recurrence=daily)
    await made(
        alice,
        "every fourth day",
        "2026-11-20",
        priority=4,
        recurrence={"rule": "FREQ=DAILY;INTERVAL=4", "from": "due"},
    )
    await made(
        alice,
        "last",
        "2026-11-20",
        priority=3,
        recurrence={"rule": "FREQ=DAILY;COUNT=1", "from": "due"},
    )
    await made(alice, "once", "2026-11-20")
    assert await replanned(alice, perDay=1) == {
        "every fourth day": "2026-11-24",
        "last": "2026-11-25",
        "once": "2026-11-26",
    }
    assert (await alice.ok("GET", "/os/todos", params={"date": "overdue"}))["result"]["todos"][0][
        "title"
    ] == "every day"


async def test_what_was_due_earlier_today_and_finds_no_other_day_takes_its_place_today(
    alice: Client,
) -> None:
    await made(alice, "old", "2026-11-10")
    await made(alice, "older", "2026-11-09")
    await made(
        alice, "every day", "2026-11-21T00:30:00Z", recurrence={"rule": "FREQ=DAILY", "from": "due"}
    )
    assert await replanned(alice, perDay=1) == {"older": "2026-11-22", "old": "2026-11-23"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"perDay": 0}, "perDay"),
        ({"perDay": 51}, "perDay"),
        ({"dryRun": "x"}, "dryRun"),
        ({"userTimezone": "x"}, "userTimezone"),
    ],
)
async def test_a_bad_wish_changes_nothing(alice: Client, body: dict[str, Any], field: str) -> None:
    await made(alice, "late", "2026-11-20")
    await alice.refused("POST", "/os/todos/replan", 400, "invalid_request", field=field, json=body)
    assert (await alice.ok("GET", "/os/todos/1"))["todo"]["dueDate"] == "2026-11-20"


DAYS = st.integers(10, 30).map(lambda day: f"2026-11-{day}")
MOMENTS = st.builds(lambda day, hour: f"{day}T{hour:02}:30", DAYS, st.integers(0, 23))
RULES = st.sampled_from([None, "FREQ=DAILY", "FREQ=WEEKLY", "FREQ=DAILY;INTERVAL=3"])
TODOS = st.lists(
    st.tuples(st.one_of(st.none(), DAYS, MOMENTS), st.integers(0, 5), RULES), max_size=25
)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(todos=TODOS, per_day=st.integers(1, 4), zone=ZONES)
async def test_no_day_gets_more_than_it_can_hold_and_a_dry_run_tells_what_will_be(
    served: Served, todos: Any, per_day: int, zone: str
) -> None:
    name = f"u{served.parts.store.quick(lambda tx: tx.value('SELECT count(*) FROM users'))}x"
    client = await served.person(name)
    async with contextlib.aclosing(client):
        for due, priority, rule in todos:
            recurs = {"recurrence": {"rule": rule, "from": "due"}} if rule and due else {}
            await made(client, "t", due, priority=priority, userTimezone=zone, **recurs)
        before = (await client.ok("GET", "/os/todos", params={"limit": 200}))["result"]["todos"]
        told = await client.ok(
            "POST",
            "/os/todos/replan",
            json={"perDay": per_day, "dryRun": True, "userTimezone": zone},
        )
        assert (await client.ok("GET", "/os/todos", params={"limit": 200}))["result"][
            "todos"
        ] == before
        assert (
            await client.ok(
                "POST", "/os/todos/replan", json={"perDay": per_day, "userTimezone": zone}
            )
            == told
        )
        moved = {todo["id"] for todo in told["replanned"]}
        for day in (f"2026-11-{number}" for number in range(21, 31)):
            query = {"date": day, "completed": "false", "userTimezone": zone, "limit": 200}
            there = {
                todo["id"]
                for todo in (await client.ok("GET", "/os/todos", params=query))["result"]["todos"]
            }
            assert len(there) <= per_day or not there & moved
        overdue = (
            await client.ok(
                "GET", "/os/todos", params={"date": "overdue", "userTimezone": zone, "limit": 200}
            )
        )["result"]["todos"]
        assert all(todo["recurrence"] for todo in overdue)
        assert not {todo["id"] for todo in overdue} & moved
