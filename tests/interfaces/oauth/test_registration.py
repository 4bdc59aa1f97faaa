"""Applications that register themselves: which may, with which addresses, and how many."""

import dataclasses
import json
from typing import Any

import pytest

from app.account.oauth import clients, redirect_uris
from app.account.oauth.clients import Metadata, NamedClients
from app.settings import Settings, SettingsError
from tests.conftest import Client, MovableClock, Served
from tests.support.oauth import OAUTH, REDIRECT, Application, Browser, connect, register

pytestmark = pytest.mark.anyio
REGISTER = f"{OAUTH}/register"


async def test_an_application_registers_itself(stranger: Client) -> None:
    made = await stranger.post(
        REGISTER,
        json={
            "client_name": "  Garden Planner ",
            "redirect_uris": [REDIRECT, "http://[::1]/cb", "http://localhost/cb"],
            "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code"],
            "software_id": "left unread",
            "scope": "openid",
        },
    )
    assert made.status_code == 201
    found = made.json()
    assert found.pop("client_id")
    assert found == {
        "client_id_issued_at": 1_795_253_400,
        "client_name": "Garden Planner",
        "redirect_uris": [REDIRECT, "http://[::1]/cb", "http://localhost/cb"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    assert made.headers["cache-control"] == "no-store"


async def test_an_application_without_a_method_gets_a_secret(stranger: Client) -> None:
    found = (await stranger.post(REGISTER, json={"redirect_uris": [REDIRECT]})).json()
    assert found["token_endpoint_auth_method"] == "client_secret_basic"
    assert found["client_secret"].startswith("hearth_cs_")
    assert found["client_secret_expires_at"] == 0
    assert found["client_name"] == "An application without a name"


ELSEWHERE = [
    "https://app.example.org/callback",
    "https://app.example.org:8443/callback?a=b",
    "com.example.app:/callback",
    "cursor://anysphere.cursor-retrieval/oauth/callback",
    "vscode://vscode.github-authentication/did-authenticate",
]
NEVER = [
    "",
    "x" * 2_001,
    "callback",
    "//app.example.org/callback",
    "http://app.example.org/callback",
    "http://127.0.0.1@evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://localhost.evil.example/",
    "http://localhost:8000@evil.example/",
    "http://user:password@localhost/",
    "http://127.0.0.1:99999999/",
    "http://127.0.0.1:x/",
    "http://127.1/",
    "http://2130706433/",
    "http://0.0.0.0/",
    "http://[::ffff:127.0.0.1]/",
    "http://127.0.0.1/a/../b",
    "http://127.0.0.1/a/%2e%2e/b",
    "http://127.0.0.1/a%2f..%2fb",
    "http://127.0.0.1/./b",
    "http://127.0.0.1/#fragment",
    "http://127.0.0.1/ x",
    "http://127.0.0.1/\n",
    "http://127.0.0.1/\x1b[31m",
    "http://127.0.0.1\\@evil.example/",
    "http://127.0.0.1/\u202ecod.exe",
    "http://lоcalhost/",
    "https://user@app.example.org/",
    "https://app.example.org#x",
    "https:app.example.org",
    "https:///callback",
    "https://app_example/",
    "HTTPS://app.example.org/",
    "javascript:alert(1)",
    "javascript://x/%0aalert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "vbscript:x",
    "blob:https://app.example.org/x",
    "about:blank",
    "view-source:https://app.example.org/",
    "intent://x#Intent;end",
    "ws://127.0.0.1/",
]


@pytest.mark.parametrize("uri", [*ELSEWHERE, *NEVER])
async def test_by_default_only_this_computer_may_be_answered(stranger: Client, uri: str) -> None:
    refused = await stranger.post(REGISTER, json={"redirect_uris": [REDIRECT, uri]})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")
    assert refused.json()["error_description"].startswith("redirect_uris[1] must")


@pytest.mark.parametrize("uri", NEVER)
def test_no_setting_lets_a_dangerous_address_in(uri: str) -> None:
    with pytest.raises(ValueError, match=r"^must"):
        redirect_uris.check(uri, "any")


class TestAnyone:
    """The setting that lets applications elsewhere register too."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, oauth_registration="any")

    @pytest.mark.parametrize("uri", ELSEWHERE)
    async def test_they_may_register_and_their_answer_is_named(
        self, served: Served, alice: Client, uri: str
    ) -> None:
        app = await register(served, redirect_uris=[uri])
        browser = Browser(served)
        await browser.sign_in()
        page = (await browser.open(app.asks())).text
        assert "A program on this computer" not in page
        words = "The web site app.example.org" if uri.startswith("https") else "An app that opens"
        assert words in page
        assert await connect(app, browser)


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": [REDIRECT] * 11}, "invalid_redirect_uri"),
        ({"redirect_uris": REDIRECT}, "invalid_client_metadata"),
        ({"redirect_uris": [7]}, "invalid_client_metadata"),
        ({"redirect_uris": None}, "invalid_client_metadata"),
        ({"redirect_uris": [REDIRECT], "client_name": 7}, "invalid_client_metadata"),
        ({"redirect_uris": [REDIRECT], "client_name": "x" * 101}, "invalid_client_metadata"),
        (
            {"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "private_key_jwt"},
            "invalid_client_metadata",
        ),
    ],
)
async def test_what_cannot_be_registered_is_refused(
    stranger: Client, metadata: dict[str, Any], error: str
) -> None:
    refused = await stranger.post(REGISTER, json=metadata)
    assert (refused.status_code, refused.json()["error"]) == (400, error)


@pytest.mark.parametrize(
    "name",
    [
        "\u202egnp.exe",
        "Garden\u2066Planner",
        "Garden\u200bPlanner",
        "\x1b[31mred\x1b[0m",
        "two\nlines",
        "a\u2028b",
        "a\x00b",
        "\ufeffa",
        "\ud800",
        "   ",
        "\u3164",
        "\U000e0041",
    ],
)
async def test_a_name_with_something_invisible_is_refused(stranger: Client, name: str) -> None:
    body = json.dumps({"redirect_uris": [REDIRECT], "client_name": name})
    refused = await stranger.post(REGISTER, content=body)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_client_metadata")


async def test_a_registration_that_is_no_object_is_refused(stranger: Client) -> None:
    for content in (b"[]", b"{", b"null", b"\xff", b'{"redirect_uris": NaN}', b"[" * 1000):
        refused = await stranger.post(REGISTER, content=content)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_client_metadata")
    assert (await stranger.post(REGISTER, content=b" " * 70_000)).status_code == 413


async def test_an_address_registers_ten_in_five_minutes(served: Served) -> None:
    async with served.client() as client:
        answers = [
            await client.post(REGISTER, json={"redirect_uris": [REDIRECT]}) for _ in range(12)
        ]
    assert [answer.status_code for answer in answers] == [201] * 10 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) <= 30
    assert answers[-1].json()["error"] == "rate_limited"


async def test_ten_thousand_registrations_leave_a_thousand(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    kept = await register(served, client_name="Kept")
    browser = Browser(served)
    await browser.sign_in()
    await connect(kept, browser)
    metadata = Metadata(redirect_uris=[REDIRECT], token_endpoint_auth_method="none")

    def many(tx: Any) -> None:
        for _ in range(500):
            clients.register(tx, metadata, "loopback")

    for _ in range(20):
        await served.parts.write(many)
    assert await _counted(served) == clients.MOST_UNAPPROVED + 1
    page = await browser.open(kept.asks())
    assert "Kept" in page.text
    clock.forward(days=1)
    assert (await served.command("sweep_clients")).clients == clients.MOST_UNAPPROVED
    assert await _counted(served) == 1


async def _counted(served: Served) -> int:
    return int(await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM oauth_clients")))


NAMED = (
    '[{"clientId": "wiki", "name": "Wiki", "redirectUris": ["https://wiki.example.org/cb"], '
    '"secret": "a secret"}, {"clientId": "cli", "name": "CLI", "redirectUris": '
    '["http://127.0.0.1/cb"]}]'
)


class TestNamed:
    """Applications that the owner of the server named in the settings."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, oauth_clients=NAMED, oauth_registration="off")

    async def test_they_need_not_register(self, served: Served, alice: Client) -> None:
        browser = Browser(served)
        await browser.sign_in()
        for found in ({"client_id": "wiki", "client_secret": "a secret"}, {"client_id": "cli"}):
            uri = "https://wiki.example.org/cb" if len(found) == 2 else "http://127.0.0.1/cb"
            app = _named(served, found, uri)
            page = await browser.open(app.asks())
            assert "It chose this name itself" not in page.text
            heard = await browser.says_yes(app.asks())
            given = await app.exchange(heard["code"], client_secret=app.secret)
            assert given.status_code == 200

    async def test_a_secret_is_demanded(self, served: Served, alice: Client) -> None:
        browser = Browser(served)
        await browser.sign_in()
        app = _named(served, {"client_id": "wiki"}, "https://wiki.example.org/cb")
        heard = await browser.says_yes(app.asks())
        for secret in (None, "wrong"):
            refused = await app.exchange(heard["code"], client_secret=secret)
            assert refused.json()["error"] == "invalid_client"


def _named(served: Served, found: dict[str, Any], uri: str) -> Application:
    return Application(served, found | {"redirect_uris": [uri]})


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '["wiki"]',
        '[{"clientId": "wiki"}]',
        '[{"clientId": "", "name": "W", "redirectUris": []}]',
        '[{"clientId": "w", "name": "\\u202e", "redirectUris": []}]',
        '[{"clientId": "w", "name": "W", "redirectUris": ["javascript:x"]}]',
        '[{"clientId": "w", "name": "W", "redirectUris": [], "typo": 1}]',
        '[{"clientId": "w", "name": "W", "redirectUris": []}, '
        '{"clientId": "w", "name": "W", "redirectUris": []}]',
    ],
)
def test_a_setting_that_cannot_be_read_is_refused_at_the_start(
    settings: Settings, text: str
) -> None:
    with pytest.raises(SettingsError, match=r"^HEARTH_OAUTH_CLIENTS: "):
        NamedClients(dataclasses.replace(settings, oauth_clients=text))
