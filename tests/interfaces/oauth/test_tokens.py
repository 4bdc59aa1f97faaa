"""Codes and tokens: how one becomes the other, what each opens, and how they end."""

import asyncio
import base64
import dataclasses
import logging
from typing import Any

import pytest

from app.settings import Settings
from tests.conftest import BASE, ORIGIN, Client, MovableClock, Served
from tests.support.oauth import (
    OAUTH,
    REDIRECT,
    VERIFIER,
    Application,
    Browser,
    connect,
    register,
    with_token,
)

pytestmark = pytest.mark.anyio


async def test_a_code_gives_tokens(browser: Browser, app: Application) -> None:
    heard = await browser.says_yes(app.asks())
    response = await app.exchange(heard["code"])
    tokens = response.json()
    assert set(tokens) == {
        "access_token",
        "token_type",
        "expires_in",
        "refresh_token",
        "scope",
        "id_token",
    }
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 900)
    assert tokens["scope"] == "openid profile offline_access os.notes:read"
    assert response.headers["cache-control"] == "no-store"


async def test_without_the_right_to_stay_there_is_no_refresh_token(
    browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser, "os.notes:read")
    assert "refresh_token" not in tokens
    assert "id_token" not in tokens


async def test_a_code_lasts_a_minute(
    browser: Browser, app: Application, clock: MovableClock
) -> None:
    heard, late = [await browser.says_yes(app.asks()) for _ in range(2)]
    clock.forward(seconds=59)
    assert (await app.exchange(heard["code"])).status_code == 200
    clock.forward(seconds=1)
    refused = await app.exchange(late["code"])
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")


async def test_a_code_that_is_used_twice_ends_what_it_gave(
    served: Served, browser: Browser, app: Application, caplog: pytest.LogCaptureFixture
) -> None:
    heard = await browser.says_yes(app.asks())
    tokens = (await app.exchange(heard["code"])).json()
    with caplog.at_level(logging.WARNING, "hearth.oauth"):
        refused = await app.exchange(heard["code"])
    assert refused.json()["error"] == "invalid_grant"
    assert "was sent again" in caplog.text
    assert heard["code"] not in caplog.text
    async with with_token(served, tokens) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_a_code_is_known_again_when_it_is_long_over(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    heard = await browser.says_yes(app.asks())
    tokens = (await app.exchange(heard["code"])).json()
    clock.forward(days=3)
    for sweep in ("sweep_codes", "sweep_tokens", "sweep_clients"):
        await served.command(sweep)
    assert (await app.exchange(heard["code"])).json()["error"] == "invalid_grant"
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_of_a_code_that_is_used_at_once_nothing_stays(
    served: Served, browser: Browser, app: Application
) -> None:
    heard = await browser.says_yes(app.asks())
    answers = await asyncio.gather(*(app.exchange(heard["code"]) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    assert (await served.command("user_grants", username="alice")).grants == []


@pytest.mark.parametrize(
    ("changes", "status", "error"),
    [
        ({"grant_type": None}, 400, "invalid_request"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
        ({"grant_type": "implicit"}, 400, "unsupported_grant_type"),
        ({"grant_type": "<é>"}, 400, "unsupported_grant_type"),
        ({"code": None}, 400, "invalid_request"),
        ({"code": "unknown"}, 400, "invalid_grant"),
        ({"code": "x" * 10_000}, 400, "invalid_grant"),
        ({"code": "é\x00"}, 400, "invalid_grant"),
        ({"code_verifier": None}, 400, "invalid_request"),
        ({"code_verifier": ""}, 400, "invalid_request"),
        ({"code_verifier": "x" * 43}, 400, "invalid_grant"),
        ({"code_verifier": VERIFIER + "x"}, 400, "invalid_grant"),
        ({"code_verifier": "short"}, 400, "invalid_request"),
        ({"code_verifier": "é" * 43}, 400, "invalid_request"),
        ({"redirect_uri": None}, 400, "invalid_grant"),
        ({"redirect_uri": REDIRECT + "/"}, 400, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:1/callback"}, 400, "invalid_grant"),
        ({"resource": "https://elsewhere.example"}, 400, "invalid_target"),
        ({"client_id": None}, 401, "invalid_client"),
        ({"client_id": "unknown"}, 401, "invalid_client"),
        ({"client_id": "hearth-cli"}, 400, "invalid_grant"),
        ({"client_secret": "guessed"}, 401, "invalid_client"),
    ],
)
async def test_an_exchange_that_does_not_fit_is_refused(
    browser: Browser, app: Application, changes: dict[str, str | None], status: int, error: str
) -> None:
    heard = await browser.says_yes(app.asks())
    refused = await app.exchange(heard["code"], **changes)
    assert (refused.status_code, refused.json()["error"]) == (status, error)
    assert set(refused.json()) <= {"error", "error_description"}
    assert "access_token" not in refused.text
    assert refused.headers.get("www-authenticate", "").startswith("Basic") == (status == 401)
    assert (await app.exchange(heard["code"])).status_code == 200, "the code still holds"


async def test_a_challenge_that_is_its_own_verifier_is_refused(
    browser: Browser, app: Application
) -> None:
    """What PKCE's plain method would let through."""
    heard = await browser.says_yes(app.asks(code_challenge="p" * 43))
    refused = await app.exchange(heard["code"], code_verifier="p" * 43)
    assert refused.json()["error"] == "invalid_grant"


async def test_a_form_is_read_as_rfc_6749_says(app: Application) -> None:
    for body, kind in (
        (b'{"grant_type":"authorization_code"}', "application/json"),
        (b"grant_type=authorization_code&grant_type=x", "application/x-www-form-urlencoded"),
        (b"grant_type=%ff", "application/x-www-form-urlencoded"),
        (b"\xff", "application/x-www-form-urlencoded"),
        (b"a=1&" * 200, "application/x-www-form-urlencoded"),
        (b"", "application/x-www-form-urlencoded"),
        (b"", ""),
    ):
        refused = await app.http.post(
            f"{OAUTH}/token", content=body, headers={"Content-Type": kind}
        )
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")
    huge = await app.http.post(
        f"{OAUTH}/token",
        content=b"a=" + b"x" * 70_000,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert huge.status_code == 413
    assert (await app.http.get(f"{OAUTH}/token")).status_code == 405


async def test_a_refresh_token_is_used_once_and_gives_another(
    served: Served, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    for _ in range(3):
        response = await app.refresh(tokens["refresh_token"])
        fresh = response.json()
        assert (response.status_code, fresh["scope"]) == (200, tokens["scope"])
        assert fresh["refresh_token"] != tokens["refresh_token"]
        assert fresh["access_token"] != tokens["access_token"]
        async with with_token(served, fresh) as client:
            await client.ok("GET", "/os/notes")
        tokens = fresh


async def test_an_old_refresh_token_ends_the_family(
    served: Served, browser: Browser, app: Application, caplog: pytest.LogCaptureFixture
) -> None:
    first = await connect(app, browser)
    other = await connect(app, browser)
    second = (await app.refresh(first["refresh_token"])).json()
    with caplog.at_level(logging.WARNING, "hearth.oauth"):
        refused = await app.refresh(first["refresh_token"])
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    assert "was sent again" in caplog.text
    assert first["refresh_token"] not in caplog.text
    assert (await app.refresh(second["refresh_token"])).json()["error"] == "invalid_grant"
    for tokens, status in ((first, 401), (second, 401), (other, 200)):
        async with with_token(served, tokens) as client:
            assert (await client.get("/identity")).status_code == status
    assert (await app.refresh(other["refresh_token"])).status_code == 200


async def test_two_that_refresh_at_once_end_the_family(
    served: Served, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    answers = await asyncio.gather(*(app.refresh(tokens["refresh_token"]) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    winner = next(answer.json() for answer in answers if answer.status_code == 200)
    async with with_token(served, winner) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")


@pytest.mark.parametrize(
    ("changes", "status", "error"),
    [
        ({"refresh_token": None}, 400, "invalid_request"),
        ({"refresh_token": "unknown"}, 400, "invalid_grant"),
        ({"scope": "os.notes:write"}, 400, "invalid_scope"),
        ({"scope": "openid profile offline_access os.notes:read email"}, 400, "invalid_scope"),
        ({"scope": "*"}, 400, "invalid_scope"),
        ({"resource": "https://elsewhere.example"}, 400, "invalid_target"),
        ({"client_id": "hearth-cli"}, 400, "invalid_grant"),
        ({"client_id": "unknown"}, 401, "invalid_client"),
    ],
)
async def test_a_refresh_that_does_not_fit_is_refused(
    browser: Browser, app: Application, changes: dict[str, str | None], status: int, error: str
) -> None:
    tokens = await connect(app, browser)
    fields = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    refused = await app.token(**(fields | changes))
    assert (refused.status_code, refused.json()["error"]) == (status, error)
    assert (await app.refresh(tokens["refresh_token"])).status_code == 200


async def test_a_narrower_refresh_narrows_that_access_token_alone(
    served: Served, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    narrow = (await app.refresh(tokens["refresh_token"], scope="openid")).json()
    assert narrow["scope"] == "openid"
    async with with_token(served, narrow) as client:
        await client.refused("GET", "/os/notes", 403, "insufficient_scope")
    whole = (await app.refresh(narrow["refresh_token"])).json()
    assert whole["scope"] == tokens["scope"]


async def test_a_refresh_token_is_no_access_token_and_the_other_way_round(
    served: Served, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    for wrong in (tokens["refresh_token"], tokens["id_token"]):
        async with served.client(wrong) as client:
            await client.refused("GET", "/identity", 401, "unauthorized")
    assert (await app.refresh(tokens["access_token"])).json()["error"] == "invalid_grant"


async def test_an_access_token_lasts_a_quarter_of_an_hour(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    tokens = await connect(app, browser)
    async with with_token(served, tokens) as client:
        clock.forward(seconds=899)
        await client.ok("GET", "/identity")
        clock.forward(seconds=1)
        await client.refused("GET", "/identity", 401, "unauthorized")
    assert (await app.refresh(tokens["refresh_token"])).status_code == 200


async def test_a_refresh_token_lasts_thirty_days_from_its_last_use(
    served: Served, browser: Browser, app: Application, clock: MovableClock
) -> None:
    tokens = await connect(app, browser)
    for _ in range(3):
        clock.forward(days=29)
        await served.command("sweep_tokens")
        tokens = (await app.refresh(tokens["refresh_token"])).json()
    assert len((await served.command("user_grants", username="alice")).grants) == 1
    clock.forward(days=30)
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await served.command("user_grants", username="alice")).grants == []


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_a_token_can_be_revoked(
    served: Served, browser: Browser, app: Application, kind: str
) -> None:
    tokens = await connect(app, browser)
    for _ in range(2):
        revoked = await app.http.post(f"{OAUTH}/revoke", data={"token": tokens[kind]})
        assert (revoked.status_code, revoked.json()) == (200, {})
    async with with_token(served, tokens) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")
    refreshed = await app.refresh(tokens["refresh_token"])
    assert refreshed.status_code == (200 if kind == "access_token" else 400)


async def test_revoking_what_is_unknown_tells_nothing(app: Application) -> None:
    for token in ("unknown", "", "é" * 5_000, "\x00"):
        revoked = await app.http.post(f"{OAUTH}/revoke", data={"token": token})
        assert (revoked.status_code, revoked.json()) == (200, {})
    assert (await app.http.post(f"{OAUTH}/revoke", content=b"\xff")).status_code == 200


async def test_a_grant_is_listed_and_ended(
    served: Served, alice: Client, bob: Client, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    async with with_token(served, tokens) as client:
        await client.ok("GET", "/identity")
        await served.parts.write_gathered()
        (grant,) = (await alice.ok("GET", "/account/grants"))["grants"]
        assert (grant["clientName"], grant["clientId"]) == ("Garden Planner", app.client_id)
        assert grant["scopes"] == ["openid", "profile", "offline_access", "os.notes:read"]
        assert grant["lastUsedAt"] is not None
        assert (await bob.ok("GET", "/account/grants"))["grants"] == []
        await bob.refused("DELETE", f"/account/grants/{grant['id']}", 404, "not_found")
        await client.refused("GET", "/account/grants", 403, "insufficient_scope")
        await alice.ok("DELETE", f"/account/grants/{grant['id']}")
        await client.refused("GET", "/identity", 401, "unauthorized")
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_the_command_line_lists_and_ends_grants(
    served: Served, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    (grant,) = (await served.command("user_grants", username="alice")).grants
    assert (await served.command("end_grant", id=grant.id)).client_name == "Garden Planner"
    async with with_token(served, tokens) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")


async def test_a_user_who_is_gone_leaves_no_token(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    tokens = await connect(app, browser)
    await served.command("delete_user", username="alice")
    async with with_token(served, tokens) as client:
        await client.refused("GET", "/identity", 401, "unauthorized")
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    left = await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM oauth_tokens"))
    assert left == 0


TABLES = ("oauth_clients", "oauth_codes", "oauth_grants", "oauth_tokens")


async def test_no_token_or_code_is_stored(
    served: Served, browser: Browser, app: Application
) -> None:
    confidential = await register(served, token_endpoint_auth_method="client_secret_post")
    heard = await browser.says_yes(app.asks())
    tokens = (await app.exchange(heard["code"])).json()
    dump = await served.parts.read(
        lambda tx: "".join(
            str(tuple(row)) for table in TABLES for row in tx.all(f"SELECT * FROM {table}")
        )
    )
    assert app.client_id in dump
    for secret in (
        heard["code"],
        tokens["access_token"],
        tokens["refresh_token"],
        confidential.secret or "?",
    ):
        assert secret not in dump
        assert str(secret.encode())[2:-1] not in dump


async def test_a_token_knows_who_uses_it(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"email": "alice@example.org"})
    async with with_token(served, await connect(app, browser, "os.notes:read")) as client:
        found = await client.ok("GET", "/identity")
    assert found["profile"]["username"] == "alice"
    assert (found["profile"]["name"], found["profile"]["email"]) == (None, None)
    assert (found["credential"]["kind"], found["credential"]["name"]) == ("oauth", "Garden Planner")
    async with with_token(served, await connect(app, browser, "profile email")) as client:
        found = await client.ok("GET", "/identity")
    assert (found["profile"]["name"], found["profile"]["email"]) == ("alice", "alice@example.org")


async def test_what_an_application_did_bears_its_name(
    served: Served, alice: Client, browser: Browser, app: Application
) -> None:
    note = await alice.note("Hedge", "Prune it.")
    tokens = await connect(app, browser, "os.notes:read os.notes:write os.snapshots:read")
    (grant,) = (await served.command("user_grants", username="alice")).grants
    async with with_token(served, tokens) as client:
        await client.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "Leave it."})
        (snapshot,) = (await client.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"]
    assert snapshot["author"] == {
        "kind": "key",
        "id": f"oauth:{grant.id}",
        "name": "Garden Planner",
    }


def basic(name: str, secret: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_an_application_with_a_secret_must_send_it(
    served: Served, browser: Browser, method: str
) -> None:
    app = await register(served, token_endpoint_auth_method=method)
    assert app.secret is not None
    heard = await browser.says_yes(app.asks())
    form: dict[str, Any] = {
        "grant_type": "authorization_code",
        "code": heard["code"],
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
    }
    named = {"client_id": app.client_id}
    for headers, fields in (
        ({}, named),
        ({}, named | {"client_secret": "wrong"}),
        (basic(app.client_id, "wrong"), {}),
        (basic(app.client_id, ""), {}),
        (basic("unknown", app.secret), {}),
        ({"Authorization": b"Basic \xe9"}, named),
        ({"Authorization": "Basic !!!"}, named),
    ):
        refused = await app.http.post(f"{OAUTH}/token", data=form | fields, headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")
        assert refused.headers["www-authenticate"].startswith("Basic ")
    twice = await app.http.post(
        f"{OAUTH}/token",
        data=form | {"client_secret": app.secret},
        headers=basic(app.client_id, app.secret),
    )
    assert twice.json()["error"] == "invalid_request"
    given = await app.http.post(
        f"{OAUTH}/token", data=form, headers=basic(app.client_id, app.secret)
    )
    assert given.status_code == 200
    refreshed = await app.refresh(given.json()["refresh_token"], client_secret=app.secret)
    assert refreshed.status_code == 200
    without = await app.refresh(refreshed.json()["refresh_token"])
    assert (without.status_code, without.json()["error"]) == (401, "invalid_client")


async def test_a_token_is_never_taken_from_an_address(
    served: Served, browser: Browser, app: Application
) -> None:
    token = (await connect(app, browser))["access_token"]
    async with served.client() as client:
        for address in (f"{BASE}/identity", f"{OAUTH}/userinfo"):
            response = await client.get(address, params={"access_token": token})
            assert response.status_code == 401
    assert ORIGIN in address


class TestGuessing:
    """An address that guesses codes and secrets."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, failed_limit=3)

    async def test_it_is_slowed_down_and_what_holds_is_not(
        self, served: Served, browser: Browser, app: Application
    ) -> None:
        heard = await browser.says_yes(app.asks())
        answers = [(await app.exchange("unknown")).status_code for _ in range(4)]
        assert answers == [400, 400, 400, 429]
        assert (await app.refresh("unknown")).status_code == 429
        tokens = (await app.exchange(heard["code"])).json()
        assert (await app.refresh(tokens["refresh_token"])).status_code == 200


async def test_a_key_that_cannot_be_kept_uses_no_code_up(
    served: Served, browser: Browser, app: Application
) -> None:
    heard = await browser.says_yes(app.asks())
    blocked = served.parts.store.path.parent / "signing-key"
    blocked.mkdir()
    assert (await app.exchange(heard["code"])).status_code == 503
    blocked.rmdir()
    assert (await app.exchange(heard["code"])).status_code == 200


async def test_a_signing_key_that_is_damaged_is_made_anew(
    served: Served, browser: Browser, app: Application, caplog: pytest.LogCaptureFixture
) -> None:
    (served.parts.store.path.parent / "signing-key").write_text('{"kty": "RSA"}')
    tokens = await connect(app, browser)
    assert tokens["id_token"]
    assert "a new key signs id tokens from now on" in caplog.text
