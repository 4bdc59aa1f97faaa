"""What a user answers: at the page, by the call, and who cannot answer for them."""

import asyncio
import dataclasses
import re
from typing import Any

import pytest

from app.core.caller import SCOPES
from app.interfaces.oauth import rights
from app.settings import Settings
from tests.conftest import BASE, ORIGIN, Client, MovableClock, Served
from tests.support.oauth import (
    CONSENT,
    OAUTH,
    OWN_PAGE,
    Application,
    Browser,
    answer_in,
    going_to,
    hidden,
    register,
    ticked,
    with_token,
)

pytestmark = pytest.mark.anyio


async def test_rights_can_be_taken_away(served: Served, browser: Browser, app: Application) -> None:
    heard = await browser.says_yes(
        app.asks(scope="openid os.notes:read os.notes:write"), ["os.notes:read"]
    )
    tokens = (await app.exchange(heard["code"])).json()
    assert tokens["scope"] == "os.notes:read"
    async with with_token(served, tokens) as client:
        await client.ok("GET", "/os/notes")
        refused = await client.refused("POST", "/os/notes", 403, "insufficient_scope", json={})
    assert refused["scope"] == "os.notes:write"


async def test_a_yes_to_nothing_is_asked_again(browser: Browser, app: Application) -> None:
    page = await browser.open(app.asks())
    again = await browser.answer(page.text, scopes=[])
    assert again.status_code == 400
    assert "Choose at least one right, or say no." in again.text
    assert ticked(again.text) == []
    assert (await browser.answer(again.text, scopes=["openid"])).status_code == 200


async def test_more_than_was_asked_for_is_not_given(browser: Browser, app: Application) -> None:
    page = await browser.open(app.asks(scope="openid"))
    for more in ("os.notes:read", "account:manage", "*", "<b>"):
        refused = await browser.answer(page.text, scopes=["openid", more])
        assert refused.status_code == 400
        assert "The application did not ask for" in refused.text
        assert "<b>" not in refused.text
    request_id = hidden(page.text)["request"]
    refused = await browser.decide(request_id, decision="approve", scopes=["account:manage"])
    assert (refused.status_code, refused.json()["field"]) == (400, "scopes")


async def test_a_no_gives_nothing(served: Served, browser: Browser, app: Application) -> None:
    page = await browser.open(app.asks())
    said = await browser.answer(page.text, decision="deny")
    heard = answer_in(going_to(said.text))
    assert (heard["error"], heard["state"]) == ("access_denied", "a state")
    assert "code" not in heard
    assert (await served.command("user_grants", username="alice")).grants == []


@pytest.mark.parametrize("first", ["approve", "deny"])
@pytest.mark.parametrize("second", ["approve", "deny"])
async def test_a_request_is_answered_once(
    browser: Browser, app: Application, first: str, second: str
) -> None:
    page = await browser.open(app.asks())
    assert (await browser.answer(page.text, decision=first)).status_code == 200
    again = await browser.answer(page.text, decision=second)
    assert (again.status_code, "You have answered this already" in again.text) == (409, True)
    by_call = await browser.decide(hidden(page.text)["request"], decision=second)
    assert (by_call.status_code, by_call.json()["error"]) == (409, "already_decided")
    opened = await browser.open(f"{CONSENT}?request={hidden(page.text)['request']}")
    assert (opened.status_code, "<form" in opened.text) == (409, False)


async def test_of_two_answers_at_once_one_counts(browser: Browser, app: Application) -> None:
    page = await browser.open(app.asks())
    answers = await asyncio.gather(*(browser.answer(page.text) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]


async def test_the_call_answers_as_the_page_does(browser: Browser, app: Application) -> None:
    request_id = await browser.request_id(app.asks())
    answered = await browser.decide(request_id, decision="approve", scopes=["openid"])
    assert answered.status_code == 200
    assert set(answered.json()) == {"success", "redirectTo"}
    heard = answer_in(answered.json()["redirectTo"])
    assert (await app.exchange(heard["code"])).json()["scope"] == "openid"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"decision": "maybe"}, "decision"),
        ({"decision": "approve", "scopes": []}, "scopes"),
        ({"decision": "approve", "scopes": "openid"}, "requestId"),
        ({}, "requestId"),
        ({"decision": "approve", "requestId": 7}, "requestId"),
    ],
)
async def test_a_call_that_makes_no_sense_is_refused(
    browser: Browser, app: Application, body: dict[str, Any], field: str
) -> None:
    request_id = await browser.request_id(app.asks())
    refused = await browser.decide(**({"request_id": request_id} | _snake(body)))
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")
    assert refused.json()["field"] == field


def _snake(body: dict[str, Any]) -> dict[str, Any]:
    return {"request_id" if name == "requestId" else name: value for name, value in body.items()}


async def test_only_a_session_answers(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    request_id = await browser.request_id(app.asks())
    call = f"{OAUTH}/consent"
    body = {"requestId": request_id, "decision": "approve"}
    by_key = await alice.post(call, json=body, headers=OWN_PAGE)
    assert by_key.status_code == 401
    async with served.client() as stranger:
        assert (await stranger.post(call, json=body, headers=OWN_PAGE)).status_code == 401
        page = await stranger.post(CONSENT, data={"request": request_id}, headers=OWN_PAGE)
        assert page.status_code == 401
    assert (await browser.decide(request_id, decision="approve")).status_code == 200


FOREIGN: list[dict[str, str]] = [
    {},
    {"Origin": "null"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "http://localhost:8765"},
    {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
    {"Origin": ORIGIN, "Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_no_page_of_another_answers(
    served: Served, browser: Browser, app: Application, headers: dict[str, str]
) -> None:
    page = await browser.open(app.asks())
    fields = {**hidden(page.text), "decision": "approve", "scope": ticked(page.text)}
    forged = await browser.http.post(CONSENT, data=fields, headers=headers)
    assert forged.status_code == 403
    by_call = await browser.http.post(
        f"{OAUTH}/consent",
        json={"requestId": fields["request"], "decision": "approve"},
        headers=headers,
    )
    assert by_call.status_code == 403
    assert (await browser.answer(page.text)).status_code == 200, "it is still to be answered"


async def test_the_call_takes_json_alone(browser: Browser, app: Application) -> None:
    request_id = await browser.request_id(app.asks())
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        refused = await browser.http.post(
            f"{OAUTH}/consent",
            content=b'{"requestId":"%s","decision":"approve"}' % request_id.encode(),
            headers={**OWN_PAGE, "Content-Type": kind},
        )
        assert refused.status_code == 403


async def test_the_form_of_another_session_does_not_count(
    served: Served, browser: Browser, app: Application, bob: Client
) -> None:
    page = await browser.open(app.asks())
    other = Browser(served)
    await other.sign_in("bob")
    for more in ({}, {"token": ""}, {"token": "0" * 64}):
        assert (await other.answer(page.text, **more)).status_code == 403
    assert (await served.command("user_grants", username="bob")).grants == []


async def test_the_page_cannot_be_framed_and_runs_no_script(
    browser: Browser, app: Application
) -> None:
    page = await browser.open(app.asks())
    policy = page.headers["content-security-policy"]
    for rule in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"):
        assert rule in policy
    for word in ("script-src", "unsafe", "http:", "*"):
        assert word not in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
    for forbidden in ("<script", "style=", " on", "javascript:"):
        assert forbidden not in re.sub(r">[^<]*<", "><", page.text)
    assert set(re.findall(r'(?:href|src|action)="(/|[a-z]+:)', page.text)) == {"/"}


async def test_the_first_button_of_the_form_says_no(browser: Browser, app: Application) -> None:
    """So a return key in the form lets nobody in."""
    page = await browser.open(app.asks())
    assert re.findall(r'<button[^>]*value="(\w+)"', page.text) == ["deny", "approve"]
    assert "autofocus" not in page.text


HOSTILE = "<b>Bold</b> & \"quotes\" 'n' {{ 7 * 7 }} {% raw %}"


async def test_a_hostile_name_stays_a_name(served: Served, browser: Browser) -> None:
    app = await register(served, client_name=HOSTILE)
    page = await browser.open(app.asks())
    assert "<b>" not in page.text
    assert "&lt;b&gt;Bold" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert f"<bdi>{'&lt;b&gt;Bold'}" in page.text


async def test_where_the_answer_goes_is_said_in_words(served: Served, browser: Browser) -> None:
    app = await register(served)
    page = await browser.open(app.asks())
    assert "A program on this computer" in page.text
    assert "It chose this name itself" in page.text


async def test_a_user_who_signs_in_anew_is_asked_of_the_application(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    clock.forward(minutes=1)
    page = await browser.open(app.asks(prompt="login"))
    assert (page.status_code, "really you" in page.text) == (401, True)
    next_ = hidden(page.text)["next"]
    request_id = next_.partition("request=")[2]
    assert (await browser.decide(request_id, decision="approve")).status_code == 401
    made = await served.command("make_sign_in_code", username="alice")
    signed_in = await browser.http.post(
        f"{ORIGIN}/auth/sign-in", data={"secret": made.code, "next": next_}, headers=OWN_PAGE
    )
    assert going_to(signed_in.text) == next_
    again = await browser.http.get(ORIGIN + next_)
    assert again.status_code == 200
    assert (await browser.answer(again.text)).status_code == 200


async def test_every_right_that_can_be_given_is_said_in_words() -> None:
    said = [right.scope for group in rights.GROUPS for right in group.rights]
    assert sorted(said) == sorted(set(SCOPES) - {"account:manage"})
    words = [right.words for group in rights.GROUPS for right in group.rights]
    assert len(set(words)) == len(words)
    for right in (right for group in rights.GROUPS for right in group.rights):
        changes = right.scope.endswith((":write", ":manage", ":run", ":send", ":decide"))
        assert bool(right.effect) == (changes or right.scope == "runtime:connect"), right.scope


SIGN_IN = f"{ORIGIN}/auth/sign-in"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "/%5cevil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/x\nLocation: https://evil.example",
        " /x",
        "",
    ],
)
async def test_signing_in_leads_to_a_page_of_this_server_alone(
    served: Served, alice: Client, address: str
) -> None:
    browser = Browser(served)
    made = await served.command("make_sign_in_code", username="alice")
    signed_in = await browser.http.post(
        SIGN_IN, data={"secret": made.code, "next": address}, headers=OWN_PAGE
    )
    assert (signed_in.status_code, going_to(signed_in.text)) == (200, "/")
    shown = await browser.http.get(SIGN_IN, params={"next": address})
    assert hidden(shown.text)["next"] == "/"


async def test_a_key_or_a_code_signs_in_and_nothing_else(served: Served, alice: Client) -> None:
    browser = Browser(served)
    for secret in ("", "nope", "ABCD-EFGH-JKMN", "x" * 300, "<b>"):
        refused = await browser.http.post(SIGN_IN, data={"secret": secret}, headers=OWN_PAGE)
        assert (refused.status_code, "unknown, used up" in refused.text) == (401, True)
        assert "set-cookie" not in refused.headers
        assert "<b>" not in refused.text
    narrow = await served.key("alice", ["os.notes:read"])
    refused = await browser.http.post(SIGN_IN, data={"secret": narrow}, headers=OWN_PAGE)
    assert (refused.status_code, "only a key with all of them" in refused.text) == (403, True)
    whole = await served.key("alice")
    signed_in = await browser.http.post(SIGN_IN, data={"secret": whole}, headers=OWN_PAGE)
    assert signed_in.status_code == 200
    assert "HttpOnly; SameSite=Lax" in signed_in.headers["set-cookie"]
    assert whole not in signed_in.text
    assert (await browser.http.get(f"{ORIGIN}/api/auth/session")).status_code == 200


@pytest.mark.parametrize("headers", FOREIGN)
async def test_no_page_of_another_signs_anybody_in(
    served: Served, alice: Client, headers: dict[str, str]
) -> None:
    made = await served.command("make_sign_in_code", username="alice")
    async with served.client() as client:
        refused = await client.post(SIGN_IN, data={"secret": made.code}, headers=headers)
    assert refused.status_code == 403
    assert "set-cookie" not in refused.headers


async def test_an_access_token_begins_no_session(
    served: Served, browser: Browser, app: Application
) -> None:
    heard = await browser.says_yes(app.asks())
    token = (await app.exchange(heard["code"])).json()["access_token"]
    async with served.client() as client:
        refused = await client.post(SIGN_IN, data={"secret": token}, headers=OWN_PAGE)
        assert refused.status_code == 401
        refused = await client.post(
            f"{ORIGIN}/api/auth/sign-in", json={"key": token}, headers=OWN_PAGE
        )
        assert refused.status_code == 401


async def test_the_files_of_pages_are_kept_by_browsers(stranger: Client, served: Served) -> None:
    page = await stranger.get(SIGN_IN)
    (sheet,) = re.findall(r'rel="stylesheet" href="([^"]+)"', page.text)
    found = await stranger.get(ORIGIN + sheet)
    assert (found.status_code, found.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in found.headers["cache-control"]
    other = await stranger.get(f"{ORIGIN}/static/old/hearth.css")
    assert other.headers["cache-control"] == "no-cache"
    for name in ("nothing.css", "..%2Ftemplating.py", "%2e%2e%2ftemplates%2fbase.html"):
        assert (await stranger.get(f"{ORIGIN}/static/old/{name}")).status_code == 404
    assert BASE not in found.text


class TestGuessing:
    """An address that guesses codes and keys at the page."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, failed_limit=3)

    async def test_it_is_slowed_down_in_plain_words(self, served: Served, alice: Client) -> None:
        browser = Browser(served)
        wrong = {"secret": "ABCD-EFGH-JKMN", "next": "/auth/cli"}
        for status in (401, 401, 401, 429):
            refused = await browser.http.post(SIGN_IN, data=wrong, headers=OWN_PAGE)
            assert refused.status_code == status
            assert hidden(refused.text) == {"next": "/auth/cli"}
        assert "wait a moment" in refused.text
        assert int(refused.headers["retry-after"]) > 0
        await browser.sign_in()
