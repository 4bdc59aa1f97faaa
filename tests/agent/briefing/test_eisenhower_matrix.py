"""The matrix: every thing in the quadrant where a person would put it, whatever the form in
which the summaries come.
"""

import re
from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.briefing import summaries
from app.agent.priorities import expiring_mail, quadrants
from app.agent.priorities.items import Item
from app.core.markdown import html_fragments
from evaluation import matrix as evaluation
from tests.conftest import Client
from tests.support.hostile import ELEMENTS
from tests.support.looping import through

NAMES = {
    1: "q1_urgent_important",
    2: "q2_not_urgent_important",
    3: "q3_urgent_not_important",
    4: "q4_not_urgent_not_important",
}
FIELDS = {
    "todo": "todoSummary",
    "calendar": "calendarSummary",
    "note": "notesSummary",
    "email": "emailAttentionSummary",
    "other": "statusQuoSummary",
}
NOW, ZONE = evaluation.NOW, evaluation.ZONE
FLOORS = {
    ("a", "quadrant"): 70,
    ("a", "quadrant 1 found"): 24,
    ("a", "quadrant, not English"): 15,
    ("a", "top strategies"): 21,
    ("b", "quadrant"): 114,
    ("b", "quadrant 1 found"): 37,
    ("b", "quadrant, not English"): 61,
    ("b", "top strategies"): 31,
}


async def sorted_out(client: Client, **body: Any) -> dict[int, list[Any]]:
    """Give the (title, source) pairs of each quadrant that has any."""
    answer = await client.ok("POST", "/briefing/matrix", json=body)
    assert set(answer) == {"success", "matrix", "generatedAt"}
    assert list(answer["matrix"]) == list(NAMES.values())
    found = {
        number: [(item["title"], item["source"]) for item in answer["matrix"][name]]
        for number, name in NAMES.items()
    }
    return {number: items for number, items in found.items() if items}


def test_the_evaluation_set_is_as_large_as_it_should_be() -> None:
    cases = [case for day in evaluation.judged() for case in day.cases]
    assert len(cases) == len({case.id for case in cases}) == 190
    assert sum(case.language != "en" for case in cases) == 80
    for source in ("email", "todo", "calendar", "note"):
        assert sum(case.scored.item.source == source for case in cases) >= 40


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{row.half} {row.measure}") for row in evaluation.evaluate()]
)
def test_the_rules_agree_with_people_as_often_as_they_did(row: evaluation.Row) -> None:
    assert row.right >= FLOORS[row.half, row.measure], "\n".join(evaluation.misses())


@pytest.mark.anyio
@pytest.mark.parametrize(
    "body",
    [
        {},
        dict.fromkeys(FIELDS.values(), ""),
        dict.fromkeys(FIELDS.values()),
        {"todoSummary": " \n\t "},
    ],
)
async def test_nothing_gives_an_empty_matrix(resident: Client, body: dict[str, Any]) -> None:
    assert await sorted_out(resident, **body) == {}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text",
    [
        "No new e-mails.",
        "Nothing due today.",
        "You have no meetings today",
        "No todos are due.",
        "Keine Termine heute",
        "Aucun rendez-vous",
        "No hay tareas pendientes",
        "You have 3 meetings today and 2 conflicts.",
        "None",
        "-",
        "All caught up!",
        "<p></p>",
        "<ul><li> </li></ul>",
        '<p data-lead="1">Pay the rent today</p>',
        "<script>Pay the rent today</script>",
        "<!-- Pay the rent today -->",
    ],
)
async def test_a_text_that_says_there_is_nothing_gives_no_item(resident: Client, text: str) -> None:
    assert await sorted_out(resident, todoSummary=text) == {}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("field", "text", "quadrant", "title"),
    [
        ("todoSummary", "<ul><li>Pay the rent today</li></ul>", 1, "Pay the rent today"),
        ("todoSummary", "- Pay the rent today", 1, "Pay the rent today"),
        ("todoSummary", "1. Pay the rent today", 1, "Pay the rent today"),
        ("todoSummary", "## Today\n\n- [ ] Pay the rent", 1, "Pay the rent"),
        (
            "todoSummary",
            "<p><strong>Overdue</strong></p><ul><li>Pay the rent</li></ul>",
            1,
            "Pay the rent",
        ),
        (
            "todoSummary",
            "<h3>Overdue:</h3><ul><li><p>Pay the <b>rent</b></p></li></ul>",
            1,
            "Pay the rent",
        ),
        (
            "todoSummary",
            "<div>Pay the rent &amp; the bill<br>today</div>",
            2,
            "Pay the rent & the bill",
        ),
        ("todoSummary", "Pay the rent (due 2026-11-19)", 1, "Pay the rent (due 2026-11-19)"),
        ("todoSummary", "Pay the rent (due 2027-02-19)", 2, "Pay the rent (due 2027-02-19)"),
        ("todoSummary", "Pay the rent <em>overdue 2 days, priority 4/5</em>", 1, "Pay the rent"),
        ("todoSummary", "Pay the rent <em>overdue 2 days, priority 8</em>", 1, "Pay the rent"),
        ("todoSummary", "Water the plants <em>due today</em>", 3, "Water the plants"),
        ("todoSummary", "Tidy the attic some day", 4, "Tidy the attic some day"),
        (
            "todoSummary",
            "- [x] Pay the bill today\n- [ ] Pay the rent today",
            1,
            "Pay the rent today",
        ),
        ("todoSummary", "Miete heute überweisen", 1, "Miete heute überweisen"),
        ("todoSummary", "Payer le loyer avant ce soir", 1, "Payer le loyer avant ce soir"),
        ("todoSummary", "Pagar el alquiler hoy", 1, "Pagar el alquiler hoy"),
        (
            "emailAttentionSummary",
            "<li data-reply=1>The client asks for the contract by noon</li>",
            1,
            "The client asks for the contract by noon",
        ),
        (
            "emailAttentionSummary",
            "<li>Newsletter: 40% off everything today</li>",
            4,
            "Newsletter: 40% off everything today",
        ),
        ("calendarSummary", "<li>Board meeting at 11:00</li>", 1, "Board meeting at 11:00"),
        (
            "calendarSummary",
            "<li>Lunch with Sam at 12:30 today</li>",
            3,
            "Lunch with Sam at 12:30 today",
        ),
        ("notesSummary", "<li>Plan for a new pension</li>", 2, "Plan for a new pension"),
        (
            "statusQuoSummary",
            "The server is down and customers cannot pay.",
            1,
            "The server is down and customers cannot pay.",
        ),
    ],
)
async def test_an_item_of_any_form_stands_where_a_person_would_put_it(
    resident: Client, field: str, text: str, quadrant: int, title: str
) -> None:
    source = next(source for source, name in FIELDS.items() if name == field)
    found = await sorted_out(resident, **{field: text})
    assert found[quadrant][0] == (title, source)


@pytest.mark.anyio
async def test_the_status_is_no_source_of_items_beside_the_others(resident: Client) -> None:
    found = await sorted_out(
        resident,
        statusQuoSummary="The server is down.",
        todoSummary="<ul><li>Pay the rent today</li></ul>",
    )
    assert found == {1: [("Pay the rent today", "todo")]}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("named", "source"),
    [
        ("E-Mail", "email"),
        ("inbox", "email"),
        ("Meetings", "calendar"),
        ("tasks", "todo"),
        ("documents", "note"),
        ("astrology", "other"),
        ("", "other"),
    ],
)
async def test_the_source_that_a_list_of_the_status_names_is_normalised(
    resident: Client, named: str, source: str
) -> None:
    found = await sorted_out(
        resident, statusQuoSummary=f'<ul><li data-source="{named}">Renew the passport</li></ul>'
    )
    assert found == {2: [("Renew the passport", source)]}


@pytest.mark.anyio
async def test_the_first_quadrant_holds_seven_and_what_is_left_leads_the_second(
    resident: Client,
) -> None:
    rows = [f"<li>Pay invoice {number} today</li>" for number in range(60)]
    found = await sorted_out(resident, todoSummary=f"<ul>{''.join(rows + rows)}</ul>")
    assert {number: len(items) for number, items in found.items()} == {1: 7, 2: 20}
    assert len({*found[1], *found[2]}) == 27


@pytest.mark.anyio
async def test_what_is_late_with_the_top_priority_comes_before_all(resident: Client) -> None:
    rows = [f"<li>URGENT: pay the tax for client {number} today</li>" for number in range(9)]
    late = '<li data-title="Buy napkins" data-priority="1" data-due="2020-01-01">x</li>'
    found = await sorted_out(resident, todoSummary=f"<ul>{''.join(rows)}{late}</ul>")
    assert found[1][0] == ("Buy napkins", "todo")
    assert [len(found[1]), len(found[2])] == [7, 3]


@pytest.mark.parametrize(
    ("title", "priority", "important"),
    [
        ("Buy napkins", 1.0, True),
        ("Coffee with Sam", 0.8, True),
        ("Contract, tax and insurance", 0.2, False),
        ("Contract, tax and insurance", 0.6, True),
        ("Buy napkins", 0.6, False),
    ],
)
def test_the_priority_that_was_set_decides_and_words_only_in_the_middle(
    title: str, priority: float, important: bool
) -> None:
    one = quadrants.score_item(Item(source="todo", title=title, priority=priority), NOW)
    assert (one.quadrant in (1, 2)) is important


def mail(title: str, **more: Any) -> Item:
    return Item(source="email", title=title, **more)


@pytest.mark.parametrize(
    ("mail_title", "titles", "joined"),
    [
        ("Your passport expires on 26 November 2026", ["Renew passport", "Call mum"], 0),
        ("TLS certificate of the shop ends on 2026-11-26", ["Renew TLS certificate"], 0),
        ("Ihr Reisepass läuft am 26.11.2026 ab", ["Reisepass verlängern"], 0),
        ("Your passport expires on 26 November 2026", ["Buy stamps"], None),
        ("Your passport expires on 26 November 2026", ["Renew passport", "Copy passport"], None),
        ("Your passport has arrived", ["Renew passport"], None),
    ],
)
def test_a_mail_with_a_last_day_joins_the_one_todo_that_is_about_the_same(
    mail_title: str, titles: list[str], joined: int | None
) -> None:
    todos = [Item(source="todo", title=title, id=title) for title in titles]
    found = expiring_mail.join_mail([mail(mail_title), *todos], NOW)
    if joined is None:
        assert found == [mail(mail_title), *todos]
    else:
        assert [item.title for item in found] == titles
        assert found[joined].day == date(2026, 11, 26)


@pytest.mark.anyio
async def test_explained_items_say_why_and_others_do_not(resident: Client) -> None:
    body = {"todoSummary": '<ul><li data-title="Pay the rent" data-due="2026-11-19">x</li></ul>'}
    plain = await resident.ok("POST", "/briefing/matrix", json=body)
    told = await resident.ok("POST", "/briefing/matrix", json={**body, "explain": True})
    assert plain["matrix"][NAMES[1]] == [{"title": "Pay the rent", "source": "todo"}]
    assert told["matrix"][NAMES[1]] == [
        {"title": "Pay the rent", "source": "todo", "why": ["overdue 2 days", "consequential"]}
    ]


@pytest.mark.anyio
async def test_a_day_is_one_of_the_zone_that_is_asked_for(resident: Client) -> None:
    body = {
        "todoSummary": '<ul><li data-title="Pay the rent" data-due="2026-11-21">x</li></ul>',
        "explain": True,
    }
    here = await resident.ok("POST", "/briefing/matrix", json=body)
    there = await resident.ok(
        "POST", "/briefing/matrix", json={**body, "userTimezone": "Pacific/Kiritimati"}
    )
    assert (
        here["matrix"][NAMES[1]][0]["why"][0]
        == there["matrix"][NAMES[1]][0]["why"][0]
        == "due today"
    )
    body["todoSummary"] = body["todoSummary"].replace("2026-11-21", "2026-11-20")
    later = await resident.ok(
        "POST", "/briefing/matrix", json={**body, "userTimezone": "Pacific/Niue"}
    )
    assert later["matrix"][NAMES[1]][0]["why"][0] == "due today"


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["/briefing/matrix", "/briefing/strategies"])
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"todoSummary": 3}, "todoSummary"),
        ({"notesSummary": ["x"]}, "notesSummary"),
        ({"emailAttentionSummary": "x" * 100_001}, "emailAttentionSummary"),
        ({"statusQuoSummary": "a\0b"}, "statusQuoSummary"),
        ({"userTimezone": "Mars/Base"}, "userTimezone"),
        ({"calendarSummary": {}}, "calendarSummary"),
    ],
)
async def test_a_bad_field_is_named(
    resident: Client, path: str, body: dict[str, Any], field: str
) -> None:
    await resident.refused("POST", path, 400, "invalid_request", field=field, json=body)


GOOD = "<li data-title='Pay &lt;img onerror=x&gt;'>x</li>"
FLOODS = [
    part * (99_000 // len(part))
    for part in ("<div>", "<ul><li>", "<", "&lt;", '<li data-title="', "1:2:3 ")
]


@pytest.mark.anyio
@through("hostile", [(repr(hostile), hostile) for hostile in ELEMENTS])
async def test_hostile_html_harms_nothing_that_stands_beside_it(
    resident: Client, hostile: str
) -> None:
    text = hostile.replace("\0", "").encode(errors="ignore").decode()
    found = await sorted_out(resident, notesSummary=text, todoSummary=GOOD + text)
    assert ("Pay <img onerror=x>", "todo") in found[2]
    assert all(0 < len(title) <= 200 for items in found.values() for title, _ in items)


@pytest.mark.anyio
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood[:8])
async def test_a_flood_of_markup_is_answered(resident: Client, flood: str) -> None:
    found = await sorted_out(resident, notesSummary=flood, todoSummary=GOOD)
    assert ("Pay <img onerror=x>", "todo") in found[2]


TITLES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80).filter(
    lambda text: html_fragments.fit_line(text) != ""
)
ITEMS = st.builds(
    Item,
    source=st.sampled_from(["todo", "email", "note", "calendar"]),
    title=TITLES.map(html_fragments.fit_line),
    words=TITLES.map(html_fragments.fit_line),
    day=st.dates(min_value=NOW.date().replace(year=2020), max_value=NOW.date().replace(year=2030))
    | st.none(),
    priority=st.sampled_from([None, 0.2, 0.4, 0.6, 0.8, 1.0]),
    level=st.sampled_from(["", "high", "low"]),
    needs_reply=st.sampled_from([None, True, False]),
    pinned=st.booleans(),
    conflict=st.booleans(),
)


@given(ITEMS)
def test_an_item_comes_back_from_its_own_html_as_it_was(item: Item) -> None:
    name = {"todo": "todo", "email": "email", "note": "notes", "calendar": "calendar"}[item.source]
    html = html_fragments.html_list("Heading & more", [summaries.item_entry(item, "aside <b>")])
    assert tags(html) <= {"p", "strong", "ul", "li", "em"}
    assert summaries.items_of({name: html}, ZONE) == [item]


def tags(html: str) -> set[str]:
    return set(re.findall(r"<([a-z]+)", html))


@given(st.lists(ITEMS, max_size=12), st.randoms(use_true_random=False))
def test_the_order_in_which_things_come_changes_nothing(items: list[Item], random: Any) -> None:
    shuffled = random.sample(items, len(items))
    assert quadrants.rank_items(items, NOW) == quadrants.rank_items(shuffled, NOW)


@given(st.lists(ITEMS, max_size=12))
def test_one_more_overdue_todo_changes_the_place_of_no_other_thing(items: list[Item]) -> None:
    late = Item(
        source="todo",
        title="Send the report",
        day=NOW.date().replace(day=1),
        priority=0.8,
        id="late",
    )
    before = quadrants.rank_items(items, NOW)
    assert [
        one for one in quadrants.rank_items([*items, late], NOW) if one.item is not late
    ] == before


@given(ITEMS)
def test_points_are_between_0_and_100_and_a_higher_priority_or_pin_never_counts_less(
    item: Item,
) -> None:
    one = quadrants.score_item(item, NOW)
    assert 0 <= one.urgency <= 100
    assert 0 <= one.importance <= 100
    for better in ({"priority": 1.0}, {"pinned": True}, {"level": "high"}, {"conflict": True}):
        assert (
            quadrants.score_item(msgspec.structs.replace(item, **better), NOW).importance
            >= one.importance
        )
