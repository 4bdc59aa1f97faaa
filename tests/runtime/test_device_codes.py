"""Letting a device in by a code: what the program asks, what a person sees and answers."""

import html
from pathlib import Path
from typing import Any

import pytest

from app.main import create_app
from app.settings import Settings
from tests.conftest import ORIGIN, UNSYNCED, Client, MovableClock, Served
from tests.runtime.bodies import LAPTOP
from tests.runtime.devices import device
from tests.support.oauth import OWN_PAGE, Browser, hidden

pytestmark = pytest.mark.anyio
PAGE = f"{ORIGIN}/local-agent/device-code"
START, POLL, DECIDE = (f"/local-agent/device-code/{step}" for step in ("start", "poll", "decide"))
HOSTILE = '<b>Bold</b> "quotes"'


@pytest.fixture
async def browser(served: Served, alice: Client) -> Browser:
    made = Browser(served)
    await made.sign_in()
    return made


async def started(stranger: Client, **more: Any) -> Any:
    return await stranger.ok("POST", START, json=LAPTOP | {"label": "Alice’s laptop"} | more)


async def polled(stranger: Client, asked: Any) -> Any:
    return await stranger.ok("POST", POLL, json={"pollToken": asked["pollToken"]})


async def decided(browser: Browser, asked: Any, decision: str, **more: str) -> Any:
    """Answer at the page as a browser does."""
    shown = await browser.http.get(asked["approvalUrl"])
    assert shown.status_code == 200, shown.text
    form = hidden(shown.text) | {"decision": decision, "same": "yes"} | more
    return await browser.http.post(PAGE, data=form, headers=OWN_PAGE)


async def test_a_device_that_a_person_allows_gets_its_token_once(
    served: Served, stranger: Client, browser: Browser, alice: Client
) -> None:
    asked = await started(stranger)
    assert asked["approvalUrl"] == f"{PAGE}?code={asked['userCode']}"
    assert (await polled(stranger, asked))["status"] == "pending"
    answer = await decided(browser, asked, "approve")
    assert (answer.status_code, "Go back to the device" in answer.text) == (200, True)
    got = await polled(stranger, asked)
    principal = (await alice.ok("GET", "/identity"))["profile"]["userId"]
    assert (got["status"], got["userId"]) == ("approved", principal)
    async with device(served, got) as laptop:
        endpoint = (await laptop.ok("GET", "/local-agent/endpoints"))["endpoints"][0]
        assert {key: endpoint[key] for key in LAPTOP} == LAPTOP
        assert (await laptop.ok("GET", "/identity"))["credential"]["name"] == "Alice’s laptop"
        again = await laptop.ok("POST", "/local-agent/endpoints", json=LAPTOP)
        assert again["endpoint"]["endpointId"] == endpoint["endpointId"]
    gone = await polled(stranger, asked)
    assert (gone["status"], gone["deviceToken"], gone["userId"]) == ("consumed", None, None)
    assert (await browser.http.get(asked["approvalUrl"])).status_code == 409


async def test_the_page_says_what_asks_and_what_it_will_be_allowed(
    stranger: Client, browser: Browser
) -> None:
    asked = await started(stranger, label=HOSTILE, capabilities=["startSession", "x<y>:1"])
    page = await browser.http.get(asked["approvalUrl"])
    text = html.unescape(page.text)
    for words in (
        HOSTILE,
        "laptop",
        "Codex",
        "starts new sessions",
        "x<y>:1",
        "hand work to your contacts’ agents",
        "no access to your notes",
        asked["userCode"],
        "signed in as",
    ):
        assert words in text, words
    assert "<b>Bold" not in page.text
    assert "script" not in page.text
    assert page.headers["x-frame-options"] == "DENY"
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert page.headers["cache-control"] == "no-store"


async def test_who_says_no_lets_nothing_in(
    stranger: Client, browser: Browser, alice: Client
) -> None:
    asked = await started(stranger)
    assert "Not allowed" in (await decided(browser, asked, "deny", same="")).text
    assert (await polled(stranger, asked))["status"] == "denied"
    assert (await browser.http.get(asked["approvalUrl"])).status_code == 409
    assert (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"] == []


async def test_a_yes_needs_more_than_one_click(stranger: Client, browser: Browser) -> None:
    asked = await started(stranger)
    answer = await decided(browser, asked, "approve", same="")
    assert (answer.status_code, "Tick that" in answer.text) == (400, True)
    assert (await polled(stranger, asked))["status"] == "pending"
    assert (await decided(browser, asked, "maybe")).status_code == 400


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://localhost:8765"])
async def test_no_page_of_another_answers(
    stranger: Client, browser: Browser, origin: str | None
) -> None:
    asked = await started(stranger)
    form = {"code": asked["userCode"], "decision": "approve", "same": "yes"}
    headers = {} if origin is None else {"Origin": origin}
    assert (await browser.http.post(PAGE, data=form, headers=headers)).status_code == 403
    assert (await polled(stranger, asked))["status"] == "pending"


async def test_a_stranger_signs_in_first_and_comes_back(
    served: Served, stranger: Client, alice: Client
) -> None:
    asked = await started(stranger)
    shown = await stranger.get(asked["approvalUrl"])
    back = hidden(shown.text)["next"]
    assert (shown.status_code, back) == (401, asked["approvalUrl"].removeprefix(ORIGIN))
    assert "Alice’s laptop" not in shown.text
    form = {"code": asked["userCode"], "decision": "approve", "same": "yes"}
    assert (await stranger.post(PAGE, data=form, headers=OWN_PAGE)).status_code == 401
    assert hidden((await stranger.get(PAGE)).text) == {"next": "/local-agent/device-code"}


async def test_a_code_is_typed_in_any_way_and_a_wrong_one_is_asked_for_again(
    stranger: Client, browser: Browser
) -> None:
    asked = await started(stranger)
    assert "Type the code" in (await browser.http.get(PAGE)).text
    typed = asked["userCode"].lower().replace("-", " ")
    page = await browser.http.get(PAGE, params={"code": typed})
    assert f"my device shows the code {asked['userCode']}" in page.text
    for wrong in ("0000-0000-0000", "x" * 5000, "\0", "é"):
        page = await browser.http.get(PAGE, params={"code": wrong})
        assert (page.status_code, "No device shows this code" in page.text) == (404, True)


async def test_a_code_expires(
    served: Served, stranger: Client, browser: Browser, clock: MovableClock
) -> None:
    asked, late = await started(stranger), await started(stranger)
    clock.forward(minutes=9, seconds=59)
    await decided(browser, late, "approve")
    clock.forward(seconds=1)
    assert (await polled(stranger, asked))["status"] == "expired"
    page = await browser.http.get(asked["approvalUrl"])
    assert (page.status_code, "expired" in page.text) == (410, True)
    form = {"code": asked["userCode"], "decision": "approve", "same": "yes"}
    assert (await browser.http.post(PAGE, data=form, headers=OWN_PAGE)).status_code == 410
    body = {"userCode": asked["userCode"], "decision": "approve"}
    refused = await browser.http.post(DECIDE, json=body, headers=OWN_PAGE)
    assert (refused.status_code, refused.json()["error"]) == (409, "request_expired")
    assert (await polled(stranger, late))["status"] == "approved"  # time to fetch it
    clock.forward(hours=2)
    await served.command("sweep_device_codes")
    await stranger.refused("POST", POLL, 404, "not_found", json={"pollToken": asked["pollToken"]})


async def test_the_call_decides_as_the_page_does_and_for_a_session_alone(
    served: Served, stranger: Client, browser: Browser, alice: Client, bob: Client
) -> None:
    asked = await started(stranger)
    body = {"userCode": asked["userCode"], "decision": "deny"}
    refused = await alice.refused("POST", DECIDE, 403, "forbidden", json=body)
    assert refused["reason"] == "session_required"
    await stranger.refused("POST", DECIDE, 401, "unauthorized", json=body)

    async def decide(who: Browser = browser, **more: str) -> tuple[int, Any]:
        answer = await who.http.post(DECIDE, json=body | more, headers=OWN_PAGE)
        return answer.status_code, answer.json().get("status", answer.json().get("error"))

    assert await decide(userCode="0000-0000-0000") == (404, "not_found")
    assert await decide(decision="perhaps") == (400, "invalid_request")
    assert await decide() == (200, "denied")
    assert await decide() == (200, "denied")
    assert await decide(decision="approve") == (409, "request_not_pending")
    other = Browser(served)
    await other.sign_in("bob")
    assert await decide(other) == (409, "request_not_pending")


async def test_what_no_device_can_be_is_refused(stranger: Client) -> None:
    for field, value in (("runtime", "vim"), ("deviceId", ""), ("label", "x" * 101)):
        body = LAPTOP | {field: value}
        await stranger.refused("POST", START, 400, "invalid_request", field=field, json=body)
    await stranger.refused("POST", POLL, 404, "not_found", json={"pollToken": "hearth_dp_x"})
    await stranger.refused("POST", POLL, 400, "invalid_request", json={"pollToken": ""})


class TestRates:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(durability=UNSYNCED, rate_limit=0, failed_limit=5)

    async def test_an_address_starts_and_guesses_only_so_many(
        self, stranger: Client, browser: Browser
    ) -> None:
        asked = [await started(stranger) for _ in range(10)][-1]
        refused = await stranger.refused("POST", START, 429, "rate_limited", json=LAPTOP)
        assert refused["retryAfter"] > 0
        wrong = {"pollToken": "hearth_dp_wrong"}
        for _ in range(5):
            await stranger.refused("POST", POLL, 404, "not_found", json=wrong)
        await stranger.refused("POST", POLL, 429, "rate_limited", json=wrong)
        page = await browser.http.get(PAGE, params={"code": "0000-0000-0000"})
        assert page.status_code == 429
        # whoever has a code is never refused for the guesses of others
        assert (await polled(stranger, asked))["status"] == "pending"
        assert (await decided(browser, asked, "approve")).status_code == 200


async def test_an_approved_code_outlives_a_restart(
    data: Path, settings: Settings, clock: MovableClock
) -> None:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        await served.command("add_user", username="alice")
        browser = Browser(served)
        await browser.sign_in()
        async with served.client() as stranger:
            asked = await started(stranger)
        await decided(browser, asked, "approve")
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        async with served.client() as stranger:
            got = await polled(stranger, asked)
        async with device(served, got) as laptop:
            assert (await laptop.ok("GET", "/local-agent/whoami"))["deviceId"] == "laptop"
