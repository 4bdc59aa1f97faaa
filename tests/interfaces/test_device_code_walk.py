"""A person lets a device in, in a real browser."""

import pytest
from playwright.async_api import expect

from tests.conftest import Client, Served
from tests.runtime.bodies import LAPTOP
from tests.support.windows import Window

pytestmark = pytest.mark.anyio
CODE = "/local-agent/device-code"


async def test_a_device_is_let_in_by_one_who_signs_in_reads_and_ticks(
    served: Served, alice: Client, stranger: Client, origin: str, window: Window
) -> None:
    page, heading = window.page, window.page.get_by_role("heading", level=1)
    asked = await stranger.ok("POST", f"{CODE}/start", json=LAPTOP | {"label": "Alice’s laptop"})
    code, poll = asked["userCode"], {"pollToken": asked["pollToken"]}
    await page.goto(f"{origin}{CODE}?code={code}")
    await expect(page.locator("#secret")).to_be_focused()
    await page.keyboard.insert_text(
        (await served.command("make_sign_in_code", username="alice")).code
    )
    await page.keyboard.press("Enter")
    await expect(heading).to_have_text("Let Alice’s laptop work for you?")
    for width in (320, 800):
        await window.assert_fits(width)
    await page.get_by_role("button", name="Allow", exact=True).click()
    assert await page.locator("form:invalid").count() == 1, "without the tick it is not even sent"
    assert (await stranger.ok("POST", f"{CODE}/poll", json=poll))["status"] == "pending"
    await page.get_by_label("I started this myself").check()
    await page.get_by_role("button", name="Allow", exact=True).click()
    await expect(heading).to_have_text("Allowed")
    assert (await stranger.ok("POST", f"{CODE}/poll", json=poll))["deviceToken"]
    await page.goto(f"{origin}{CODE}")
    await expect(page.get_by_label("Code")).to_be_focused()
    await page.keyboard.insert_text(code)
    await page.keyboard.press("Enter")
    await expect(heading).to_have_text("This code was answered already")
