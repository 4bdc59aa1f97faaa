"""A note on its page: headings that links find, the outline, notes within notes, tags."""

import pytest
from playwright.async_api import expect

from tests.support.guests import link
from tests.support.home import Home

pytestmark = pytest.mark.anyio
WORDS = "words\n\n" * 60
LONG = f"## Part one\n\n{WORDS}## Part two\n\n{WORDS}### Küche\n\nx"


async def test_links_and_the_outline_lead_to_headings(home: Home) -> None:
    long = await home.client.note("Long", LONG, contentFormat="markdown")
    other = await home.client.note("Other", "See [[Long#Part two]].", contentFormat="markdown")
    page = await home.go(f"/notes/{other['id']}")
    await page.get_by_role("link", name="Long › Part two").click()
    await expect(page).to_have_url(f"{home.origin}/notes/{long['id']}#h-part-two")
    await expect(page.get_by_role("heading", name="Part two")).to_be_in_viewport()
    await page.goto(f"{home.origin}/notes/{long['id']}")
    outline = page.locator(".outline")
    await expect(outline.get_by_role("link", name="Küche")).not_to_be_visible()
    await outline.get_by_text("Contents").click()
    await home.check_everywhere(f"/notes/{long['id']}")
    await home.page.locator(".outline summary").click()
    await home.page.get_by_role("link", name="Küche").click()
    await expect(home.page.get_by_role("heading", name="Küche")).to_be_in_viewport()
    await home.go(f"/notes/named?to={'Long%23K%C3%BCche'}")
    await expect(home.page.get_by_role("heading", name="Küche")).to_be_in_viewport()


async def test_a_note_within_a_note_is_one_level_deep(home: Home) -> None:
    await home.client.note("Inner", "## A\n\nfirst\n\n## B\n\n![[Outer]]\n\nsecond")
    outer = await home.client.note("Outer", "![[Inner]]\n\n![[Inner#B]]\n\n![[Outer]]\n\n## A")
    page = await home.go(f"/notes/{outer['id']}")
    boxes = page.locator(".prose > .embed")
    await expect(boxes).to_have_count(2)
    await expect(boxes.first).to_contain_text("first")
    await expect(boxes.last).not_to_contain_text("first")
    await expect(boxes.last).to_contain_text("second")
    await expect(page.locator(".embed .embed")).to_have_count(0)
    await home.check_everywhere(f"/notes/{outer['id']}")


async def test_a_shared_note_is_for_everybody(home: Home) -> None:
    text = "> [!tip]- Fold\n> away\n\nH<sub>2</sub>O[^1] <kbd>K</kbd> [[Inner]]\n\n[^1]: So\n\n"
    note = await home.client.note("Outer", text + LONG, contentFormat="markdown")
    made = await link(home.client, scope="note_only", noteId=note["id"], target="note")
    address = made["url"].removeprefix(home.origin)
    await home.check_everywhere(f"/shared/{address.rpartition('/')[2]}")
    await expect(home.page.locator("sup").first).to_have_text("1")
    await expect(home.page.get_by_text("away")).not_to_be_visible()


async def test_a_note_is_found_and_linked_by_its_alias(home: Home) -> None:
    text = "---\naliases: [Küche]\n---\n\nTiles"
    kitchen = await home.client.note("Renovation", text, contentFormat="markdown")
    page = await home.go("/notes/new?title=Plan")
    await page.get_by_label("Text").click()
    await page.keyboard.type("[[kuc")
    await expect(page.get_by_role("option")).to_contain_text(["KücheRenovation"])
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Text")).to_have_value("[[Renovation|Küche]]")
    await page.goto(f"{home.origin}/notes/named?to=k%C3%BCche")
    await expect(page).to_have_url(f"{home.origin}/notes/{kitchen['id']}")
    await home.go("/")
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox").fill("küch")
    await page.get_by_role("option", name="Küche").first.click()
    await expect(page).to_have_url(f"{home.origin}/notes/{kitchen['id']}")


async def test_a_tag_in_a_text_leads_to_all_that_has_it(home: Home) -> None:
    note = await home.client.note("Beds", "Sow #beans", contentFormat="markdown")
    await home.client.note("Field", "words", tags=["beans"])
    await home.client.note("Nested", "words #beans/dwarf", contentFormat="markdown")
    await home.client.note("Other", "words of beans", contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}")
    await page.get_by_role("link", name="#beans", exact=True).click()
    for title in ("Beds", "Field", "Nested"):
        await expect(page.locator("main").get_by_role("link", name=title)).to_be_visible()
    await expect(page.locator("main").get_by_role("link", name="Other")).to_have_count(0)
