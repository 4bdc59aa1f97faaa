"""The walk of a user through OAuth in a real browser, with an application that listens for it."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.conftest import Client, MovableClock, Served
from tests.support.listening import listening
from tests.support.oauth import OAUTH, ORIGIN, Application, with_token
from tests.support.windows import SCHEMES, Window, opened

pytestmark = pytest.mark.anyio
ANSWERED = "You have answered this already"
ASKED = "openid profile offline_access os.notes:read os.notes:write"


@dataclasses.dataclass
class Walk:
    """A server that a browser reaches, and an application that hears its answers."""

    origin: str
    app: Application
    served: Served
    answers: list[dict[str, str]]

    def asks(self, **changes: str | None) -> str:
        return self.app.asks(**({"scope": ASKED} | changes)).replace(ORIGIN, self.origin)

    async def heard(self) -> dict[str, str]:
        """Give the next answer that the application hears."""
        async with asyncio.timeout(20):
            while not self.answers:  # noqa: ASYNC110 - the listener tells nobody
                await asyncio.sleep(0.02)
        return self.answers.pop(0)

    async def begin(self, page: Page) -> None:
        """Open a request and type a code into the page that asks for one."""
        await page.goto(self.asks())
        made = await self.served.command("make_sign_in_code", username="alice")
        await expect(page.locator("#secret")).to_be_focused()
        await page.keyboard.insert_text(made.code)
        await page.keyboard.press("Enter")
        await expect(heading(page)).to_have_text("Let Garden Planner use your Hearth?")


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


async def allow(page: Page) -> None:
    """Click on the yes, as soon as a click on it counts."""
    await page.get_by_role("button", name="Allow", exact=True).click()


@pytest.fixture
async def walk(served: Served, alice: Client, origin: str) -> AsyncIterator[Walk]:
    answers: list[dict[str, str]] = []

    async def listener(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/callback":
            answers.append(dict(parse_qsl(scope["query_string"].decode())))
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"<title>heard</title>heard"})

    async with listening(listener) as application:
        async with served.client() as client:
            registered = await client.post(
                f"{OAUTH}/register",
                json={
                    "client_name": "Garden Planner",
                    "redirect_uris": [f"{application}/callback"],
                    "token_endpoint_auth_method": "none",
                },
            )
        yield Walk(origin, Application(served, registered.json()), served, answers)


@pytest.fixture
async def page(window: Window, walk: Walk) -> AsyncIterator[Page]:
    yield window.page
    assert {urlsplit(url).hostname for url in window.requested} == {"127.0.0.1"}


async def test_sign_in_narrow_and_approve(page: Page, walk: Walk) -> None:
    await walk.begin(page)
    ticks = page.get_by_role("checkbox")
    assert [await tick.get_attribute("value") for tick in await ticks.all()] == ASKED.split()
    await page.locator("[value='os.notes:write']").uncheck()
    await allow(page)
    heard = await walk.heard()
    assert heard["state"] == "a state"
    await expect(page).to_have_title("heard")
    tokens = (await walk.app.exchange(heard["code"])).json()
    assert tokens["scope"] == "openid profile offline_access os.notes:read"
    async with with_token(walk.served, tokens) as client:
        await client.ok("GET", "/os/notes")


async def test_by_keyboard_alone_and_deny(page: Page, walk: Walk) -> None:
    await walk.begin(page)
    tick = page.locator("[value=openid]")
    for _ in range(3):
        await page.keyboard.press("Tab")
    await expect(tick).to_be_focused()
    await page.keyboard.press("Space")
    await expect(tick).not_to_be_checked()
    await page.keyboard.press("Enter")  # in a form it presses the first button, which says no
    heard = await walk.heard()
    assert (heard["error"], "code" in heard) == ("access_denied", False)


async def test_without_scripts(chromium: Browser, walk: Walk) -> None:
    async with opened(chromium, java_script_enabled=False) as window:
        await walk.begin(window.page)
        await allow(window.page)
        assert "code" in await walk.heard()


async def test_an_expired_request(page: Page, walk: Walk, clock: MovableClock) -> None:
    await walk.begin(page)
    clock.forward(minutes=10)
    await allow(page)
    await expect(heading(page)).to_have_text("This request has expired")
    assert walk.answers == []


async def test_the_back_button_after_an_answer(page: Page, walk: Walk) -> None:
    await walk.begin(page)
    await allow(page)
    await walk.heard()
    await expect(page).to_have_title("heard")
    await page.go_back()
    await expect(heading(page)).to_have_text(ANSWERED)
    assert walk.answers == []


async def test_two_tabs_with_one_request_and_two_with_two(
    page: Page, window: Window, walk: Walk
) -> None:
    await walk.begin(page)
    other, third = await window.tab(), await window.tab()
    await other.goto(page.url)
    await third.goto(walk.asks(state="third"))
    await allow(page)
    assert (await walk.heard())["state"] == "a state"
    await allow(other)
    await expect(heading(other)).to_have_text(ANSWERED)
    await allow(third)
    heard = await walk.heard()
    assert (heard["state"], walk.answers) == ("third", [])
    assert (await walk.app.exchange(heard["code"])).status_code == 200


async def test_a_yes_does_not_count_the_moment_the_page_is_there(
    page: Page, window: Window, walk: Walk
) -> None:
    await walk.begin(page)
    time = await window.context.new_cdp_session(page)
    await time.send("Animation.enable")
    await time.send("Animation.setPlaybackRate", {"playbackRate": 0})
    await page.reload()
    await page.evaluate("addEventListener('click', (click) => { window.hit = click.target })")
    yes = page.locator("[value=approve]")
    await yes.scroll_into_view_if_needed()
    box = await yes.bounding_box()
    assert box is not None
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert await page.evaluate("hit.className") == "acts", "it went past the button"
    await time.send("Animation.setPlaybackRate", {"playbackRate": 1})
    await allow(page)
    assert "code" in await walk.heard()
    assert walk.answers == []


async def test_no_page_can_hold_it_in_a_frame(page: Page, window: Window, walk: Walk) -> None:
    await walk.begin(page)
    other = await window.tab()
    await other.goto(walk.app.redirect.replace("/callback", "/"))
    async with window.context.expect_event("console"):
        await other.evaluate(
            """(here) => {
              const frame = document.createElement("iframe");
              frame.src = here; document.body.append(frame); }""",
            page.url,
        )
    (told,) = window.complaints
    assert "frame-ancestors" in told, "the browser says why it is empty"
    assert await other.evaluate("document.querySelector('iframe').contentDocument") is None
    window.complaints.clear()


async def test_every_page_fits_its_window_and_can_be_read(
    page: Page, window: Window, walk: Walk
) -> None:
    await page.goto(walk.asks())
    await check(window)
    await walk.begin(page)
    await check(window)
    await allow(page)
    await walk.app.exchange((await walk.heard())["code"])
    cli = "/auth/cli?code=hearth_ac_" + "x" * 40
    for address in ("/auth/consent?request=x", cli):
        await page.goto(walk.origin + address)
        await check(window)


LOW = """(least) => [...document.querySelectorAll('button, .button, .rights label')]
    .filter((one) => one.getBoundingClientRect().height < least).map((one) => one.outerHTML)"""


async def check(window: Window) -> None:
    """Assert that everybody can use the page, light and dark, narrow and wide, and that what is
    clicked is large enough.
    """
    for width, least in ((320, 44), (800, 36), (1400, 36)):
        await window.assert_fits(width)
        assert await window.page.evaluate(LOW, least) == [], width
    for scheme in SCHEMES:
        await window.assert_accessible(scheme)
