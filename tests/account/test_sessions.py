"""Web sessions: signing in by key or code, the cookie, what a session may do and from which
page, and how it ends.
"""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.account.sessions import MOST_SESSIONS, Sessions
from app.main import create_app
from app.settings import Settings
from tests.conftest import ORIGIN, Client, MovableClock, Served

pytestmark = pytest.mark.anyio

SIGN_IN, SIGN_OUT, SESSION = (
    f"{ORIGIN}/api/auth/{name}" for name in ("sign-in", "sign-out", "session")
)
PAGE = {"Origin": ORIGIN, "Content-Type": "application/json"}
MONTH = 30 * 24 * 3600
Serve = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
async def page(served: Served, alice: Client) -> AsyncIterator[Client]:
    """Alice's browser, not signed in yet."""
    async with served.client() as client:
        yield client


@pytest.fixture
def serve(data: Path, settings: Settings, clock: MovableClock) -> Serve:
    """A server with settings of the test's own."""

    @asynccontextmanager
    async def start(**changes: Any) -> AsyncIterator[Served]:
        asgi = create_app(dataclasses.replace(settings, **changes), data, clock=clock)
        async with asgi.router.lifespan_context(asgi):
            served = Served(asgi, asgi.state.parts)
            await served.command("add_user", username="alice")
            yield served

    return start


async def code(served: Served, username: str = "alice") -> str:
    return str((await served.command("make_sign_in_code", username=username)).code)


async def sign_in(served: Served, page: Client, **credential: str) -> Any:
    """Sign in and give the body, with a new code unless a credential is given."""
    response = await page.post(SIGN_IN, json=credential or {"code": await code(served)})
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_key_signs_in_and_the_cookie_is_shut_to_scripts_and_other_sites(
    served: Served, alice: Client, page: Client
) -> None:
    response = await page.post(SIGN_IN, json={"key": await served.key("alice")})
    profile = (await alice.ok("GET", "/identity"))["profile"]
    assert (response.status_code, response.json()) == (200, {"success": True, "profile": profile})
    name, value = response.headers["set-cookie"].split(";")[0].split("=")
    assert (name, len(value), value.isalnum()) == ("hearth_session", 40, True)
    assert response.headers["set-cookie"].split("; ")[1:] == [
        "Path=/",
        f"Max-Age={MONTH}",
        "HttpOnly",
        "SameSite=Lax",
    ]
    assert response.headers["cache-control"] == "no-store"
    seen = await page.get(SESSION)
    assert (seen.status_code, seen.json()) == (200, {"success": True, "profile": profile})
    stored = await served.parts.read(
        lambda tx: [tuple(row) for row in tx.all("SELECT * FROM web_sessions")]
    )
    assert value not in str(stored)
    assert value.encode() not in [cell for row in stored for cell in row]


@pytest.mark.parametrize(
    "typed",
    [
        str,
        str.lower,
        lambda code: code.replace("-", " "),
        lambda code: f" {code.replace('-', '')} ",
    ],
)
async def test_a_code_signs_in_once_however_it_is_typed(
    served: Served, page: Client, typed: Callable[[str], str]
) -> None:
    made = await code(served)
    assert (await sign_in(served, page, code=typed(made)))["profile"]["username"] == "alice"
    response = await page.post(SIGN_IN, json={"code": made})
    assert (response.status_code, response.json()["error"]) == (401, "unauthorized")


async def test_of_many_who_send_one_code_at_once_one_comes_in(served: Served, page: Client) -> None:
    made = await code(served)
    answers = await asyncio.gather(*(page.post(SIGN_IN, json={"code": made}) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 19


async def test_a_code_ends_after_ten_minutes(
    served: Served, page: Client, clock: MovableClock
) -> None:
    early, late = await code(served), await code(served)
    clock.forward(seconds=599)
    assert (await page.post(SIGN_IN, json={"code": early})).status_code == 200
    clock.forward(seconds=1)
    assert (await page.post(SIGN_IN, json={"code": late})).status_code == 401


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({}, 400, "invalid_request"),
        ({"key": "a", "code": "b"}, 400, "invalid_request"),
        ({"key": None, "code": None}, 400, "invalid_request"),
        ({"key": 5}, 400, "invalid_request"),
        ({"code": ["x"]}, 400, "invalid_request"),
        ([], 400, "invalid_request"),
        ({"key": ""}, 401, "unauthorized"),
        ({"key": "hearth_sk_" + "0" * 40}, 401, "unauthorized"),
        ({"key": "x" * 10_000}, 401, "unauthorized"),
        ({"code": ""}, 401, "unauthorized"),
        ({"code": "0000-0000-0000"}, 401, "unauthorized"),
        ({"code": "\ud7ff\u0000é"}, 401, "unauthorized"),
        ({"key": "x" * 20_000}, 413, "payload_too_large"),
    ],
)
async def test_what_is_no_credential_begins_no_session(
    served: Served, page: Client, body: Any, status: int, error: str
) -> None:
    response = await page.post(SIGN_IN, json=body)
    assert (response.status_code, response.json()["error"], "set-cookie" in response.headers) == (
        status,
        error,
        False,
    )
    assert await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM web_sessions")) == 0


async def test_a_key_of_fewer_scopes_begins_no_session(served: Served, page: Client) -> None:
    response = await page.post(
        SIGN_IN, json={"key": await served.key("alice", ["os.notes:read", "account:manage"])}
    )
    assert (response.status_code, response.json()["error"], response.json()["scope"]) == (
        403,
        "insufficient_scope",
        "*",
    )


async def test_a_credential_in_a_query_signs_nobody_in(served: Served, page: Client) -> None:
    key = await served.key("alice")
    response = await page.get(SIGN_IN, params={"key": key})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert (await page.post(SIGN_IN, params={"key": key}, json={})).status_code == 400
    assert (await page.get(SESSION, headers={"Authorization": f"Bearer {key}"})).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json", "Origin": "https://evil.test"},
        {"Content-Type": "application/json", "Origin": "null"},
        {"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_a_page_of_another_site_signs_nobody_in(
    served: Served, page: Client, headers: dict[str, str]
) -> None:
    body = b'{"code":"%s"}' % (await code(served)).encode()
    response = await page.post(SIGN_IN, content=body, headers=headers)
    assert (response.status_code, response.json()["error"], "set-cookie" in response.headers) == (
        403,
        "forbidden",
        False,
    )


async def test_a_session_has_every_scope_and_is_a_human(served: Served, page: Client) -> None:
    await sign_in(served, page)
    seen = await page.ok("GET", "/identity")
    assert (seen["scopes"], seen["credential"]["kind"], seen["credential"]["expiresAt"]) == (
        ["*"],
        "session",
        "2026-12-21T09:30:00.000Z",
    )
    await page.ok(
        "POST", "/os/notes", status=201, headers=PAGE, json={"title": "By hand", "content": ""}
    )
    await page.ok(
        "POST", "/chat", headers=PAGE, json={"message": "What is there?", "stream": False}
    )
    said = (await page.ok("GET", "/conversations"))["conversations"][0]["messages"]
    assert [message["senderType"] for message in said] == ["human", "agent"]


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Content-Type": "application/json"}, "origin_not_allowed"),
        (
            {"Content-Type": "application/json", "Origin": "http://localhost:8765"},
            "origin_not_allowed",
        ),
        ({"Content-Type": "application/json", "Origin": "http://127.0.0.1"}, "origin_not_allowed"),
        (
            {"Content-Type": "application/json", "Origin": "https://allowed.test"},
            "origin_not_allowed",
        ),
        ({"Content-Type": "text/plain", "Origin": ORIGIN}, "content_type_not_json"),
        (
            {"Content-Type": "text/plain; application/json", "Origin": ORIGIN},
            "content_type_not_json",
        ),
        ({"Origin": ORIGIN}, "content_type_not_json"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_session_changes_nothing_unless_an_own_page_asks_in_json(
    serve: Serve, headers: dict[str, str], reason: str, method: str
) -> None:
    path = {
        "POST": "/os/notes",
        "PUT": "/tools/namespaces",
        "PATCH": "/account/settings",
        "DELETE": "/os/trash",
    }[method]
    async with serve(cors_origins=("https://allowed.test",)) as served, served.client() as page:
        await sign_in(served, page)
        response = await page.request(
            method, path, content=b'{"name":"Changed","title":"x","content":""}', headers=headers
        )
        assert (response.status_code, response.json()["error"], response.json()["reason"]) == (
            403,
            "forbidden",
            reason,
        )
        assert "access-control-allow-credentials" not in response.headers
        assert (await page.ok("GET", "/account/settings"))["settings"]["name"] == "alice"
        assert (await page.ok("GET", "/os/status"))["contextCount"] == 0


async def test_a_key_beside_the_cookie_counts_alone(
    served: Served, bob: Client, page: Client
) -> None:
    await sign_in(served, page)
    for headers in (
        {"Authorization": f"Bearer {await served.key('bob')}"},
        {"X-API-Key": await served.key("bob")},
    ):
        assert (await page.ok("GET", "/identity", headers=headers))["profile"]["username"] == "bob"
        await page.ok(
            "POST", "/os/notes", status=201, headers=headers, json={"title": "x", "content": ""}
        )
    await page.refused("GET", "/identity", 401, "unauthorized", headers={"X-API-Key": "wrong"})


async def test_a_session_lives_for_thirty_days_after_its_last_use(
    served: Served, page: Client, clock: MovableClock
) -> None:
    await sign_in(served, page)
    for _ in range(4):
        clock.forward(days=29)
        response = await page.get("/identity")
        assert (response.status_code, f"Max-Age={MONTH}" in response.headers["set-cookie"]) == (
            200,
            True,
        )
        assert "set-cookie" not in (await page.get("/identity")).headers
        await served.parts.write_gathered()
    clock.forward(days=30)
    dead = await page.get("/identity")
    assert (dead.status_code, dead.json()["error"], "Max-Age=0" in dead.headers["set-cookie"]) == (
        401,
        "unauthorized",
        True,
    )
    assert 'error="invalid_token"' in dead.headers["www-authenticate"]


async def test_a_renewal_survives_a_restart_and_a_cache_that_was_emptied(
    served: Served, page: Client, clock: MovableClock
) -> None:
    await sign_in(served, page)
    secret = page.cookies["hearth_session"]
    clock.forward(days=29)
    await page.ok("GET", "/identity")
    await served.command("add_user", username="eve")
    await served.command("rename_user", username="eve", to="eva")
    clock.forward(days=2)
    await page.ok("GET", "/identity")
    await served.parts.write_gathered()
    clock.forward(days=29)
    assert Sessions(served.parts.store).admit(secret) is not None
    clock.forward(days=1)
    assert Sessions(served.parts.store).admit(secret) is None


async def test_signing_out_ends_the_session_at_once_and_may_be_repeated(
    served: Served, page: Client
) -> None:
    await sign_in(served, page)
    secret = page.cookies["hearth_session"]
    await page.ok("GET", "/identity")
    for _ in range(2):
        response = await page.post(SIGN_OUT, headers=PAGE)
        assert (
            response.status_code,
            response.content,
            "Max-Age=0" in response.headers["set-cookie"],
        ) == (204, b"", True)
    async with served.client(Cookie=f"hearth_session={secret}") as thief:
        await thief.refused("GET", "/identity", 401, "unauthorized")
        assert (await thief.get(SESSION)).status_code == 401


async def test_another_page_cannot_sign_out(served: Served, page: Client) -> None:
    await sign_in(served, page)
    for headers in (
        {"Content-Type": "application/json"},
        {"Origin": ORIGIN},
        {"Origin": "https://evil.test", "Content-Type": "application/json"},
    ):
        assert (await page.post(SIGN_OUT, headers=headers)).status_code == 403
    await page.ok("GET", "/identity")


async def test_signing_in_again_ends_the_session_before(served: Served, page: Client) -> None:
    await sign_in(served, page)
    first = page.cookies["hearth_session"]
    await sign_in(served, page)
    assert page.cookies["hearth_session"] != first
    async with served.client(Cookie=f"a=b; hearth_session={first}") as old:
        await old.refused("GET", "/identity", 401, "unauthorized")


async def test_a_session_ends_with_the_key_that_began_it(
    served: Served, alice: Client, page: Client, clock: MovableClock
) -> None:
    async def begun(**more: Any) -> int:
        made = await alice.ok("POST", "/account/keys", status=201, json={"name": "n", **more})
        await sign_in(served, page, key=made["secret"])
        await page.ok("GET", "/identity")
        return int(made["key"]["id"])

    await alice.ok("DELETE", f"/account/keys/{await begun()}")
    await page.refused("GET", "/identity", 401, "unauthorized")
    await alice.ok("POST", f"/account/keys/{await begun()}/rotate", json={"graceSeconds": 60})
    await page.ok("GET", "/identity")
    clock.forward(seconds=60)
    await page.refused("GET", "/identity", 401, "unauthorized")
    await begun(expiresIn="1h")
    clock.forward(hours=1, seconds=-1)
    assert (await page.ok("GET", "/identity"))["credential"][
        "expiresAt"
    ] == "2026-11-21T10:31:00.000Z"
    clock.forward(seconds=1)
    await page.refused("GET", "/identity", 401, "unauthorized")


async def test_the_command_line_ends_every_session_of_one_user_and_its_codes(
    served: Served, bob: Client, page: Client
) -> None:
    await sign_in(served, page)
    unused = await code(served)
    async with served.client() as other:
        await sign_in(served, other, code=await code(served, "bob"))
        assert (await served.command("end_sessions", username="alice")).sessions == 1
        await other.ok("GET", "/identity")
    assert (await page.get(SESSION)).status_code == 401
    assert (await page.post(SIGN_IN, json={"code": unused})).status_code == 401


async def test_a_user_who_is_deleted_is_signed_out(served: Served, page: Client) -> None:
    await sign_in(served, page)
    await page.ok("GET", "/identity")
    await served.command("delete_user", username="alice")
    await page.refused("GET", "/identity", 401, "unauthorized")


async def test_of_very_many_sessions_the_ones_not_used_for_longest_end(
    served: Served, page: Client, clock: MovableClock
) -> None:
    await sign_in(served, page)
    key = await served.key("alice")
    for _ in range(MOST_SESSIONS):
        clock.forward(seconds=1)
        await served.command("sign_in", key=key)
    await page.refused("GET", "/identity", 401, "unauthorized")
    assert (
        await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM web_sessions"))
        == MOST_SESSIONS
    )


async def test_what_has_ended_is_swept_away(
    served: Served, page: Client, clock: MovableClock
) -> None:
    await sign_in(served, page)
    await code(served)
    clock.forward(days=31)
    await sign_in(served, page)
    await served.command("sweep_sessions")
    counts = await served.parts.read(
        lambda tx: [
            tx.value(f"SELECT count(*) FROM {table}") for table in ("web_sessions", "sign_in_codes")
        ]
    )
    assert counts == [1, 0]
    await page.ok("GET", "/identity")


async def test_failed_sign_ins_and_dead_cookies_count_as_failed_credentials_and_live_ones_pass(
    serve: Serve,
) -> None:
    dead = {"Cookie": "hearth_session=x"}
    async with serve(failed_limit=3) as served, served.client() as page:
        good = await code(served)
        assert (await page.post(SIGN_IN, json={"key": "x"})).status_code == 401
        assert (await page.get(SESSION)).status_code == 401
        assert (await page.get(SESSION, headers=dead)).status_code == 401
        assert (await page.get("/identity", headers=dead)).status_code == 401
        for response in (
            await page.post(SIGN_IN, json={"key": "x"}),
            await page.get(SESSION, headers=dead),
            await page.get("/identity", headers=dead),
        ):
            assert (response.status_code, response.json()["error"]) == (429, "rate_limited")
            assert int(response.headers["retry-after"]) > 0
        assert [(await page.get(path)).status_code for path in (SESSION, "/identity")] == [401, 401]
        assert (await page.post(SIGN_IN, json={"code": good})).status_code == 200
        assert [(await page.get(path)).status_code for path in (SESSION, "/identity")] == [200, 200]


async def test_a_key_and_a_session_of_the_same_number_have_allowances_of_their_own(
    serve: Serve,
) -> None:
    async with (
        serve(rate_limit=2) as served,
        served.client() as page,
        served.client(await served.key("alice")) as script,
    ):
        await sign_in(served, page)
        numbers = [
            (await client.ok("GET", "/identity"))["credential"]["id"] for client in (page, script)
        ]
        assert numbers == [1, 1]
        left = [
            (await client.get("/os/notes")).headers["x-ratelimit-remaining"]
            for client in (page, script)
        ]
        assert left == ["0", "0"]


async def test_behind_a_proxy_that_speaks_https_the_cookie_is_secure_and_the_public_origin_counts(
    serve: Serve,
) -> None:
    public = "https://hearth.example.org"
    async with (
        serve(public_url=public + "/", allowed_hosts=("hearth.example.org",)) as served,
        served.client(Host="hearth.example.org") as page,
    ):
        response = await page.post(
            SIGN_IN, json={"code": await code(served)}, headers={"Origin": public}
        )
        assert response.headers["set-cookie"].endswith("; SameSite=Lax; Secure")
        cookie = {
            "Cookie": response.headers["set-cookie"].split(";")[0],
            "Content-Type": "application/json",
        }
        for origin, status in ((public, 201), ("http://hearth.example.org", 403), (ORIGIN, 403)):
            made = await page.post(
                "/os/notes",
                json={"title": "x", "content": ""},
                headers={**cookie, "Origin": origin},
            )
            assert made.status_code == status
