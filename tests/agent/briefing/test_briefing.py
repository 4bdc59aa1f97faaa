"""Briefings: how things stand, from todos, notes, e-mails and events, told in HTML that carries
its facts.
"""

import json
import re
import uuid
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.agent.briefing import mail
from app.agent.briefing.make_briefing import label_window
from app.agent.calendar import free_time
from app.agent.calendar.free_time import CalendarEvent
from tests.agent.briefing.test_strategies import Scripted
from tests.conftest import Client, MovableClock, Served
from tests.support.hostile import ELEMENTS
from tests.support.looping import through

pytestmark = pytest.mark.anyio
SUMMARIES = (
    "statusQuoSummary",
    "todoSummary",
    "calendarSummary",
    "notesSummary",
    "emailAttentionSummary",
)
FIELDS = {
    "success",
    "id",
    "briefingId",
    *SUMMARIES,
    "suggestions",
    "tokenUsage",
    "timeDuration",
    "generatedAt",
}
ACTIONS = {
    "create_todo",
    "complete_todo",
    "reschedule_todo",
    "reply_email",
    "review_note",
    "prepare_meeting",
    "other",
}
UTC_ZONE = ZoneInfo("UTC")


async def briefed(client: Client, **body: Any) -> dict[str, Any]:
    """Make a briefing and give it; whatever it holds, its form is right."""
    made: dict[str, Any] = await client.ok("POST", "/briefing", json=body)
    assert set(made) == FIELDS
    assert made["id"] == made["briefingId"]
    assert len(made["suggestions"]) <= 10
    for one in made["suggestions"]:
        assert set(one) == {"title", "description", "action", "suggestionId"}
        assert one["action"] in ACTIONS
        assert uuid.UUID(one["suggestionId"]).version == 5
    for name in SUMMARIES:
        assert set(re.findall(r"<\s*/?\s*([a-zA-Z!]+)", made[name])) <= {
            "p",
            "ul",
            "li",
            "strong",
            "em",
        }
        assert made[name].startswith("<p")
    return made


async def todo(client: Client, title: str, due: str | None = None, **more: Any) -> int:
    return int(
        (
            await client.ok(
                "POST", "/os/todos", status=201, json={"title": title, "dueDate": due, **more}
            )
        )["result"]["todo"]["id"]
    )


def entries(html: str) -> list[str]:
    """Give the titles of the entries of a fragment."""
    return re.findall(r'<li[^>]* data-title="([^"]*)"', html)


def event(summary: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    return {"summary": summary, "start": start, "end": end, **more}


async def test_a_briefing_of_nothing_says_so_and_gives_an_empty_matrix(alice: Client) -> None:
    made = await briefed(alice)
    assert (made["timeDuration"], made["tokenUsage"], made["suggestions"]) == (
        "last 24 hours",
        {"total": 0},
        [],
    )
    assert "Nothing presses" in made["statusQuoSummary"]
    matrix = (
        await alice.ok("POST", "/briefing/matrix", json={name: made[name] for name in SUMMARIES})
    )["matrix"]
    assert [items for items in matrix.values() if items] == []
    assert (
        await alice.ok(
            "POST", "/briefing/strategies", json={name: made[name] for name in SUMMARIES}
        )
    )["strategies"] == []


async def test_todos_stand_by_when_they_are_due(alice: Client) -> None:
    for title, due in (
        ("late", "2026-11-20"),
        ("later", "2026-11-10"),
        ("this morning", "2026-11-21T08:00Z"),
        ("tonight", "2026-11-21T20:00Z"),
        ("today", "2026-11-21"),
        ("soon", "2026-11-24"),
        ("after that", "2026-11-25"),
        ("undated", None),
    ):
        await todo(alice, title, due)
    await todo(alice, "matters", "2026-12-24", priority=5)
    await todo(alice, "matters more", "2026-12-24", priority=9)
    done = await todo(alice, "done", "2026-11-20")
    await alice.ok("POST", f"/os/todos/{done}/complete")
    gone = await todo(alice, "gone", "2026-11-20")
    await alice.ok("DELETE", f"/os/todos/{gone}")
    made = await briefed(alice)
    headings = re.findall(r"<p><strong>([^<]*)</strong></p><ul>(.*?)</ul>", made["todoSummary"])
    assert {heading: entries(rows) for heading, rows in headings} == {
        "Overdue": ["later", "late", "this morning"],
        "Today": ["tonight", "today"],
        "Next 3 days": ["soon"],
        "Important, with more time": ["matters more", "matters"],
    }
    assert (
        "3 todos are overdue, 2 are due today and 1 comes in the next 3 days."
        in made["todoSummary"]
    )
    assert "overdue 11 days" in made["todoSummary"]
    assert made["todoSummary"].count("priority 5/5") == 2
    assert "due today at 20:00" in made["todoSummary"]
    assert "3 overdue todos and 2 todos due today" in made["statusQuoSummary"]


async def test_of_many_todos_some_are_shown_and_all_are_counted(alice: Client) -> None:
    for number in range(25):
        await todo(alice, f"late {number}", "2026-11-20")
    made = await briefed(alice)
    assert len(entries(made["todoSummary"])) == 20
    assert "and 5 more" in made["todoSummary"]
    assert "25 overdue todos" in made["statusQuoSummary"]


async def test_notes_that_changed_or_are_pinned_are_told_and_no_others(
    alice: Client, bob: Client, clock: MovableClock
) -> None:
    await alice.note("Old")
    pinned = await alice.note("Pinned")
    await alice.ok("POST", f"/os/notes/{pinned['id']}/pin", json={"pinned": True})
    clock.forward(days=3)
    await alice.note("Boxes", "First sentence.\n\n- [ ] one\n- [x] two\n* [ ] three\n")
    trashed = await alice.note("Trashed")
    await alice.ok("DELETE", f"/os/notes/{trashed['id']}")
    await bob.note("Of another")
    made = await briefed(alice)
    assert entries(made["notesSummary"]) == ["Boxes", "Pinned"]
    assert "1 note has changed. 2 boxes are not ticked yet." in made["notesSummary"]
    assert "First sentence." in made["notesSummary"]
    assert {one["title"] for one in made["suggestions"] if one["action"] == "review_note"} == {
        "Review “Boxes”"
    }
    assert entries((await briefed(alice, timeDuration="last 4 days"))["notesSummary"]) == [
        "Boxes",
        "Pinned",
        "Old",
    ]


async def test_emails_that_need_a_reply_come_first_and_advertising_is_only_counted(
    alice: Client,
) -> None:
    emails = [
        {
            "summary": "A lecture",
            "sender": "Uni <info@uni.example>",
            "date": "2026-11-21T07:30:00Z",
        },
        {"summary": "Half price today", "sender": "deals@shop.example"},
        {
            "summary": "Quarterly numbers",
            "priority": "high",
            "sender": '"Ann Lee" <ann@firm.example>',
            "date": "Fri, 20 Nov 2026 09:30:00 +0000",
        },
        {
            "id": 9,
            "summary": "Where is the contract?",
            "needsReply": True,
            "sender": "boss@firm.example",
            "date": "yesterday-ish",
        },
    ]
    made = await briefed(alice, emails=[*emails, emails[0]])
    assert entries(made["emailAttentionSummary"]) == [
        "Where is the contract?",
        "Quarterly numbers",
        "A lecture",
    ]
    assert "1 e-mail needs a reply, 2 others and 1 advertisement." in made["emailAttentionSummary"]
    assert "Ann Lee, 1 day ago, high priority" in made["emailAttentionSummary"]
    assert "Uni, 2 hours ago" in made["emailAttentionSummary"]
    (reply,) = [one for one in made["suggestions"] if one["action"] == "reply_email"]
    assert reply["title"] == "Reply to boss@firm.example"


async def test_events_of_today_their_conflicts_and_the_free_time_are_told(alice: Client) -> None:
    events = [
        event("Over", "2026-11-21T08:00Z", "2026-11-21T09:00Z"),
        event("Review", "2026-11-21T10:00Z", "2026-11-21T11:00Z"),
        event("Call", "2026-11-21T10:30Z", "2026-11-21T11:30Z"),
        event("Fair", "2026-11-21", "2026-11-22"),
        event("Dentist", "2026-11-23T10:00Z", "2026-11-23T11:00Z"),
    ]
    made = await briefed(alice, calendarEvents=events)
    assert entries(made["calendarSummary"]) == ["Fair", "Review", "Call", "Dentist"]
    assert (
        "3 events today. “Review” and “Call” overlap. Free: 09:30–10:00, 11:30–18:00."
        in made["calendarSummary"]
    )
    assert made["calendarSummary"].count('data-conflict="1"') == 2
    assert "on Monday 10:00–11:00" in made["calendarSummary"]
    assert "1 calendar conflict. The next free time is 09:30–10:00." in made["statusQuoSummary"]
    assert [one["title"] for one in made["suggestions"] if one["action"] == "other"] == [
        "Resolve a calendar conflict"
    ]


async def test_a_wall_time_is_of_the_users_zone(alice: Client) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Asia/Tokyo"})
    local, in_utc = (
        event("Tea", "2026-11-21T20:00", "2026-11-21T21:00"),
        event("Tea in UTC", "2026-11-21T11:00Z", "2026-11-21T12:00Z"),
    )
    made = await briefed(alice, calendarEvents=[local, in_utc])
    assert made["calendarSummary"].count("20:00–21:00</em>") == 0
    assert made["calendarSummary"].count("20:00–21:00, overlaps another event") == 2
    made = await briefed(alice, userTimezone="UTC", calendarEvents=[local])
    assert 'data-due="2026-11-21T20:00+00:00"' in made["calendarSummary"]


EVENTS = [
    pytest.param([], [], [("09:30", "18:00")], id="an empty day"),
    pytest.param(
        [("10:00", "11:00"), ("11:00", "12:00")],
        [],
        [("09:30", "10:00"), ("12:00", "18:00")],
        id="one after the other is no conflict",
    ),
    pytest.param(
        [("10:00", "12:00"), ("11:00", "11:30")],
        [(0, 1)],
        [("09:30", "10:00"), ("12:00", "18:00")],
        id="one inside the other",
    ),
    pytest.param(
        [("09:00", "09:45"), ("10:10", "17:40")], [], [], id="gaps under half an hour are not free"
    ),
    pytest.param([("08:00", "19:00")], [], [], id="a full day"),
    pytest.param(
        [("17:00", "20:00"), ("19:00", "21:00")], [(0, 1)], [("09:30", "17:00")], id="after hours"
    ),
    pytest.param(
        [("11:00", "11:00")],
        [],
        [("09:30", "11:00"), ("11:00", "18:00")],
        id="a moment takes no time",
    ),
]


@pytest.mark.parametrize(("given", "clashing", "free"), EVENTS)
def test_conflicts_and_free_time(
    given: list[tuple[str, str]], clashing: list[tuple[int, int]], free: list[tuple[str, str]]
) -> None:
    now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC_ZONE)
    events = [
        CalendarEvent(f"2026-11-21T{start}", f"2026-11-21T{end}", str(number))
        for number, (start, end) in enumerate(given)
    ]
    for order in (events, events[::-1]):
        found = free_time.events_of(order, UTC_ZONE)
        assert [
            (int(one.title), int(other.title)) for one, other in free_time.conflicting_pairs(found)
        ] == clashing
        assert {int(one.title) for one in found if one.conflict} == {
            number for pair in clashing for number in pair
        }
        assert [
            (f"{slot.start:%H:%M}", f"{slot.end:%H:%M}")
            for slot in free_time.free_slots(found, now)
        ] == free


async def test_a_long_meeting_clashes_with_each_that_begins_in_it(alice: Client) -> None:
    events = [
        event("Offsite", "2026-11-21T10:00Z", "2026-11-21T17:00Z"),
        *(event(f"m{n}", f"2026-11-21T1{n}:00Z", f"2026-11-21T1{n}:30Z") for n in (1, 3, 5)),
    ]
    made = await briefed(alice, calendarEvents=events)
    assert made["calendarSummary"].count('data-conflict="1"') == 4


async def test_the_whole_way_from_facts_to_the_matrix_keeps_the_facts(alice: Client) -> None:
    await todo(alice, "Send the <b>invoice</b> & more", "2026-11-20", priority=4)
    await todo(alice, "Read a novel", "2026-11-21", priority=1)
    events = [
        event("Board meeting", "2026-11-21T10:00Z", "2026-11-21T11:00Z"),
        event("Coffee", "2026-11-21T10:30Z", "2026-11-21T11:00Z"),
    ]
    emails = [
        {
            "summary": "Sign the lease today",
            "needsReply": True,
            "sender": "Flat <flat@firm.example>",
        },
        {"summary": "40% off", "sender": "news@shop.example"},
    ]
    made = await briefed(alice, emails=emails, calendarEvents=events)
    matrix = (
        await alice.ok("POST", "/briefing/matrix", json={name: made[name] for name in SUMMARIES})
    )["matrix"]
    assert {
        name: {(item["title"], item["source"]) for item in items} for name, items in matrix.items()
    } == {
        "q1_urgent_important": {
            ("Send the <b>invoice</b> & more", "todo"),
            ("Sign the lease today", "email"),
            ("Board meeting", "calendar"),
        },
        "q2_not_urgent_important": set(),
        "q3_urgent_not_important": {("Read a novel", "todo"), ("Coffee", "calendar")},
        "q4_not_urgent_not_important": set(),
    }
    strategies = (
        await alice.ok(
            "POST", "/briefing/strategies", json={name: made[name] for name in SUMMARIES}
        )
    )["strategies"]
    assert {one["title"] for one in strategies} == {
        "Clear 1 overdue todo: “Send the <b>invoice</b> & more”",
        "Resolve the calendar conflict of “Board meeting” and “Coffee”",
        "Reply to 1 message: “Sign the lease today”",
    }


@through("hostile", [(repr(one[:60]), one) for one in ELEMENTS])
async def test_foreign_text_never_becomes_markup(alice: Client, hostile: str) -> None:
    text = hostile.replace("\0", "").encode(errors="ignore").decode()
    if text.strip():
        await alice.note("A note", text)
    made = await briefed(
        alice,
        emails=[
            {
                "id": text,
                "summary": text,
                "sender": text,
                "snippet": text,
                "category": text,
                "priority": text,
                "date": text,
                "needsReply": True,
            }
        ],
        calendarEvents=[
            event(text, "2026-11-21T10:00Z", "2026-11-21T11:00Z", location=text, description=text)
        ],
    )
    for name in SUMMARIES:
        tags = re.findall(r"<[^>]*>", made[name])
        assert (
            "".join(
                re.sub(
                    r'<(?:/?(?:p|ul|li|strong|em)|(?:li|p)(?: data-[a-z]+="[^"<>]*")*)>', "", tag
                )
                for tag in tags
            )
            == ""
        )
        assert "<" not in re.sub(r"<[^>]*>", "", made[name])


async def test_suggestions_are_the_same_for_the_same_day_and_facts_and_other_for_others(
    alice: Client, bob: Client, clock: MovableClock
) -> None:
    def ids(made: dict[str, Any]) -> dict[str, str]:
        return {one["title"]: one["suggestionId"] for one in made["suggestions"]}

    emails = [
        {
            "summary": f"Contract {number}: answer today",
            "needsReply": True,
            "sender": f"p{number}@firm.example",
        }
        for number in range(3)
    ]
    first = ids(await briefed(alice, emails=emails))
    assert ids(await briefed(alice, emails=emails[::-1])) == first
    assert len(set(first.values())) == 3
    assert not set(ids(await briefed(bob, emails=emails)).values()) & set(first.values())
    clock.forward(days=1)
    assert not set(ids(await briefed(alice, emails=emails)).values()) & set(first.values())


async def test_at_most_ten_things_are_suggested_the_weightiest_first(alice: Client) -> None:
    for number in range(5):
        await todo(alice, f"Pay invoice {number}", "2026-11-19", priority=5)
        await todo(alice, f"Sign contract {number}", "2026-11-21", priority=5)
        await todo(alice, f"Tidy shelf {number}", "2026-11-19", priority=1)
        await alice.note(f"Boxes {number}", "- [ ] one")
    emails = [
        {
            "summary": f"Lease {number} today",
            "needsReply": True,
            "sender": f"p{number}@firm.example",
        }
        for number in range(5)
    ]
    events = [
        event(f"Board {number}", "2026-11-21T10:00Z", "2026-11-21T11:00Z") for number in range(5)
    ]
    made = await briefed(alice, emails=emails, calendarEvents=events)
    assert len(made["suggestions"]) == 10
    assert {"complete_todo", "reply_email", "other"} <= {
        one["action"] for one in made["suggestions"]
    }


@pytest.mark.parametrize(
    ("label", "hours"),
    [
        ("last 24 hours", 24),
        ("last 90 minutes", 1.5),
        ("Last 2 Days", 48),
        ("last 3 weeks", 504),
        ("last week", 168),
        ("past 6 hours", 6),
        ("last 1 day", 24),
        ("since the holidays", 24),
        ("", 24),
        ("last 0 hours", 0),
        ("last -3 days", 24),
        ("last 999999 weeks", 24 * 36_500),
        ("last 9999999999 days", 24),
    ],
)
def test_a_stretch_of_time_is_read(label: str, hours: float) -> None:
    assert label_window(label) == timedelta(hours=hours)


async def test_a_label_is_kept_as_it_was_given(alice: Client) -> None:
    made = await briefed(alice, timeDuration=" since the holidays ")
    assert made["timeDuration"] == "since the holidays"
    assert (await alice.ok("GET", "/briefings"))["briefings"][0][
        "timeDuration"
    ] == "since the holidays"


async def test_briefings_are_kept_and_listed_newest_first(
    alice: Client, bob: Client, clock: MovableClock
) -> None:
    made = []
    for _ in range(12):
        made.append(await briefed(alice))
        clock.forward(minutes=1)
    made.append(await briefed(alice))
    made.append(await briefed(alice))
    listed = (await alice.ok("GET", "/briefings"))["briefings"]
    assert [one["id"] for one in listed] == [one["id"] for one in made[::-1][:10]]
    assert listed[0] == {
        name: made[-1][name]
        for name in ("id", "briefingId", "statusQuoSummary", "timeDuration", "generatedAt")
    }
    assert len((await alice.ok("GET", "/briefings", params={"limit": 999}))["briefings"]) == 14
    whole = (await alice.ok("GET", f"/briefings/{made[3]['id']}"))["briefing"]
    assert {"success": True, **whole} == made[3]
    assert (await bob.ok("GET", "/briefings"))["briefings"] == []
    for unknown in (made[3]["id"], 999):
        await bob.refused("GET", f"/briefings/{unknown}", 404, "not_found")


async def test_nothing_of_another_person_is_told(alice: Client, bob: Client) -> None:
    await todo(bob, "Secret todo", "2026-11-20", priority=5)
    await bob.note("Secret note", "hidden")
    assert "ecret" not in json.dumps(await briefed(alice))
    assert "ecret" not in (await alice.get("/notes/summary")).text


async def test_a_briefing_tells_only_what_the_credential_may_read(
    alice: Client, served: Served
) -> None:
    await todo(alice, "A todo", "2026-11-20")
    await alice.note("A note", "- [ ] box")
    for scopes, shown in (
        ([], set()),
        (["os.todos:read"], {"A todo"}),
        (["os.notes:read"], {"A note"}),
    ):
        async with served.client(await served.key("alice", ["agent.chat:run", *scopes])) as client:
            made = await briefed(client)
        assert {title for name in SUMMARIES for title in entries(made[name])} == shown
        told = json.dumps([made["suggestions"], made["statusQuoSummary"]])
        assert ("A todo" in told) == ("1 overdue todo" in told) == ("A todo" in shown)
        assert ("A note" in told) == ("A note" in shown)


async def test_past_briefings_need_a_scope_of_their_own(alice: Client, served: Served) -> None:
    made = await briefed(alice)
    async with served.client(
        await served.key("alice", ["agent.chat:run", "os.notes:read"])
    ) as client:
        await client.refused("GET", "/briefings", 403, "insufficient_scope")
        await client.refused("GET", f"/briefings/{made['id']}", 403, "insufficient_scope")


GOOD = {"start": "2026-11-21T10:00Z", "end": "2026-11-21T11:00Z"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"emails": [{}] * 201}, "emails"),
        ({"calendarEvents": [GOOD] * 201}, "calendarEvents"),
        ({"emails": {}}, "emails"),
        ({"emails": ["x"]}, "emails[0]"),
        ({"calendarEvents": [{"end": "2026-11-21"}]}, "calendarEvents[0].start"),
        ({"calendarEvents": [GOOD, {"start": "2026-11-21"}]}, "calendarEvents[1].end"),
        ({"calendarEvents": [{**GOOD, "start": "soon"}]}, "calendarEvents[0].start"),
        ({"calendarEvents": [{**GOOD, "end": ""}]}, "calendarEvents[0].end"),
        ({"calendarEvents": [{**GOOD, "start": None}]}, "calendarEvents[0].start"),
        ({"calendarEvents": [{**GOOD, "end": 5}]}, "calendarEvents[0].end"),
        ({"calendarEvents": [GOOD, {**GOOD, "end": "2026-11-21T09:00Z"}]}, "calendarEvents[1].end"),
        ({"calendarEvents": [{**GOOD, "start": "2026-02-30"}]}, "calendarEvents[0].start"),
        ({"emails": [{"needsReply": "yes"}]}, "emails[0].needsReply"),
        ({"emails": [{"summary": 3}]}, "emails[0].summary"),
        ({"emails": [{"id": []}]}, "emails[0].id"),
        ({"timeDuration": "x" * 65}, "timeDuration"),
        ({"timeDuration": 24}, "timeDuration"),
        ({"userTimezone": "Mars/Base"}, "userTimezone"),
    ],
)
async def test_a_bad_field_is_named_and_nothing_is_kept(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    await resident.refused("POST", "/briefing", 400, "invalid_request", field=field, json=body)
    assert (await resident.ok("GET", "/briefings"))["briefings"] == []


@pytest.mark.parametrize(
    "body",
    [
        {"emails": None, "calendarEvents": None, "timeDuration": None},
        {"emails": [], "calendarEvents": []},
        {"unknown": 1},
    ],
)
async def test_what_is_left_out_or_unknown_is_no_mistake(
    alice: Client, body: dict[str, Any]
) -> None:
    await briefed(alice, **body)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("0001-01-01", "9999-12-31"),
        ("9999-12-31", "9999-12-31"),
        ("0001-01-01T00:00:00Z", "0001-01-01T23:00:00Z"),
        ("2026-11-21", "2026-11-21T10:00Z"),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
async def test_the_ends_of_the_calendar_are_days_too(
    alice: Client, start: str, end: str, zone: str
) -> None:
    made = await briefed(alice, userTimezone=zone, calendarEvents=[event("Long", start, end)])
    await alice.ok(
        "POST",
        "/briefing/matrix",
        json={"calendarSummary": made["calendarSummary"], "userTimezone": zone},
    )


async def test_two_hundred_long_emails_and_events_are_told_briefly(alice: Client) -> None:
    text = "contract " * 500
    emails = [
        {"summary": f"{number} {text}", "snippet": text, "sender": text, "needsReply": True}
        for number in range(200)
    ]
    made = await briefed(
        alice,
        emails=emails,
        calendarEvents=[
            event(f"{n} {text}", "2026-11-21T10:00Z", "2026-11-21T11:00Z") for n in range(200)
        ],
    )
    assert (
        len(entries(made["emailAttentionSummary"])) == len(entries(made["calendarSummary"])) == 20
    )
    assert "and 180 more" in made["emailAttentionSummary"]
    assert all(len(made[name]) < 100_000 for name in SUMMARIES)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-11-20T10:00:00Z", "2026-11-20T11:00"),
        ("2026-11-20T10:00", "2026-11-20T10:00"),
        ("2026-11-20", "2026-11-20T00:00"),
        ("Fri, 20 Nov 2026 10:00:00 +0000", "2026-11-20T11:00"),
        ("Fri, 20 Nov 2026 10:00:00 -0000", "2026-11-20T10:00"),
        ("soon", None),
        ("", None),
        (None, None),
        ("Fri, 99 Nov 2026 10:00:00", None),
        ("\ud800", None),
        ("9" * 400, None),
    ],
)
def test_a_date_of_mail_is_read_where_it_can_be(text: str | None, found: str | None) -> None:
    sent = mail.parse_sent_at(text, ZoneInfo("Europe/Berlin"))
    assert (None if sent is None else sent.isoformat()[:16]) == found


async def test_a_model_rewrites_sentences_and_orders_suggestions_but_adds_nothing(
    alice: Client, served: Served
) -> None:
    await todo(alice, "Pay the rent", "2026-11-20", priority=5)
    plain = await briefed(
        alice,
        emails=[{"summary": "Sign the lease today", "needsReply": True, "sender": "x@y.example"}],
    )
    last = plain["suggestions"][-1]
    served.parts.rewriter = model = Scripted(
        {
            "pieces": [
                {"id": last["suggestionId"], "title": "<b>Do</b> it", "text": "Really."},
                {"id": "status", "text": "All <i>calm</i>."},
                {"id": str(uuid.UUID(int=1)), "title": "Buy my book", "text": "Now"},
                {"id": "notes", "title": "A title where none was", "text": ""},
            ]
        }
    )
    made = await briefed(
        alice,
        emails=[{"summary": "Sign the lease today", "needsReply": True, "sender": "x@y.example"}],
    )
    assert made["statusQuoSummary"] == '<p data-lead="1">All &lt;i&gt;calm&lt;/i&gt;.</p>'
    assert made["suggestions"] == [
        {**last, "title": "<b>Do</b> it", "description": "Really."},
        *plain["suggestions"][:-1],
    ]
    assert (made["todoSummary"], made["notesSummary"]) == (
        plain["todoSummary"],
        plain["notesSummary"],
    )
    assert made["tokenUsage"] == {"total": 42}
    assert (await alice.ok("GET", f"/briefings/{made['id']}"))["briefing"]["tokenUsage"] == {
        "total": 42
    }
    assert {piece.id for piece in model.asked[0].pieces} >= {
        "status",
        "todo",
        "calendar",
        "notes",
        "email",
    }


async def test_notes_are_summed_up_newest_first(alice: Client, clock: MovableClock) -> None:
    assert await alice.ok("GET", "/notes/summary") == {
        "success": True,
        "notes": [],
        "notesSummary": '<p data-lead="1">There are no notes yet.</p>',
    }
    first = await alice.note("First & <last>", "# Head\n\nSome *marked* text.\n\n" + "word " * 100)
    await alice.ok("POST", f"/os/notes/{first['id']}/pin", json={"pinned": True})
    clock.forward(hours=2)
    second = await alice.note("Second", "Plain.")
    answer = await alice.ok("GET", "/notes/summary")
    assert [note["title"] for note in answer["notes"]] == ["Second", "First & <last>"]
    assert answer["notes"][0] == {
        "id": second["id"],
        "title": "Second",
        "summary": "Plain.",
        "updatedAt": second["updatedAt"],
        "relativeTime": "just now",
        "pinned": False,
    }
    assert answer["notes"][1]["relativeTime"] == "2 hours ago"
    assert answer["notes"][1]["pinned"] is True
    assert answer["notes"][1]["summary"].startswith("Head Some marked text. word word")
    assert len(answer["notes"][1]["summary"]) <= 280
    assert "First &amp; &lt;last&gt;" in answer["notesSummary"]


@pytest.mark.parametrize(("limit", "number"), [(None, 5), (1, 1), (7, 7), (20, 20), (999, 20)])
async def test_as_many_notes_are_summed_up_as_are_asked_for(
    alice: Client, limit: int | None, number: int
) -> None:
    await alice.ok(
        "POST",
        "/accumulate",
        json={"files": [{"path": f"n{n}", "content": "x"} for n in range(22)]},
    )
    answer = await alice.ok(
        "GET", "/notes/summary", params={} if limit is None else {"limit": limit}
    )
    assert len(answer["notes"]) == answer["notesSummary"].count("<li") == number
    ids = [note["id"] for note in answer["notes"]]
    assert ids == sorted(ids, reverse=True)


@pytest.mark.parametrize("path", ["/notes/summary", "/briefings"])
@pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5"])
async def test_a_bad_limit_is_refused(resident: Client, path: str, limit: str) -> None:
    await resident.refused(
        "GET", path, 400, "invalid_request", field="limit", params={"limit": limit}
    )


async def test_a_briefing_goes_with_its_user(alice: Client, bob: Client, served: Served) -> None:
    await briefed(alice)
    await briefed(bob)
    await served.command("delete_user", username="alice")
    assert await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM briefings")) == 1
    assert len((await bob.ok("GET", "/briefings"))["briefings"]) == 1
