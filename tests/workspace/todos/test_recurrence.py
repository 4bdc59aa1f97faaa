"""Recurring todos: which rules are taken, and what completing one makes."""

import json
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.workspace.todos import recurrence
from tests.conftest import Client, MovableClock

pytestmark = pytest.mark.anyio
DAYS = st.sampled_from(recurrence.WEEKDAYS)


async def made(client: Client, rule: str, due: str, come_from: str = "due", **more: Any) -> Any:
    fields = {
        "title": "Again",
        "dueDate": due,
        "recurrence": {"rule": rule, "from": come_from},
        **more,
    }
    return (await client.ok("POST", "/os/todos", status=201, json=fields))["result"]["todo"]


async def completed(client: Client, todo: Any, **more: Any) -> Any:
    """Complete a todo and give the next one, or None."""
    return (await client.ok("POST", f"/os/todos/{todo['id']}/complete", json=more))["next"]


@pytest.mark.parametrize(
    ("rule", "due", "come_from", "following"),
    [
        ("FREQ=DAILY", "2026-11-21", "due", "2026-11-22"),
        ("FREQ=DAILY", "2026-10-01", "due", "2026-11-22"),
        ("FREQ=DAILY;INTERVAL=3", "2026-11-10", "due", "2026-11-22"),
        ("FREQ=DAILY;INTERVAL=3", "2026-11-10", "done", "2026-11-24"),
        ("FREQ=DAILY", "2026-12-10", "due", "2026-12-11"),
        ("FREQ=DAILY", "2026-12-10", "done", "2026-11-22"),
        ("FREQ=WEEKLY", "2026-11-16", "due", "2026-11-23"),
        ("FREQ=WEEKLY", "2026-11-16", "done", "2026-11-28"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "2026-11-09", "due", "2026-11-23"),
        ("FREQ=WEEKLY;BYDAY=SA", "2026-11-14", "done", "2026-11-28"),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU", "2026-11-15", "due", "2026-11-29"),
        ("FREQ=MONTHLY", "2026-08-31", "due", "2026-12-31"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-10-31", "due", "2026-11-30"),
        ("FREQ=MONTHLY;BYDAY=2TU", "2026-11-10", "due", "2026-12-08"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-10-30", "due", "2026-11-30"),
        ("FREQ=YEARLY", "2024-02-29", "due", "2028-02-29"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "1904-02-29", "due", "2028-02-29"),
        ("FREQ=YEARLY;INTERVAL=3", "1901-01-15", "due", "2027-01-15"),
        ("FREQ=DAILY", "0001-01-01", "due", "2026-11-22"),
        ("FREQ=DAILY;INTERVAL=2", "0001-01-01", "due", "2026-11-23"),
        ("FREQ=DAILY;UNTIL=20261122", "2026-11-20", "due", "2026-11-22"),
        ("FREQ=DAILY;UNTIL=20261121", "2026-11-20", "due", None),
        (
            "FREQ=DAILY;UNTIL=20261122T093000Z",
            "2026-11-20T09:30:00Z",
            "due",
            "2026-11-22T09:30:00.000Z",
        ),
        ("FREQ=DAILY;UNTIL=20261122T092959Z", "2026-11-20T09:30:00Z", "due", None),
        ("FREQ=DAILY;COUNT=1", "2026-11-21", "due", None),
        ("FREQ=DAILY;COUNT=3", "2026-11-10", "due", None),
        ("FREQ=DAILY;COUNT=999999999", "0001-01-01", "due", None),
        ("FREQ=DAILY", "9999-12-30", "due", "9999-12-31"),
    ],
)
async def test_completing_makes_the_first_date_of_the_rule_after_today(
    alice: Client, rule: str, due: str, come_from: str, following: str | None
) -> None:
    todo = await made(alice, rule, due, come_from)
    after = await completed(alice, todo)
    assert (after and after["dueDate"]) == following


async def test_the_next_is_the_same_todo_with_its_steps_unticked(
    alice: Client, clock: MovableClock
) -> None:
    todo = await made(
        alice,
        "FREQ=DAILY",
        "2026-11-21",
        title="Water",
        description="d",
        priority=3,
        steps=[{"title": "a"}, {"title": "b"}],
    )
    await alice.ok(
        "PATCH",
        "/os/todos/1",
        json={"steps": [{"id": 1, "title": "a", "completed": True}, {"id": 2, "title": "b"}]},
    )
    clock.forward(hours=1)
    after = await completed(alice, todo)
    moment = "2026-11-21T10:30:00.000Z"
    assert after == {
        **todo,
        "id": 2,
        "dueDate": "2026-11-22",
        "createdAt": moment,
        "updatedAt": moment,
    }
    assert (await alice.ok("GET", "/os/todos/2"))["todo"] == after


async def test_a_count_goes_down_with_every_date_of_the_series_and_then_it_is_over(
    alice: Client, clock: MovableClock
) -> None:
    todo = await made(alice, "FREQ=DAILY;COUNT=5", "2026-11-20")
    second = await completed(alice, todo)
    assert (second["dueDate"], second["recurrence"]["rule"]) == ("2026-11-22", "FREQ=DAILY;COUNT=3")
    clock.forward(days=1)
    third = await completed(alice, second)
    assert (third["dueDate"], third["recurrence"]["rule"]) == ("2026-11-23", "FREQ=DAILY;COUNT=2")
    clock.forward(days=1)
    last = await completed(alice, third)
    assert last["recurrence"]["rule"] == "FREQ=DAILY;COUNT=1"
    assert await completed(alice, last) is None


@pytest.mark.parametrize(
    ("due", "zone", "dates"),
    [
        ("2026-11-21T09:00", "Europe/Berlin", ["2026-11-22T08:00:00.000Z"]),
        (
            "2027-03-27T09:00",
            "Europe/Berlin",
            ["2027-03-28T07:00:00.000Z", "2027-03-29T07:00:00.000Z"],
        ),
        (
            "2027-03-27T02:30",
            "Europe/Berlin",
            ["2027-03-28T01:30:00.000Z", "2027-03-29T00:30:00.000Z", "2027-03-30T00:30:00.000Z"],
        ),
        (
            "2027-10-30T02:30",
            "Europe/Berlin",
            ["2027-10-31T00:30:00.000Z", "2027-11-01T01:30:00.000Z"],
        ),
        (
            "2027-03-13T23:30",
            "America/New_York",
            ["2027-03-15T03:30:00.000Z", "2027-03-16T03:30:00.000Z"],
        ),
    ],
)
async def test_a_time_of_day_stays_what_the_wall_shows(
    alice: Client, due: str, zone: str, dates: list[str]
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": zone})
    todo = await made(alice, "FREQ=DAILY", due)
    for expected in dates:
        todo = await completed(alice, todo)
        assert todo["dueDate"] == expected


async def test_today_is_the_users_day(alice: Client, clock: MovableClock) -> None:
    clock.now = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    here = await made(alice, "FREQ=DAILY", "2026-11-20")
    there = await made(alice, "FREQ=DAILY", "2026-11-20")
    assert (await completed(alice, here))["dueDate"] == "2026-11-22"
    assert (await completed(alice, there, userTimezone="Asia/Tokyo"))["dueDate"] == "2026-11-23"


async def test_there_is_never_a_second_successor(alice: Client) -> None:
    todo = await made(alice, "FREQ=DAILY", "2026-11-21")
    after = await completed(alice, todo)
    assert await completed(alice, todo) is None
    await alice.ok("PATCH", f"/os/todos/{todo['id']}", json={"completed": False})
    assert (await alice.ok("GET", f"/os/todos/{after['id']}"))["todo"] == after
    assert await completed(alice, todo) is None
    assert (await alice.ok("GET", "/os/todos"))["result"]["total"] == 2


async def test_a_series_goes_on_when_its_successor_was_deleted(alice: Client) -> None:
    todo = await made(alice, "FREQ=DAILY", "2026-11-21")
    after = await completed(alice, todo)
    await alice.ok("DELETE", f"/os/todos/{after['id']}")
    await alice.ok("PATCH", f"/os/todos/{todo['id']}", json={"completed": False})
    assert (await completed(alice, todo))["dueDate"] == "2026-11-22"


async def test_an_edit_that_completes_makes_the_next_from_the_edited_todo(alice: Client) -> None:
    await made(alice, "FREQ=DAILY", "2026-11-21")
    await alice.ok(
        "PATCH",
        "/os/todos/1",
        json={
            "completed": True,
            "title": "Renamed",
            "recurrence": {"rule": "FREQ=WEEKLY", "from": "due"},
        },
    )
    after = (await alice.ok("GET", "/os/todos/2"))["todo"]
    assert (after["title"], after["dueDate"]) == ("Renamed", "2026-11-28")


async def test_without_its_recurrence_a_todo_has_no_next(alice: Client) -> None:
    todo = await made(alice, "FREQ=DAILY", "2026-11-21")
    await alice.ok("PATCH", "/os/todos/1", json={"recurrence": None})
    assert await completed(alice, todo) is None


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "DAILY",
        "FREQ=",
        "FREQ=HOURLY",
        "FREQ=MINUTELY",
        "FREQ=SECONDLY",
        "FREQ=DAILY;BYHOUR=9",
        "FREQ=DAILY;FREQ=DAILY",
        "INTERVAL=2",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;INTERVAL=1e3",
        "FREQ=DAILY;INTERVAL=99999999999999999999",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=2;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=2027",
        "FREQ=DAILY;UNTIL=20270230",
        "FREQ=DAILY;UNTIL=x",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=MONTHLY;BYDAY=0MO",
        "FREQ=MONTHLY;BYDAY=99MO",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=YEARLY;BYMONTH=-1",
        "FREQ=YEARLY;BYEASTER=0",
        "FREQ=DAILY;X-OWN=1",
        "FREQ=DAILY;;",
        "FREQ=DAILY;WKST=XX",
        "DTSTART:20260101\nRRULE:FREQ=DAILY",
        "FREQ=DAILY\nDTSTART:20260101",
        "FREQ=DAILY\r\nRRULE:FREQ=WEEKLY",
        "EXRULE:FREQ=DAILY",
        "FREQ=DAILY;" + "BYMONTH=1," * 100 + "1",
        "FREQ=DAİLY",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=WEEKLY;BYMONTH=6;BYMONTHDAY=31",
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6",
        "FREQ=YEARLY;INTERVAL=999999999",
        "FREQ=DAILY;INTERVAL=999999999",
        "FREQ=MONTHLY;INTERVAL=999999999",
    ],
)
async def test_a_rule_that_is_no_rule_of_days_or_names_no_day_is_refused(
    resident: Client, rule: str
) -> None:
    fields = {"title": "x", "dueDate": "2026-12-01", "recurrence": {"rule": rule, "from": "due"}}
    body = await resident.refused(
        "POST", "/os/todos", 422, "unprocessable", field="recurrence.rule", json=fields
    )
    assert body["message"].startswith("recurrence.rule ")


async def test_a_rule_that_ends_before_the_todo_is_due_is_refused(alice: Client) -> None:
    ended = {"rule": "FREQ=DAILY;UNTIL=20261130"}
    fields = {"title": "x", "dueDate": "2026-12-01", "recurrence": ended}
    body = await alice.refused(
        "POST", "/os/todos", 422, "unprocessable", field="recurrence.rule", json=fields
    )
    assert "UNTIL" in body["message"]
    todo = await made(alice, "FREQ=DAILY", "2026-12-01")
    path = f"/os/todos/{todo['id']}"
    await alice.refused(
        "PATCH", path, 400, "invalid_request", field="recurrence.rule", json={"recurrence": ended}
    )
    await made(alice, "FREQ=DAILY;UNTIL=20261201", "2026-12-01")
    await made(alice, "FREQ=DAILY;UNTIL=20261201T093000Z", "2026-12-01T09:30:00Z")


async def test_the_last_of_a_series_may_be_put_off(alice: Client) -> None:
    todo = await made(alice, "FREQ=DAILY;UNTIL=20261122", "2026-11-22")
    later = {"dueDate": "2026-11-25", "recurrence": todo["recurrence"]}
    put_off = await alice.ok("PATCH", f"/os/todos/{todo['id']}", json=later)
    assert put_off["todo"]["dueDate"] == "2026-11-25"
    assert await completed(alice, put_off["todo"]) is None


def parts(name: str, values: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[str]:
    listed = st.lists(values, min_size=1, max_size=most).map(
        lambda chosen: f";{name}=" + ",".join(map(str, chosen))
    )
    return st.one_of(st.just(""), listed)


RULES = st.builds(
    lambda *given: "".join(given),
    st.sampled_from(["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY"]),
    st.integers(1, 60).map(lambda number: f";INTERVAL={number}"),
    parts("BYMONTH", st.integers(1, 12)),
    parts("BYMONTHDAY", st.integers(-31, 31).filter(bool)),
    parts("BYDAY", DAYS),
    parts("BYSETPOS", st.sampled_from([1, 2, -1]), 1),
    parts("WKST", DAYS, 1),
)


@settings(max_examples=60, deadline=None)
@example("FREQ=DAILY;INTERVAL=8;BYMONTH=6;BYMONTHDAY=1;BYDAY=MO", date(2058, 1, 1), 1096)
@given(rule=RULES, start=st.dates(date(1990, 1, 1), date(2090, 1, 1)), wait=st.integers(0, 4000))
def test_passing_over_a_long_past_finds_the_date_that_counting_finds(
    rule: str, start: date, wait: int
) -> None:
    after = date.fromordinal(start.toordinal() + wait)
    leaping = recurrence.next_date(recurrence.parse_rule(rule), start=start, after=after)
    counting = recurrence.next_date(
        recurrence.parse_rule(rule + ";COUNT=999999999"), start=start, after=after
    )
    if leaping is not None and counting is not None:
        assert leaping[0] == counting[0]
        assert leaping[0] > after
    else:
        assert counting is None


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.text(max_size=60), st.text("FREQ=DAILYWKMOTHBUNT;0123456789,-+:TZ", max_size=60))
)
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    found, refusal = None, ""
    try:
        found = recurrence.parse_rule(text)
    except ValueError as error:
        refusal = str(error)
    if found is None:
        assert refusal.startswith(("must ", "has "))
        return
    assert recurrence.parse_rule(str(found)) == found
    series = recurrence.Recurrence(str(found))
    recurrence.next_in_series(
        series, due_date="2026-01-31", today=date(2026, 3, 1), zone=ZoneInfo("UTC"), wall=None
    )


def test_a_recurrence_is_stored_as_it_was_sent() -> None:
    series = recurrence.Recurrence("freq=daily", "done")
    assert json.loads(msgspec.json.encode(series)) == {"rule": "FREQ=DAILY", "from": "done"}
