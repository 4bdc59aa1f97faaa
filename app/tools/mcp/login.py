"""Signing in to a server: OAuth in the browser of its owner, driven by the official client.

It finds the authorization server (RFC 9728 and 8414), registers there, proves by PKCE that it
asked, names the server that the token is for, and checks who answers.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from pydantic import ValidationError

from app.core.web import addresses
from app.core.web.addresses import FetchFailed, FetchPolicy
from app.tools.mcp import challenge
from app.tools.mcp.challenge import Challenge
from app.tools.mcp.checked_transport import CheckedTransport
from app.tools.mcp.failures import McpFailed, NoLogin
from app.tools.mcp.login_state import Login
from app.tools.mcp.token_auth import client_request

BEGIN_SECONDS = 30.0
PERSON_SECONDS = 600.0
END_SECONDS = 30.0
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "hearth", "version": "1"},
    },
}

BASIC: Literal["client_secret_basic"] = "client_secret_basic"
POST: Literal["client_secret_post"] = "client_secret_post"
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


class _Kept:
    """What the flow stores while it lasts.

    `before` are the scopes of the login that is to get more of them; its token is not used.
    """

    def __init__(self, client: OAuthClientInformationFull | None, before: str | None) -> None:
        self.client = client
        self.tokens: OAuthToken | None = None
        self._before = before

    async def get_tokens(self) -> OAuthToken | None:
        if self._before is None:
            return None
        return OAuthToken(access_token="unused", token_type="Bearer", scope=self._before)  # noqa: S106 - never sent

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class _SaidAgain(httpx2.AsyncBaseTransport):
    """Reaches the server, except that what it wanted in the middle of a call is said again."""

    def __init__(self, transport: CheckedTransport) -> None:
        self._transport = transport
        self.wanted: Challenge | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        wanted, self.wanted = self.wanted, None
        if wanted is None:
            return await self._transport.handle_async_request(request)
        status = challenge.FORBIDDEN if wanted.steps_up else challenge.UNAUTHORIZED
        return httpx2.Response(status, headers={"WWW-Authenticate": wanted.header})

    async def aclose(self) -> None:
        await self._transport.aclose()


class LoginFlow:
    """One login that has begun; `state` names it in the answer of the authorization server."""

    def __init__(
        self,
        row: sqlite3.Row,
        reach: FetchPolicy,
        *,
        callback: str,
        document: str | None,
        now: Callable[[], float],
    ) -> None:
        loop = asyncio.get_running_loop()
        self.server: int = row["id"]
        self.user: int = row["user_id"]
        self.generation: int = row["generation"]
        self.state = ""
        self._url: str = row["url"]
        self._reach = reach
        self._callback = callback
        self._document = document
        self._now = now
        self._asked: asyncio.Future[str] = loop.create_future()
        self._answer: asyncio.Future[AuthorizationCodeResult] = loop.create_future()
        self._task: asyncio.Task[Login] | None = None

    async def begin(
        self, client: dict[str, Any] | None, held: Login | None, wanted: Challenge | None
    ) -> str:
        """Return the address that the owner must visit; raise McpFailed.

        `client` is how Hearth is registered there, `held` the login that there is, and `wanted`
        what the server wanted when it was used.
        """
        known, named = None, client or (None if held is None else held.client)
        if named is not None:
            with contextlib.suppress(ValidationError):
                known = OAuthClientInformationFull.model_validate(
                    {"redirect_uris": [self._callback], **named}
                )
        self._is_named = client is not None
        self._task = asyncio.create_task(self._run(known, held, wanted))
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())
        either: list[asyncio.Future[Any]] = [self._task, self._asked]
        await asyncio.wait(either, timeout=BEGIN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if self._asked.done():
            return self._asked.result()
        if not self._task.done():
            self.stop()
            raise McpFailed("The server does not answer in time.")
        await self._task  # raises why
        raise NoLogin("The server asks for no login.")

    async def finish(self, code: str, issuer: str | None) -> Login:
        """Return the login that an answer of the authorization server gives; raise McpFailed."""
        if self._task is None or self._answer.done():
            raise McpFailed("This login has been answered already.")
        self._answer.set_result(AuthorizationCodeResult(code=code, state=self.state, iss=issuer))
        try:
            async with asyncio.timeout(END_SECONDS):
                return await self._task
        except TimeoutError:
            raise McpFailed("The authorization server does not answer in time.") from None

    def stop(self) -> None:
        """Forget the login."""
        if self._task is not None:
            self._task.cancel()

    async def _run(
        self, known: OAuthClientInformationFull | None, held: Login | None, wanted: Challenge | None
    ) -> Login:
        more = wanted if wanted is not None and wanted.steps_up else None
        before = None if held is None or more is None else " ".join(held.asked) or held.scope
        kept = _Kept(known, before)
        transport = CheckedTransport(self._reach)
        server = _SaidAgain(transport)
        try:
            provider = OAuthClientProvider(
                self._url,
                OAuthClientMetadata.model_validate(client_metadata(self._callback)),
                kept,
                redirect_handler=self._ask,
                callback_handler=self._wait,
                client_metadata_url=self._document,
            )
            self._provider = provider
            async with httpx2.AsyncClient(
                transport=server,
                auth=provider,
                timeout=BEGIN_SECONDS,
                trust_env=False,
                headers={"User-Agent": "Hearth"},
            ) as http:
                server.wanted = more
                session = await self._say(http, HELLO, {})
                if kept.tokens is None:  # some greet everybody, and want a login for the rest
                    await self._say(http, LIST, session)
                if kept.tokens is None and wanted is not None:  # or for a single tool only
                    server.wanted = wanted
                    await self._say(http, LIST, session)
        except McpFailed:
            raise
        except (OAuthFlowError, ValidationError, ValueError, UnicodeError):
            raise McpFailed(
                "The server's login cannot be used: its metadata, registration or answer is not "
                "what OAuth for MCP asks for."
            ) from None
        except (httpx2.HTTPError, FetchFailed, OSError):
            raise McpFailed(
                str(
                    transport.trouble or "The server or its authorization server cannot be reached."
                )
            ) from None
        if kept.tokens is None or kept.client is None:
            raise NoLogin("The server asks for no login.")
        return self._login(provider, kept.tokens, kept.client)

    async def _say(
        self, http: httpx2.AsyncClient, message: dict[str, Any], session: dict[str, str]
    ) -> dict[str, str]:
        """Send a message, whose answer only matters if it asks for a login; return the headers of
        the session that it begins.
        """
        headers = {"Accept": "application/json, text/event-stream", **session}
        async with http.stream("POST", self._url, json=message, headers=headers) as response:
            given = response.headers.get("mcp-session-id")
        version = {"MCP-Protocol-Version": LATEST_HANDSHAKE_VERSION}
        return version | ({} if given is None else {"Mcp-Session-Id": given})

    async def _ask(self, url: str) -> None:
        """Take the address of the authorization server's page, if a person may be sent there."""
        found = self._provider.context.oauth_metadata
        if found is None or "S256" not in (found.code_challenge_methods_supported or ()):
            raise McpFailed(
                "The server's authorization server does not say that it supports PKCE (S256)."
            )
        self._choose_method(found)
        parts = urlsplit(url)
        try:
            target = addresses.parse_target(url.replace(" ", "%20"), FetchPolicy())
            addresses.require_nameable(target, self._reach)
        except FetchFailed as error:
            raise McpFailed(f"The address of the login cannot be used: {error}") from None
        here = self._reach.loopback and target.host in ("localhost", "127.0.0.1", "::1")
        if target.scheme != "https" and not here:
            raise McpFailed("The address of the login must begin with https://.")
        self.state = parse_qs(parts.query)["state"][-1]
        self._asked.set_result(url)

    def _choose_method(self, found: OAuthMetadata) -> None:
        """Let a client that its owner has named prove itself in a way that the server takes."""
        client = self._provider.context.client_info
        if not self._is_named or client is None:
            return
        takes = found.token_endpoint_auth_methods_supported or [BASIC]
        secret = [BASIC, POST] if client.client_secret else []
        client.token_endpoint_auth_method = next((one for one in secret if one in takes), "none")

    async def _wait(self) -> AuthorizationCodeResult:
        try:
            async with asyncio.timeout(PERSON_SECONDS):
                return await self._answer
        except TimeoutError:
            raise McpFailed("Nobody has answered the login in time.") from None

    def _login(
        self, provider: OAuthClientProvider, tokens: OAuthToken, client: OAuthClientInformationFull
    ) -> Login:
        context = provider.context
        found = context.oauth_metadata
        if found is None or tokens.token_type.lower() != "bearer":
            raise McpFailed("The authorization server gives no token that can be used.")
        ends = None if tokens.expires_in is None else self._now() + tokens.expires_in
        revoked_at = found.revocation_endpoint
        return Login(
            issuer=str(found.issuer),
            token_endpoint=str(found.token_endpoint),
            client=client.model_dump(mode="json", exclude_none=True),
            access_token=tokens.access_token,
            refresh_token=tokens.refresh_token,
            expires_at=ends,
            scope=tokens.scope,
            resource=context.get_resource_url(),
            revocation_endpoint=None if revoked_at is None else str(revoked_at),
            asked=challenge.known_scopes(context.client_metadata.scope),
        )


def client_metadata(callback: str) -> dict[str, Any]:
    """Return what Hearth says of itself to an authorization server."""
    return {
        "client_name": "Hearth",
        "redirect_uris": [callback],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


async def revoke(login: Login, reach: FetchPolicy) -> None:
    """Tell the authorization server that the tokens are not used any more, if it listens."""
    if login.revocation_endpoint is None:
        return
    token = login.refresh_token or login.access_token
    request = client_request(login, login.revocation_endpoint, {"token": token})
    with contextlib.suppress(httpx2.HTTPError, FetchFailed, OSError):
        async with httpx2.AsyncClient(
            transport=CheckedTransport(reach), timeout=5.0, trust_env=False
        ) as http:
            await http.send(request)
