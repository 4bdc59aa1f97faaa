"""What an application may ask, and where its answer may go."""

from urllib.parse import urlencode

import pytest

from tests.conftest import BASE, ORIGIN, Client, MovableClock, Served
from tests.support.oauth import (
    OAUTH,
    REDIRECT,
    VERIFIER,
    Application,
    Browser,
    answer_in,
    challenge_of,
    hidden,
    register,
    ticked,
)

pytestmark = pytest.mark.anyio


async def test_a_request_leads_to_the_page_that_asks(browser: Browser, app: Application) -> None:
    page = await browser.open(app.asks())
    assert page.status_code == 200
    for words in ("Garden Planner", "A program on this computer", REDIRECT, "alice"):
        assert words in page.text
    assert ticked(page.text) == ["openid", "profile", "offline_access", "os.notes:read"]


async def test_without_a_scope_it_asks_who_signs_in(browser: Browser, app: Application) -> None:
    assert ticked((await browser.open(app.asks(scope=None))).text) == ["openid", "profile"]


async def test_what_no_application_gets_is_not_asked_for(
    browser: Browser, app: Application
) -> None:
    page = await browser.open(app.asks(scope="openid account:manage os.todos:read"))
    assert ticked(page.text) == ["openid", "os.todos:read"]
    heard = await browser.sent_back(app.asks(scope="account:manage"))
    assert heard["error"] == "invalid_scope"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unsupported_response_type"),
        ({"response_type": "<é>"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"scope": "os.notes:destroy"}, "invalid_scope"),
        ({"scope": "*"}, "invalid_scope"),
        ({"scope": "openid é"}, "invalid_scope"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "x" * 129}, "invalid_request"),
        ({"code_challenge": "x" * 42 + "\n"}, "invalid_request"),
        ({"resource": "https://elsewhere.example/api/v1"}, "invalid_target"),
        ({"resource": f"{BASE}/"}, "invalid_target"),
        ({"resource": ORIGIN}, "invalid_target"),
        ({"resource": f"{BASE}#fragment"}, "invalid_target"),
        ({"prompt": "none login"}, "invalid_request"),
        ({"max_age": "-1"}, "invalid_request"),
        ({"max_age": "soon"}, "invalid_request"),
        ({"request": "eyJhbGciOiJub25lIn0."}, "request_not_supported"),
        ({"request_uri": "https://elsewhere.example/"}, "request_uri_not_supported"),
    ],
)
async def test_what_cannot_be_asked_is_sent_back(
    browser: Browser, app: Application, changes: dict[str, str | None], error: str
) -> None:
    heard = await browser.sent_back(app.asks(**changes))
    assert (heard["error"], heard["state"], heard["iss"]) == (error, "a state", ORIGIN)
    assert "code" not in heard


@pytest.mark.parametrize("name", ["scope", "state", "code_challenge", "response_type", "nonce"])
async def test_what_is_sent_twice_is_sent_back(
    browser: Browser, app: Application, name: str
) -> None:
    heard = await browser.sent_back(f"{app.asks(nonce='1')}&{name}=again")
    assert heard["error"] == "invalid_request"


async def test_more_than_one_resource_of_this_server_may_be_named(
    browser: Browser, app: Application
) -> None:
    more = urlencode({"resource": f"{ORIGIN}/mcp"})
    assert (await browser.open(f"{app.asks(resource=BASE)}&{more}")).status_code == 200
    foreign = urlencode({"resource": "https://elsewhere.example"})
    heard = await browser.sent_back(f"{app.asks(resource=BASE)}&{foreign}")
    assert heard["error"] == "invalid_target"


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
async def test_a_request_that_does_not_say_who_asks_stays_here(
    browser: Browser, app: Application, name: str, count: int
) -> None:
    address = app.asks(**{name: None}) if count == 0 else f"{app.asks()}&{name}=again"
    await assert_stays_here(browser, address)


async def test_a_request_of_nobody_known_stays_here(browser: Browser, app: Application) -> None:
    for client_id in ("unknown", "a" * 3_000, "\x00", "é", "' OR 1=1 --"):
        await assert_stays_here(browser, app.asks(client_id=client_id))


TRICKS = [
    "http://127.0.0.1:33418/callback/",
    "http://127.0.0.1:33418/callback/../callback",
    "http://127.0.0.1:33418/x/../callback",
    "http://127.0.0.1:33418/%2e%2e/callback",
    "http://127.0.0.1:33418/callback?",
    "http://127.0.0.1:33418/callback?next=//evil.example",
    "http://127.0.0.1:33418/callback#",
    "http://127.0.0.1:33418/callback#code",
    "http://127.0.0.1:33418/callback%00",
    "http://127.0.0.1:33418/callback\n",
    "http://127.0.0.1:33418/callback ",
    " http://127.0.0.1:33418/callback",
    "http://127.0.0.1:33418/Callback",
    "HTTP://127.0.0.1:33418/callback",
    "https://127.0.0.1:33418/callback",
    "http://user@127.0.0.1:33418/callback",
    "http://127.0.0.1:33418@evil.example/callback",
    "http://127.0.0.1:33418\\@evil.example/callback",
    "http://evil.example/http://127.0.0.1:33418/callback",
    "http://127.0.0.1.evil.example:33418/callback",
    "http://localhost.evil.example:33418/callback",
    "http://localhost:33418/callback",
    "http://localhost.:33418/callback",
    "http://127.0.0.1.:33418/callback",
    "http://127.1:33418/callback",
    "http://2130706433:33418/callback",
    "http://0x7f000001:33418/callback",
    "http://[::1]:33418/callback",
    "http://[::ffff:127.0.0.1]:33418/callback",
    "http://127.0.0.1:334180/callback",
    "http://127.0.0.1:/callback",
    "http://127.0.0.1:33418x/callback",
    "http://１27.0.0.1:33418/callback",
    "//127.0.0.1:33418/callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "/auth/cli",
    f"{ORIGIN}/auth/cli",
]


@pytest.mark.parametrize("uri", TRICKS)
async def test_an_answer_goes_only_where_the_application_registered(
    browser: Browser, app: Application, uri: str
) -> None:
    await assert_stays_here(browser, app.asks(redirect_uri=uri))


@pytest.mark.parametrize("port", ["", ":1", ":65535"])
async def test_on_this_computer_the_port_may_be_another(
    browser: Browser, app: Application, port: str
) -> None:
    uri = f"http://127.0.0.1{port}/callback"
    heard = await browser.says_yes(app.asks(redirect_uri=uri))
    assert (await app.exchange(heard["code"], redirect_uri=uri)).status_code == 200
    again = await browser.says_yes(app.asks(redirect_uri=uri))
    other = await app.exchange(again["code"], redirect_uri=REDIRECT)
    assert other.json()["error"] == "invalid_grant", "the answer went to another port"


async def assert_stays_here(browser: Browser, address: str) -> None:
    """Assert that a page says that the request is refused, and that nothing is sent anywhere."""
    response = await browser.http.get(address)
    assert response.status_code == 400
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "location" not in response.headers
    for trap in ("http-equiv", "<form", "evil"):
        assert trap not in response.text
    assert "Nothing was sent" in response.text


async def test_a_request_that_is_too_long_stays_here(browser: Browser, app: Application) -> None:
    assert (await browser.http.get(app.asks(state="x" * 4_000))).status_code == 400
    assert (await browser.open(app.asks(state="x" * 3_000))).status_code == 200


async def test_a_query_that_is_no_text_stays_here(browser: Browser, app: Application) -> None:
    assert (await browser.http.get(f"{app.asks()}&x=%ff")).status_code == 400
    assert (await browser.http.get(app.asks() + "&a=1" * 101)).status_code == 400


async def test_a_state_comes_back_as_it_was(browser: Browser, app: Application) -> None:
    for state in ('"><script>alert(1)</script>', "a&error=x", "é💥", "x" * 1_000, "a+b c%20"):
        heard = await browser.says_yes(app.asks(state=state))
        assert heard["state"] == state
        assert "error" not in heard
    assert "state" not in await browser.says_yes(app.asks(state=None))


async def test_without_a_session_the_page_asks_to_sign_in_first(
    served: Served, app: Application, alice: Client
) -> None:
    browser = Browser(served)
    page = await browser.open(app.asks())
    assert page.status_code == 401
    assert "Garden Planner wants to use your Hearth" in page.text
    assert "os.notes" not in page.text
    await browser.sign_in()
    shown = await browser.http.get(ORIGIN + hidden(page.text)["next"])
    assert ticked(shown.text) == ["openid", "profile", "offline_access", "os.notes:read"]


async def test_a_stranger_makes_the_server_keep_nothing(
    served: Served, app: Application, stranger: Client
) -> None:
    before = served.parts.store.commits
    for number in range(50):
        response = await stranger.get(app.asks(state=str(number)))
        assert response.status_code == 302
        await stranger.get(ORIGIN + response.headers["location"])
    assert served.parts.store.commits == before


async def test_a_request_expires(browser: Browser, app: Application, clock: MovableClock) -> None:
    request_id = await browser.request_id(app.asks())
    page = await browser.open(f"{ORIGIN}/auth/consent?request={request_id}")
    clock.forward(minutes=9, seconds=59)
    assert (await browser.open(f"{ORIGIN}/auth/consent?request={request_id}")).status_code == 200
    clock.forward(seconds=1)
    for response in (
        await browser.open(f"{ORIGIN}/auth/consent?request={request_id}"),
        await browser.answer(page.text),
    ):
        assert response.status_code == 400
        assert "This request has expired" in response.text
    assert (await browser.decide(request_id, decision="approve")).status_code == 404


async def test_a_request_that_was_altered_is_none(browser: Browser, app: Application) -> None:
    request_id = await browser.request_id(app.asks())
    first = "B" if request_id[0] == "A" else "A"  # what is the same is not altered
    changed = (request_id[:-4] + "AAAA", first + request_id[1:], request_id[:43])
    for altered in (*changed, "é", "", "x"):
        page = await browser.open(f"{ORIGIN}/auth/consent?request={altered}")
        assert page.status_code == 400
        assert "expired" in page.text
        assert (await browser.decide(altered, decision="approve")).status_code == 404


async def test_the_answer_of_the_command_line_is_shown_to_be_copied(
    browser: Browser, served: Served
) -> None:
    fields = {
        "response_type": "code",
        "client_id": "hearth-cli",
        "redirect_uri": f"{ORIGIN}/auth/cli",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
    }
    page = await browser.open(f"{OAUTH}/authorize?{urlencode(fields)}")
    assert "A page of this server that shows a code to copy" in page.text
    heard = await browser.says_yes(f"{OAUTH}/authorize?{urlencode(fields)}")
    shown = await browser.http.get(f"{ORIGIN}/auth/cli?{urlencode(heard)}")
    assert heard["code"] in shown.text
    exchanged = await browser.http.post(
        f"{OAUTH}/token",
        data={
            "grant_type": "authorization_code",
            "client_id": "hearth-cli",
            "code": heard["code"],
            "redirect_uri": f"{ORIGIN}/auth/cli",
            "code_verifier": VERIFIER,
        },
    )
    assert exchanged.status_code == 200


@pytest.mark.parametrize("port", [8976, 8977, 8978])
async def test_the_command_line_needs_no_registration(browser: Browser, port: int) -> None:
    fields = {
        "response_type": "code",
        "client_id": "hearth-cli",
        "redirect_uri": f"http://localhost:{port}/oauth/callback",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
    }
    assert (await browser.open(f"{OAUTH}/authorize?{urlencode(fields)}")).status_code == 200


@pytest.mark.parametrize(
    "query", ["", "code=<script>", "code=", "code=a&code=<b>", f"code={'x' * 201}", "error=x"]
)
async def test_the_page_for_codes_shows_nothing_else(stranger: Client, query: str) -> None:
    page = await stranger.get(f"{ORIGIN}/auth/cli?{query}")
    assert page.status_code == 400
    assert "There is no code here" in page.text
    assert "<script" not in page.text
    assert "<b>" not in page.text


async def test_the_page_for_codes_says_that_the_user_said_no(stranger: Client) -> None:
    page = await stranger.get(f"{ORIGIN}/auth/cli?error=access_denied&state=x")
    assert "You said no" in page.text


async def test_an_application_that_went_away_meanwhile_hears_nothing(
    served: Served, browser: Browser, clock: MovableClock
) -> None:
    app = await register(served, client_name="Gone")
    request_id = await browser.request_id(app.asks())
    clock.forward(minutes=5)
    await served.parts.write(lambda tx: tx.run("DELETE FROM oauth_clients"))
    page = await browser.open(f"{ORIGIN}/auth/consent?request={request_id}")
    assert (page.status_code, "not registered here any more" in page.text) == (400, True)
    assert (await browser.decide(request_id, decision="approve")).status_code == 400


async def test_an_answer_says_who_gives_it(browser: Browser, app: Application) -> None:
    """As RFC 9207 wants it, against the mixing up of servers."""
    assert (await browser.says_yes(app.asks()))["iss"] == ORIGIN
    page = await browser.open(app.asks())
    said_no = await browser.answer(page.text, decision="deny")
    location = said_no.text.partition("0;url=")[2].partition('"')[0].replace("&amp;", "&")
    heard = answer_in(location)
    assert (heard["error"], heard["iss"], heard["state"]) == ("access_denied", ORIGIN, "a state")
