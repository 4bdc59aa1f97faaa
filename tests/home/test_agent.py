"""Talking with the agent in the browser, and what it remembers."""

import json
import re

import pytest
from playwright.async_api import Route, expect

from tests.conftest import ORIGIN, Served
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_a_question_is_answered_with_its_passage_which_opens(home: Home) -> None:
    note = await home.client.note("Garden plan", "Tomatoes in May.\n\nWe plant the beans in June.")
    page = await home.go("/agent")
    await home.check_everywhere("/agent")
    await page.get_by_label("Message").fill("When do we plant the beans?")
    await page.keyboard.press("Enter")
    answer = page.locator(".hear").last
    await expect(answer.locator("blockquote")).to_contain_text("beans in June")
    await expect(answer.locator(".steps")).to_contain_text("Searching your notes")
    await expect(answer.get_by_role("link").first).to_have_attribute(
        "href", re.compile(rf"/notes/{note['id']}")
    )
    await page.wait_for_url("**/agent/talks/*")
    await page.get_by_label("Message").fill("add call Eva tomorrow at 3")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".hear").last).to_contain_text("call Eva")
    await page.reload()
    await expect(page.locator(".say")).to_have_count(2)
    await home.check_everywhere(page.url.removeprefix(home.origin))
    found = await home.client.ok("GET", "/conversations?view=me")
    assert [each["unreadCount"] for each in found["conversations"]] == [0]


async def test_only_who_is_alone_is_led_to_adding_a_model(home: Home, served: Served) -> None:
    page = await home.go("/agent")
    await expect(page.get_by_role("link", name="Add a model")).to_be_visible()
    await served.command("add_user", username="ben")
    await home.go("/agent")
    await expect(page.get_by_role("link", name="Add a model")).to_have_count(0)
    await expect(page.get_by_text("hearth model add")).to_be_visible()


async def test_what_is_said_is_text_and_never_runs(home: Home) -> None:
    hostile = '<img src=x onerror=alert(1)> "][javascript:alert(2)'
    await home.client.note(hostile, f"The beans {hostile} come in June.")
    page = await home.go("/agent")
    await page.get_by_label("Message").fill(f"{hostile} when do the beans come?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".hear:not([aria-busy])")).to_have_count(1)
    await page.reload()
    await expect(page.locator(".say")).to_contain_text("<img src=x")
    assert await page.locator("#messages img").count() == 0
    await home.go("/agent")


async def test_what_was_written_stays_when_the_server_is_away(home: Home) -> None:
    page = await home.go("/agent")
    await page.route("**/api/v1/chat", lambda route: route.abort())
    await page.get_by_label("Message").fill("What is due?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast").first).to_be_visible()
    await expect(page.get_by_label("Message")).to_have_value("What is due?")
    await expect(page.locator(".say")).to_have_count(0)
    await page.unroute("**/api/v1/chat")
    await page.get_by_label("Message").press("Enter")
    await expect(page.locator(".hear .prose")).to_be_visible()


async def test_an_answer_that_waits_for_a_yes_leads_to_it(home: Home) -> None:
    lines = [
        {"type": "conversation-start", "conversationId": 7},
        {"type": "escalation", "escalationId": 3, "summary": "Send “hello” to ben"},
        {"type": "text-delta", "textDelta": "That waits for you."},
    ]

    async def answer(route: Route) -> None:
        await route.fulfill(body="".join(json.dumps(line) + "\n" for line in lines))

    page = await home.go("/agent")
    await page.route("**/api/v1/chat", answer)
    await page.get_by_label("Message").fill("tell ben hello")
    await page.keyboard.press("Enter")
    await expect(page.locator(".hear .card")).to_contain_text("Send “hello” to ben")
    await expect(page.get_by_role("link", name="Decide")).to_have_attribute("href", "/#waits-3")


async def test_without_scripts_one_talks_by_a_form(home: Home) -> None:
    await home.page.close()
    context = home.context
    page = await context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=await context.storage_state()
    )
    tab = await page.new_page()
    await tab.goto(f"{home.origin}/agent")
    await tab.get_by_label("Message").fill("add buy milk")
    await tab.get_by_role("button", name="Send").click()
    await expect(tab.locator(".hear .prose")).to_contain_text("buy milk")
    await page.close()


async def test_facts_are_added_corrected_found_and_forgotten(home: Home) -> None:
    page = await home.go("/agent/memory")
    await home.check_everywhere("/agent/memory")
    await page.get_by_label("Something to remember").fill("Mira is allergic to nuts")
    await page.keyboard.press("Enter")
    await expect(page.locator(".did")).to_contain_text("Remembered.")
    await page.locator("summary", has_text="Correct").click()
    field = page.get_by_role("textbox", name="Correct")
    await field.fill((await field.input_value()).replace("nuts", "almonds"))
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".rows")).to_contain_text(["almonds"] * 1)
    await home.check_everywhere("/agent/memory?q=almonds")
    await page.get_by_role("button", name=re.compile("Forget: .*almonds")).click()
    await expect(page.get_by_text("Nothing yet.")).to_be_visible()
    notes = await home.client.ok("POST", "/os/notes/grep", json={"pattern": "allergic"})
    assert notes["results"] == []


async def test_a_fact_that_was_changed_meanwhile_is_not_overwritten(home: Home) -> None:
    page = await home.go("/agent/memory")
    await page.get_by_label("Something to remember").fill("The key is under the mat")
    await page.keyboard.press("Enter")
    await expect(page.locator(".did")).to_be_visible()
    tools = {"tool": "memory_write", "params": {"kind": "long_term", "content": "Two"}}
    await home.client.ok("POST", "/tools", json=tools)
    found = await home.client.ok("POST", "/os/notes/grep", json={"pattern": "under the mat"})
    note = found["results"][0]["noteId"]
    await home.client.ok(
        "PATCH", f"/os/notes/{note}", json={"content": "- other", "contentFormat": "markdown"}
    )
    await page.get_by_role("button", name=re.compile("Forget")).first.click()
    await expect(page.get_by_text("This has been changed since.")).to_be_visible()
    again = await home.client.get(f"{ORIGIN}/api/v1/os/notes/{note}")
    assert again.json()["note"]["markdown"].strip() == "- other"
