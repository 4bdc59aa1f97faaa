"""Searching: the page, lines and replacing, and the palette."""

import pytest
from playwright.async_api import Page, expect

from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def garden(home: Home) -> None:
    folder = await home.client.folder("Garden")
    await home.client.note("Frost dates", "Last frost here: about 12 May.", folderId=folder)
    await home.client.note("Beds <b>&", "Beans in June, <i>before</i> the frost.\n\nGarlic.")
    await home.client.ok("POST", "/os/todos", status=201, json={"title": "Bring frost cloth in"})


async def titles(page: Page) -> list[str]:
    return await page.locator(".hits b").all_inner_texts()


async def test_words_are_found_while_they_are_typed(home: Home) -> None:
    await garden(home)
    page = await home.go("/search")
    await page.keyboard.type("frost")
    await expect(page.locator(".hits li")).to_have_count(2)
    await expect(page.locator(".hits mark").first).to_have_text("frost")
    await expect(page.get_by_role("link", name="Bring frost cloth in")).to_be_visible()
    assert page.url.endswith("/search?q=frost")
    why = page.locator(".hits").locator("xpath=following::p[contains(., 'words are searched')]")
    await expect(why.get_by_role("link", name="Models")).to_be_visible()
    await page.keyboard.type(" folder:Garden")
    await expect(page.locator(".hits li")).to_have_count(1)
    await page.get_by_role("link", name="Without folder:Garden").click()
    await expect(page.locator(".hits li")).to_have_count(2)
    await home.check_everywhere("/search?q=frost")


async def test_what_is_not_there_is_said_and_where_to_look_next(home: Home) -> None:
    await home.check_everywhere("/search")
    page = await home.go("/search?q=zzzzqqq")
    await expect(page.get_by_text("Nothing fits “zzzzqqq”.")).to_be_visible()
    await page.get_by_role("link", name="Look for lines").click()
    await expect(page.get_by_text("No line holds that.")).to_be_visible()
    await expect(page.get_by_label("Text or pattern")).to_have_value("zzzzqqq")


async def test_lines_are_replaced_after_a_preview_and_put_back(home: Home) -> None:
    await garden(home)
    page = await home.go("/search/lines")
    await page.keyboard.type("frost")
    await page.keyboard.press("Enter")
    await expect(page.locator(".around mark")).to_have_count(2)
    await page.get_by_label("Replace with").fill("ice")
    await page.get_by_role("button", name="Preview").click()
    await expect(page.locator(".diff")).to_have_count(2)
    await home.check_everywhere(page.url.removeprefix(home.origin))
    await page.get_by_label("Change Beds <b>&").uncheck()
    await page.get_by_role("button", name="Replace in 2 notes").click()
    await expect(page.locator(".did")).to_contain_text("Places replaced: 1")
    found = await home.client.ok("POST", "/os/notes/grep", json={"pattern": "ice"})
    assert [each["title"] for each in found["results"]] == ["Frost dates"]
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".did")).to_contain_text("Notes as they were before: 1")
    found = await home.client.ok("POST", "/os/notes/grep", json={"pattern": "ice"})
    assert found["results"] == []


async def test_a_pattern_that_is_none_is_told_beside_what_was_typed(home: Home) -> None:
    page = await home.go("/search/lines?pattern=(&regex=1")
    await expect(page.get_by_role("alert")).to_contain_text("pattern")
    await expect(page.get_by_label("Text or pattern")).to_have_value("(")


async def test_the_palette_finds_and_opens_by_keyboard(home: Home) -> None:
    await garden(home)
    page = await home.go("/")
    await page.keyboard.press("Control+k")
    field = page.get_by_role("combobox")
    await expect(field).to_be_focused()
    await page.keyboard.type("frost da")
    await expect(page.get_by_role("option").first).to_contain_text("Frost dates")
    await page.keyboard.press("Escape")
    await expect(field).to_have_count(0)
    await page.keyboard.press("Control+k")
    await expect(field).to_be_focused()
    await page.keyboard.type("Buy milk")
    await page.get_by_role("option", name="Add the todo “Buy milk”").click()
    await expect(page.locator(".toast")).to_contain_text("Added: Buy milk")
    await page.keyboard.press("Control+k")
    await expect(field).to_be_focused()
    await page.keyboard.type("sear")
    await expect(page.get_by_role("option").first).to_contain_text("Search")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/search")


async def test_a_todo_is_added_from_anywhere_and_keys_walk_what_was_found(home: Home) -> None:
    await garden(home)
    page = await home.go("/search?q=frost")
    await page.get_by_role("heading", name="Search").click()
    await page.keyboard.press("j")
    await expect(page.locator("#results a:focus")).to_have_count(1)
    await page.keyboard.press("q")
    await expect(page.get_by_role("combobox", name="Add a todo")).to_be_focused()
    await page.keyboard.type("Buy fleece tomorrow")
    await expect(page.get_by_role("option")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast")).to_contain_text("Added: Buy fleece")


async def test_what_was_found_reads_without_the_signs_of_markdown(home: Home) -> None:
    text = "> [!note] Before the frost\n\n- [x] Fleece **down**\n- [ ] See [[a|Tools]]\n\n| x |\n"
    await home.client.note("Plan", text, contentFormat="markdown")
    page = await home.go("/search?q=frost")
    await expect(page.locator(".hits li p").first).to_have_text(
        "Before the frost Fleece down See Tools x"
    )


async def test_keys_lead_to_places_but_not_while_typing(home: Home) -> None:
    page = await home.go("/search")
    await page.keyboard.type("gt?")
    await expect(page.get_by_label("Search in your notes")).to_have_value("gt?")
    await page.locator("h1").click()
    await page.keyboard.press("?")
    await expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    await page.get_by_role("button", name="Close").click()
    await page.keyboard.type("gt")
    await page.wait_for_url(f"{home.origin}/")
