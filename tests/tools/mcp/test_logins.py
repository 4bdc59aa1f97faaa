"""Signing in to MCP servers by OAuth: what is asked, kept, renewed, taken back and refused."""

from urllib.parse import parse_qs, urlsplit

import httpx2 as httpx
import pytest
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from app.tools.mcp import challenge
from app.tools.mcp.connections import McpConnections
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.mcp_server import Listening
from tests.support.sealing import unreadable_key
from tests.tools.mcp.conftest import add, use

pytestmark = pytest.mark.anyio
CALLBACK = ORIGIN + "/api/auth/mcp/callback"


async def answered(url: str) -> httpx.URL:
    """Visit the authorization server and give where it sends the browser."""
    async with httpx.AsyncClient(verify=False) as browser:  # else it reads all certificates
        response = await browser.get(url)
    assert response.status_code == 302, response.text
    return httpx.URL(response.headers["location"])


async def come_back(served: Served, to: httpx.URL | str) -> httpx.Response:
    async with served.client() as browser:
        return await browser.get(str(to))


async def sign_in(alice: Client, served: Served, id_: str) -> httpx.Response:
    begun = await alice.ok("POST", f"/tools/mcp/{id_}/authorize")
    return await come_back(served, await answered(begun["authorizeUrl"]))


async def status(client: Client, id_: str) -> str:
    return str((await client.ok("GET", f"/tools/mcp/{id_}"))["server"]["status"])


async def test_the_whole_walk(
    alice: Client, served: Served, guarded: Listening, clock: MovableClock
) -> None:
    added = await add(alice, guarded.url)
    assert (added["status"], added["toolCount"]) == ("needs_reauth", 0)
    begun = await alice.ok("POST", f"/tools/mcp/{added['id']}/authorize")
    assert begun["expiresAt"] == "2026-11-21T09:40:00.000Z"
    asked = parse_qs(urlsplit(begun["authorizeUrl"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["resource"] == [guarded.url]
    assert asked["redirect_uri"] == [CALLBACK]
    back = await answered(begun["authorizeUrl"])
    page = await come_back(served, back)
    assert (page.status_code, "Plain" in page.text) == (200, True)
    assert await status(alice, added["id"]) == "connected"
    assert (await use(alice, "plain__echo", text="in"))["content"][0]["text"] == "in"
    again = await come_back(served, back)
    assert again.status_code == 400
    assert "begun before" in again.text
    (row,) = (await alice.ok("GET", "/tools/integrations"))["integrations"]
    assert (row["id"], row["kind"], row["status"]) == (added["id"], "mcp", "connected")


async def test_tokens_lie_encrypted_and_are_shown_nowhere(
    alice: Client, served: Served, guarded: Listening
) -> None:
    added = await add(alice, guarded.url, config={"headers": {"X-Team": "a-secret-of-mine"}})
    await sign_in(alice, served, added["id"])
    provider = guarded.provider
    assert provider is not None
    tokens = [*provider.access, *provider.refresh]
    assert len(tokens) == 2
    shown = str(await alice.ok("GET", "/tools/mcp")) + str(
        await alice.ok("GET", f"/tools/mcp/{added['id']}")
    )
    folder = served.parts.store.path.parent
    held = b"".join(path.read_bytes() for path in folder.glob("hearth.db*"))
    assert b"X-Team" not in held
    for secret in (*tokens, "a-secret-of-mine"):
        assert secret not in shown
        assert secret.encode() not in held
    key = folder / "sealing-key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    served.parts.seal._key = None
    await served.parts.part(McpConnections).drop(int(added["id"][4:]))
    gone = await alice.ok("POST", f"/tools/mcp/{added['id']}/refresh")
    assert gone["server"]["status"] == "needs_reauth"
    assert "sealing-key" in gone["server"]["lastError"]


async def test_a_sealing_key_that_cannot_be_read_is_told_and_nothing_is_lost(
    alice: Client, served: Served, guarded: Listening
) -> None:
    config = {"headers": {"X-Team": "a-secret-of-mine"}}
    added = await add(alice, guarded.url, config=config)
    await sign_in(alice, served, added["id"])
    path = f"/tools/mcp/{added['id']}"
    await served.parts.part(McpConnections).drop(int(added["id"][4:]))
    with unreadable_key(served.parts.seal):
        refusal = await alice.refused("POST", f"{path}/refresh", 503, "unavailable")
        assert "sealing-key" in refusal["message"]
        assert "sealing-key" in (await alice.ok("GET", path))["server"]["lastError"]
        await alice.refused("PATCH", path, 503, "unavailable", json={"config": config})
    assert (await alice.ok("POST", f"{path}/refresh"))["server"]["status"] == "connected"
    assert (await use(alice, "plain__echo", text="in"))["content"][0]["text"] == "in"
    shown = (await alice.ok("GET", path))["server"]
    assert shown["config"] == {"headers": {"X-Team": "********"}}


async def test_a_token_that_has_ended_is_renewed_and_rotated(
    alice: Client, served: Served, guarded: Listening, clock: MovableClock
) -> None:
    added = await add(alice, guarded.url)
    await sign_in(alice, served, added["id"])
    provider = guarded.provider
    assert provider is not None
    first = list(provider.refresh)
    clock.forward(hours=2)
    provider.access.clear()
    assert (await use(alice, "plain__add", a=1, b=1))["structuredContent"] == {"result": 2}
    assert list(provider.refresh) != first
    await served.parts.part(McpConnections).drop(int(added["id"][4:]))
    assert (await use(alice, "plain__add", a=1, b=2))["structuredContent"] == {"result": 3}
    provider.access.clear()
    provider.refresh.clear()
    await alice.refused(
        "POST",
        "/tools",
        503,
        "unavailable",
        json={"tool": "plain__add", "params": {"a": 1, "b": 1}},
    )
    assert await status(alice, added["id"]) == "needs_reauth"
    await alice.refused(
        "POST", "/tools", 404, "not_found", json={"tool": "plain__add", "params": {"a": 1, "b": 1}}
    )
    assert (await sign_in(alice, served, added["id"])).status_code == 200
    assert await status(alice, added["id"]) == "connected"
    assert len(provider.clients) == 1


async def test_disconnecting_forgets_and_revokes_the_login(
    alice: Client, served: Served, guarded: Listening
) -> None:
    added = await add(alice, guarded.url)
    await sign_in(alice, served, added["id"])
    left = (await alice.ok("POST", f"/tools/mcp/{added['id']}/disconnect"))["server"]
    assert (left["status"], left["toolCount"]) == ("disconnected", 0)
    await served.parts.tasks.close(5)
    assert "POST /revoke" in guarded.asked
    body = {"tool": "plain__echo", "params": {"text": "x"}}
    await alice.refused("POST", "/tools", 404, "not_found", json=body)
    refreshed = await alice.ok("POST", f"/tools/mcp/{added['id']}/refresh")
    assert refreshed["server"]["status"] == "needs_reauth"
    patched = await alice.ok("PATCH", f"/tools/mcp/{added['id']}", json={"status": "disconnected"})
    assert patched["server"]["status"] == "disconnected"


async def test_a_server_without_a_login_is_not_authorizable(
    alice: Client, server: Listening
) -> None:
    added = await add(alice, server.url)
    await alice.refused("POST", f"/tools/mcp/{added['id']}/authorize", 409, "not_authorizable")
    keyed = await add(
        alice, server.url, "Keyed", config={"headers": {"Authorization": "Bearer abcdef"}}
    )
    await alice.refused("POST", f"/tools/mcp/{keyed['id']}/authorize", 409, "not_authorizable")


async def test_an_answer_that_is_none_opens_nothing(
    alice: Client, bob: Client, served: Served, guarded: Listening
) -> None:
    added = await add(alice, guarded.url)
    path = f"/tools/mcp/{added['id']}/authorize"
    begun = (await alice.ok("POST", path))["authorizeUrl"]
    state = parse_qs(urlsplit(begun).query)["state"][0]
    for query in (
        "",
        "state=unknown&code=x",
        f"state={state}&state={state}&code=x",
        "state=%00&code=%1b",
    ):
        page = await come_back(served, f"{CALLBACK}?{query}")
        assert page.status_code == 400
    denied = await come_back(served, f"{CALLBACK}?state={state}&error=access_denied")
    assert (denied.status_code, "refused" in denied.text) == (400, True)
    back = await answered((await alice.ok("POST", path))["authorizeUrl"])
    mixed = await come_back(served, back.copy_merge_params({"iss": "https://evil.example"}))
    assert mixed.status_code == 400
    wrong = await answered((await alice.ok("POST", path))["authorizeUrl"])
    guessed = await come_back(served, wrong.copy_set_param("code", "guessed"))
    assert guessed.status_code == 400
    assert "<script" not in guessed.text
    older = await answered((await alice.ok("POST", path))["authorizeUrl"])
    await alice.ok("POST", path)
    assert (await come_back(served, older)).status_code == 400
    assert await status(alice, added["id"]) == "needs_reauth"


async def test_the_client_has_a_document(served: Served) -> None:
    found = (await come_back(served, ORIGIN + "/api/auth/mcp/client.json")).json()
    assert found["client_id"] == ORIGIN + "/api/auth/mcp/client.json"
    assert found["redirect_uris"] == [CALLBACK]


async def test_more_rights_are_asked_for_once(
    alice: Client, served: Served, guarded: Listening
) -> None:
    added = await add(alice, guarded.url)
    await sign_in(alice, served, added["id"])
    provider = guarded.provider
    assert provider is not None
    body = {"tool": "plain__echo", "params": {"text": "x"}}
    guarded.wanted = "read"
    await alice.refused("POST", "/tools", 503, "unavailable", json=body)
    shown = (await alice.ok("GET", f"/tools/mcp/{added['id']}"))["server"]
    assert shown["status"] == "needs_reauth"
    assert shown["lastError"].endswith("more rights than its login gave: read. Authorize it again.")
    await sign_in(alice, served, added["id"])
    assert provider.asked[-1].scopes == ["read"]
    await use(alice, "plain__echo", text="x")
    guarded.wanted = "write"
    await alice.refused("POST", "/tools", 503, "unavailable", json=body)
    await sign_in(alice, served, added["id"])
    assert provider.asked[-1].scopes == ["read", "write"]
    await use(alice, "plain__echo", text="x")
    assert len(provider.clients) == 1


@pytest.mark.parametrize("wanted", ["read", " "])
async def test_a_server_that_never_has_rights_enough_asks_for_no_login(
    alice: Client, served: Served, guarded: Listening, wanted: str
) -> None:
    added = await add(alice, guarded.url)
    await sign_in(alice, served, added["id"])
    guarded.wanted, guarded.gives_in = wanted, False
    body = {"tool": "plain__echo", "params": {"text": "x"}}
    await alice.refused("POST", "/tools", 503, "unavailable", json=body)
    await sign_in(alice, served, added["id"])
    for _ in range(3):
        told = await alice.refused("POST", "/tools", 422, "unprocessable", json=body)
        assert "asked for in vain" in told["message"]
    assert await status(alice, added["id"]) == "connected"
    guarded.wanted = ""
    await use(alice, "plain__echo", text="x")


async def test_who_wants_no_more_rights_has_the_other_tools_back(
    alice: Client, served: Served, guarded: Listening
) -> None:
    added = await add(alice, guarded.url)
    await sign_in(alice, served, added["id"])
    guarded.wanted = "write"
    body = {"tool": "plain__echo", "params": {"text": "x"}}
    await alice.refused("POST", "/tools", 503, "unavailable", json=body)
    refreshed = await alice.ok("POST", f"/tools/mcp/{added['id']}/refresh")
    assert (refreshed["server"]["status"], refreshed["toolCount"] > 3) == ("connected", True)


async def test_a_login_that_only_a_call_wants(
    alice: Client, served: Served, server: Listening, guarded: Listening
) -> None:
    added = await add(alice, server.url)
    assert added["status"] == "connected"
    server.wanted, server.signed_in_at = "*", guarded.url.removesuffix("/mcp") + "/"
    body = {"tool": "plain__echo", "params": {"text": "x"}}
    await alice.refused("POST", "/tools", 503, "unavailable", json=body)
    assert await status(alice, added["id"]) == "needs_reauth"
    assert (await sign_in(alice, served, added["id"])).status_code == 200
    await use(alice, "plain__echo", text="x")


async def test_a_client_that_its_owner_has_registered(
    alice: Client, served: Served, guarded: Listening
) -> None:
    provider = guarded.provider
    assert provider is not None
    for method, secret in (("client_secret_basic", "a-secret-of-mine"), ("none", None)):
        provider.clients["mine"] = OAuthClientInformationFull(
            client_id="mine",
            client_secret=secret,
            redirect_uris=[AnyUrl(CALLBACK)],
            token_endpoint_auth_method=method,  # type: ignore[arg-type]
        )
        config = {"clientId": "mine"} | ({} if secret is None else {"clientSecret": secret})
        added = await add(alice, guarded.url, method, config=config)
        assert added["config"] == config | ({} if secret is None else {"clientSecret": "********"})
        masked = await alice.ok(
            "PATCH", f"/tools/mcp/{added['id']}", json={"config": added["config"]}
        )
        assert masked["server"]["config"] == added["config"]
        assert (await sign_in(alice, served, added["id"])).status_code == 200
        assert await status(alice, added["id"]) == "connected"
    assert list(provider.clients) == ["mine"]
    for config in ({"clientSecret": "x"}, {"clientId": "a\nb"}, {"command": "x", "clientId": "y"}):
        body = {"name": "Bad", "serverUrl": guarded.url, "config": config}
        refused = await alice.post("/tools/mcp", json=body)
        assert refused.status_code in (400, 403), refused.text


@pytest.mark.parametrize(
    ("status_", "header", "scopes", "metadata", "steps_up"),
    [
        (401, "", (), None, False),
        (401, "Bearer", (), None, False),
        (401, 'Bearer scope="a b a"', ("a", "b"), None, False),
        (403, 'Bearer error="insufficient_scope", scope=a', ("a",), None, True),
        (403, 'Basic, Bearer scope="a", error=insufficient_scope', ("a",), None, True),
        (401, 'Bearer resource_metadata="https://x/y"', (), "https://x/y", False),
        (401, 'Bearer resource_metadata="javascript:x"', (), None, False),
        (401, f'Bearer resource_metadata="https://x/{"y" * 3000}"', (), None, False),
        (401, 'Bearer scope="\x1b[31m a\\b \u202e ok"', ("ok",), None, False),
        (401, f'Bearer scope="{"s" * 900} ok"', ("ok",), None, False),
        (401, 'Bearer x_scope="evil"', (), None, False),
    ],
)
def test_what_a_server_wants_is_read_with_care(
    status_: int, header: str, scopes: tuple[str, ...], metadata: str | None, steps_up: bool
) -> None:
    found = challenge.read(status_, header)
    is_bearer = "Bearer" in header
    assert found == challenge.Challenge(scopes, metadata, steps_up, is_bearer)
    assert not is_bearer or challenge.read(status_, found.header) == found
    assert challenge.opened(challenge.stored(found)) == found
    assert len(challenge.known_scopes(" ".join(map(str, range(900))))) == challenge.MOST_SCOPES


def test_other_answers_want_nothing() -> None:
    assert challenge.read(403, 'Bearer error="invalid_token"') is None
    assert challenge.read(200, 'Bearer error="insufficient_scope"') is None
