"""The browser, and a person at home in it."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, async_playwright

import browser
from tests.conftest import Client, Served
from tests.support.home import Home, at_home, listening

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-color-profile=srgb",
]


@pytest.fixture(scope="session")
async def chromium(anyio_backend: str) -> AsyncIterator[Browser]:
    """One browser for all; each test has a window of its own in it."""
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=browser.find(), args=OPTIONS)
        yield started
        await started.close()


@pytest.fixture
async def origin(served: Served) -> AsyncIterator[str]:
    async with listening(served.asgi) as address:
        yield address


@pytest.fixture
async def home(
    served: Served, alice: Client, chromium: Browser, origin: str
) -> AsyncIterator[Home]:
    """Alice, signed in, at a desk."""
    async with at_home(served, alice, chromium, origin) as entered:
        yield entered
