"""The page of connected applications: what it shows, and who may disconnect."""

import html

import pytest

from tests.conftest import ORIGIN, Client, Served
from tests.support.oauth import (
    OWN_PAGE,
    Application,
    Browser,
    connect,
    hidden,
    register,
    with_token,
)

pytestmark = pytest.mark.anyio
APPS = f"{ORIGIN}/auth/apps"
HOSTILE = '<b>Bold</b> "quotes"'


async def test_what_is_connected_is_shown_and_disconnected(
    served: Served, browser: Browser, app: Application
) -> None:
    empty = await browser.http.get(APPS)
    assert "Nothing is connected" in empty.text
    tokens = await connect(app, browser, "openid os.notes:read agent.message:send")
    page = await browser.http.get(APPS)
    for words in ("Garden Planner", "You, Notes, People", "Since 2026-11-21, never used"):
        assert words in page.text
    left = await browser.http.post(APPS, data=hidden(page.text), headers=OWN_PAGE)
    assert left.status_code == 200
    for words in ("Disconnected <bdi>Garden Planner</bdi>.", "Nothing is connected"):
        assert words in left.text
    async with with_token(served, tokens) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")


async def test_a_stranger_signs_in_first(stranger: Client) -> None:
    for method in ("GET", "POST"):
        asked = await stranger.request(method, APPS, headers=OWN_PAGE, data={"id": "1"})
        assert (asked.status_code, hidden(asked.text)) == (401, {"next": "/auth/apps"})


async def test_another_user_sees_and_disconnects_nothing(
    served: Served, browser: Browser, app: Application, bob: Client
) -> None:
    await connect(app, browser)
    mine = hidden((await browser.http.get(APPS)).text)
    other = Browser(served)
    await other.sign_in("bob")
    assert "Garden Planner" not in (await other.http.get(APPS)).text
    assert (await other.http.post(APPS, data=mine, headers=OWN_PAGE)).status_code == 404
    assert len((await served.command("user_grants", username="alice")).grants) == 1


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://localhost:8765"])
async def test_no_page_of_another_disconnects(
    served: Served, browser: Browser, app: Application, origin: str | None
) -> None:
    await connect(app, browser)
    fields = hidden((await browser.http.get(APPS)).text)
    headers = {} if origin is None else {"Origin": origin}
    assert (await browser.http.post(APPS, data=fields, headers=headers)).status_code == 403
    assert len((await served.command("user_grants", username="alice")).grants) == 1


@pytest.mark.parametrize(("id_", "status"), [("", 400), ("x", 400), ("9" * 20, 400), ("999", 404)])
async def test_what_is_not_connected_is_not_disconnected(
    browser: Browser, id_: str, status: int
) -> None:
    refused = await browser.http.post(APPS, data={"id": id_}, headers=OWN_PAGE)
    assert (refused.status_code, "That did not work" in refused.text) == (status, True)


async def test_a_hostile_name_stays_a_name(served: Served, browser: Browser) -> None:
    await connect(await register(served, client_name=HOSTILE), browser)
    page = await browser.http.get(APPS)
    assert "<b>Bold" not in page.text
    assert html.escape(HOSTILE, quote=False).partition(" ")[0] in page.text
    left = await browser.http.post(APPS, data=hidden(page.text), headers=OWN_PAGE)
    assert "<b>Bold" not in left.text
