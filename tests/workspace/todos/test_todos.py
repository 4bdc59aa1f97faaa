"""Todos over HTTP: creating, finding, editing, completing and deleting them."""

import contextlib
import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import Invalid
from app.workspace.todos import due
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def made(client: Client, title: str = "A todo", **fields: Any) -> Any:
    body = await client.ok("POST", "/os/todos", status=201, json={"title": title, **fields})
    return body["result"]["todo"]


async def found(client: Client, **query: Any) -> list[str]:
    """Give the titles of a search, after checking that the total counts them."""
    result = (await client.ok("GET", "/os/todos", params=query))["result"]
    if not {"limit", "offset"} & query.keys():
        assert result["total"] == len(result["todos"])
    return [todo["title"] for todo in result["todos"]]


async def test_a_new_todo_has_every_field_and_the_defaults(alice: Client) -> None:
    assert await made(alice, "  Buy milk ") == {
        "id": 1,
        "title": "Buy milk",
        "description": None,
        "completed": False,
        "completedAt": None,
        "priority": 0,
        "dueDate": None,
        "recurrence": None,
        "createdAt": "2026-11-21T09:30:00.000Z",
        "updatedAt": "2026-11-21T09:30:00.000Z",
        "steps": [],
    }


async def test_a_todo_keeps_what_it_was_given(alice: Client) -> None:
    todo = await made(
        alice,
        "Plan",
        description="long\ntext",
        priority=5,
        dueDate="2026-12-01",
        steps=[{"title": "one"}, {"title": "two"}],
        recurrence={"rule": "rrule:freq=weekly;byday=tu", "from": "done"},
    )
    read = (await alice.ok("GET", f"/os/todos/{todo['id']}"))["todo"]
    assert read == todo
    assert read["steps"] == [
        {"id": 1, "title": "one", "completed": False},
        {"id": 2, "title": "two", "completed": False},
    ]
    assert read["recurrence"] == {"rule": "FREQ=WEEKLY;BYDAY=TU", "from": "done"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "title"),
        ({"title": " "}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "x", "priority": 11}, "priority"),
        ({"title": "x", "priority": 2.5}, "priority"),
        ({"title": "x", "description": "one text", "notes": "another"}, "notes"),
        ({"title": "x", "notes": "x" * 20_001}, "notes"),
        ({"title": "x", "priority": -1}, "priority"),
        ({"title": "x", "description": "x" * 20_001}, "description"),
        ({"title": "x", "dueDate": "2026-02-30"}, "dueDate"),
        ({"title": "x", "dueDate": "2026-13-01T25:00"}, "dueDate"),
        ({"title": "x", "dueDate": "tomorrow"}, "dueDate"),
        ({"title": "x", "dueDate": ""}, "dueDate"),
        ({"title": "x", "dueDate": "0001-01-01T00:00:00+02:00"}, "dueDate"),
        ({"title": "x", "dueDate": "9999-12-31T23:00:00-02:00"}, "dueDate"),
        ({"title": "x", "dueDate": "20260301"}, "dueDate"),
        ({"title": "x", "dueDate": "2026-W01-1"}, "dueDate"),
        ({"title": "x", "steps": [{"title": "x"}] * 101}, "steps"),
        ({"title": "x", "steps": [{"title": "x"}, {"title": ""}]}, "steps[1].title"),
        ({"title": "x", "userTimezone": "Mars/Base"}, "userTimezone"),
        ({"title": "x", "recurrence": {"rule": "FREQ=DAILY"}}, "recurrence"),
        (
            {"title": "x", "dueDate": "2026-12-01", "recurrence": {"rule": "FREQ=HOURLY"}},
            "recurrence.rule",
        ),
        (
            {
                "title": "x",
                "dueDate": "2026-12-01",
                "recurrence": {"rule": "FREQ=DAILY", "from": "never"},
            },
            "recurrence.from",
        ),
    ],
)
async def test_a_todo_with_a_bad_field_is_unprocessable_and_not_made(
    resident: Client, fields: dict[str, Any], field: str
) -> None:
    body = await resident.refused(
        "POST", "/os/todos", 422, "unprocessable", field=field, json=fields
    )
    assert field.split("[")[0].split(".")[0] in body["message"]
    assert await found(resident) == []


@pytest.mark.parametrize("priority", range(11))
async def test_any_priority_from_0_to_10_is_kept_as_it_was_given(
    alice: Client, priority: int
) -> None:
    todo = await made(alice, priority=priority)
    assert todo["priority"] == priority
    edited = await alice.ok("PATCH", f"/os/todos/{todo['id']}", json={"priority": 10 - priority})
    assert edited["todo"]["priority"] == 10 - priority
    await alice.refused(
        "PATCH",
        f"/os/todos/{todo['id']}",
        400,
        "invalid_request",
        field="priority",
        json={"priority": 11},
    )


async def test_notes_is_another_name_of_description(alice: Client) -> None:
    todo = await made(alice, notes="Bring the form")
    assert todo["description"] == "Bring the form"
    assert (await made(alice, notes="same", description="same"))["description"] == "same"
    path = f"/os/todos/{todo['id']}"
    assert (await alice.ok("PATCH", path, json={"notes": "And a pen"}))["todo"][
        "description"
    ] == "And a pen"
    both = {"notes": "one text", "description": "another"}
    await alice.refused("PATCH", path, 400, "invalid_request", field="notes", json=both)
    assert (await alice.ok("PATCH", path, json={"title": "Only this"}))["todo"][
        "description"
    ] == "And a pen"


async def test_a_recurrence_whose_from_is_null_counts_from_the_due_date(alice: Client) -> None:
    body = {
        "title": "A",
        "dueDate": "2026-11-22",
        "recurrence": {"rule": "FREQ=DAILY", "from": None},
    }
    made = (await alice.ok("POST", "/os/todos", status=201, json=body))["result"]["todo"]
    assert made["recurrence"] == {"rule": "FREQ=DAILY", "from": "due"}


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("dueFrom", "dueFrom must be a date such as 2026-03-01."),
        ("date", "date must be today, tomorrow, week, overdue or a date such as 2026-03-01."),
    ],
)
async def test_what_a_day_must_be_is_told_in_a_sentence(
    alice: Client, field: str, text: str
) -> None:
    assert (await alice.get(f"/os/todos?{field}=soon")).json()["message"] == text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("2026-02-30", "2026-02-30: February 2026 has 28 days"),
        ("2027-04-31T09:00", "2027-04-31: April 2027 has 30 days"),
        ("2100-02-29", "2100-02-29: February 2100 has 28 days"),
    ],
)
async def test_a_day_that_does_not_exist_is_refused_by_name(
    alice: Client, given: str, reason: str
) -> None:
    answer = await alice.post("/os/todos", json={"title": "x", "dueDate": given})
    assert answer.status_code in (400, 422)
    assert f"dueDate names a day that does not exist, {reason}." in answer.json()["message"]
    if len(given) == 10:
        answer = await alice.get(f"/os/todos?dueFrom={given}")
        assert f"dueFrom names a day that does not exist, {reason}." in answer.json()["message"]


@pytest.mark.parametrize(
    ("given", "zone", "stored"),
    [
        ("2024-02-29", "Europe/Berlin", "2024-02-29"),
        ("0001-01-01", "UTC", "0001-01-01"),
        ("9999-12-31", "Asia/Tokyo", "9999-12-31"),
        ("2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"),
        ("2026-12-01T09:00:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"),
        ("2026-12-01 09:00:30.1239", "UTC", "2026-12-01T09:00:30.123Z"),
        ("2026-12-01T09:00:00Z", "Europe/Berlin", "2026-12-01T09:00:00.000Z"),
        ("2026-12-01T09:00:00-0330", "Europe/Berlin", "2026-12-01T12:30:00.000Z"),
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"),
    ],
)
async def test_a_date_stays_a_date_and_a_moment_is_stored_in_utc(
    alice: Client, given: str, zone: str, stored: str
) -> None:
    assert (await made(alice, dueDate=given, userTimezone=zone))["dueDate"] == stored


async def test_a_moment_without_a_zone_is_read_in_the_zone_of_the_settings(alice: Client) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "America/New_York"})
    todo = await made(alice, dueDate="2026-12-01T09:00")
    assert todo["dueDate"] == "2026-12-01T14:00:00.000Z"
    changed = await alice.ok(
        "PATCH", f"/os/todos/{todo['id']}", json={"dueDate": "2026-07-01T09:00"}
    )
    assert changed["todo"]["dueDate"] == "2026-07-01T13:00:00.000Z"


async def test_open_todos_come_first_then_the_sooner_then_the_more_important(alice: Client) -> None:
    await made(alice, "none", priority=5)
    await made(alice, "late", dueDate="2026-12-02")
    await made(alice, "soon, little", dueDate="2026-12-01", priority=1)
    await made(alice, "soon, much", dueDate="2026-12-01", priority=4)
    await made(alice, "soon, at noon", dueDate="2026-12-01T12:00:00Z")
    done = await made(alice, "done", dueDate="2026-11-30")
    await alice.ok("POST", f"/os/todos/{done['id']}/complete")
    assert await found(alice) == [
        "soon, at noon",
        "soon, much",
        "soon, little",
        "late",
        "none",
        "done",
    ]
    assert await found(alice, completed="false") == [
        "soon, at noon",
        "soon, much",
        "soon, little",
        "late",
        "none",
    ]
    assert await found(alice, completed="1") == ["done"]


async def test_a_day_stands_at_its_end_in_the_users_zone_even_after_that_zone_has_changed(
    alice: Client,
) -> None:
    await made(alice, "day", dueDate="2026-12-01")
    await made(alice, "evening", dueDate="2026-12-01T20:00", userTimezone="America/Los_Angeles")
    assert await found(alice) == ["day", "evening"]
    await alice.ok("PATCH", "/account/settings", json={"timezone": "America/Los_Angeles"})
    await made(alice, "next day", dueDate="2026-12-02")
    assert await found(alice) == ["evening", "day", "next day"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ({"sort": "dueDate"}, ["b", "C", "a"]),
        ({"sort": "dueDate", "order": "desc"}, ["C", "b", "a"]),
        ({"sort": "priority"}, ["C", "a", "b"]),
        ({"sort": "priority", "order": "asc"}, ["a", "b", "C"]),
        ({"sort": "title"}, ["a", "b", "C"]),
        ({"sort": "title", "order": "desc"}, ["C", "b", "a"]),
        ({"sort": "createdAt", "order": "asc"}, ["a", "b", "C"]),
        ({"sort": "createdAt"}, ["C", "b", "a"]),
        ({"sort": "updatedAt"}, ["a", "C", "b"]),
    ],
)
async def test_a_list_can_be_sorted(
    alice: Client, clock: MovableClock, query: dict[str, str], titles: list[str]
) -> None:
    for title, day, priority in (("a", None, 0), ("b", "2026-12-01", 0), ("C", "2026-12-02", 3)):
        await made(alice, title, dueDate=day, priority=priority)
        clock.forward(seconds=1)
    await alice.ok("PATCH", "/os/todos/1", json={"description": "touched"})
    assert await found(alice, **query) == titles


@pytest.mark.parametrize(
    ("q", "titles"),
    [
        ("cafe", ["Café réservation"]),
        ("CAFÉ RESERV", ["Café réservation"]),
        ("window", ["Café réservation"]),
        ("strasse", ["Straße"]),
        ("menu strasse", ["Straße"]),
        ("window menu", []),
        ("100%", ["100% sure"]),
        ("0% s", ["100% sure"]),
        ("a_b", []),
        ("%", ["100% sure"]),
        ("'; --", []),
        ("   ", ["Café réservation", "Straße", "100% sure", "azb"]),
    ],
)
async def test_every_word_must_occur_in_title_description_or_steps(
    alice: Client, q: str, titles: list[str]
) -> None:
    await made(alice, "Café réservation", steps=[{"title": "Ask for a window"}])
    await made(alice, "Straße", description="Menü at noon")
    await made(alice, "100% sure")
    await made(alice, "azb")
    assert await found(alice, q=q) == titles


async def test_words_follow_an_edit(alice: Client) -> None:
    await made(alice, "old", steps=[{"title": "stale"}])
    await alice.ok("PATCH", "/os/todos/1", json={"title": "new", "steps": [{"title": "fresh"}]})
    assert await found(alice, q="old") == []
    assert await found(alice, q="stale") == []
    assert await found(alice, q="fresh new") == ["new"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ({"date": "today"}, ["today 1h", "today 23h", "today"]),
        ({"date": "tomorrow"}, ["tomorrow 0h"]),
        ({"date": "week"}, ["today 1h", "today 23h", "today", "tomorrow 0h", "in 6 days"]),
        ({"date": "overdue"}, ["yesterday", "today 1h"]),
        ({"date": "2026-11-28"}, ["in 7 days"]),
        ({"dueFrom": "2026-11-22"}, ["tomorrow 0h", "in 6 days", "in 7 days"]),
        ({"dueTo": "2026-11-21"}, ["yesterday", "today 1h", "today 23h", "today"]),
        ({"dueFrom": "2026-11-22", "dueTo": "2026-11-27"}, ["tomorrow 0h", "in 6 days"]),
        ({"dueFrom": "2026-11-22", "date": "today"}, []),
        ({"dueFrom": "2026-11-27", "dueTo": "2026-11-22"}, []),
        (
            {"dueFrom": "0001-01-01", "dueTo": "9999-12-31"},
            [
                "yesterday",
                "today 1h",
                "today 23h",
                "today",
                "tomorrow 0h",
                "in 6 days",
                "in 7 days",
            ],
        ),
        ({"priorityMin": "2"}, ["today", "in 7 days"]),
        ({"priority": "2"}, ["today"]),
        ({"priorityMin": "2", "date": "week", "completed": "false"}, ["today"]),
    ],
)
async def test_filters_go_by_the_local_day(
    alice: Client, query: dict[str, str], titles: list[str]
) -> None:
    dues = {
        "yesterday": "2026-11-20",
        "today": "2026-11-21",
        "today 1h": "2026-11-21T01:00",
        "today 23h": "2026-11-21T23:00",
        "tomorrow 0h": "2026-11-22T00:00",
        "in 6 days": "2026-11-27",
        "in 7 days": "2026-11-28",
    }
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Europe/Berlin"})
    for title, day in dues.items():
        await made(alice, title, dueDate=day, priority={"today": 2, "in 7 days": 4}.get(title, 0))
    await made(alice, "never")
    assert await found(alice, **query) == titles


async def test_what_is_completed_is_not_overdue(alice: Client) -> None:
    await made(alice, "done", dueDate="2026-11-01")
    await alice.ok("POST", "/os/todos/1/complete")
    assert await found(alice, date="overdue") == []
    assert await found(alice, date="overdue", completed="true") == []
    assert await found(alice, date="2026-11-01") == ["done"]


async def test_a_day_is_overdue_only_when_it_has_passed_where_the_user_is(
    alice: Client, clock: MovableClock
) -> None:
    await made(alice, "day", dueDate="2026-11-21")
    clock.forward(hours=14)
    assert await found(alice, date="overdue") == []
    assert await found(alice, date="overdue", userTimezone="Asia/Tokyo") == ["day"]
    clock.forward(hours=1)
    assert await found(alice, date="overdue") == ["day"]
    assert await found(alice, date="overdue", userTimezone="America/New_York") == []


async def test_the_day_of_a_change_of_clocks_is_whole(alice: Client) -> None:
    for title, day in (
        ("first hour", "2026-03-29T00:00"),
        ("last hour", "2026-03-29T23:59"),
        ("after", "2026-03-30T00:00"),
    ):
        await made(alice, title, dueDate=day, userTimezone="Europe/Berlin")
    assert await found(alice, date="2026-03-29", userTimezone="Europe/Berlin") == [
        "first hour",
        "last hour",
    ]


async def test_pages_add_up_to_the_list_and_steps_come_only_when_asked_for(alice: Client) -> None:
    for number in range(5):
        await made(alice, str(number), steps=[{"title": "s"}])
    pages = [
        (await alice.ok("GET", "/os/todos", params={"limit": 2, "offset": at}))["result"]
        for at in (0, 2, 4, 6)
    ]
    assert [[todo["title"] for todo in page["todos"]] for page in pages] == [
        ["0", "1"],
        ["2", "3"],
        ["4"],
        [],
    ]
    assert {page["total"] for page in pages} == {5}
    assert "steps" not in pages[0]["todos"][0]
    with_steps = await alice.ok("GET", "/os/todos", params={"includeSteps": "true", "limit": 1000})
    assert [todo["steps"] for todo in with_steps["result"]["todos"]] == [
        [{"id": 1, "title": "s", "completed": False}]
    ] * 5


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"offset": "-1"}, "offset"),
        ({"completed": "maybe"}, "completed"),
        ({"priorityMin": "11"}, "priorityMin"),
        ({"priority": "high"}, "priority"),
        ({"date": "someday"}, "date"),
        ({"date": "2026-02-30"}, "date"),
        ({"dueFrom": "today"}, "dueFrom"),
        ({"dueTo": "x"}, "dueTo"),
        ({"sort": "size"}, "sort"),
        ({"sort": "title", "order": "up"}, "order"),
        ({"userTimezone": "../x"}, "userTimezone"),
        ({"includeSteps": "yes"}, "includeSteps"),
        ({"q": "x" * 1001}, "q"),
    ],
)
async def test_a_bad_filter_is_told_in_a_body_of_200(
    alice: Client, query: dict[str, str], field: str
) -> None:
    await made(alice)
    response = await alice.get("/os/todos", params=query)
    body = response.json()
    assert response.status_code == 200
    assert (body["success"], body["error"], body["field"]) == (False, "invalid_request", field)
    assert field in body["message"]
    assert body["result"] == {"todos": [], "total": 0}


async def test_an_edit_changes_only_what_it_names(alice: Client, clock: MovableClock) -> None:
    before = await made(
        alice, "t", description="d", priority=2, dueDate="2026-12-01", steps=[{"title": "s"}]
    )
    clock.forward(minutes=1)
    after = (await alice.ok("PATCH", "/os/todos/1", json={"priority": 3}))["todo"]
    assert after == {**before, "priority": 3, "updatedAt": "2026-11-21T09:31:00.000Z"}
    clock.forward(minutes=1)
    again = (
        await alice.ok(
            "PATCH", "/os/todos/1", json={"priority": 3, "description": None, "title": None}
        )
    )["todo"]
    assert again == after
    cleared = (await alice.ok("PATCH", "/os/todos/1", json={"dueDate": None}))["todo"]
    assert cleared["dueDate"] is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"priority": 11}, "priority"),
        ({"title": ""}, "title"),
        ({"dueDate": "2026-02-30"}, "dueDate"),
        ({"dueDate": ""}, "dueDate"),
        ({"dueDate": None}, "dueDate"),
        ({"recurrence": {"rule": "FREQ=SECONDLY"}}, "recurrence.rule"),
        ({"steps": [{"id": 1, "title": "a"}, {"id": 7, "title": "b"}]}, "steps[1].id"),
        ({"steps": [{"id": 1, "title": "a"}, {"id": 1, "title": "b"}]}, "steps[1].id"),
    ],
)
async def test_a_bad_edit_changes_nothing(
    alice: Client, change: dict[str, Any], field: str
) -> None:
    before = await made(
        alice, "t", dueDate="2026-12-01", recurrence={"rule": "FREQ=DAILY"}, steps=[{"title": "s"}]
    )
    await alice.refused(
        "PATCH",
        "/os/todos/1",
        400,
        "invalid_request",
        field=field,
        json={"description": "new", **change},
    )
    assert (await alice.ok("GET", "/os/todos/1"))["todo"] == before


async def test_a_due_date_and_its_recurrence_can_go_together(alice: Client) -> None:
    await made(alice, dueDate="2026-12-01", recurrence={"rule": "FREQ=DAILY"})
    todo = (await alice.ok("PATCH", "/os/todos/1", json={"dueDate": None, "recurrence": None}))[
        "todo"
    ]
    assert (todo["dueDate"], todo["recurrence"]) == (None, None)
    await alice.refused(
        "PATCH",
        "/os/todos/1",
        400,
        "invalid_request",
        field="recurrence",
        json={"recurrence": {"rule": "FREQ=DAILY"}},
    )


async def test_steps_keep_their_ids_and_no_id_is_given_twice(alice: Client) -> None:
    await made(alice, steps=[{"title": "one"}, {"title": "two"}])
    first = await alice.ok(
        "PATCH",
        "/os/todos/1",
        json={"steps": [{"id": 2, "title": "two", "completed": True}, {"title": "three"}]},
    )
    assert first["todo"]["steps"] == [
        {"id": 2, "title": "two", "completed": True},
        {"id": 3, "title": "three", "completed": False},
    ]
    second = await alice.ok(
        "PATCH",
        "/os/todos/1",
        json={"steps": [{"title": "four", "completed": True}, {"id": 2, "title": "2"}]},
    )
    assert second["todo"]["steps"] == [
        {"id": 4, "title": "four", "completed": True},
        {"id": 2, "title": "2", "completed": True},
    ]
    assert (await alice.ok("PATCH", "/os/todos/1", json={"steps": []}))["todo"]["steps"] == []


async def test_completing_is_done_once_and_reopening_undoes_it(
    alice: Client, clock: MovableClock
) -> None:
    await made(alice)
    done = await alice.ok("POST", "/os/todos/1/complete")
    assert (done["todo"]["completed"], done["todo"]["completedAt"], done["next"]) == (
        True,
        "2026-11-21T09:30:00.000Z",
        None,
    )
    clock.forward(minutes=5)
    assert await alice.ok("POST", "/os/todos/1/complete") == done
    reopened = (await alice.ok("PATCH", "/os/todos/1", json={"completed": False}))["todo"]
    assert (reopened["completed"], reopened["completedAt"]) == (False, None)
    assert await found(alice, completed="false") == ["A todo"]
    again = (await alice.ok("PATCH", "/os/todos/1", json={"completed": True, "title": "Done"}))[
        "todo"
    ]
    assert (again["completed"], again["title"], again["completedAt"]) == (
        True,
        "Done",
        "2026-11-21T09:35:00.000Z",
    )
    assert await found(alice, completed="false") == []


async def test_a_deleted_todo_is_gone_until_it_is_restored(alice: Client) -> None:
    before = await made(alice, "gone", dueDate="2026-11-01")
    assert (await alice.ok("DELETE", "/os/todos/1"))["trashed"] is True
    never = await alice.refused("GET", "/os/todos/2", 404, "not_found")
    for method, path in (
        ("GET", "/os/todos/1"),
        ("PATCH", "/os/todos/1"),
        ("POST", "/os/todos/1/complete"),
        ("DELETE", "/os/todos/1"),
    ):
        body = await alice.refused(
            method,
            path,
            404,
            "not_found",
            **({"json": {"title": "x"}} if method == "PATCH" else {}),
        )
        assert body == never
    assert await found(alice) == []
    assert await found(alice, date="overdue") == []
    item = (await alice.ok("GET", "/os/trash"))["items"][0]
    assert (item["kind"], item["id"], item["title"], item["path"]) == ("todo", 1, "gone", "")
    await alice.ok("POST", "/os/trash/todo/1/restore")
    assert (await alice.ok("GET", "/os/todos/1"))["todo"] == before
    assert await found(alice) == ["gone"]


async def test_a_todo_that_was_purged_never_comes_back_and_its_id_is_not_given_again(
    alice: Client,
) -> None:
    await made(alice)
    await alice.ok("DELETE", "/os/todos/1")
    await alice.ok("DELETE", "/os/trash/todo/1")
    await alice.refused("GET", "/os/todos/1", 404, "not_found")
    assert (await made(alice))["id"] == 2
    assert await found(alice) == ["A todo"]


async def test_a_todo_of_another_owner_is_as_one_that_never_was(alice: Client, bob: Client) -> None:
    await made(alice, "secret", dueDate="2026-11-01")
    for method, path in (("GET", ""), ("PATCH", ""), ("POST", "/complete"), ("DELETE", "")):
        body = {"json": {"title": "mine"}} if method == "PATCH" else {}
        theirs = await bob.refused(method, f"/os/todos/1{path}", 404, "not_found", **body)
        assert theirs == await bob.refused(method, f"/os/todos/999{path}", 404, "not_found", **body)
    assert await found(bob) == []
    assert await found(bob, q="secret") == []
    assert (await bob.ok("POST", "/os/todos/replan"))["count"] == 0
    assert (await alice.ok("GET", "/os/todos/1"))["todo"]["title"] == "secret"


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/os/todos", "os.todos:read"),
        ("GET", "/os/todos/1", "os.todos:read"),
        ("POST", "/os/todos", "os.todos:write"),
        ("PATCH", "/os/todos/1", "os.todos:write"),
        ("POST", "/os/todos/1/complete", "os.todos:write"),
        ("POST", "/os/todos/replan", "os.todos:write"),
        ("DELETE", "/os/todos/1", "os.todos:write"),
    ],
)
async def test_reading_and_writing_need_their_scopes(
    served: Served, alice: Client, method: str, path: str, scope: str
) -> None:
    other = "os.todos:write" if scope == "os.todos:read" else "os.todos:read"
    async with served.client(await served.key("alice", [other])) as limited:
        body = await limited.refused(method, path, 403, "insufficient_scope")
    assert body["scope"] == scope


CHANGES: list[tuple[str, str, Any]] = [
    ("POST", "/os/todos", {"title": "new"}),
    ("PATCH", "/os/todos/1", {"title": "changed"}),
    ("PATCH", "/os/todos/1", {"steps": [{"id": 1, "title": "changed"}]}),
    ("PATCH", "/os/todos/1", {"completed": True}),
    ("PATCH", "/os/todos/2", {"completed": False}),
    ("POST", "/os/todos/1/complete", {}),
    ("POST", "/os/todos/replan", {}),
    ("DELETE", "/os/todos/1", None),
    ("POST", "/os/trash/todo/3/restore", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
async def test_a_list_that_was_read_before_shows_every_change(
    alice: Client, method: str, path: str, body: Any
) -> None:
    for title in ("late", "done", "gone"):
        await made(alice, title, dueDate="2026-11-01", steps=[{"title": "s"}])
    await alice.ok("POST", "/os/todos/2/complete")
    await alice.ok("DELETE", "/os/todos/3")
    before = await alice.ok("GET", "/os/todos", params={"includeSteps": "true"})
    await alice.ok(
        method,
        path,
        status=201 if path == "/os/todos" else 200,
        **({} if body is None else {"json": body}),
    )
    after = await alice.ok("GET", "/os/todos", params={"includeSteps": "true"})
    assert after != before
    assert after == await alice.ok(
        "GET", "/os/todos", params={"includeSteps": "true", "priorityMin": 0}
    )


async def test_a_retry_with_its_key_makes_one_todo(alice: Client) -> None:
    first, second = [
        await alice.post("/os/todos", json={"title": "once"}, headers={"Idempotency-Key": "k"})
        for _ in range(2)
    ]
    assert first.json() == second.json()
    assert await found(alice) == ["once"]


async def test_fields_are_checked_before_it_is_asked_whether_the_todo_is_there(
    alice: Client,
) -> None:
    await alice.refused(
        "PATCH",
        "/os/todos/9",
        400,
        "invalid_request",
        field="dueDate",
        json={"dueDate": "2026-02-30"},
    )
    await alice.refused("PATCH", "/os/todos/9", 404, "not_found", json={"dueDate": "2026-02-28"})
    await alice.refused("GET", "/os/todos/x", 400, "invalid_request", field="id")
    await alice.refused("GET", f"/os/todos/{1 << 53}", 404, "not_found")


async def test_the_openapi_document_holds_the_fields_of_a_todo(alice: Client) -> None:
    document = (await alice.get("/openapi.json")).json()
    properties = document["components"]["schemas"]["Todo"]["properties"]
    assert set(properties) == {
        "id",
        "title",
        "description",
        "completed",
        "completedAt",
        "priority",
        "dueDate",
        "steps",
        "recurrence",
        "createdAt",
        "updatedAt",
    }
    assert properties["steps"]["items"]["required"] == ["id", "title", "completed"]
    assert set(properties["recurrence"]["properties"]) == {"rule", "from"}


MOMENTS = st.builds(
    lambda moment, zone: moment.isoformat() + zone,
    st.datetimes(),
    st.sampled_from(["", "Z", "+14:00", "-12:00", "+0530"]),
)
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/Los_Angeles", "Africa/Monrovia"]
).map(ZoneInfo)


@settings(max_examples=200, deadline=None)
@given(
    text=st.one_of(
        MOMENTS,
        st.dates().map(str),
        st.text("0123456789-T:.Z+ ", max_size=30),
        st.text(max_size=30),
    ),
    zone=ZONES,
)
def test_any_text_is_stored_as_a_due_date_or_refused(text: str, zone: ZoneInfo) -> None:
    stored = None
    with contextlib.suppress(Invalid):
        stored = due.parse_due(text, zone)
    if stored is None:
        return
    assert re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?", stored)
    assert due.parse_due(stored, zone) == stored
    day = due.local_day(stored, zone)
    around = due.days_span(day, day, zone)
    assert around.low <= due.sortable_deadline(stored, ZoneInfo("UTC")) < around.high
    assert due.local_day(due.move_to_day(stored, day, zone), zone) == day


async def test_what_is_overdue_follows_the_clock_though_nothing_was_written(
    alice: Client, clock: MovableClock
) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "Soon", "dueDate": "2026-11-21T10:00:00Z"}
    )
    for hours, total in ((0, 0), (1, 1)):
        clock.forward(hours=hours)
        for query in ("date=overdue", "limit=5&date=overdue"):
            assert (await alice.ok("GET", f"/os/todos?{query}"))["result"]["total"] == total
        assert (await alice.ok("GET", "/os/todos"))["result"]["total"] == 1
