"""Saving while somebody types: the server away, a session ended, others in the same note."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.conftest import Client, Served
from tests.support.home import Home, at_home
from tests.support.listening import listening

pytestmark = pytest.mark.anyio


async def edit(home: Home, text: str, page: Page | None = None) -> tuple[Page, Any, int]:
    """Open a new note in the editor, with the caret at its end."""
    note = await home.client.note("Plan", text, contentFormat="markdown")
    page = page or home.page
    await page.goto(f"{home.origin}/notes/{note['id']}/edit")
    area = page.get_by_label("Text", exact=True)
    await expect(page.locator("#state")).to_have_text("Saved")
    await area.press("Control+End")
    return page, area, note["id"]


async def stored(home: Home, number: int) -> str:
    note = (await home.client.ok("GET", f"/os/notes/{number}"))["note"]
    return str(note["markdown"])


async def write(home: Home, number: int, text: str, **more: Any) -> None:
    await home.client.ok(
        "PATCH", f"/os/notes/{number}", json={"content": text, "contentFormat": "markdown", **more}
    )


async def test_the_server_goes_while_one_types_and_comes_back(
    served: Served, alice: Client, chromium: Browser
) -> None:
    async with listening(served.asgi) as origin:
        port = urlsplit(origin).port or 0
        entering = at_home(served, alice, chromium, origin)
        home = await entering.__aenter__()
        page, area, number = await edit(home, "begun")
    await area.press_sequentially(" while nobody listens")
    await expect(page.locator("#state")).to_contain_text("Kept in this browser")
    await area.press_sequentially(", and on")
    async with listening(served.asgi, port):
        await expect(page.locator("#state")).to_have_text("Saved", timeout=20_000)
        assert await stored(home, number) == "begun while nobody listens, and on"
        await entering.__aexit__(None, None, None)


async def test_what_could_not_be_saved_is_there_after_the_tab_was_closed(home: Home) -> None:
    page, area, number = await edit(home, "begun")
    await page.route("**/save", lambda route: route.abort())
    await area.press_sequentially(" and kept")
    await expect(page.locator("#state")).to_contain_text("Kept in this browser")
    await page.close()
    await write(home, number, "new first line\nbegun")
    again = await home.tab()
    await again.goto(f"{home.origin}/notes/{number}/edit")
    await expect(again.locator("#content")).to_have_value("new first line\nbegun and kept")
    await expect(again.locator("#state")).to_have_text("Saved")
    assert await stored(home, number) == "new first line\nbegun and kept"


async def test_a_new_note_that_was_never_saved_is_begun_again(home: Home) -> None:
    page = await home.go("/notes/new")
    await page.route("**/api/v1/os/notes", lambda route: route.abort())
    await page.locator("#content").press_sequentially("A thought")
    await expect(page.locator("#state")).to_contain_text("Kept in this browser")
    beside = await home.tab()
    await beside.goto(f"{home.origin}/notes/new")
    await expect(beside.locator(".marks")).to_be_visible()
    await expect(beside.locator("#content")).to_have_value("")
    await beside.close()
    await page.close()
    again = await home.tab()
    await again.goto(f"{home.origin}/notes/new")
    await expect(again.locator("#content")).to_have_value("A thought")
    await again.wait_for_url("**/edit")
    assert [one["title"] for one in (await home.client.ok("GET", "/os/notes"))["notes"]] == [
        "A thought"
    ]


async def test_an_ended_session_loses_nothing(home: Home) -> None:
    page, area, number = await edit(home, "begun")
    cookies = await home.context.cookies()
    await home.context.clear_cookies()
    await area.press_sequentially(" and typed on")
    await expect(page.locator("#state")).to_contain_text("You are signed out")
    await home.context.add_cookies(cookies)  # type: ignore[arg-type]
    await expect(page.locator("#state")).to_have_text("Saved", timeout=10_000)
    assert await stored(home, number) == "begun and typed on"


async def test_an_agent_and_two_tabs_in_one_note_are_merged(home: Home) -> None:
    page, area, number = await edit(home, "one\n\ntwo\n\nthree")
    other = await home.tab()
    await other.goto(f"{home.origin}/notes/{number}/edit")
    await other.locator("#content").press("Control+Home")
    await write(home, number, "one\n\ntwo, says the agent\n\nthree")
    await area.press_sequentially(", says one tab")
    await other.keyboard.type("The other: ")
    merged = "The other: one\n\ntwo, says the agent\n\nthree, says one tab"
    await expect(other.locator("#content")).to_have_value(merged)
    await expect(area).to_have_value(merged)
    await expect(page.locator("#state")).to_have_text("Saved")
    assert await stored(home, number) == merged


async def test_the_same_line_changed_by_two_is_chosen_by_the_person(home: Home) -> None:
    page, area, number = await edit(home, "one\ntwo")
    await write(home, number, "one\ntwo of theirs")
    await area.press_sequentially(" of mine")
    await expect(page.get_by_role("heading", name="Two changes in the same place")).to_be_focused()
    await expect(page.locator(".choice")).to_contain_text("two of theirs")
    await page.get_by_role("button", name="Keep both").click()
    await page.get_by_role("button", name="Save it like this").click()
    await expect(area).to_be_focused()
    await expect(page.locator("#state")).to_have_text("Saved")
    assert await stored(home, number) == "one\ntwo of mine\ntwo of theirs"
    seen = (await home.client.ok("GET", f"/os/snapshots/{number}"))["snapshots"]
    kept = await home.client.ok("GET", f"/os/snapshots/{number}/seq/{seen[0]['seq']}")
    assert kept["snapshot"]["markdown"] == "one\ntwo of theirs"


async def test_a_note_deleted_meanwhile_can_be_saved_as_a_new_one(home: Home) -> None:
    page, area, number = await edit(home, "begun")
    await home.client.ok("DELETE", f"/os/notes/{number}")
    await area.press_sequentially(" and typed on")
    await page.get_by_role("button", name="Save as a new note").click()
    await expect(page.locator("#state")).to_have_text("Saved")
    notes = (await home.client.ok("GET", "/os/notes"))["notes"]
    assert [one["title"] for one in notes] == ["Plan"]
    assert await stored(home, notes[0]["id"]) == "begun and typed on"


async def test_what_one_types_is_a_version_now_and_then_not_at_every_pause(home: Home) -> None:
    page, area, number = await edit(home, "begun")
    for word in (" one", " two", " three"):
        await area.press_sequentially(word)
        await expect(page.locator("#state")).not_to_have_text("Saved")
        await expect(page.locator("#state")).to_have_text("Saved")
    versions = await home.client.ok("GET", f"/os/snapshots/{number}")
    assert versions["total"] == 1
    kept = await home.client.ok("GET", f"/os/snapshots/{number}/seq/1")
    assert kept["snapshot"]["markdown"] == "begun"


async def test_line_ends_stay_as_they_were(home: Home) -> None:
    page, area, number = await edit(home, "one\r\ntwo")
    await area.press_sequentially(" more")
    await expect(page.locator("#state")).not_to_have_text("Saved")
    await expect(page.locator("#state")).to_have_text("Saved")
    assert await stored(home, number) == "one\r\ntwo more"


async def test_what_is_typed_before_the_script_of_the_page_has_come_is_saved(home: Home) -> None:
    number = (await home.client.note("Plan", "begun", contentFormat="markdown"))["id"]
    come = asyncio.Event()

    async def late(route: Route) -> None:
        await come.wait()
        await route.continue_()

    page = home.page
    await page.route("**/note_edit.js", late)
    await page.goto(f"{home.origin}/notes/{number}/edit", wait_until="commit")
    area = page.get_by_label("Text", exact=True)
    await area.press("Control+End")
    await page.keyboard.insert_text(" early")
    await expect(page.locator("#state")).to_have_text("")
    come.set()
    await expect(page.locator("#state")).to_have_text("Saved")
    await expect(area).to_have_value("begun early")
    assert await stored(home, number) == "begun early"
