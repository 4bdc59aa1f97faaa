"""The guide in the browser."""

import re

import pytest
from playwright.async_api import expect

from app.interfaces.home.help import guide
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_a_page_of_the_guide_is_found_and_leads_to_others(home: Home) -> None:
    await home.check_everywhere("/help")
    page = await home.go("/help")
    await page.get_by_label("Search the guide").fill("operators pinned")
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Search, and its model").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Search, and its model")
    await home.check_everywhere("/help/search")
    await home.go("/help/notes-and-todos")
    await page.get_by_role("link", name="a page of its own").click()
    await page.wait_for_url("**/help/search")
    await home.go("/help/nothing")
    await expect(page.get_by_text("There is no such page in the guide.")).to_be_visible()


def test_every_page_is_shown_and_its_links_to_pages_lead_somewhere() -> None:
    for name in guide.topics():
        html = guide.page_html(name)
        assert "<h2" in html or "<p>" in html
        for target in re.findall(r'href="/help/([a-z-]+)', html):
            assert target in guide.topics(), f"{name}: {target}"
        assert not re.search(r'href="[a-z-]+\.md', html), name
