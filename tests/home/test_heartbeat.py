"""The heartbeat in the browser."""

import pytest
from playwright.async_api import expect

from tests.conftest import Served
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_it_is_switched_on_and_its_rehearsal_and_run_are_told(home: Home) -> None:
    todo = {"title": "Sign the offer", "dueDate": "2026-11-19"}
    await home.client.ok("POST", "/os/todos", status=201, json=todo)
    await home.check_everywhere("/heartbeat")
    page = await home.go("/heartbeat")
    await page.get_by_role("button", name="Try it without effect").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Today, 09:30")
    await page.get_by_role("link", name="All runs").click()
    await page.get_by_label("Run by itself").check()
    await page.get_by_label("How often").select_option("60")
    await page.get_by_label("Only between").first.fill("08:00")
    await page.get_by_role("textbox", name="and").fill("18:00")
    await page.get_by_label("Su").uncheck()
    await page.get_by_label("Do what can be undone").check()
    await page.locator(".fields").get_by_role("button", name="Save").click()
    await expect(page.locator(".did")).to_contain_text("Saved.")
    schedule = (await home.client.ok("GET", "/heartbeat/schedule"))["schedule"]
    assert (schedule["enabled"], schedule["everyMinutes"]) == (True, 60)
    assert schedule["activeHours"] == {"start": "08:00", "end": "18:00"}
    assert schedule["weekdays"] == [1, 2, 3, 4, 5, 6]
    assert (await home.client.ok("GET", "/heartbeat/policy"))["tier"] == "ACTIONS"
    await page.get_by_role("button", name="Run now").click()
    await expect(page.get_by_text("is overdue since 19 November")).to_be_visible()
    await home.check_everywhere(page.url.removeprefix(home.origin))
    await home.check_everywhere("/heartbeat")
    assert await home.page.locator("circle.acted").count() == 2


async def test_what_it_looks_after_is_changed_in_words(home: Home) -> None:
    page = await home.go("/heartbeat")
    field = page.get_by_role("textbox", name="What it looks after")
    lines = "- Todos: remind me of what is overdue\n- Write a <b>poem</b>\n"
    await field.fill(lines)
    await page.locator("#looks-after").get_by_role("button", name="Save").click()
    await expect(field).to_have_value(
        "- Todos: remind me of what is overdue\n- Write a <b>poem</b>\n"
    )
    await page.get_by_role("button", name="Run now").click()
    await page.get_by_role("link", name="All runs").click()
    row = page.get_by_role("listitem").filter(has_text="Write a <b>poem</b>")
    await expect(row).to_contain_text("needs a model")


async def test_all_agents_are_stopped_and_go_on(home: Home, served: Served) -> None:
    page = await home.go("/heartbeat")
    await page.get_by_role("button", name="Stop all agents").click()
    await expect(page.get_by_text("All agents are stopped.")).to_be_visible()
    assert (await served.command("agents_state")).stopped
    await page.get_by_role("button", name="Let agents go on").click()
    await expect(page.get_by_role("button", name="Stop all agents")).to_be_visible()
    await served.command("add_user", username="ben")
    await page.get_by_role("button", name="Stop all agents").click()
    await expect(page.get_by_text("only its operator stops all agents")).to_be_visible()
    assert not (await served.command("agents_state")).stopped
