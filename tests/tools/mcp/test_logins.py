"""Signing in to MCP servers by OAuth: what is asked, kept, renewed, taken back and refused."""

from urllib.parse import parse_qs, urlsplit

import httpx2 as httpx
import pytest

from app.tools.mcp.connections import McpConnections
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.mcp_server import Listening
from tests.tools.mcp.conftest import add, use

pytestmark = pytest.mark.anyio
CALLBACK = ORIGIN + "/api/auth/mcp/callback"


async def answered(url: str) -> httpx.URL:
    """Visit the authorization server and give where it sends the browser."""
    async with httpx.AsyncClient() as browser:
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
