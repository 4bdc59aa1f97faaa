"""What takes long is seen while it runs: a model that is tried, a backup, a proof."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.conftest import ORIGIN, Served
from tests.support.answering import answering
from tests.support.home import Home, without_browser

pytestmark = pytest.mark.anyio
RELOAD = '<noscript><meta http-equiv="refresh" content="3"></noscript>'


async def test_a_model_that_is_tried_says_how_far_it_is(home: Home, served: Served) -> None:
    asked = asyncio.Event()

    async def keep_waiting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked.wait()

    page = await home.go("/settings/models")
    async with answering(keep_waiting) as port:
        await page.get_by_label("Where it runs").select_option("compatible")
        await page.get_by_label("Model", exact=True).fill("slow")
        await page.get_by_label("Address (optional)").fill(f"http://127.0.0.1:{port}/v1")
        await page.get_by_role("button", name="Add and try it").click()
        tried = page.get_by_role("status").filter(has_text="The model is being tried")
        await expect(tried).to_contain_text("asking its server since today")
        await expect(tried.get_by_role("progressbar")).to_be_visible()
        client = await without_browser(home.served)
        assert RELOAD in (await client.get(f"{ORIGIN}/settings/models?tested=slow")).text
        asked.set()
    await expect(page.get_by_text("does not answer")).to_be_visible(timeout=20_000)
    await expect(page.get_by_role("progressbar")).to_have_count(0)
    assert RELOAD not in (await client.get(f"{ORIGIN}/settings/models?tested=slow")).text


async def test_a_backup_says_how_far_it_is_and_goes_by_itself(home: Home, served: Served) -> None:
    with served.parts.works.begin("backup", "x.db", since="2026-11-21T09:29:00.000Z") as work:
        work.tell("copy", 1_500_000, 6_000_000)
        page = await home.go("/settings/data")
        await expect(
            page.get_by_text("A backup is being made: copying, 1.5 MB of 6.0 MB")
        ).to_be_visible()
        await expect(page.get_by_role("button", name="Back up now")).to_have_count(0)
        client = await without_browser(home.served)
        assert RELOAD in (await client.get(f"{ORIGIN}/settings/data")).text
        work.tell("check")
        await expect(page.get_by_text("checking the copy since today, 09:29")).to_be_visible()
        await home.assert_accessible("light")
    await page.get_by_role("button", name="Back up now").click()
    await expect(page.get_by_text("The last was made today")).to_be_visible(timeout=20_000)
    await expect(page.get_by_role("progressbar")).to_have_count(0)
    assert served.parts.works.list() == []
    assert home.complaints == []
