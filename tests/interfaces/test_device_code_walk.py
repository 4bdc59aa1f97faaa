"""A person lets a device in, in a real browser."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import Client, Served
from tests.interfaces.oauth.test_walk import asking, click, serving
from tests.runtime.bodies import LAPTOP
from tests.support import chromium
from tests.support.chromium import Page

pytestmark = pytest.mark.anyio
CODE = "/local-agent/device-code"
HEADING = "document.querySelector('h1')?.textContent"


@pytest.fixture
async def origin(served: Served) -> AsyncIterator[str]:
    async with serving(served.asgi) as address:
        yield address


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with chromium.running(tmp_path) as running:
        opened = await running.page()
        await opened.look()
        yield opened
        assert opened.complaints() == []


async def test_a_device_is_let_in_by_one_who_signs_in_reads_and_ticks(
    served: Served, alice: Client, stranger: Client, origin: str, page: Page
) -> None:
    asked = await stranger.ok("POST", f"{CODE}/start", json=LAPTOP | {"label": "Alice’s laptop"})
    code = asked["userCode"]
    await page.go(f"{origin}{CODE}?code={code}")
    await page.until("document.activeElement.id === 'secret'")
    await page.type((await served.command("make_sign_in_code", username="alice")).code)
    await page.press("Enter")
    await page.until("!!document.querySelector('[value=approve]')")
    assert await page.value(HEADING) == "Let Alice’s laptop work for you?"
    width = "document.documentElement.scrollWidth <= innerWidth"
    for size in (320, 800):
        await page.look(width=size)
        assert await page.value(width)
    await asking(page)
    await click(page, "[value=approve]")  # without the tick the form is not even sent
    assert await page.value("!document.querySelector('form').checkValidity()")
    poll = {"pollToken": asked["pollToken"]}
    assert (await stranger.ok("POST", f"{CODE}/poll", json=poll))["status"] == "pending"
    await click(page, "[name=same]")
    await click(page, "[value=approve]")
    await page.until(f"{HEADING} === 'Allowed'")
    assert (await stranger.ok("POST", f"{CODE}/poll", json=poll))["deviceToken"]
    await page.go(f"{origin}{CODE}")
    await page.until("document.activeElement.id === 'code'")
    await page.type(code)
    await page.press("Enter")
    await page.until(f"{HEADING} === 'This code was answered already'")
