"""The checks of the OpenID Foundation's published plans that apply, one by one.

The names are those of the plans' modules: `oidcc_` of OpenID Connect's basic, config and dynamic
plans, `security_` of the OAuth security profile (RFC 9700, FAPI 2.0). What does not apply: implicit
and hybrid flows, unsigned id tokens, request objects, the scopes address and phone, the claims
parameter, tokens in a body, private_key_jwt, mutual TLS and DPoP, which this server does not offer;
`oidcc-prompt-none-logged-in`, since a user is asked each time.
"""

import asyncio
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.oauth import OAUTH, REDIRECT, Application, Browser, connect, register, with_token

pytestmark = pytest.mark.anyio
USERINFO = f"{OAUTH}/userinfo"


async def claims_of(client: Client, tokens: dict[str, Any]) -> dict[str, Any]:
    """Give the claims of an id token, checked with the server's public key."""
    keys = KeySet.import_key_set((await client.get(f"{OAUTH}/jwks")).json())
    decoded = jwt.decode(tokens["id_token"], keys, algorithms=["RS256"])
    assert decoded.header["kid"] == keys.keys[0].kid
    return dict(decoded.claims)


async def told(served: Served, tokens: dict[str, Any], method: str = "GET") -> dict[str, Any]:
    async with with_token(served, tokens) as client:
        response = await client.request(method, USERINFO)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_oidcc_server(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    heard = await browser.says_yes(app.asks(nonce="n-0S6_WzA2Mj"))
    tokens = (await app.exchange(heard["code"])).json()
    async with served.client() as client:
        claims = await claims_of(client, tokens)
    now = int(clock().timestamp())
    assert claims["iss"] == ORIGIN
    assert claims["aud"] == app.client_id
    assert (claims["iat"], claims["exp"], claims["auth_time"]) == (now, now + 900, now)
    assert claims["nonce"] == "n-0S6_WzA2Mj"
    assert claims["sub"] == (await told(served, tokens))["sub"]
    assert len(claims["sub"]) <= 255


async def test_oidcc_response_type_missing(browser: Browser, app: Application) -> None:
    assert (await browser.sent_back(app.asks(response_type=None)))["error"] == "invalid_request"


async def test_oidcc_idtoken_signature(served: Served, browser: Browser, app: Application) -> None:
    tokens = await connect(app, browser)
    header, payload, signature = tokens["id_token"].split(".")
    forged = f"{header}.{payload}.{signature[:-8]}AAAAAAAA"
    async with served.client() as client:
        await claims_of(client, tokens)
        with pytest.raises(Exception, match="signature"):
            await claims_of(client, {"id_token": forged})


async def test_oidcc_userinfo_get(served: Served, browser: Browser, app: Application) -> None:
    tokens = await connect(app, browser)
    found = await told(served, tokens)
    assert set(found) == {
        "sub",
        "name",
        "given_name",
        "family_name",
        "picture",
        "preferred_username",
    }
    assert (found["preferred_username"], found["picture"]) == ("alice", None)


async def test_oidcc_userinfo_post_header(
    served: Served, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    assert await told(served, tokens, "POST") == await told(served, tokens)


async def test_oidcc_userinfo_without_openid_is_refused(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    async with with_token(served, await connect(app, browser, "profile")) as client:
        await client.refused("GET", USERINFO, 403, "insufficient_scope")
    for who in (alice, browser.http):
        refused = await who.get(USERINFO)
        assert refused.status_code == 401
        assert "resource_metadata=" in refused.headers["www-authenticate"]


async def test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow(
    served: Served, browser: Browser, app: Application
) -> None:
    async with served.client() as client:
        assert "nonce" not in await claims_of(client, await connect(app, browser))


async def test_oidcc_scope_profile(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    for name, given, family in (
        ("Ada", "Ada", None),
        ("Ada Lovelace", "Ada", "Lovelace"),
        ("Ada King Lovelace", "Ada King", "Lovelace"),
    ):
        await alice.ok("PATCH", "/account/settings", json={"name": name})
        found = await told(served, await connect(app, browser, "openid profile"))
        assert (found["name"], found["given_name"], found["family_name"]) == (name, given, family)
        assert "email" not in found


async def test_oidcc_scope_email(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"email": "ada@example.org"})
    found = await told(served, await connect(app, browser, "openid email"))
    assert (set(found), found["email"]) == ({"sub", "email"}, "ada@example.org")


async def test_oidcc_scope_all(served: Served, browser: Browser, app: Application) -> None:
    found = await told(served, await connect(app, browser, "openid profile email"))
    assert {"sub", "name", "email"} <= set(found)


async def test_oidcc_ensure_other_scope_order_succeeds(browser: Browser, app: Application) -> None:
    tokens = await connect(app, browser, "profile email openid")
    assert set(tokens["scope"].split()) == {"openid", "profile", "email"}
    assert "id_token" in tokens


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param({"display": "page"}, id="oidcc_display_page"),
        pytest.param({"display": "popup"}, id="oidcc_display_popup"),
        pytest.param({"extra": "foobar"}, id="oidcc_ensure_request_with_unknown_parameter"),
        pytest.param({"login_hint": "buffy@example.com"}, id="oidcc_login_hint"),
        pytest.param({"ui_locales": "se"}, id="oidcc_ui_locales"),
        pytest.param({"claims_locales": "se"}, id="oidcc_claims_locales"),
        pytest.param({"acr_values": "1 2"}, id="oidcc_ensure_request_with_acr_values_succeeds"),
        pytest.param({"id_token_hint": "a.b.c"}, id="oidcc_id_token_hint"),
        pytest.param({"claims": '{"userinfo":{"name":null}}'}, id="oidcc_claims_essential"),
        pytest.param({"prompt": "consent"}, id="oidcc_prompt_consent"),
        pytest.param({"max_age": "10000"}, id="oidcc_max_age_10000"),
    ],
)
async def test_oidcc_what_is_left_unread_does_no_harm(
    browser: Browser, app: Application, extra: dict[str, str | None]
) -> None:
    heard = await browser.says_yes(app.asks(**extra))
    assert (await app.exchange(heard["code"])).status_code == 200


async def test_oidcc_prompt_login(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    before = await _auth_time(served, await connect(app, browser))
    clock.forward(minutes=2)
    page = await browser.open(app.asks(prompt="login"))
    assert page.status_code == 401
    await browser.sign_in()
    heard = await browser.says_yes(app.asks())
    assert await _auth_time(served, (await app.exchange(heard["code"])).json()) == before + 120


async def test_oidcc_prompt_none_not_logged_in(served: Served, app: Application) -> None:
    heard = await Browser(served).sent_back(app.asks(prompt="none"))
    assert heard["error"] == "login_required"


async def test_oidcc_prompt_none_logged_in_asks_all_the_same(
    browser: Browser, app: Application
) -> None:
    await connect(app, browser)
    heard = await browser.sent_back(app.asks(prompt="none"))
    assert heard["error"] == "consent_required"


async def test_oidcc_max_age_1(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    clock.forward(seconds=2)
    assert (await browser.open(app.asks(max_age="1"))).status_code == 401
    heard = await browser.sent_back(app.asks(max_age="1", prompt="none"))
    assert heard["error"] == "login_required"
    await browser.sign_in()
    heard = await browser.says_yes(app.asks(max_age="1"))
    tokens = (await app.exchange(heard["code"])).json()
    assert await _auth_time(served, tokens) == int(clock().timestamp())


async def _auth_time(served: Served, tokens: dict[str, Any]) -> int:
    async with served.client() as client:
        return int((await claims_of(client, tokens))["auth_time"])


@pytest.mark.parametrize("seconds", [0, 30])
async def test_oidcc_codereuse(
    served: Served, browser: Browser, app: Application, clock: MovableClock, seconds: int
) -> None:
    heard = await browser.says_yes(app.asks())
    tokens = (await app.exchange(heard["code"])).json()
    clock.forward(seconds=seconds)
    assert (await app.exchange(heard["code"])).json()["error"] == "invalid_grant"
    async with with_token(served, tokens) as client:
        assert (await client.get(USERINFO)).status_code == 401


async def test_oidcc_ensure_registered_redirect_uri(browser: Browser, app: Application) -> None:
    page = await browser.open(app.asks(redirect_uri="http://127.0.0.1:33418/unregistered"))
    assert page.status_code == 400


async def test_oidcc_ensure_redirect_uri_in_authorization_request(
    browser: Browser, app: Application
) -> None:
    assert (await browser.open(app.asks(redirect_uri=None))).status_code == 400


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        pytest.param("?a=b", 200, id="oidcc_redirect_uri_query_ok"),
        pytest.param("?a=b&c=d", 400, id="oidcc_redirect_uri_query_added"),
        pytest.param("?a=c", 400, id="oidcc_redirect_uri_query_mismatch"),
        pytest.param("", 400, id="oidcc_redirect_uri_query_missing"),
    ],
)
async def test_oidcc_redirect_uri_query(
    served: Served, browser: Browser, asked: str, status: int
) -> None:
    app = await register(served, redirect_uris=[REDIRECT + "?a=b"])
    page = await browser.open(app.asks(redirect_uri=REDIRECT + asked))
    assert page.status_code == status
    if status == 200:
        heard = await browser.says_yes(app.asks())
        assert (heard["a"], "code" in heard) == ("b", True)


async def test_oidcc_redirect_uri_regfrag(stranger: Client) -> None:
    refused = await stranger.post(
        f"{OAUTH}/register", json={"redirect_uris": [REDIRECT + "#fragment"]}
    )
    assert refused.json()["error"] == "invalid_redirect_uri"


async def test_oidcc_server_client_secret_post(served: Served, browser: Browser) -> None:
    app = await register(served, token_endpoint_auth_method="client_secret_post")
    heard = await browser.says_yes(app.asks())
    assert (await app.exchange(heard["code"], client_secret=app.secret)).status_code == 200


async def test_oidcc_unsigned_request_object_is_rejected_as_unsupported(
    browser: Browser, app: Application
) -> None:
    heard = await browser.sent_back(app.asks(request="eyJhbGciOiJub25lIn0.e30."))
    assert heard["error"] == "request_not_supported"


async def test_oidcc_refresh_token(served: Served, browser: Browser, app: Application) -> None:
    first = await connect(app, browser)
    second = (await app.refresh(first["refresh_token"])).json()
    assert second["access_token"] != first["access_token"]
    assert (await told(served, second))["sub"] == (await told(served, first))["sub"]
    other = await register(served, client_name="Other")
    stolen = await other.refresh(second["refresh_token"])
    assert stolen.json()["error"] == "invalid_grant"


async def test_oidcc_ensure_request_with_valid_pkce_succeeds(
    browser: Browser, app: Application
) -> None:
    assert await connect(app, browser)


async def test_oidcc_discovery_endpoint_verification(stranger: Client) -> None:
    found = (await stranger.get(f"{ORIGIN}/.well-known/openid-configuration")).json()
    for name in (
        "issuer",
        "authorization_endpoint",
        "token_endpoint",
        "jwks_uri",
        "response_types_supported",
        "subject_types_supported",
        "id_token_signing_alg_values_supported",
    ):
        assert found[name], name
    assert "RS256" in found["id_token_signing_alg_values_supported"]
    assert "openid" in found["scopes_supported"]
    assert found["issuer"] == ORIGIN


async def test_oidcc_discovery_jwks_uri_keys(stranger: Client) -> None:
    keys = (await stranger.get(f"{OAUTH}/jwks")).json()["keys"]
    assert len({key["kid"] for key in keys}) == len(keys) == 1
    assert not {"d", "p", "q", "dp", "dq", "qi"} & set(keys[0])


async def test_oidcc_pairwise_subjects(
    served: Served, browser: Browser, app: Application, bob: Client
) -> None:
    other = await register(served, client_name="Other")
    mine, again, others = [
        (await told(served, await connect(each, browser)))["sub"] for each in (app, app, other)
    ]
    bobs = Browser(served)
    await bobs.sign_in("bob")
    his = (await told(served, await connect(app, bobs)))["sub"]
    assert mine == again
    assert len({mine, others, his}) == 3
    user_id = (await bob.ok("GET", "/identity"))["profile"]["userId"]
    assert user_id != his


async def test_security_ensure_pkce_is_required(browser: Browser, app: Application) -> None:
    heard = await browser.sent_back(app.asks(code_challenge=None, code_challenge_method=None))
    assert heard["error"] == "invalid_request"


async def test_security_ensure_pkce_code_verifier_required(
    served: Served, browser: Browser
) -> None:
    """Of an application with a secret too."""
    app = await register(served, token_endpoint_auth_method="client_secret_basic")
    heard = await browser.says_yes(app.asks())
    refused = await app.exchange(heard["code"], client_secret=app.secret, code_verifier=None)
    assert refused.json()["error"] == "invalid_request"


async def test_security_incorrect_pkce_code_verifier_rejected(
    browser: Browser, app: Application
) -> None:
    heard = await browser.says_yes(app.asks())
    refused = await app.exchange(heard["code"], code_verifier="w" * 43)
    assert refused.json()["error"] == "invalid_grant"


async def test_security_plain_pkce_rejected(browser: Browser, app: Application) -> None:
    heard = await browser.sent_back(app.asks(code_challenge_method="plain"))
    assert heard["error"] == "invalid_request"


async def test_security_ensure_authorization_code_is_bound_to_client(
    served: Served, browser: Browser, app: Application
) -> None:
    other = await register(served, client_name="Other")
    heard = await browser.says_yes(app.asks())
    stolen = await other.exchange(heard["code"])
    assert stolen.json()["error"] == "invalid_grant"


async def test_security_ensure_mix_up_is_noticed(browser: Browser, app: Application) -> None:
    """By `iss` in each answer, good or bad (RFC 9207)."""
    assert (await browser.says_yes(app.asks()))["iss"] == ORIGIN
    assert (await browser.sent_back(app.asks(scope="x")))["iss"] == ORIGIN


async def test_security_refresh_tokens_rotate_and_replay_ends_them(
    browser: Browser, app: Application
) -> None:
    first = await connect(app, browser)
    second = (await app.refresh(first["refresh_token"])).json()
    replays = await asyncio.gather(*(app.refresh(first["refresh_token"]) for _ in range(3)))
    assert {answer.json()["error"] for answer in replays} == {"invalid_grant"}
    assert (await app.refresh(second["refresh_token"])).json()["error"] == "invalid_grant"


async def test_security_redirect_is_no_307_and_says_nothing_in_its_referrer(
    browser: Browser, app: Application
) -> None:
    """RFC 9700, sections 4.12 and 4.2: no form is sent on, no code leaves in a header."""
    page = await browser.open(app.asks())
    answered = await browser.answer(page.text)
    assert (answered.status_code, answered.headers["referrer-policy"]) == (200, "no-referrer")
    refused = await browser.http.get(app.asks(scope="x"))
    assert (refused.status_code, refused.headers["referrer-policy"]) == (302, "no-referrer")


async def test_security_no_implicit_and_no_password_grant(
    browser: Browser, app: Application
) -> None:
    for response_type in ("token", "id_token", "code id_token", "none"):
        heard = await browser.sent_back(app.asks(response_type=response_type))
        assert heard["error"] == "unsupported_response_type"
    refused = await app.token(grant_type="password", username="alice", password="x")
    assert refused.json()["error"] == "unsupported_grant_type"


async def test_security_tokens_are_for_this_server_alone(
    browser: Browser, app: Application
) -> None:
    heard = await browser.sent_back(app.asks(resource="https://elsewhere.example/"))
    assert heard["error"] == "invalid_target"
    heard = await browser.says_yes(app.asks(resource=f"{ORIGIN}/api/v1"))
    refused = await app.exchange(heard["code"], resource="https://elsewhere.example/")
    assert refused.json()["error"] == "invalid_target"
    assert (await app.exchange(heard["code"], resource=f"{ORIGIN}/api/v1")).status_code == 200
