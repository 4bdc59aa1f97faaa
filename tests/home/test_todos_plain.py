"""Todos without any script: every form works, and comes back to where it was."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from app.interfaces.home.todos.rule_words import rule_words
from app.interfaces.languages.words import words_of
from tests.conftest import ORIGIN, Client, Served
from tests.support.home import Home, at_home, without_browser

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plain(
    served: Served, alice: Client, chromium: Browser, origin: str
) -> AsyncIterator[Home]:
    """Alice, whose browser runs no scripts once she has signed in."""
    async with at_home(served, alice, chromium, origin) as entered:
        state = await entered.context.storage_state()
        context = await chromium.new_context(java_script_enabled=False, storage_state=state)
        entered.page = await context.new_page()
        yield entered
        await context.close()


async def test_todos_are_added_ticked_opened_deleted_and_brought_back(plain: Home) -> None:
    page = await plain.go("/todos")
    await page.get_by_label("Add a todo").fill("Call Eva tomorrow p1")
    await page.keyboard.press("Enter")
    await expect(page.locator(".did")).to_contain_text("Added: Call Eva")
    await expect(page.locator("section").first).to_contain_text("Tomorrow")
    await page.get_by_role("button", name="Done: Call Eva").click()
    await expect(page.locator(".did")).to_contain_text("Done: Call Eva")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".did")).to_contain_text("Open again: Call Eva")
    await page.get_by_role("link", name="Call Eva").click()
    await page.get_by_label("Add a step").fill("Find the number")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Step done: Find the number").click()
    await expect(page.locator(".did")).to_contain_text("Step done")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.locator(".did")).to_contain_text("In the trash: Call Eva")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("link", name="Call Eva")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "fields", "status", "told"),
    [
        ("/todos/add", {"title": " "}, 400, "Write what there is to do first"),
        ("/todos/999/complete", {"back": "/"}, 404, "no such todo"),
        ("/todos/x/complete", {"back": "/"}, 404, "nothing at this path"),
        ("/todos/1/move", {"day": "2026-02-31"}, 400, "not a day"),
        ("/todos/1/steps", {"do": "tick", "step": "9"}, 404, "no such step"),
        ("/todos/1/steps", {"do": "tick", "step": "x"}, 400, "no longer there"),
        ("/todos/1/matter", {"field": "up"}, 400, "none of the four"),
        ("/approvals/7", {"decision": "continue"}, 404, "no such"),
    ],
)
async def test_a_form_that_cannot_be_done_says_why(
    served: Served, alice: Client, path: str, fields: dict[str, Any], status: int, told: str
) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Call Eva"})
    client = await without_browser(served)
    answer = await client.post(ORIGIN + path, data=fields)
    assert answer.status_code == status
    assert told in answer.text


async def test_steps_that_are_changed_at_once_are_all_kept(served: Served, alice: Client) -> None:
    body = await alice.ok(
        "POST",
        "/os/todos",
        status=201,
        json={"title": "Pack", "steps": [{"title": "Tent"}, {"title": "Stove"}]},
    )
    id_ = body["result"]["todo"]["id"]
    path = f"{ORIGIN}/todos/{id_}/steps"
    client = await without_browser(served)
    forms = [{"do": "tick", "step": "1"}, {"do": "down", "step": "1"}, {"do": "tick", "step": "2"}]
    forms += [{"do": "add", "title": f"Peg {number}"} for number in range(12)]
    answers = await asyncio.gather(*(client.post(path, data=form) for form in forms))
    assert {answer.status_code for answer in answers} == {303}
    steps = (await alice.ok("GET", f"/os/todos/{id_}"))["todo"]["steps"]
    done = {step["title"] for step in steps if step["completed"]}
    assert done == {"Tent", "Stove"}
    assert steps[0]["title"] == "Stove"
    assert {step["title"] for step in steps[1:]} == {"Tent", *(f"Peg {n}" for n in range(12))}
    assert len({step["id"] for step in steps}) == 14


async def test_a_todo_that_is_full_of_steps_takes_no_more(served: Served, alice: Client) -> None:
    steps = [{"title": f"Peg {number}"} for number in range(100)]
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Pack", "steps": steps})
    client = await without_browser(served)
    full = await client.post(f"{ORIGIN}/todos/1/steps", data={"do": "add", "title": "One more"})
    assert full.status_code == 409
    assert "at most 100 steps" in full.text


@pytest.mark.parametrize(
    ("rule", "english", "german"),
    [
        ("FREQ=DAILY;INTERVAL=2", "every 2 days", "alle 2 Tage"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every workday", "jeden Werktag"),
        ("FREQ=WEEKLY;BYDAY=MO,FR", "every Monday, Friday", "jeden Montag, Freitag"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "every 2 weeks on Monday", "alle 2 Wochen am Montag"),
        (
            "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3",
            "every month on the last Friday, 3 times",
            "jeden Monat am letzten Freitag, 3-mal",
        ),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day", "jeden Monat am letzten Tag"),
        ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5", "every year on 5 March", "jedes Jahr am 5. März"),
        ("FREQ=YEARLY;BYWEEKNO=20", "FREQ=YEARLY;BYWEEKNO=20", "FREQ=YEARLY;BYWEEKNO=20"),
    ],
)
def test_how_often_is_said_in_words(rule: str, english: str, german: str) -> None:
    assert rule_words(words_of("en"), rule) == english
    assert rule_words(words_of("de"), rule) == german


async def test_a_form_that_comes_twice_adds_one_todo(served: Served, alice: Client) -> None:
    client = await without_browser(served)
    for _ in range(2):
        answer = await client.post(f"{ORIGIN}/todos/add", data={"title": "Call Eva", "once": "abc"})
        assert answer.status_code == 303
        assert "did=todo_added" in answer.headers["location"]
    assert (await alice.ok("GET", "/os/todos"))["result"]["total"] == 1
    answer = await client.post(f"{ORIGIN}/todos/add", data={"title": "Call Ben", "once": "abc"})
    assert answer.status_code == 303
    assert (await alice.ok("GET", "/os/todos"))["result"]["total"] == 2


async def test_a_day_that_does_not_exist_is_told_and_not_replaced(
    served: Served, alice: Client
) -> None:
    client = await without_browser(served)
    fields = {"title": "Pay on 31 April", "due": "2026-11-21"}
    answer = await client.post(f"{ORIGIN}/todos/add", data=fields)
    assert "todo_added_without_day" in answer.headers["location"]
    (made,) = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert (made["title"], made["dueDate"]) == ("Pay on 31 April", None)


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example/", "/\\evil.example"])
async def test_a_form_goes_back_to_this_server_only(
    served: Served, alice: Client, back: str
) -> None:
    client = await without_browser(served)
    answer = await client.post(f"{ORIGIN}/todos/add", data={"title": "Call Eva", "back": back})
    assert answer.headers["location"].startswith("/todos?")


async def test_an_undo_that_a_link_made_up_is_not_offered(served: Served, alice: Client) -> None:
    client = await without_browser(served)
    made = await client.post(f"{ORIGIN}/todos/add", data={"title": "Call Eva"})
    shown = await client.get(ORIGIN + made.headers["location"])
    assert 'action="/todos/1/delete"' in shown.text
    forged = made.headers["location"].replace("%2F1%2F", "%2F2%2F")
    assert "/todos/2/delete" not in (await client.get(ORIGIN + forged)).text
