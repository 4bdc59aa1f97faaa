"""What of the editor is in sight while one types, on a phone and at a desk."""

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.conftest import Client, Served
from tests.home.test_note_editor import edit
from tests.support.home import at_home

pytestmark = pytest.mark.anyio
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}
LONG = "\n\n".join(f"Paragraph {number} of a text that fills the screen." for number in range(40))
PLACES = """() => {
  const place = (selector) => document.querySelector(selector).getBoundingClientRect();
  const area = document.querySelector("#content");
  return { head: place(".note-bar").bottom, marks: place(".marks").top, height: innerHeight,
    button: place(".marks button").top, scrolled: scrollY,
    line: place("#content").bottom - parseFloat(getComputedStyle(area).paddingBottom) };
}"""


async def assert_in_sight(page: Page) -> None:
    """Assert that the toolbar follows the head, and that the last line has room below it."""
    places: Mapping[str, float] = await page.evaluate(PLACES)
    assert places["scrolled"] > 0
    assert places["marks"] <= places["head"] <= places["button"]
    assert places["head"] < places["line"] <= places["height"] - 32


@pytest.mark.parametrize(("options", "is_beside"), [(PHONE, False), (DESK, False), (DESK, True)])
async def test_nothing_lies_over_what_is_typed(
    served: Served,
    alice: Client,
    chromium: Browser,
    origin: str,
    options: Mapping[str, Any],
    is_beside: bool,
) -> None:
    async with at_home(served, alice, chromium, origin, **options) as home:
        page, area, _ = await edit(home, LONG)
        if is_beside:
            await page.locator("#show-preview").click()
            await area.press("Control+End")
        await area.press_sequentially(" More")
        await assert_in_sight(page)
        for _ in range(12):
            await page.keyboard.press("Enter")
            await page.keyboard.type("Line")
        await assert_in_sight(page)


async def test_the_toolbar_follows_a_head_of_any_height(
    served: Served, alice: Client, chromium: Browser, origin: str
) -> None:
    async with at_home(served, alice, chromium, origin, **PHONE) as home:
        page, *_ = await edit(home, LONG)
        await expect(page.locator(":root")).to_have_attribute("style", "--head: 84px;")
        await page.locator("#state").evaluate(
            "(state) => { state.textContent = 'Far '.repeat(90); }"
        )
        await expect(page.locator(":root")).not_to_have_attribute("style", "--head: 84px;")
        await assert_in_sight(page)


async def test_the_places_of_the_home_make_room_for_what_is_typed(
    served: Served, alice: Client, chromium: Browser, origin: str
) -> None:
    async with at_home(served, alice, chromium, origin, **PHONE) as home:
        page, area, _ = await edit(home, "One line")
        rail = page.locator(".rail")
        for field in (page.get_by_label("Title"), area, page.get_by_label("Tags")):
            await field.focus()
            await expect(rail).to_be_hidden()
        await page.get_by_role("button", name="Preview").focus()
        await expect(rail).to_be_visible()
