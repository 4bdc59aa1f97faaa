"""Today, as a person sees it."""

import pytest
from playwright.async_api import expect

from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_what_is_late_and_due_is_shown_and_ticked(home: Home) -> None:
    for title, due in (("Sign the offer", "2026-11-19"), ("Prune the hedge", "2026-11-21")):
        await home.client.ok("POST", "/os/todos", status=201, json={"title": title, "dueDate": due})
    page = await home.go("/")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Saturday, 21 November")
    late = page.locator("section").filter(has_text="Late")
    await expect(late.get_by_role("listitem")).to_have_count(1)
    await page.get_by_role("button", name="Done: Sign the offer").click()
    await expect(page.locator(".did")).to_contain_text("Done: Sign the offer")
    await expect(page.get_by_text("Late")).to_have_count(0)
    await home.check_everywhere("/")


async def test_a_stranger_is_told_what_is_here_and_goes_on_after_signing_in(home: Home) -> None:
    await home.context.clear_cookies()
    page = await home.go("/")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Hearth is running")
