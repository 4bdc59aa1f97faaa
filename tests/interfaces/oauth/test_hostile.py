"""Whatever is sent: an address that is let through is the registered one, and nothing breaks."""

import random
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.account.oauth import redirect_uris
from app.interfaces.pages.sign_in_page import own_page
from tests.conftest import ORIGIN, Client, Served
from tests.support.oauth import OAUTH, OWN_PAGE, REDIRECT, Application, Browser, connect

REGISTERED = (REDIRECT, "http://localhost/cb?a=b", "http://[::1]:1/", "https://app.example.org/cb")
PIECES = st.sampled_from(
    [
        *"/\\@:?#%.&;[] \n\t\x00é",
        *("..", "%2e", "//", "evil.example", "127.0.0.1", "localhost", "[::1]", "http:", "https:"),
        *("33418", "8080", "callback", "cb", "?a=b"),
        *REGISTERED,
    ]
)
ADDRESSES = st.lists(PIECES, max_size=8).map("".join)


@st.composite
def nearly_registered(draw: st.DrawFn) -> str:
    """Give a registered address with something put into it."""
    uri = draw(st.sampled_from(REGISTERED))
    place = draw(st.integers(0, len(uri)))
    drop = draw(st.integers(0, 3))
    return uri[:place] + draw(ADDRESSES) + uri[place + drop :]


@settings(max_examples=300, deadline=None)
@given(st.one_of(ADDRESSES, nearly_registered()))
def test_an_address_that_is_let_through_differs_in_its_port_alone(uri: str) -> None:
    if not redirect_uris.is_registered(uri, REGISTERED):
        return
    asked = urlsplit(uri)
    assert asked.username is None
    assert asked.fragment == ""
    alike = [
        urlsplit(one)
        for one in REGISTERED
        if urlsplit(one)._replace(netloc="") == asked._replace(netloc="")
        and urlsplit(one).hostname == asked.hostname
    ]
    assert alike
    if asked.hostname not in ("127.0.0.1", "localhost", "::1"):
        assert uri in REGISTERED


@settings(max_examples=300, deadline=None)
@given(st.one_of(ADDRESSES, nearly_registered()))
def test_an_address_that_may_be_registered_is_on_this_computer(uri: str) -> None:
    try:
        redirect_uris.check(uri, "loopback")
    except ValueError:
        return
    found = urlsplit(uri)
    assert (found.scheme, found.fragment, found.username) == ("http", "", None)
    assert found.hostname in ("127.0.0.1", "localhost", "::1")
    assert ".." not in found.path.split("/")


@settings(max_examples=300, deadline=None)
@given(ADDRESSES)
def test_whoever_signs_in_stays_on_this_server(address: str) -> None:
    led = own_page("/" + address)
    assert urlsplit(led).netloc == ""
    assert led.startswith("/")
    assert not led.startswith(("//", "/\\"))


@pytest.mark.anyio
async def test_nothing_that_is_sent_breaks_the_server(
    served: Served, stranger: Client, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    chance = random.Random(16)
    names = [
        *("grant_type", "code", "client_id", "client_secret", "redirect_uri", "code_verifier"),
        *("refresh_token", "scope", "resource", "token", "response_type", "state", "prompt"),
        *("code_challenge", "code_challenge_method", "nonce", "max_age", "request", "decision"),
    ]
    values = [
        *(
            "",
            "x",
            "é",
            "\x00",
            "%",
            "a b",
            "none",
            "login",
            "code",
            "S256",
            "plain",
            "-1",
            "9" * 40,
        ),
        *("authorization_code", "refresh_token", app.client_id, "hearth-cli", app.redirect),
        *(tokens["refresh_token"][:-1] + "!", "openid", "*", "\u202e", "x" * 3_000, "<script>"),
    ]
    for _ in range(400):
        fields = [(chance.choice(names), chance.choice(values)) for _ in range(chance.randrange(9))]
        text = "&".join(f"{name}={quote(value)}" for name, value in fields)
        if chance.random() < 0.2:
            text = text.replace("%", chance.choice(["%%", "%f", "\xff", "+"]))
        content = text.encode("latin-1")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        asked = [
            await stranger.post(f"{OAUTH}/token", content=content, headers=form),
            await stranger.post(f"{OAUTH}/revoke", content=content, headers=form),
            await browser.http.get(f"{OAUTH}/authorize?{quote(text, safe='%&=+')}"),
            await browser.http.post(
                f"{ORIGIN}/auth/consent", content=content, headers=form | OWN_PAGE
            ),
            await browser.http.post(
                f"{ORIGIN}/auth/sign-in", content=content, headers=form | OWN_PAGE
            ),
        ]
        assert [answer.status_code for answer in asked if answer.status_code >= 500] == [], text
        assert all("<script>" not in answer.text for answer in asked)
    assert (await app.refresh(tokens["refresh_token"])).status_code == 200
