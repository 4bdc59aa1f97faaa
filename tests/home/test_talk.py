"""What one does with the messages of a conversation: copy, edit, ask again, find, and read on."""

import asyncio
import json
import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.conftest import Served
from tests.network.test_guests import speaking
from tests.network.test_rpc import brain
from tests.support.agents import scripted
from tests.support.home import Home, without_browser

pytestmark = pytest.mark.anyio
ANSWER = "So it **goes**:\n\n```python\nif frost:\n    cover()\n```\n\nand *done*."
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
NO_COPYING = NO_CLIPBOARD + "document.execCommand = () => false;"
PASTED = "() => navigator.clipboard.readText()"
LEFT = "() => document.documentElement.scrollHeight - innerHeight - scrollY"


async def talked(home: Home, *messages: str) -> int:
    """Say some things in one conversation; return its id."""
    number: dict[str, int] = {}
    for message in messages:
        body = {"message": message, "stream": False, **number}
        told = await home.client.ok("POST", "/chat", json=body)
        number = {"conversationId": told["conversationId"]}
    return number["conversationId"]


async def with_a_model(served: Served) -> None:
    await served.command("add_model", name="m", model="m", url="http://127.0.0.1:9/v1")


async def say(page: Page, message: str) -> None:
    await page.get_by_label("Message", exact=True).fill(message)
    await page.keyboard.press("Enter")


async def test_an_answer_and_its_code_are_copied_as_they_were_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain(monkeypatch, speaking(ANSWER))
    await home.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await home.go("/agent")
    await say(page, "how?")
    for _ in range(2):
        await page.get_by_role("button", name="Copy this answer").press("Enter")
        await expect(page.locator(".does")).to_contain_text("Copied")
        await expect(page.locator("#announced")).to_have_text("Copied")
        assert await page.evaluate(PASTED) == ANSWER
        await page.get_by_role("button", name="Copy this code").click()
        await expect(page.locator(".code")).to_contain_text("Copied")
        assert await page.evaluate(PASTED) == "if frost:\n    cover()"
        await page.reload()
    await home.check_everywhere(page.url.removeprefix(home.origin))


async def test_copying_works_where_pages_have_no_clipboard(home: Home) -> None:
    number = await talked(home, "what can you do?")
    await home.context.add_init_script(NO_CLIPBOARD)
    page = await home.go(f"/agent/talks/{number}")
    written = await page.locator(".hear").get_attribute("data-markdown")
    assert written
    await page.get_by_role("button", name="Copy this answer").click()
    await expect(page.locator("#announced")).to_have_text("Copied")
    field = page.get_by_label("Message", exact=True)
    await field.press("Control+v")
    await expect(field).to_have_value(written)
    await home.context.add_init_script(NO_COPYING)
    await page.reload()
    await page.get_by_role("button", name="Copy this answer").click()
    await expect(page.locator(".toast")).to_contain_text("The text is selected")
    assert await page.evaluate("() => getSelection().toString().length") > 20


async def test_what_is_done_with_a_message_is_seen_where_nothing_points(home: Home) -> None:
    number = await talked(home, "what can you do?", "what is due today?")
    page = await home.go(f"/agent/talks/{number}")
    first = page.get_by_role("button", name="Copy this answer").first
    opacity = "(button) => getComputedStyle(button).opacity"
    assert await first.evaluate(opacity) == "0"
    await first.focus()
    assert await first.evaluate(opacity) == "1"
    await page.get_by_label("Message", exact=True).focus()
    await page.locator(".hear").first.hover()
    assert await first.evaluate(opacity) == "1"
    browser = home.context.browser
    assert browser
    touch = await browser.new_context(
        has_touch=True, is_mobile=True, storage_state=await home.context.storage_state()
    )
    tab = await touch.new_page()
    await tab.goto(page.url)
    for button in await tab.locator(".does button, .mine .edit").all():
        assert await button.evaluate(opacity) == "1"
    await touch.close()


async def test_a_message_is_edited_and_sent_as_a_new_one(home: Home) -> None:
    number = await talked(home, "add buy milk", "what is due  today?\nand then?")
    page = await home.go(f"/agent/talks/{number}")
    field = page.get_by_label("Message", exact=True)
    await field.fill("half a thought")
    await page.get_by_role("link", name="Edit and send again").first.click()
    await expect(field).to_have_value("add buy milk")
    await expect(field).to_be_focused()
    await page.keyboard.press("Control+z")
    await expect(field).to_have_value("half a thought")
    await field.fill("")
    await page.keyboard.press("ArrowUp")
    await expect(field).to_have_value("what is due  today?\nand then?")
    await page.keyboard.type("!")
    await expect(field).to_have_value("what is due  today?\nand then?!")
    await page.keyboard.press("Enter")
    await expect(page.locator(".hear:not([aria-busy])")).to_have_count(3)
    await expect(page.locator(".say")).to_have_count(3)
    await page.keyboard.press("ArrowUp")
    await expect(field).to_have_value("what is due  today?\nand then?!")


async def test_what_only_read_is_asked_again(
    home: Home, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_a_model(served)
    brain(monkeypatch, scripted([("search_notes", {"query": "beans"})], "In June."))
    page = await home.go("/agent")
    await say(page, "when do I plant beans?")
    again = page.get_by_role("button", name="Ask again")
    await expect(again).to_have_count(1)
    await page.get_by_label("Message", exact=True).fill("a thought")
    await page.get_by_label("Model").select_option("offline")
    async with page.expect_request("**/api/v1/chat") as asked:
        await again.click()
    sent = (await asked.value).post_data_json
    assert (sent["message"], sent["model"]) == ("when do I plant beans?", "offline")
    await expect(page.locator(".hear:not([aria-busy])")).to_have_count(2)
    await expect(page.locator(".say")).to_have_count(2)
    await expect(again).to_have_count(1)
    await expect(page.get_by_label("Message", exact=True)).to_have_value("a thought")
    brain(monkeypatch, scripted([("create_todo", {"title": "Beans"})], "Added."))
    await home.go("/agent")
    await say(page, "remember the beans")
    await expect(page.locator(".does")).to_be_visible()
    await expect(again).to_have_count(0)
    await page.reload()
    await expect(again).to_have_count(0)


async def test_without_scripts_one_edits_asks_again_and_finds(
    home: Home, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_a_model(served)
    brain(monkeypatch, speaking("In June."))
    number = await talked(home, "when do I plant <b>beans</b>?")
    browser = home.context.browser
    assert browser
    context = await browser.new_context(
        java_script_enabled=False, storage_state=await home.context.storage_state()
    )
    tab = await context.new_page()
    await tab.goto(f"{home.origin}/agent/talks/{number}")
    await expect(tab.get_by_role("button", name="Copy this answer")).to_have_count(0)
    await tab.get_by_role("link", name="Edit and send again").click()
    await expect(tab.get_by_label("Message", exact=True)).to_have_value(
        "when do I plant <b>beans</b>?"
    )
    await tab.get_by_role("button", name="Ask again").click()
    await expect(tab.locator(".say")).to_contain_text(["<b>beans</b>", "<b>beans</b>"])
    await tab.goto(f"{home.origin}/agent")
    await tab.get_by_label("Search your conversations").fill("plants JUNE")
    await tab.get_by_role("button", name="Find").click()
    await expect(tab.get_by_role("heading", level=2)).to_have_text("0 messages hold “plants JUNE”")
    await tab.get_by_label("Search your conversations").fill("planted bean")
    await tab.get_by_role("button", name="Find").click()
    await expect(tab.locator(".rows mark")).to_have_text(["plant", "beans"] * 2)
    await tab.locator(".rows a").last.click()
    assert re.search(rf"/agent/talks/{number}\?at=\d+#m\d+$", tab.url)
    await context.close()


async def test_a_message_is_found_and_shown_among_those_around_it(home: Home) -> None:
    number = await talked(home, "quince jelly?", *(f"plum {each}?" for each in range(45)))
    await talked(home, "medlar?")
    await home.check_everywhere("/agent")
    page = await home.go("/agent")
    await page.get_by_label("Search your conversations").fill("quince")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/agent?q=quince")
    found = page.locator(".rows li", has=page.locator("mark")).filter(has_text="You: ")
    await expect(found.locator("mark")).to_have_text("quince")
    await home.check_everywhere("/agent?q=quince")
    await found.get_by_role("link").click()
    message = page.locator(".mine", has_text="quince jelly")
    await expect(message).to_be_in_viewport()
    assert await page.evaluate("() => document.querySelector('.messages :target').className")
    await expect(page.locator(".say")).to_have_count(16)
    await home.check_everywhere(page.url.removeprefix(home.origin).partition("#")[0])
    await say(page, "what else?")
    await expect(page.locator(".hear").last.locator(".does")).to_be_visible()
    await expect(page.locator(".say").first).not_to_contain_text("quince")
    await expect(page.locator(".say").nth(-2)).to_contain_text("plum 44")
    assert page.url.endswith(f"/agent/talks/{number}")
    await page.get_by_role("link", name="Earlier messages").click()
    await page.get_by_role("link", name="To the newest").click()
    await expect(page.locator(".say").last).to_contain_text("what else?")
    await home.client.ok("PATCH", "/account/settings", json={"locale": "de"})
    await home.check_everywhere("/agent?q=quince")
    await home.check_everywhere(f"/agent/talks/{number}")
    await home.go("/agent?q=nothing-like-it")
    await expect(page.get_by_role("link", name="In den Notizen suchen")).to_be_visible()


async def test_what_others_said_is_not_found_among_ones_own_talks(
    home: Home, served: Served
) -> None:
    await served.person("ben")
    ben = await without_browser(served, "ben")
    await ben.ok("POST", "/chat", json={"message": "quince of ben", "stream": False})
    page = await home.go("/agent?q=quince")
    await expect(page.get_by_role("heading", level=2)).to_have_text("0 messages hold “quince”")


async def test_the_end_is_followed_until_somebody_scrolls_away(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = asyncio.Queue[str]()

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        while piece := await more.get():
            yield piece

    whole = ModelResponse(parts=[TextPart("no")])
    brain(monkeypatch, FunctionModel(lambda messages, info: whole, stream_function=stream))
    page = await home.go("/agent")
    await page.set_viewport_size({"width": 390, "height": 700})
    await say(page, "tell me all")
    more.put_nowait("A line.\n\n" * 60)
    await expect(page.locator(".growing")).to_contain_text("A line.")
    assert await page.evaluate(LEFT) < 2
    newest = page.get_by_role("button", name="To the newest")
    await expect(newest).to_be_hidden()
    await page.mouse.move(200, 300)
    await page.mouse.wheel(0, -100)
    await expect(newest).to_be_visible()
    at = await page.evaluate("scrollY")
    more.put_nowait("And more.\n\n" * 30)
    await expect(page.locator(".growing")).to_contain_text("And more.")
    assert await page.evaluate("scrollY") == at
    await newest.click()
    await expect(newest).to_be_hidden()
    more.put_nowait("The end.\n\n" * 30)
    await expect(page.locator(".growing")).to_contain_text("The end.")
    assert await page.evaluate(LEFT) < 2
    more.put_nowait("")
    await expect(page.locator(".does")).to_be_visible()
    assert await page.evaluate(LEFT) < 2


@pytest.mark.parametrize(
    ("language", "told"), [("en", "This was not sent: "), ("de", "Das wurde nicht gesendet: ")]
)
async def test_what_was_refused_stays_in_the_field_with_why(
    home: Home, language: str, told: str
) -> None:
    await home.client.ok("PATCH", "/account/settings", json={"locale": language})
    page = await home.go("/agent")
    field = page.locator("#ask textarea")
    await field.fill("x" * 32_001)
    await field.press("Enter")
    alert = page.locator("#trouble")
    await expect(alert).to_contain_text(told)
    await expect(alert).to_contain_text("32000")
    assert ("Zeichen" in await alert.inner_text()) == (language == "de")
    await expect(field).to_have_value("x" * 32_001)
    await expect(page.locator(".say")).to_have_count(0)
    await expect(page.locator(".examples")).to_be_visible()
    await home.context.clear_cookies()
    await field.fill("what is due?")
    await field.press("Enter")
    await expect(alert).to_contain_text("signed out" if language == "en" else "abgemeldet")
    await expect(field).to_have_value("what is due?")


async def test_what_has_arrived_is_not_sent_twice_when_the_answer_breaks_off(home: Home) -> None:
    number = await talked(home, "what is due?")
    start = json.dumps({"type": "conversation-start", "conversationId": number}) + "\n"

    async def answer(route: Route) -> None:
        await route.fulfill(body=start)

    page = await home.go(f"/agent/talks/{number}")
    await page.route("**/api/v1/chat", answer)
    await say(page, "and tomorrow?")
    await expect(page.locator(".hear").last).to_contain_text("The connection broke off.")
    await expect(page.get_by_label("Message", exact=True)).to_have_value("")
    await expect(page.locator(".say").last).to_contain_text("and tomorrow?")
    await expect(page.get_by_role("link", name="look")).to_have_attribute(
        "href", f"/agent/talks/{number}"
    )


async def test_why_an_answer_ended_early_stays_beside_what_came_of_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        yield "Half of it, "
        raise ConnectionError

    whole = ModelResponse(parts=[TextPart("no")])
    brain(monkeypatch, FunctionModel(lambda messages, info: whole, stream_function=stream))
    page = await home.go("/agent")
    await say(page, "tell me all")
    await expect(page.locator(".hear .does")).to_be_visible()
    await expect(page.locator(".hear .said")).to_contain_text("Half of it")
    await expect(page.locator(".hear .notice")).to_contain_text("The answer did not come")
