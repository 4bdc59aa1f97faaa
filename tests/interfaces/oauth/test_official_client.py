"""The official MCP client connects by itself.

It finds, registers, asks, exchanges and refreshes.
"""

from typing import Any

import pytest
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata

from tests.conftest import BASE, MovableClock, Served
from tests.support.oauth import REDIRECT, Browser

pytestmark = pytest.mark.anyio


class Kept:
    """What the client keeps between two runs."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client: Any) -> None:
        self.client = client


def provider(browser: Browser, kept: Kept, server: str) -> OAuthClientProvider:
    heard: list[dict[str, str]] = []

    async def redirect(address: str) -> None:
        heard.append(await browser.says_yes(address))

    async def callback() -> AuthorizationCodeResult:
        answer = heard.pop()
        return AuthorizationCodeResult(**answer)

    return OAuthClientProvider(
        server,
        OAuthClientMetadata(redirect_uris=[REDIRECT], client_name="An MCP client"),
        kept,
        redirect_handler=redirect,
        callback_handler=callback,
    )


@pytest.mark.parametrize("server", [f"{BASE}/mcp", BASE])
async def test_it_connects_and_stays_connected(
    served: Served, browser: Browser, clock: MovableClock, server: str
) -> None:
    kept = Kept()
    auth = provider(browser, kept, server)
    async with served.client() as client:
        first = await client.get("/identity", auth=auth)
        assert first.status_code == 200
        assert first.json()["credential"]["name"] == "An MCP client"
        before = kept.tokens
        clock.forward(minutes=16)
        auth.context.token_expiry_time = 1
        second = await client.get("/identity", auth=auth)
    assert second.status_code == 200
    assert kept.tokens.refresh_token != before.refresh_token
    grants = (await served.command("user_grants", username="alice")).grants
    assert [grant.client_name for grant in grants] == ["An MCP client"], "it asked once"
