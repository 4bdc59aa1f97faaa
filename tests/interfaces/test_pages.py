"""The pages for people in a real browser.

Talking as a guest, signing in, joining a team; by keyboard, small, dark, and with hostile words.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import FrameLocator, Locator, Page, expect
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.conftest import Client, Served
from tests.network.test_guests import speaking
from tests.network.test_rpc import brain
from tests.support.guests import link
from tests.support.listening import listening
from tests.support.windows import SCHEMES, Window

pytestmark = pytest.mark.anyio
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><svg "
    'onload=alert(3)>"><b>bold</b> [x](javascript:alert(4)) **<i>x</i>**'
)


@pytest.fixture
async def page(window: Window, origin: str) -> AsyncIterator[Page]:
    """A page that asks for nothing from elsewhere."""
    yield window.page
    assert [url for url in window.requested if not url.startswith((origin, "data:,"))] == []


def answered(page: Page | FrameLocator) -> Locator:
    """Give the last message once it is a whole answer."""
    return page.locator("#messages li:last-child.theirs:not(.waiting)")


async def focused(page: Page, selector: str) -> None:
    await expect(page.locator(selector)).to_be_focused()


async def talk_at(page: Page, origin: str, made: dict[str, Any]) -> None:
    """Open the page of a link and wait until one can write."""
    await page.goto(f"{origin}/a/{made['token']}")
    await focused(page, "#text")


async def write(page: Page, text: str) -> None:
    """Type a text where the cursor is, and send it."""
    await page.keyboard.insert_text(text)
    await page.keyboard.press("Enter")


async def test_a_guest_talks_by_keyboard_alone_and_finds_the_talk_again(
    alice: Client, origin: str, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"agentName": "Robin"})
    made = await link(alice)
    brain(monkeypatch, speaking("Simmer ", "them.\n\nFor **twenty** minutes\n", "- [Soup](x:y)"))
    await talk_at(page, origin, made)
    await expect(page).to_have_title("Robin")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Robin")
    await expect(page.locator("header bdi")).to_have_text(["Robin", "alice"])
    await page.keyboard.press("Shift+Tab")
    await focused(page, "#name")
    await page.keyboard.insert_text("Zoe")
    await page.keyboard.press("Tab")
    await page.keyboard.insert_text("first line")
    await page.keyboard.press("Shift+Enter")
    await write(page, "How long?")
    await expect(answered(page)).to_contain_text("Simmer them.")
    said = page.locator("#messages li .said")
    assert await said.all_text_contents() == [
        "first line\nHow long?",
        "Simmer them.\u200bFor twenty minutes• Soup",
    ]
    await expect(page.locator("#messages strong")).to_have_text(["twenty"])
    await expect(page.locator("#messages a")).to_have_count(0)
    await expect(page.get_by_role("status")).to_contain_text("Robin: Simmer them.")
    await focused(page, "#text")
    await expect(page.locator("#naming")).to_be_hidden()
    (row,) = (await alice.ok("GET", "/os/network/conversations"))["conversations"]
    assert (row["guestName"], row["messageCount"]) == ("Zoe", 2)
    await page.reload()
    await expect(answered(page)).to_be_visible()
    assert await said.first.text_content() == "first line\nHow long?"


async def test_an_answer_shows_while_it_is_made(
    alice: Client, origin: str, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, go_on = await link(alice), asyncio.Event()

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "The first half, "
        await go_on.wait()
        yield "and the second."

    brain(monkeypatch, FunctionModel(stream_function=stream))
    await talk_at(page, origin, made)
    await write(page, "hello")
    await expect(page.locator("li.waiting .said")).to_contain_text("The first half")
    await expect(page.locator("#send")).to_have_attribute("aria-disabled", "true")
    go_on.set()
    await expect(answered(page)).to_contain_text("The first half, and the second.")


async def test_hostile_words_are_words_wherever_they_stand(
    alice: Client, origin: str, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.ok(
        "PATCH", "/account/settings", json={"name": HOSTILE[:100], "agentName": HOSTILE[:100]}
    )
    made = await link(alice, label=HOSTILE[:120])
    brain(monkeypatch, speaking(*HOSTILE))
    await talk_at(page, origin, made)
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.insert_text(HOSTILE[:80])
    await page.keyboard.press("Tab")
    await write(page, HOSTILE)
    await expect(answered(page)).to_be_visible()
    mine, theirs = await page.locator("#messages li .said").all_text_contents()
    assert mine == HOSTILE
    assert "<script>alert(1)</script><img src=x" in theirs
    made_of_words = page.locator("main :is(script, img, svg, b), #messages a")
    await expect(made_of_words).to_have_count(0)
    assert await page.title() == HOSTILE[:100].strip()
    await page.reload()
    await expect(answered(page)).to_be_visible()
    note = await alice.note(
        HOSTILE, f'# {HOSTILE}\n\n{HOSTILE}\n\n<iframe src="javascript:alert(5)"></iframe>'
    )
    shown = await link(alice, scope="note_only", noteId=note["id"], target="note")
    await page.goto(f"{origin}/shared/{shown['token']}")
    await expect(page.locator("article")).to_contain_text("alert(1)")
    await page.goto(origin + await invite_of(alice))
    await expect(page.locator("h1 bdi")).to_contain_text("<script>")


async def invite_of(owner: Client) -> str:
    """Give the path of a new invite to a team."""
    url: str = (await owner.ok("POST", "/os/team/invite"))["inviteUrl"]
    return "/team/invites/" + url.rpartition("/")[2]


async def test_a_page_fits_a_small_screen_and_can_be_read_in_the_dark(
    alice: Client, origin: str, page: Page, window: Window
) -> None:
    await page.emulate_media(reduced_motion="reduce")
    await page.set_viewport_size({"width": 320, "height": 568})
    await talk_at(page, origin, await link(alice, label="x"))
    await write(page, "averyveryveryveryveryveryveryveryveryveryveryveryveryverylongword " * 3)
    await expect(answered(page)).to_be_visible()
    await window.assert_fits(320, 568)
    await expect(page.locator("#send")).to_be_in_viewport(ratio=1)
    shades = set()
    for scheme in SCHEMES:
        await window.assert_accessible(scheme)
        shades.add(await page.evaluate("getComputedStyle(document.body).color"))
    assert len(shades) == 2, "it has colours of its own for the dark"
    assert await page.evaluate("document.getAnimations().length") == 0


async def test_a_page_can_be_used_without_seeing_it(
    alice: Client, origin: str, page: Page, window: Window
) -> None:
    await talk_at(page, origin, await link(alice))
    await window.assert_accessible("light")
    await expect(page.get_by_role("status")).to_have_id("status")
    await page.keyboard.press("Tab")
    await focused(page, "#send")
    await expect(page.locator("#send")).to_have_css("outline-style", "solid")
    for name, content in (("robots", "noindex, nofollow"), ("referrer", "no-referrer")):
        await expect(page.locator(f"meta[name={name}]")).to_have_attribute("content", content)


async def test_a_link_that_asks_for_it_lets_people_sign_in(
    served: Served, alice: Client, bob: Client, origin: str, page: Page
) -> None:
    made = await link(alice, requireSignIn=True)
    await page.goto(f"{origin}/a/{made['token']}")
    await focused(page, "#secret")
    await write(page, "wrong")
    await expect(page.get_by_role("alert")).to_be_visible()
    await page.locator("#secret").clear()
    await write(page, (await served.command("make_sign_in_code", username="bob")).code.lower())
    await focused(page, "#text")
    await write(page, "hello")
    await expect(answered(page)).to_be_visible()
    (row,) = (await alice.ok("GET", "/os/network/conversations"))["conversations"]
    assert row["visitor"]["username"] == "bob"
    note = await alice.note("Soup", "Simmer.")
    shown = await link(
        alice, scope="note_only", noteId=note["id"], target="note", requireSignIn=True
    )
    await page.goto(f"{origin}/shared/{shown['token']}")
    await expect(page.locator("article")).to_have_text("Simmer.")
    await page.goto(origin + await invite_of(alice))
    await expect(page.get_by_role("button", name="Join the team")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("You belong to alice")
    assert (await bob.ok("GET", "/os/team"))["role"] == "member"


async def test_in_a_frame_of_another_page_nobody_is_signed_in(
    served: Served, alice: Client, origin: str, window: Window
) -> None:
    made, closed = await link(alice), await link(alice, requireSignIn=True)
    page, frame = window.page, window.page.frame_locator("iframe")
    await page.goto(f"{origin}/a/{closed['token']}")
    await focused(page, "#secret")
    await write(page, (await served.command("make_sign_in_code", username="alice")).code)
    await focused(page, "#text")

    async def framing(scope: Any, receive: Any, send: Any) -> None:
        shown = f"<!doctype html><title>Elsewhere</title><iframe src='{origin}{scope['path']}'>"
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": shown.encode()})

    # only the port is another, so the cookies of this server would go along
    async with listening(framing) as elsewhere:
        await page.goto(f"{elsewhere}/a/{closed['token']}")
        await expect(frame.locator("#framed")).to_be_visible()
        await expect(frame.locator("#write")).to_be_hidden()
        await page.goto(f"{elsewhere}/a/{made['token']}")
        await frame.locator("#text").press_sequentially("hi")
        await frame.locator("#text").press("Enter")
        await expect(answered(frame)).to_be_visible()
    rows = (await alice.ok("GET", "/os/network/conversations"))["conversations"]
    assert [row["visitor"]["username"] for row in rows] == [None]


async def test_a_closed_link_and_a_lost_server_are_told_in_words(
    alice: Client, origin: str, page: Page, window: Window
) -> None:
    made = await link(alice)
    await talk_at(page, origin, made)
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    await write(page, "hello?")
    await expect(answered(page)).to_contain_text("not open any more")
    await expect(page.locator("#write")).to_be_hidden()
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    await talk_at(page, origin, await link(alice))
    await window.context.set_offline(True)
    await write(page, "are you there?")
    await expect(page.get_by_role("alert")).to_be_visible()
    await expect(page.locator("#text")).to_have_value("are you there?")
