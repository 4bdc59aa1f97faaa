"""The walk of a user through OAuth in a real browser, with an application that listens for it."""

import asyncio
import contextlib
import dataclasses
import itertools
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import uvicorn

from tests.conftest import Client, MovableClock, Served
from tests.support import chromium
from tests.support.chromium import Chromium, Page
from tests.support.oauth import OAUTH, ORIGIN, Application, with_token

pytestmark = pytest.mark.anyio
TICKS = "[...document.querySelectorAll('[name=scope]')].map((one) => one.value)"
FRAMED = "frame-ancestors"
ANSWERED = "document.querySelector('h1')?.textContent === 'You have answered this already'"
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

    async def sign_in(self, page: Page) -> None:
        """Type a code into the page that asks for one."""
        made = await self.served.command("make_sign_in_code", username="alice")
        await page.until("document.activeElement.id === 'secret'")
        await page.type(made.code)
        await page.press("Enter")
        await asking(page)


async def asking(page: Page) -> None:
    """Wait until the page asks, and until its yes may be clicked."""
    await page.until("!!document.querySelector('[value=approve]')")
    await page.until(
        "getComputedStyle(document.querySelector('[value=approve]')).pointerEvents !== 'none'"
    )


async def click(page: Page, selector: str) -> None:
    """Click where something stands, as a person does."""
    await page.value(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
    x, y = await page.value(
        f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect(); "
        "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        await page.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


@pytest.fixture
async def walk(served: Served, alice: Client) -> AsyncIterator[Walk]:
    answers: list[dict[str, str]] = []

    async def listener(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/callback":
            answers.append(dict(parse_qsl(scope["query_string"].decode())))
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"<title>heard</title>heard"})

    async with serving(served.asgi) as origin, serving(listener) as application:
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


@contextlib.asynccontextmanager
async def serving(asgi: Any) -> AsyncIterator[str]:
    config = uvicorn.Config(
        asgi, host="127.0.0.1", port=0, ws="none", lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    task = asyncio.ensure_future(server.serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    await task


@pytest.fixture(scope="module")
async def window(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Chromium]:
    """One browser for all; the pages of each test share nothing with those of others."""
    async with chromium.running(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
async def page(window: Chromium, walk: Walk) -> AsyncIterator[Page]:
    opened = await window.page()
    await opened.look()
    yield opened
    assert [one for one in opened.complaints() if FRAMED not in one] == []
    hosts = {urlsplit(url).hostname for url in opened.requested()} - {None}
    assert hosts == {"127.0.0.1"}


async def test_sign_in_narrow_and_approve(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    assert await page.value("document.querySelector('h1').textContent") == (
        "Let Garden Planner use your Hearth?"
    )
    assert await page.value(TICKS) == ASKED.split()
    await click(page, "[value='os.notes:write']")
    await click(page, "[value=approve]")
    heard = await walk.heard()
    assert heard["state"] == "a state"
    await page.until("document.title === 'heard'")
    tokens = (await walk.app.exchange(heard["code"])).json()
    assert tokens["scope"] == "openid profile offline_access os.notes:read"
    async with with_token(walk.served, tokens) as client:
        await client.ok("GET", "/os/notes")


async def test_by_keyboard_alone_and_deny(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    for _ in range(3):
        await page.press("Tab")
    assert await page.value("document.activeElement.value") == "openid"
    await page.press(" ")
    assert await page.value("document.activeElement.checked") is False
    await page.press("Enter")  # in a form it presses the first button, which says no
    heard = await walk.heard()
    assert (heard["error"], "code" in heard) == ("access_denied", False)


async def test_without_scripts(page: Page, walk: Walk) -> None:
    await page.ask("Emulation.setScriptExecutionDisabled", value=True)
    await page.go(walk.asks())
    await walk.sign_in(page)
    await click(page, "[value=approve]")
    assert "code" in await walk.heard()


async def test_an_expired_request(page: Page, walk: Walk, clock: MovableClock) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    clock.forward(minutes=10)
    await click(page, "[value=approve]")
    await page.until("document.querySelector('h1')?.textContent === 'This request has expired'")
    assert walk.answers == []


async def test_the_back_button_after_an_answer(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    await click(page, "[value=approve]")
    await walk.heard()
    await page.until("document.title === 'heard'")
    await page.value("history.back()")
    await asking(page)  # the browser shows it as it was left
    await click(page, "[value=approve]")
    await page.until(ANSWERED)
    assert walk.answers == []


async def test_two_tabs_with_one_request_and_two_with_two(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    first = await page.value("location.href")
    other = await page.beside()
    await other.go(first)
    await asking(other)
    third = await page.beside()
    await third.go(walk.asks(state="third"))
    await asking(third)
    await click(page, "[value=approve]")
    assert (await walk.heard())["state"] == "a state"
    await click(other, "[value=approve]")
    await other.until(ANSWERED)
    await click(third, "[value=approve]")
    heard = await walk.heard()
    assert (heard["state"], walk.answers) == ("third", [])
    assert (await walk.app.exchange(heard["code"])).status_code == 200


async def test_a_yes_does_not_count_the_moment_the_page_is_there(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    await page.ask("Animation.enable")
    await page.ask("Animation.setPlaybackRate", playbackRate=0)
    await page.go(await page.value("location.href"))
    await click(page, "[value=approve]")
    await asyncio.sleep(0.3)
    assert walk.answers == []
    assert "/auth/consent?request=" in await page.value("location.href")
    await page.ask("Animation.setPlaybackRate", playbackRate=1)
    await asking(page)
    await click(page, "[value=approve]")
    assert "code" in await walk.heard()


async def test_no_page_can_hold_it_in_a_frame(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await walk.sign_in(page)
    here = await page.value("location.href")
    other = await page.beside()
    await other.go(walk.app.redirect.replace("/callback", "/"))
    await other.value(
        "(() => { const frame = document.createElement('iframe'); "
        f"frame.src = {here!r}; document.body.append(frame); }})()"
    )
    await asyncio.sleep(0.5)
    assert await other.value("document.querySelector('iframe').contentDocument") is None
    assert any(FRAMED in one for one in page.complaints()), "the browser says why it is empty"


async def test_every_page_fits_its_window_and_can_be_read(page: Page, walk: Walk) -> None:
    await page.go(walk.asks())
    await fits(page)
    await walk.sign_in(page)
    await fits(page)
    await click(page, "[value=approve]")
    await walk.app.exchange((await walk.heard())["code"])
    for address in (
        "/auth/apps",
        "/auth/consent?request=x",
        "/auth/cli?code=hearth_ac_" + "x" * 40,
        "/",
    ):
        await page.go(walk.origin + address)
        await fits(page)
    await page.look()


FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
HEIGHTS = (
    "[...document.querySelectorAll('button, .button, .rights label')]"
    ".map((one) => one.getBoundingClientRect().height)"
)
CONTRAST = """(() => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
  const pen = canvas.getContext('2d', {willReadFrequently: true});
  const light = (color) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = color; pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    const [x, y, z] = [r, g, b].map((one) => { one /= 255;
      return one <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4; });
    return a === 255 ? .2126 * x + .7152 * y + .0722 * z : null; };
  const behind = (node) => { for (; node; node = node.parentElement) {
    const found = light(getComputedStyle(node).backgroundColor); if (found !== null) return found; }
    return 1; };
  return [...document.querySelectorAll('body *')].filter((node) =>
      [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim()))
    .map((node) => { const [a, b] = [light(getComputedStyle(node).color), behind(node)];
      return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), node.textContent.trim()]; })
    .filter(([ratio]) => ratio < 4.5); })()"""


async def fits(page: Page) -> None:
    """Assert, narrow and wide, light and dark, that nothing is cut off, that texts stand out from
    what is behind them, and that what is clicked is large enough.
    """
    for width, dark in itertools.product((320, 390, 800, 1400), (False, True)):
        await page.look(width=width, height=700, dark=dark)
        assert await page.value(FITS), (width, dark)
        assert await page.value(CONTRAST) == [], (width, dark)
        least = 44 if width <= 600 else 36
        assert [high for high in await page.value(HEIGHTS) if high < least] == [], (width, dark)
    assert await page.value("[...document.querySelectorAll('main, h1')].length") == 2
