"""What lets a browser install the home, and read its shell while the server is away."""

import pytest
from playwright.async_api import Browser, expect

from tests.conftest import ORIGIN, Client, Served
from tests.support.home import at_home
from tests.support.listening import listening

pytestmark = pytest.mark.anyio


async def test_while_the_server_is_away_the_shell_says_so_and_goes_on_when_it_is_back(
    served: Served, alice: Client, chromium: Browser
) -> None:
    async with (
        listening(served.asgi) as origin,
        at_home(served, alice, chromium, origin, service_workers="allow") as home,
    ):
        await home.go("/")
        await home.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        await home.page.evaluate("localStorage.setItem('hearth:draft:1', 'typed')")
        await home.page.wait_for_function("navigator.serviceWorker.controller !== null")
        await home.context.set_offline(True)
        await home.page.goto(f"{origin}/heartbeat")
        await expect(home.page.get_by_role("heading", level=1)).to_have_text(
            "Hearth does not answer"
        )
        await expect(home.page.get_by_text("One text that was not saved yet")).to_be_visible()
        await home.context.set_offline(False)
        await home.page.get_by_role("button", name="Try again").click()
        await expect(home.page.get_by_role("heading", level=1)).to_have_text("Heartbeat")
        kept = await home.page.evaluate(
            "caches.keys().then((names) => caches.open(names[0])).then((each) => each.keys())"
            ".then((all) => all.map((each) => new URL(each.url).pathname))"
        )
        assert all(path == "/away" or path.startswith("/static/") for path in kept), kept


async def test_the_manifest_and_its_icon_are_there_for_anybody(stranger: Client) -> None:
    found = await stranger.get(f"{ORIGIN}/manifest.webmanifest")
    assert found.headers["content-type"] == "application/manifest+json"
    for icon in found.json()["icons"]:
        shown = await stranger.get(ORIGIN + icon["src"])
        assert (shown.status_code, shown.headers["content-type"]) == (200, "image/svg+xml")
    for path in ("/worker.js", "/away"):
        assert (await stranger.get(ORIGIN + path)).status_code == 200


async def test_a_browser_is_told_of_failures_in_a_page(stranger: Client) -> None:
    html = {"Accept": "text/html,*/*"}
    found = await stranger.get(f"{ORIGIN}/nothing/here", headers=html)
    assert (found.status_code, found.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing here" in found.text
    assert '<a class="button" href="/">' in found.text
    assert (await stranger.get(f"{ORIGIN}/nothing/here")).json()["error"] == "not_found"
    assert (await stranger.get("/nothing", headers=html)).json()["error"] == "not_found"
