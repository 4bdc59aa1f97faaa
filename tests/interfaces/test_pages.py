"""The pages for people in a real browser.

Talking as a guest, signing in, joining a team; by keyboard, small, dark, and with hostile words.
"""

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.conftest import Client, Served
from tests.network.test_guests import speaking
from tests.network.test_rpc import brain
from tests.support import chromium
from tests.support.chromium import Chromium, Page
from tests.support.guests import link

pytestmark = pytest.mark.anyio
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><svg "
    'onload=alert(3)>"><b>bold</b> [x](javascript:alert(4)) **<i>x</i>**'
)
SAID = "[...document.querySelectorAll('#messages li .said')].map((one) => one.textContent)"
ANSWERED = "document.querySelector('#messages li:last-child.theirs:not(.waiting)')?.textContent"


@dataclasses.dataclass
class Site:
    """A server that a browser can reach."""

    origin: str

    def page(self, made: dict[str, Any]) -> str:
        return f"{self.origin}/a/{made['token']}"


@pytest.fixture
async def site(served: Served) -> AsyncIterator[Site]:
    server = uvicorn.Server(
        uvicorn.Config(
            served.asgi, host="127.0.0.1", port=0, ws="none", lifespan="off", log_config=None
        )
    )
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    serving = asyncio.ensure_future(server.serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
    yield Site(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    server.should_exit = server.force_exit = True
    await serving


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Chromium]:
    async with chromium.running(tmp_path / "browser") as running:
        yield running


@pytest.fixture
async def page(browser: Chromium) -> Page:
    return await browser.page()


def assert_clean(page: Page, site: Site) -> None:
    """Assert that no script of others ran, nothing came from elsewhere, and the browser has
    nothing against the page.
    """
    assert page.dialogs() == []
    assert page.complaints() == []
    assert [url for url in page.requested() if not url.startswith((site.origin, "data:,"))] == []


async def test_a_guest_talks_by_keyboard_alone_and_finds_the_talk_again(
    alice: Client, site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"agentName": "Robin"})
    made = await link(alice)
    brain(monkeypatch, speaking("Simmer ", "them.\n\nFor **twenty** minutes\n", "- [Soup](x:y)"))
    await page.look()
    await page.go(site.page(made))
    await page.until("document.activeElement.id === 'text'")
    assert await page.value("[document.title, document.querySelector('h1').textContent]") == [
        "Robin",
        "Robin",
    ]
    assert await page.value(
        "[...document.querySelectorAll('header bdi')].map((one) => one.textContent)"
    ) == ["Robin", "alice"]
    await page.press("Tab", shift=True)
    assert await page.value("document.activeElement.id") == "name"
    await page.type("Zoe")
    await page.press("Tab")
    await page.type("first line")
    await page.press("Enter", shift=True)
    await page.type("How long?")
    await page.press("Enter")
    answer = await page.until(ANSWERED)
    assert "Simmer them." in answer
    assert await page.value(SAID) == [
        "first line\nHow long?",
        "Simmer them.\u200bFor twenty minutes• Soup",
    ]
    assert await page.value(
        "[...document.querySelectorAll('#messages strong')].map((one) => one.textContent)"
    ) == ["twenty"]
    assert await page.value("document.querySelectorAll('#messages a').length") == 0
    await page.until(
        "document.getElementById('status').textContent.startsWith('Robin: Simmer them.')"
    )
    assert await page.value(
        "[document.activeElement.id, document.getElementById('naming').hidden]"
    ) == ["text", True]
    (row,) = (await alice.ok("GET", "/os/network/conversations"))["conversations"]
    assert (row["guestName"], row["messageCount"]) == ("Zoe", 2)
    await page.go(site.page(made))
    await page.until(ANSWERED)
    assert (await page.value(SAID))[0] == "first line\nHow long?"
    assert_clean(page, site)


async def test_an_answer_shows_while_it_is_made(
    alice: Client, site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, go_on = await link(alice), asyncio.Event()

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "The first half, "
        await go_on.wait()
        yield "and the second."

    brain(monkeypatch, FunctionModel(stream_function=stream))
    await page.go(site.page(made))
    await page.until("document.activeElement.id === 'text'")
    await page.type("hello")
    await page.press("Enter")
    await page.until(
        "document.querySelector('li.waiting .said')?.textContent.startsWith('The first half')"
    )
    assert (
        await page.value("document.getElementById('send').getAttribute('aria-disabled')") == "true"
    )
    go_on.set()
    assert "The first half, and the second." in await page.until(ANSWERED)


async def test_hostile_words_are_words_wherever_they_stand(
    alice: Client, site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.ok(
        "PATCH", "/account/settings", json={"name": HOSTILE[:100], "agentName": HOSTILE[:100]}
    )
    made = await link(alice, label=HOSTILE[:120])
    brain(monkeypatch, speaking(*HOSTILE))
    await page.go(site.page(made))
    await page.until("document.activeElement.id === 'text'")
    await page.press("Tab", shift=True)
    await page.type(HOSTILE[:80])
    await page.press("Tab")
    await page.type(HOSTILE)
    await page.press("Enter")
    await page.until(ANSWERED)
    said = await page.value(SAID)
    assert said[0] == HOSTILE
    assert "<script>alert(1)</script><img src=x" in said[1]
    assert (
        await page.value(
            "document.querySelectorAll('main script, main img, main svg, main b, #messages "
            "a').length"
        )
        == 0
    )
    assert await page.value("document.title") == HOSTILE[:100].strip()
    await page.go(site.page(made))
    await page.until(ANSWERED)
    note = await alice.note(
        HOSTILE, f'# {HOSTILE}\n\n{HOSTILE}\n\n<iframe src="javascript:alert(5)"></iframe>'
    )
    shown = await link(alice, scope="note_only", noteId=note["id"], target="note")
    await page.go(f"{site.origin}/shared/{shown['token']}")
    assert "alert(1)" in await page.value("document.querySelector('article').textContent")
    invite = (await alice.ok("POST", "/os/team/invite"))["inviteUrl"].rpartition("/")[2]
    await page.go(f"{site.origin}/team/invites/{invite}")
    assert "<script>" in await page.value("document.querySelector('h1 bdi').textContent")
    assert_clean(page, site)


@pytest.mark.parametrize("dark", [False, True])
async def test_a_page_fits_a_small_screen_and_can_be_read_in_the_dark(
    alice: Client, site: Site, page: Page, dark: bool
) -> None:
    made = await link(alice, label="x")
    await page.look(width=320, height=568, dark=dark, still=True)
    await page.go(site.page(made))
    await page.until("document.activeElement.id === 'text'")
    await page.type("averyveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword " * 3)
    await page.press("Enter")
    await page.until(ANSWERED)
    assert await page.value("document.documentElement.scrollWidth") <= 320
    assert await page.value("document.getElementById('send').getBoundingClientRect().bottom") <= 568
    contrasts = await page.value(CONTRASTS)
    assert len(contrasts) >= 5
    assert [each for each in contrasts if each[1] < 4.5] == []
    assert (
        await page.value("getComputedStyle(document.documentElement).backgroundColor")
        == "rgb(25, 23, 21)"
    ) is dark
    assert await page.value("[...document.getAnimations()].length") == 0


async def test_a_page_can_be_used_without_seeing_it(alice: Client, site: Site, page: Page) -> None:
    await page.go(site.page(await link(alice)))
    await page.until("document.activeElement.id === 'text'")
    assert await page.value("document.documentElement.lang") == "en"
    unnamed = (
        "[...document.querySelectorAll('input, textarea')].filter((one) => "
        "!one.labels.length).map((one) => one.id)"
    )
    assert await page.value(unnamed) == []
    assert await page.value("[...document.querySelectorAll('h1')].length") == 1
    assert await page.value("document.querySelector('[role=status]').id") == "status"
    await page.press("Tab")
    assert await page.value("document.activeElement.id") == "send"
    assert await page.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert await page.value(
        "[document.querySelector('meta[name=robots]').content, "
        "document.querySelector('meta[name=referrer]').content]"
    ) == ["noindex, nofollow", "no-referrer"]


async def test_a_link_that_asks_for_it_lets_people_sign_in(
    served: Served, alice: Client, bob: Client, site: Site, page: Page
) -> None:
    made = await link(alice, requireSignIn=True)
    await page.go(site.page(made))
    await page.until("document.activeElement.id === 'secret'")
    await page.type("wrong")
    await page.press("Enter")
    await page.until("!document.getElementById('notice').hidden")
    await page.value("document.getElementById('secret').value = ''")
    await page.type((await served.command("make_sign_in_code", username="bob")).code.lower())
    await page.press("Enter")
    await page.until("document.activeElement.id === 'text'")
    await page.type("hello")
    await page.press("Enter")
    await page.until(ANSWERED)
    (row,) = (await alice.ok("GET", "/os/network/conversations"))["conversations"]
    assert row["visitor"]["username"] == "bob"
    note = await alice.note("Soup", "Simmer.")
    shown = await link(
        alice, scope="note_only", noteId=note["id"], target="note", requireSignIn=True
    )
    await page.go(f"{site.origin}/shared/{shown['token']}")
    assert await page.value("document.querySelector('article').textContent.trim()") == "Simmer."
    invite = (await alice.ok("POST", "/os/team/invite"))["inviteUrl"].rpartition("/")[2]
    await page.go(f"{site.origin}/team/invites/{invite}")
    await page.until("document.activeElement.textContent === 'Join the team'")
    await page.press("Enter")
    await page.until(
        "document.getElementById('status')?.textContent.startsWith('You belong to alice')"
    )
    assert (await bob.ok("GET", "/os/team"))["role"] == "member"


@contextlib.asynccontextmanager
async def framing(url: str) -> AsyncIterator[str]:
    """Serve a page of another origin that shows an address in a frame.

    The port is another, so the cookies of this server would go along.
    """
    body = (
        f'<!doctype html><title>Elsewhere</title><iframe src="{url}" width="500" '
        'height="500"></iframe>'
    ).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: "
            b"close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


async def test_in_a_frame_of_another_page_nobody_is_signed_in(
    served: Served, alice: Client, site: Site, page: Page
) -> None:
    made, closed = await link(alice), await link(alice, requireSignIn=True)
    await page.go(site.page(closed))
    await page.until("document.activeElement.id === 'secret'")
    await page.type((await served.command("make_sign_in_code", username="alice")).code)
    await page.press("Enter")
    await page.until("document.activeElement.id === 'text'")
    async with framing(site.page(closed)) as elsewhere:
        await page.go(elsewhere)
        await page.until("!document.getElementById('framed').hidden", frame=site.origin)
        assert (
            await page.value("document.getElementById('write').hidden", frame=site.origin) is True
        )
    async with framing(site.page(made)) as elsewhere:
        await page.go(elsewhere)
        await page.until("!document.getElementById('write').hidden", frame=site.origin)
        await page.value(
            "document.getElementById('text').value = 'hi'; "
            "document.getElementById('write').requestSubmit()",
            frame=site.origin,
        )
        await page.until(ANSWERED, frame=site.origin)
    rows = (await alice.ok("GET", "/os/network/conversations"))["conversations"]
    assert [row["visitor"]["username"] for row in rows] == [None]


async def test_a_closed_link_and_a_lost_server_are_told_in_words(
    alice: Client, site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await link(alice)
    await page.go(site.page(made))
    await page.until("document.activeElement.id === 'text'")
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    await page.type("hello?")
    await page.press("Enter")
    assert "not open any more" in await page.until(ANSWERED)
    assert await page.value("document.getElementById('write').hidden") is True
    await page.go(site.page(made))
    assert "There is nothing here" in await page.value("document.body.textContent")
    other = await link(alice)
    await page.go(site.page(other))
    await page.until("document.activeElement.id === 'text'")
    await page.ask(
        "Network.emulateNetworkConditions",
        offline=True,
        latency=0,
        downloadThroughput=-1,
        uploadThroughput=-1,
    )
    await page.type("are you there?")
    await page.press("Enter")
    await page.until("!document.getElementById('notice').hidden")
    assert await page.value("document.getElementById('text').value") == "are you there?"


CONTRASTS = """(() => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) =>
      (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const found = numbers(getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] > 0) { return found; }
    }
    return [255, 255, 255];
  };
  const all = document.querySelectorAll("h1, p, label, span, button, textarea, input, div");
  const shown = [...all].filter((one) =>
    one.checkVisibility() && !one.classList.contains("hidden") &&
    one.getAttribute("aria-disabled") !== "true" &&
    ([...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ||
      "value" in one));
  return shown.map((one) => {
    const colours = [light(numbers(getComputedStyle(one).color)), light(ground(one))];
    const [a, b] = colours.sort((x, y) => y - x);
    return [one.tagName + " " + one.className, (a + 0.05) / (b + 0.05)];
  });
})()"""
