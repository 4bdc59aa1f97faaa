"""The connected applications among the settings: what is shown, and who may disconnect."""

import html
import re

import pytest

from tests.conftest import ORIGIN, Client, Served
from tests.support.oauth import OWN_PAGE, Application, Browser, connect, register, with_token

pytestmark = pytest.mark.anyio
APPS = f"{ORIGIN}/settings/keys"
HOSTILE = '<b>Bold</b> "quotes"'


def disconnects(page: str) -> str:
    """Give the address of the form that disconnects."""
    found = re.search(r'action="(/settings/apps/\d+/revoke)"', page)
    assert found, page
    return ORIGIN + found[1]


async def test_what_is_connected_is_shown_and_disconnected(
    served: Served, browser: Browser, app: Application
) -> None:
    empty = await browser.http.get(APPS)
    assert "No app is connected" in empty.text
    tokens = await connect(app, browser, "openid os.notes:read agent.message:send")
    page = await browser.http.get(APPS)
    for words in ("Garden Planner", "You, Notes, People", "never used"):
        assert words in page.text
    left = await browser.http.post(
        disconnects(page.text), data={}, headers=OWN_PAGE, follow_redirects=True
    )
    assert left.status_code == 200
    for words in ("may do nothing here any more", "No app is connected"):
        assert words in left.text
    async with with_token(served, tokens) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")


async def test_a_stranger_signs_in_first(stranger: Client) -> None:
    asked = await stranger.get(APPS)
    assert asked.headers["location"] == "/auth/sign-in?next=%2Fsettings%2Fkeys"
    sent = await stranger.post(f"{ORIGIN}/settings/apps/1/revoke", data={}, headers=OWN_PAGE)
    assert sent.status_code == 401


async def test_another_user_sees_and_disconnects_nothing(
    served: Served, browser: Browser, app: Application, bob: Client
) -> None:
    await connect(app, browser)
    mine = disconnects((await browser.http.get(APPS)).text)
    other = Browser(served)
    await other.sign_in("bob")
    assert "Garden Planner" not in (await other.http.get(APPS)).text
    assert (await other.http.post(mine, data={}, headers=OWN_PAGE)).status_code == 404
    assert len((await served.command("user_grants", username="alice")).grants) == 1


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://localhost:8765"])
async def test_no_page_of_another_disconnects(
    served: Served, browser: Browser, app: Application, origin: str | None
) -> None:
    await connect(app, browser)
    mine = disconnects((await browser.http.get(APPS)).text)
    headers = {} if origin is None else {"Origin": origin}
    assert (await browser.http.post(mine, data={}, headers=headers)).status_code == 403
    assert len((await served.command("user_grants", username="alice")).grants) == 1


@pytest.mark.parametrize("id_", ["x", "9" * 20, "999"])
async def test_what_is_not_connected_is_not_disconnected(browser: Browser, id_: str) -> None:
    refused = await browser.http.post(
        f"{ORIGIN}/settings/apps/{id_}/revoke", data={}, headers=OWN_PAGE
    )
    assert (refused.status_code, "That did not work" in refused.text) == (404, True)


async def test_a_hostile_name_stays_a_name(served: Served, browser: Browser) -> None:
    await connect(await register(served, client_name=HOSTILE), browser)
    page = await browser.http.get(APPS)
    assert "<b>Bold" not in page.text
    assert html.escape(HOSTILE, quote=False).partition(" ")[0] in page.text
