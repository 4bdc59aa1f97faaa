"""A user's browser, and a device with the first account key."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.vault import rotate_keys
from tests.conftest import Client, Served
from tests.support.oauth import Browser
from tests.support.vaults import Laptop


@pytest.fixture
async def browser(served: Served, alice: Client) -> AsyncIterator[Browser]:
    browser = Browser(served)
    await browser.sign_in("alice")
    yield browser
    await browser.http.aclose()


@pytest.fixture
async def laptop(served: Served, browser: Browser, tmp_path: Path) -> Laptop:
    """A device with the first account key."""
    laptop = Laptop(served, tmp_path / "laptop", "Laptop")
    assert await laptop.enrol(browser.http) == "approved"
    laptop.code = await laptop.do(rotate_keys.make_first_key)
    return laptop


@pytest.fixture
async def desktop(served: Served, browser: Browser, laptop: Laptop, tmp_path: Path) -> Laptop:
    """A second device that the first has let in."""
    desktop = Laptop(served, tmp_path / "desktop", "Desktop")
    assert await desktop.enrol(browser.http) == "approved"
    await laptop.admit(desktop)
    return desktop
