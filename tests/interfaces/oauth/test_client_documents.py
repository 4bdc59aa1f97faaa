"""Applications that are known by the address of a document that describes them."""

import dataclasses
import gzip
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2 as httpx
import pytest

from app.account.oauth import client_documents
from app.core.limits import RateLimit
from app.core.web import http_connections
from app.settings import Settings
from tests.conftest import BASE, ORIGIN, MovableClock, Served, open_settings
from tests.interfaces.oauth.test_official_client import Kept, provider
from tests.support.oauth import REDIRECT, Application, Browser, connect, with_token
from tests.support.web_site import Site, site

pytestmark = pytest.mark.anyio
PATH = "/app/client.json"
KNOWN_AT = f"https://public.test{PATH}"
WEB = "https://public.test/callback"


@pytest.fixture(params=["any"])
def settings(request: pytest.FixtureRequest) -> Settings:
    return dataclasses.replace(
        open_settings(), oauth_registration=request.param, oauth_registration_limit=0
    )


@pytest.fixture
async def web(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The web, in which TLS costs nothing."""
    async with site(monkeypatch) as made:
        inner: Any = http_connections.BACKEND

        class Trusted(inner):  # type: ignore[misc]
            async def connect_tcp(self, *given: Any) -> Any:
                stream = await super().connect_tcp(*given)

                async def start_tls(*_: Any, **__: Any) -> Any:
                    return stream

                stream.start_tls = start_tls
                return stream

        monkeypatch.setattr(http_connections, "BACKEND", Trusted)
        yield made


@pytest.fixture
async def browser(served: Served) -> Browser:
    await served.command("add_user", username="alice")
    made = Browser(served)
    await made.sign_in()
    return made


def publish(web: Site, path: str = PATH, /, how: dict[str, Any] | None = None, **more: Any) -> None:
    """Let a document lie on the web; None leaves a field out."""
    document = {
        "client_id": f"https://public.test{path}",
        "client_name": "Garden Planner",
        "redirect_uris": [REDIRECT, WEB],
        "token_endpoint_auth_method": "none",
        "logo_uri": "http://127.0.0.1:8765/api/v1/os/notes",
    } | more
    body = json.dumps({name: value for name, value in document.items() if value is not None})
    web.page(path, body.encode(), **({"media_type": "application/json"} | (how or {})))


def known_as(served: Served, client_id: str = KNOWN_AT, redirect: str = REDIRECT) -> Application:
    return Application(served, {"client_id": client_id, "redirect_uris": [redirect]})


async def refusal(browser: Browser, app: Application) -> str:
    """Give the words of the page that refuses a request."""
    response = await browser.open(app.asks())
    assert response.status_code == 400, response.text
    assert "location" not in response.headers
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", response.text))


async def test_the_whole_walk(served: Served, browser: Browser, web: Site) -> None:
    publish(web)
    app = known_as(served)
    page = await browser.open(app.asks())
    assert "Garden Planner" in page.text
    assert "public.test describes an application of this name. Any program" in page.text
    tokens = await connect(app, browser)
    async with with_token(served, tokens) as client:
        await client.ok("GET", "/os/notes")
    renewed = await app.refresh(tokens["refresh_token"])
    assert renewed.status_code == 200, renewed.text
    assert len(web.asked) == 1, "it was fetched once, and its logo never"
    (row,) = (await served.command("user_grants", username="alice")).grants
    assert (row.client_id, row.client_name) == (KNOWN_AT, "Garden Planner")


async def test_the_page_says_whose_the_application_is(
    served: Served, browser: Browser, web: Site
) -> None:
    elsewhere = "https://elsewhere.test/callback"
    publish(web, redirect_uris=[WEB, elsewhere])
    own = await browser.open(known_as(served, redirect=WEB).asks())
    assert "public.test says that this is its application, and gets the answer." in own.text
    other = await browser.open(known_as(served, redirect=elsewhere).asks())
    assert "public.test describes it so, but the answer goes elsewhere." in other.text
    assert "The web site elsewhere.test" in other.text


async def test_nothing_is_fetched_for_strangers(served: Served, web: Site) -> None:
    publish(web)
    page = await Browser(served).open(known_as(served).asks())
    assert page.status_code == 401
    assert "public.test describes" in page.text
    assert 'value="/api/auth/oauth2/authorize?' in page.text
    assert web.asked == []


async def test_a_document_is_kept_as_long_as_it_says_within_bounds(
    served: Served, browser: Browser, web: Site, clock: MovableClock
) -> None:
    app = known_as(served)
    for said, seconds in (
        (None, 300),
        ("max-age=600", 600),
        ("public, max-age=999999999", 3600),
        ("max-age=0", 60),
        ("no-store", 60),
        ("s-maxage=1000, max-age=x", 300),
    ):
        publish(web, how={} if said is None else {"Cache_Control": said})
        web.asked.clear()
        for wait, asked in ((0, 1), (seconds - 1, 1), (2, 2)):
            clock.forward(seconds=wait)
            assert (await browser.open(app.asks())).status_code == 200
            assert len(web.asked) == asked, said
        clock.forward(days=1)
        await browser.sign_in()


async def test_what_is_taken_back_before_the_answer_gets_none(
    served: Served, browser: Browser, web: Site, clock: MovableClock
) -> None:
    publish(web)
    app = known_as(served, redirect=WEB)
    page = await browser.open(app.asks())
    clock.forward(minutes=6)
    publish(web, redirect_uris=["https://public.test/another"])
    await browser.open(known_as(served, redirect="https://public.test/another").asks())
    answered = await browser.answer(page.text)
    assert answered.status_code == 400
    assert "public.test/callback" not in answered.text
    assert "code=" not in answered.text


async def test_a_document_that_changes_after_the_answer_changes_nothing(
    served: Served, browser: Browser, web: Site, clock: MovableClock
) -> None:
    publish(web)
    app = known_as(served)
    heard = await browser.says_yes(app.asks())
    publish(web, redirect_uris=["https://evil.test/"], client_name="Evil")
    tokens = await app.exchange(heard["code"])
    assert tokens.status_code == 200
    again = await app.exchange(heard["code"], redirect_uri="https://evil.test/")
    assert again.status_code == 400


UNUSABLE: list[tuple[dict[str, Any], str]] = [
    ({"client_id": "https://public.test/other.json"}, "describes another one"),
    ({"client_id": KNOWN_AT + "?"}, "describes another one"),
    ({"client_id": None}, "describes another one"),
    ({"redirect_uris": ["javascript:alert(1)"]}, "must not begin with javascript:"),
    ({"redirect_uris": [REDIRECT, "data:text/html,x"]}, "must not begin with data:"),
    ({"redirect_uris": ["http://public.test/callback"]}, "must begin with https://"),
    ({"redirect_uris": ["https://public.test/../x"]}, "path segments"),
    ({"redirect_uris": []}, "1 to 10 addresses"),
    ({"redirect_uris": [f"https://public.test/{n}" for n in range(11)]}, "1 to 10"),
    ({"redirect_uris": "https://public.test/"}, "no document"),
    ({"token_endpoint_auth_method": "client_secret_basic"}, "without a secret"),
    ({"token_endpoint_auth_method": "private_key_jwt"}, "without a secret"),
    ({"client_secret": "x"}, "without a secret"),
    ({"client_name": "a\u202eb"}, "invisible"),
    ({"client_name": "x" * 101}, "client_name"),
    ({"client_name": {}}, "no document"),
]


async def test_documents_that_cannot_be_used(served: Served, browser: Browser, web: Site) -> None:
    for changes, words in UNUSABLE:
        publish(web, PATH, None, **changes)
        assert words in await refusal(browser, known_as(served)), changes


async def test_answers_that_are_no_document(served: Served, browser: Browser, web: Site) -> None:
    moved = {"status": 302, "Location": "https://public.test/app/real.json"}
    publish(web, "/app/real.json", None, client_id=KNOWN_AT)
    large = json.dumps({"client_id": KNOWN_AT, "x": "y" * client_documents.LARGEST}).encode()
    for body, how in (
        (b"", moved),
        (b"", {"status": 404}),
        (b"", {"status": 500}),
        (b"{}", {"status": 201}),
        (b"", {}),
        (b"[]", {}),
        (b"[" * 5_000, {}),
        (b'{"client_id": "\xff"}', {}),
        (large, {}),
        (gzip.compress(b" " * (1 << 28)), {"Content_Encoding": "gzip"}),
        (b"\x00" * 100, {"Content_Encoding": "br"}),
        (large[:200], {"Content_Length": "1000000000"}),
        (b"<html>", {"media_type": "text/html"}),
    ):
        web.asked.clear()
        web.page(PATH, body, **({"media_type": "application/json"} | how))
        assert "no document" in await refusal(browser, known_as(served)), how
        assert len(web.asked) == 1, "it went on to another address"


async def test_a_slow_host_is_left(
    served: Served, browser: Browser, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_documents, "SECONDS", 0.2)
    web.pages[PATH] = b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\n\r\n{"
    web.slow.add(PATH)
    assert "no document" in await refusal(browser, known_as(served))


NOT_ASKED = [
    "https://127.0.0.1/app/client.json",
    "https://[::1]/app/client.json",
    "https://10.0.0.1/app/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://inside.test/app/client.json",
    "https://both.test/app/client.json",
    "https://nowhere.invalid/app/client.json",
    "https://localhost:8765/api/auth/mcp/client.json",
    "https://public.test",
    "https://public.test/",
    "https://public.test/a/../client.json",
    "https://public.test/a/%2e%2e/client.json",
    "https://public.test/client.json#x",
    "https://user@public.test/client.json",
    "https://PUBLIC.test/client.json",
    "https://public.test\\@inside.test/client.json",
    "https://pub lic.test/client.json",
    "https://xn--\u0440ublic.test/client.json",
    "https://" + "x" * 3_000,
    "http://public.test/app/client.json",
    "HTTPS://public.test/app/client.json",
]


async def test_addresses_that_are_not_asked(served: Served, browser: Browser, web: Site) -> None:
    web.names |= {"inside.test": ["10.0.0.7"], "both.test": ["93.184.216.34", "127.0.0.1"]}
    for client_id in NOT_ASKED:
        await refusal(browser, known_as(served, client_id))
    assert web.asked == []


async def test_a_page_makes_the_server_fetch_only_so_many(
    served: Served, browser: Browser, web: Site
) -> None:
    served.parts.rates.registrations = RateLimit(3, minutes=5)
    statuses = []
    for number in range(6):
        publish(web, f"/{number}.json")
        app = known_as(served, f"https://public.test/{number}.json")
        statuses.append((await browser.open(app.asks())).status_code)
    assert statuses == [200, 200, 200, 429, 429, 429]
    assert len(web.asked) == 3


@pytest.mark.parametrize("settings", ["loopback"], indirect=True)
async def test_by_default_the_answer_stays_on_the_computer(
    served: Served, browser: Browser, web: Site
) -> None:
    publish(web)
    assert (await browser.open(known_as(served).asks())).status_code == 200
    words = await refusal(browser, known_as(served, redirect=WEB))
    assert "HEARTH_OAUTH_REGISTRATION=any" in words
    other_port = REDIRECT.replace("33418", "40000")
    assert (await browser.open(known_as(served, redirect=other_port).asks())).status_code == 200
    other_path = REDIRECT + "/more"
    assert "not registered" in await refusal(browser, known_as(served, redirect=other_path))


@pytest.mark.parametrize("settings", ["off"], indirect=True)
async def test_none_where_registration_is_off(served: Served, browser: Browser, web: Site) -> None:
    publish(web)
    assert "only the applications in its settings" in await refusal(browser, known_as(served))
    assert web.asked == []
    assert (await metadata(served))["client_id_metadata_document_supported"] is False


async def test_the_server_says_that_it_takes_documents(served: Served) -> None:
    assert (await metadata(served))["client_id_metadata_document_supported"] is True


async def metadata(served: Served) -> dict[str, Any]:
    async with served.client() as client:
        found: httpx.Response = await client.get(f"{ORIGIN}/.well-known/oauth-authorization-server")
    told: dict[str, Any] = found.json()
    return told


async def test_the_official_client_is_known_by_its_document(
    served: Served, browser: Browser, web: Site
) -> None:
    publish(web, PATH, None, client_name="An MCP client")
    kept = Kept()
    auth = provider(browser, kept, f"{BASE}/mcp")
    auth.context.client_metadata_url = KNOWN_AT
    async with served.client() as client:
        answered = await client.get("/identity", auth=auth)
    assert answered.json()["credential"]["name"] == "An MCP client"
    assert kept.client.client_id == KNOWN_AT
