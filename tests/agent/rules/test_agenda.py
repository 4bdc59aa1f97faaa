"""The calendar as the agent sees it.

What takes place when, time that people name, briefings, and answers without a model.
"""

from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.agent.quickadd import dates_in_text, time_ranges
from app.agent.rules.routing import routing
from tests.conftest import Client, Served
from tests.support.without_processes import read_here
from tests.tools.test_integrations import STANDUP, calendar, connect

__all__ = ["read_here"]
pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("read_here")]
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # a Wednesday
DENTIST = "UID:d|SUMMARY:Dentist|LOCATION:Main St 1|DTSTART:20261124T140000Z|DTEND:20261124T150000Z"
LUNCH = "UID:l|SUMMARY:Lunch|DTSTART:20261121T120000Z|DTEND:20261121T130000Z"
CLASH = "UID:c|SUMMARY:Call|DTSTART:20261121T123000Z|DTEND:20261121T140000Z"
HOLIDAY = "UID:h|SUMMARY:Holiday|DTSTART;VALUE=DATE:20261122|DTEND;VALUE=DATE:20261124"


async def search(client: Client, **params: Any) -> Any:
    return (
        await client.ok("POST", "/tools", json={"tool": "search_calendar_events", "params": params})
    )["result"]


def titles(found: Any) -> list[str]:
    return [entry["title"] for entry in found["events"]]


@pytest.fixture
async def busy(alice: Client) -> Client:
    """Alice with a calendar and two dated todos; it is Saturday the 21st, 9:30."""
    await connect(alice, content=calendar(STANDUP, DENTIST, LUNCH, HOLIDAY))
    for title, due in (
        ("Pay rent", "2026-11-23"),
        ("Ring Bob", "2026-11-21T16:00:00Z"),
        ("Someday", None),
    ):
        await alice.ok(
            "POST",
            "/os/todos",
            status=201,
            json={"title": title, **({"dueDate": due} if due else {})},
        )
    return alice


async def test_events_and_dated_todos_are_listed_in_order_of_time(busy: Client) -> None:
    found = await search(busy)
    assert titles(found) == [
        "Lunch",
        "Ring Bob",
        "Holiday",
        "Pay rent",
        "Standup",
        "Dentist",
        "Standup",
    ]
    assert found["total"] == 7
    assert found["events"][0] == {
        "source": "calendar",
        "title": "Lunch",
        "start": "2026-11-21T12:00:00.000Z",
        "end": "2026-11-21T13:00:00.000Z",
        "allDay": False,
        "when": "2026-11-21 12:00–13:00",
        "location": None,
        "description": None,
        "calendar": "Work",
        "todoId": None,
    }
    assert found["events"][2]["when"] == "2026-11-22 – 2026-11-23"
    assert (found["events"][1]["source"], found["events"][1]["todoId"]) == ("todo", 2)
    assert found["timeRange"] == {
        "from": "2026-11-21T09:30:00.000Z",
        "to": "2026-11-28T09:30:00.000Z",
    }


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"timeRange": "today"}, ["Lunch", "Ring Bob"]),
        ({"timeRange": "tomorrow"}, ["Holiday"]),
        ({"timeRange": "next week"}, ["Holiday", "Pay rent", "Standup", "Dentist", "Standup"]),
        ({"timeRange": "tuesday"}, ["Dentist"]),
        ({"timeRange": "2026-11-24"}, ["Dentist"]),
        ({"timeRange": "2026-11-21/2026-11-22"}, ["Lunch", "Ring Bob", "Holiday"]),
        ({"timeRange": "2026-11-21T12:30:00Z/2026-11-21T15:00:00Z"}, ["Lunch"]),
        ({"query": "dentist"}, ["Dentist"]),
        ({"query": "MAIN dent"}, ["Dentist"]),
        ({"query": "bob"}, ["Ring Bob"]),
        ({"query": "nothing like it"}, []),
        ({"query": "standup", "timeRange": "2026-12-01/2026-12-08"}, ["Standup", "Standup"]),
        ({"timeRange": "2026-11-21", "userTimezone": "Pacific/Auckland"}, []),
        (
            {"timeRange": " "},
            ["Lunch", "Ring Bob", "Holiday", "Pay rent", "Standup", "Dentist", "Standup"],
        ),
    ],
)
async def test_a_time_and_words_narrow_it(
    busy: Client, params: dict[str, str], wanted: list[str]
) -> None:
    assert titles(await search(busy, **params)) == wanted


@pytest.mark.parametrize(
    "named",
    [
        "whenever",
        "2026-13-01",
        "2026-11-24/2026-11-20",
        "0001-01-01/9999-12-31",
        "next 99999 days ago ☃",
        "::",
    ],
)
async def test_a_time_that_is_none_is_refused_and_says_what_can_be_named(
    busy: Client, named: str
) -> None:
    response = await busy.post(
        "/tools", json={"tool": "search_calendar_events", "params": {"timeRange": named}}
    )
    body = response.json()
    assert (response.status_code, body["error"]) == (422, "unprocessable"), body
    assert "next 7 days" in body["message"]


@pytest.mark.parametrize(
    ("named", "missing"),
    [
        ("31 April", "31 April"),
        ("2026-02-30", "2026-02-30"),
        ("2027-02-28/2027-02-29", "2027-02-29"),
        ("tomorrow or 31 April", "31 April"),
        ("this week, 31 April", "31 April"),
        ("le 31 avril", "31 avril"),
        ("4月31日", "4月31日"),
    ],
)
async def test_a_day_that_does_not_exist_is_asked_about(
    busy: Client, named: str, missing: str
) -> None:
    response = await busy.post(
        "/tools", json={"tool": "search_calendar_events", "params": {"timeRange": named}}
    )
    assert response.status_code == 422
    assert response.json()["message"] == (
        f"timeRange names a day that does not exist: {missing}. Ask which day is meant."
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("what's on my calendar on 31 April?", "There is no such day: 31 April."),
        ("am I free on 31 April at 3pm?", "There is no such day: 31 April."),
        ("Was steht am 31. April im Kalender?", "Diesen Tag gibt es nicht: 31. April."),
        ("Habe ich am 30. Februar Zeit?", "Diesen Tag gibt es nicht: 30. Februar."),
    ],
)
async def test_without_a_model_such_a_day_is_asked_about_too(
    busy: Client, message: str, said: str
) -> None:
    body = await ask(busy, message)
    assert said in body["response"], body["response"]
    assert body["toolsUsed"] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("meeting 31 April 10am", None),
        ("pay by 2026-02-30 at 17:00", None),
        ("call at 10am", (NOW.date(), time(10))),
        ("31 April or 30 April 10am", (date(2027, 4, 30), time(10))),
    ],
)
def test_the_time_of_a_day_that_does_not_exist_is_none_of_today(text: str, found: Any) -> None:
    assert dates_in_text.deadline(text, NOW) == found


async def test_nobody_sees_the_calendar_of_another_and_the_scope_is_needed(
    served: Served, busy: Client, bob: Client
) -> None:
    assert (await search(bob))["total"] == 0
    async with served.client(await served.key("alice", ["os.notes:read"])) as client:
        await client.refused(
            "POST",
            "/tools",
            403,
            "insufficient_scope",
            json={"tool": "search_calendar_events", "params": {}},
        )


@pytest.mark.parametrize(
    ("text", "start", "end", "at"),
    [
        ("what's on my calendar tomorrow", "11-19 00:00", "11-20 00:00", None),
        ("am I free at 3 on Friday", "11-20 00:00", "11-21 00:00", "11-20 15:00"),
        ("am I free tomorrow at 4pm?", "11-19 00:00", "11-20 00:00", "11-19 16:00"),
        ("Welche Termine habe ich nächste Woche?", "11-23 00:00", "11-30 00:00", None),
        ("qu'est-ce que j'ai cette semaine", "11-16 00:00", "11-23 00:00", None),
        ("¿Estoy libre el viernes a las 15:00?", "11-20 00:00", "11-21 00:00", "11-20 15:00"),
        ("周五下午三点我有空吗", "11-20 00:00", "11-21 00:00", "11-20 15:00"),
        ("金曜日の15時は空いていますか", "11-20 00:00", "11-21 00:00", "11-20 15:00"),
        ("明日の予定は？", "11-19 00:00", "11-20 00:00", None),
        ("übermorgen", "11-20 00:00", "11-21 00:00", None),
        ("this weekend", "11-21 00:00", "11-23 00:00", None),
        ("le week-end prochain", "11-28 00:00", "11-30 00:00", None),
        ("this month", "11-01 00:00", "12-01 00:00", None),
        ("el próximo mes", "12-01 00:00", "01-01 00:00", None),
        ("next 3 hours", "11-18 10:00", "11-18 13:00", None),
        ("die nächsten 3 Wochen", "11-18 10:00", "12-09 00:00", None),
        ("未来3天", "11-18 10:00", "11-21 00:00", None),
        ("last 2 days", "11-16 00:00", "11-18 10:00", None),
        ("2026-12-01 to 2026-12-05", "12-01 00:00", "12-06 00:00", None),
        ("2026-11-20T15:00Z", "11-20 00:00", "11-21 00:00", "11-20 16:00"),
        ("2026-11-20T15:00:00Z/2026-11-20T17:00:00Z", "11-20 16:00", "11-20 18:00", None),
    ],
)
def test_people_name_times_in_many_ways(text: str, start: str, end: str, at: str | None) -> None:
    found = time_ranges.read(text, NOW)
    assert found is not None
    assert (
        f"{found.start:%m-%d %H:%M}",
        f"{found.end:%m-%d %H:%M}",
        found.at and f"{found.at:%m-%d %H:%M}",
    ) == (start, end, at)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "whenever",
        "99999-99-99",
        "2026-02-30",
        "next 999999999999 days",
        "9999-12-31/9999-12-31",
    ],
)
def test_what_names_no_time_gives_none_or_something_bounded(text: str) -> None:
    found = time_ranges.read(text, NOW)
    assert found is None or (found.end - found.start).days <= time_ranges.MOST_DAYS


async def ask(client: Client, message: str) -> Any:
    return await client.ok("POST", "/chat", json={"message": message, "stream": False})


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "what's on my calendar today",
            ["Planned (2):", "- Saturday, 21 November 12:00–13:00: Lunch", "Ring Bob"],
        ),
        ("what meetings do I have next week?", ["Planned (5):", "Dentist (Main St 1)"]),
        ("when is my next meeting", ["Planned (3):", "Lunch"]),
        (
            "when is the dentist appointment?",
            ["Planned (1):", "Tuesday, 24 November 14:00–15:00: Dentist (Main St 1)"],
        ),
        ("what's on my calendar on 2026-12-24", ["Nothing is planned then."]),
        (
            "am I free at 12:30 today",
            [
                "No, something is planned (Saturday, 21 November 12:30–13:30):",
                "Lunch",
                "Free that day: 09:30–12:00, 13:00–18:00",
            ],
        ),
        ("am I free at 3pm today?", ["Yes, you are free: Saturday, 21 November 15:00–16:00."]),
        ("am I free tomorrow?", ["Yes, you are free: Sunday, 22 November.", "Holiday"]),
        (
            "is tuesday at 2pm free?",
            ["No, something is planned (Tuesday, 24 November 14:00–15:00):", "Dentist"],
        ),
        (
            "Am I free on Tuesday afternoon?",
            ["No, something is planned (Tuesday, 24 November 12:00–18:00):"],
        ),
        ("Was steht heute im Kalender?", ["Geplant (2):", "Lunch"]),
        (
            "Habe ich am Dienstag um 14 Uhr Zeit?",
            ["Nein, da ist etwas geplant (Dienstag, 24. November 14:00–15:00):"],
        ),
        ("Suis-je libre mardi à 14h ?", ["Non, quelque chose est prévu"]),
        (
            "¿Estoy libre el martes a las 17:00?",
            ["Sí, tienes libre: martes 24 de noviembre 17:00–18:00."],
        ),
        ("今天日历上有什么", ["安排（2）："]),
        ("周二下午两点我有空吗", ["没空，已有安排"]),
        ("今日の予定を教えて", ["予定（2）："]),
        ("火曜日の17時は空いていますか", ["空いています：11月24日（火曜日） 17:00–18:00。"]),
    ],
)
async def test_without_a_model_the_calendar_is_asked_too(
    busy: Client, message: str, said: list[str]
) -> None:
    body = await ask(busy, message)
    assert body["toolsUsed"] == ["search_calendar_events"], body["response"]
    for part in said:
        assert part in body["response"]


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("what did the meeting decide about the budget?", "ask"),
        ("don't show me my calendar", "leave"),
        ("todo: check the calendar", "add_todo"),
        ("Is the shop free of charge?", "ask"),
        ("do I have anything due this week", "list_todos"),
        ("what's due today", "list_todos"),
        ("append to meeting minutes: done", "append_note"),
        ("summarise the meeting notes", "summarise"),
        ("which calendar app did Ines like?", "ask"),
        ("不要删除日历", "leave"),
        ("remind me to book a meeting room", "add_todo"),
        ("who was at the meeting with Bob", "ask"),
    ],
)
def test_what_only_sounds_like_the_calendar_is_not_asked_of_it(message: str, intent: str) -> None:
    assert routing.route_message(message).intent == intent


async def test_a_briefing_takes_the_events_of_connected_calendars_unless_it_is_given_some(
    served: Served, alice: Client
) -> None:
    assert "Lunch" not in (await alice.ok("POST", "/briefing", json={}))["calendarSummary"]
    await connect(alice, content=calendar(LUNCH, CLASH))
    told = await alice.ok("POST", "/briefing", json={})
    assert "Lunch" in told["calendarSummary"]
    assert "conflict" in told["calendarSummary"].lower()
    assert (
        "Lunch"
        not in (await alice.ok("POST", "/briefing", json={"calendarEvents": []}))["calendarSummary"]
    )
    given = [{"summary": "Given", "start": "2026-11-21T15:00:00Z", "end": "2026-11-21T16:00:00Z"}]
    summary = (await alice.ok("POST", "/briefing", json={"calendarEvents": given}))[
        "calendarSummary"
    ]
    assert "Given" in summary
    assert "Lunch" not in summary
    async with served.client(await served.key("alice", ["agent.chat:run"])) as client:
        assert "Lunch" not in (await client.ok("POST", "/briefing", json={}))["calendarSummary"]


async def test_the_calendar_tools_are_on_and_described(alice: Client) -> None:
    tools = {
        tool["name"]: tool
        for tool in (await alice.ok("GET", "/tools"))["tools"]
        if tool["namespace"] == "calendar"
    }
    assert set(tools) == {"search_calendar_events", "briefing"}
    assert {name: tool["scope"] for name, tool in tools.items()} == {
        "search_calendar_events": "os.todos:read",
        "briefing": "agent.chat:run",
    }
    assert tools["search_calendar_events"]["parameters"]["required"] == []
    assert (
        await alice.ok(
            "POST", "/tools", json={"tool": "briefing", "params": {"timeDuration": "last 2 days"}}
        )
    )["result"]["briefingId"] == 1
