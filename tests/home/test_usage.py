"""The month of usage, as a person sees it."""

import pytest
from playwright.async_api import expect

from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_the_picture_of_a_month_has_all_its_days(home: Home) -> None:
    await home.client.post("/chat", json={"message": "What is due today?", "stream": False})
    page = await home.go("/settings/usage")
    await expect(page.locator(".bars rect")).to_have_count(30)
    tall = await page.locator(".bars").evaluate("(picture) => picture.clientHeight")
    assert 40 < tall < 200
    await expect(page.locator("header.page")).to_contain_text("November 2026:")
