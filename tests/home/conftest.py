"""A person at home in the browser."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from tests.conftest import Client, Served
from tests.support.home import Home, at_home


@pytest.fixture
async def home(
    served: Served, alice: Client, chromium: Browser, origin: str
) -> AsyncIterator[Home]:
    """Alice, signed in, at a desk."""
    async with at_home(served, alice, chromium, origin) as entered:
        yield entered
