"""Today, as a person sees it."""

import json
from typing import Any

import pytest
from playwright.async_api import expect

from app.tools.approvals import tool_gate
from tests.support.agents import ACTIONS, caller
from tests.support.home import Home

pytestmark = pytest.mark.anyio
STAMP = "DTSTAMP:20261101T000000Z"
CALENDAR = "\r\n".join(
    (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x",
        f"BEGIN:VEVENT\r\nUID:1\r\n{STAMP}\r\nDTSTART:20261121T090000Z\r\nDTEND:20261121T093000Z"
        "\r\nSUMMARY:Standup <b>\r\nLOCATION:Room 2\r\nEND:VEVENT",
        f"BEGIN:VEVENT\r\nUID:2\r\n{STAMP}\r\nDTSTART:20261121T091500Z\r\nDTEND:20261121T100000Z"
        "\r\nSUMMARY:Call\r\nEND:VEVENT",
        "END:VCALENDAR\r\n",
    )
)


async def todo(home: Home, title: str, **fields: Any) -> int:
    body = await home.client.ok("POST", "/os/todos", status=201, json={"title": title, **fields})
    return int(body["result"]["todo"]["id"])


async def stored(home: Home, id_: int) -> Any:
    return (await home.client.ok("GET", f"/os/todos/{id_}"))["todo"]


async def ask_to_edit(home: Home, content: str = "Beans in late May.\n") -> Any:
    note = await home.client.note("Garden plan", "Beans in June.\n")
    call = {"noteId": note["id"], "content": content}
    agent = caller(home.served, "alice")
    await tool_gate.use_tool(home.served.parts, agent, "edit_note", call, origin=ACTIONS)
    return note


async def text_of(home: Home, note: Any) -> str:
    return str((await home.client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"])


async def test_an_empty_home_begins_with_four_things_to_do(home: Home) -> None:
    await home.check_everywhere("/")
    page = await home.go("/")
    begin = page.locator(".begin").get_by_role("link")
    assert [await each.get_attribute("href") for each in await begin.all()] == [
        "/notes/new",
        "/settings/data#import",
        "/settings/tools",
        "/agent",
    ]
    await page.keyboard.press("q")
    await page.keyboard.type("Call Eva")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name="Call Eva").first).to_be_visible()
    await expect(page.locator(".begin")).to_have_count(0)


async def test_the_day_in_a_sentence_with_what_is_late_and_due(home: Home) -> None:
    await todo(home, "Sign the offer", dueDate="2026-11-19")
    await todo(home, "Call at seven", dueDate="2026-11-21T07:00:00Z")
    await todo(home, "Prune the hedge", dueDate="2026-11-21")
    page = await home.go("/")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Saturday, 21 November")
    await expect(page.locator("#sentence")).to_have_text("Two things are late, one is for today.")
    late = page.locator("section").filter(has=page.get_by_role("heading", name="Late"))
    await expect(late.get_by_role("listitem")).to_have_count(2)
    await expect(late).to_contain_text("2 days late")
    await page.get_by_role("button", name="Done: Prune the hedge").click()
    await expect(page.locator(".toast")).to_contain_text("Done: Prune the hedge")


async def test_what_is_added_here_is_for_today_unless_it_says_otherwise(home: Home) -> None:
    page = await home.go("/")
    await page.keyboard.press("n")
    for line in ("Water", "Call Eva tomorrow"):
        await page.keyboard.type(line)
        await page.keyboard.press("Enter")
        await expect(page.locator(".toast").last).to_contain_text(line.split(" tom")[0])
    await page.keyboard.type("Descale")
    await page.get_by_role("button", name="Add it without a day").click()
    await expect(page.locator(".understood .chip")).to_have_count(0)
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast").last).to_contain_text("Descale")
    found = (await home.client.ok("GET", "/os/todos"))["result"]["todos"]
    assert [(each["title"], each["dueDate"]) for each in found] == [
        ("Water", "2026-11-21"),
        ("Call Eva", "2026-11-22"),
        ("Descale", None),
    ]


async def test_what_waits_for_a_yes_is_shown_and_allowed(home: Home) -> None:
    note = await ask_to_edit(home)
    page = await home.go("/")
    card = page.get_by_role("article")
    await expect(card).to_contain_text("Your heartbeat wants to change Garden plan")
    await expect(card.locator(".minus")).to_have_text("− Beans in June.")
    await expect(card.locator(".plus")).to_have_text("+ Beans in late May.")
    await expect(card).to_contain_text("changed only when its owner agrees")
    await home.check_everywhere("/approvals")
    wait = "each => getComputedStyle(each).animationDuration"
    # whoever wants no motion is not led to click it unseen either
    assert await page.locator(".unseen-first").first.evaluate(wait) == "0.8s"
    await home.go("/")
    await page.get_by_role("button", name="Allow").click()
    await expect(page.locator(".toast")).to_contain_text("Allowed: change Garden plan")
    await expect(card).to_have_count(0)
    await expect(page.locator(".rail .hot")).to_have_count(0)
    assert await text_of(home, note) == "Beans in late May.\n"


async def test_a_no_changes_nothing_and_a_yes_may_hold_for_longer(home: Home) -> None:
    note = await ask_to_edit(home)
    page = await home.go("/approvals")
    await page.get_by_role("button", name="Refuse").click()
    await expect(page.locator(".toast")).to_contain_text("Refused: change Garden plan")
    await expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    await expect(page.locator(".decided")).to_contain_text("refused")
    assert await text_of(home, note) == "Beans in June.\n"
    await ask_to_edit(home)
    await home.go("/approvals")
    await page.get_by_label("A yes holds").select_option("for 30 days")
    await page.get_by_role("button", name="Allow").click()
    await expect(page.locator(".toast")).to_contain_text("Allowed")
    body = await home.client.ok("GET", "/escalations/precedents")
    assert [row["scope"] for row in body["precedents"]] == ["tool"]


async def test_what_waits_is_decided_in_the_talk_that_asks(home: Home) -> None:
    note = await ask_to_edit(home)
    waits = {"type": "escalation", "escalationId": 1, "summary": "edit_note"}
    page = await home.go("/agent")
    await page.route("**/api/v1/chat", lambda route: route.fulfill(body=json.dumps(waits) + "\n"))
    await page.get_by_label("Message").fill("beans in late May")
    await page.keyboard.press("Enter")
    card = page.get_by_role("article")
    await expect(card).to_contain_text("Your heartbeat wants to change Garden plan")
    await card.get_by_role("button", name="Allow").click()
    await expect(card.locator(".tag")).to_have_text("allowed")
    assert await text_of(home, note) == "Beans in late May.\n"


async def test_the_briefing_is_made_on_request_and_its_buttons_do_what_they_say(home: Home) -> None:
    late = await todo(home, "Sign the offer", dueDate="2026-11-19", priority=5)
    note = await home.client.note("Garden plan", "- [ ] Prune\n- [ ] Sow\n")
    page = await home.go("/")
    await page.get_by_role("button", name="Make a briefing").click()
    await expect(page.get_by_text("made just now")).to_be_visible()
    await expect(page.get_by_role("link", name="Open: Review “Garden plan”")).to_have_attribute(
        "href", f"/notes/{note['id']}"
    )
    await page.get_by_role("button", name="Done: Do “Sign the offer” now").click()
    await expect(page.locator(".toast").last).to_contain_text("Done: Sign the offer")
    assert (await stored(home, late))["completed"]
    await page.locator(".toast").last.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("button", name="Done: Sign the offer")).to_be_visible()
    assert not (await stored(home, late))["completed"]


async def test_a_todo_is_put_into_another_field_by_hand_by_menu_and_by_keys(home: Home) -> None:
    id_ = await todo(home, "Sign the offer", dueDate="2026-12-24")
    page = await home.go("/")
    item = page.locator("li[data-matter]")
    await item.drag_to(page.locator("[data-field=now]"))
    await expect(page.locator("[data-field=now]")).to_contain_text("Sign the offer")
    now = await stored(home, id_)
    assert (now["priority"], now["dueDate"]) == (4, "2026-11-21")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator("[data-field=now]")).to_contain_text("Nothing is on fire.")
    assert (await stored(home, id_))["dueDate"] == "2026-12-24"
    await item.get_by_role("link").focus()
    await page.keyboard.press("3")
    await expect(page.locator("[data-field=hand_over]")).to_contain_text("Sign the offer")
    await page.locator("li.todo", has_text="Sign the offer").drag_to(
        page.locator("[data-field=plan]")
    )
    await expect(page.locator("[data-field=plan]")).to_contain_text("Sign the offer")
    await item.get_by_role("button").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Let go").click()
    await expect(page.locator("[data-field=let_go]")).to_contain_text("Sign the offer")
    now = await stored(home, id_)
    assert (now["priority"], now["dueDate"]) == (1, "2026-11-28")


async def test_the_calendar_of_the_day_is_a_strip_that_is_also_told(home: Home) -> None:
    calendar = {"kind": "ics", "name": "Work", "content": CALENDAR}
    await home.client.ok("POST", "/tools/integrations", status=201, json=calendar)
    await todo(home, "Water", dueDate="2026-11-21T16:00:00Z")
    page = await home.go("/")
    await expect(page.locator(".strip")).to_have_accessible_name(
        "Standup <b> 09:00–09:30, Call 09:15–10:00, Water 16:00. now 09:30"
    )
    await expect(page.locator(".agenda")).to_contain_text("Standup <b> Room 2")
    await expect(page.locator("#sentence")).to_contain_text("two meetings")
    lanes = await page.locator(".strip .body").evaluate_all(
        "all => all.map(one => one.y.baseVal.value)"
    )
    assert lanes == [4, 38, 4]
    await home.check_everywhere("/")


async def test_what_happened_meanwhile_stands_there(home: Home) -> None:
    bob = await home.served.person("bob")
    request = {"to": "alice", "note": "We met at the garden club."}
    assert (await bob.post("/network/request", json=request)).status_code < 300
    await home.client.ok("POST", "/heartbeat/run", json={})
    page = await home.go("/")
    lines = page.locator(".lines")
    await expect(lines).to_contain_text("bob would like to be in touch with you.")
    await expect(lines).to_contain_text("We met at the garden club.")
    await expect(lines).to_contain_text("because you asked")


async def test_a_stranger_is_told_what_is_here_and_goes_on_after_signing_in(home: Home) -> None:
    await home.check_everywhere("/")
    await home.context.clear_cookies()
    page = await home.go("/")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Hearth is running")
