"""A device's vault against a server that does its part."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.vault import rotate_keys
from app.vault.enrol import fingerprint_of
from app.vault.vault import Vault
from tests.conftest import Client, Served
from tests.support.oauth import Browser
from tests.support.vaults import Laptop

pytestmark = pytest.mark.anyio
CANARY = b"the canary sings at noon"


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


async def admitted(served: Served, browser: Browser, folder: Path, by: Laptop) -> Laptop:
    """Give a second device that the first has let in."""
    other = Laptop(served, folder, "Desktop")
    assert await other.enrol(browser.http) == "approved"
    identity = other.files.identity()
    assert identity is not None
    device, fingerprint = identity.device_id or "", fingerprint_of(identity)
    await by.do(lambda vault: rotate_keys.admit(vault, device, fingerprint))
    return other


async def test_what_is_put_comes_back_on_this_device_and_on_another(
    served: Served, browser: Browser, laptop: Laptop, tmp_path: Path
) -> None:
    await laptop.put(CANARY)
    await laptop.put(b" and at midnight")
    assert await laptop.get() == CANARY + b" and at midnight"
    desktop = await admitted(served, browser, tmp_path / "desktop", laptop)
    assert await desktop.get() == CANARY + b" and at midnight"
    await desktop.put(b"; so it does")
    assert await laptop.get() == CANARY + b" and at midnight; so it does"
    assert laptop.code is not None
    usage = await laptop.do(Vault.usage)
    assert (usage.records, usage.devices) == (3, 2)
