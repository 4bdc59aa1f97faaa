"""Sending a server's access token, and renewing it when it has ended."""

import asyncio
import base64
from collections.abc import AsyncGenerator, Awaitable, Callable
from urllib.parse import quote

import httpx2
import msgspec
from msgspec import structs

from app.tools.mcp.failures import NeedsLogin
from app.tools.mcp.login_state import Login

Keep = Callable[[Login], Awaitable[None]]
Now = Callable[[], float]
ENDED = "The login at the server has ended; authorize it again."


class _Renewed(msgspec.Struct):
    access_token: str
    token_type: str = "Bearer"  # noqa: S105 - the name of a kind
    expires_in: float | None = None
    refresh_token: str | None = None
    scope: str | None = None


class TokenAuth(httpx2.Auth):
    """Adds the token to each request; one that is renewed is kept before it is used."""

    def __init__(self, login: Login, keep: Keep, now: Now) -> None:
        self._login = login
        self._keep = keep
        self._now = now
        self._lock = asyncio.Lock()

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request with the token, and once again with a new one if it is refused."""
        async with self._lock:
            if self._login.is_over(self._now()) and self._login.refresh_token is not None:
                await self._take((yield self._renewal()))
        used = self._login.access_token
        request.headers["authorization"] = f"Bearer {used}"
        response = yield request
        if response.status_code != httpx2.codes.UNAUTHORIZED or self._login.refresh_token is None:
            return
        async with self._lock:
            if self._login.access_token == used:  # else another request has renewed it meanwhile
                await self._take((yield self._renewal()))
        request.headers["authorization"] = f"Bearer {self._login.access_token}"
        yield request

    def _renewal(self) -> httpx2.Request:
        fields = {"grant_type": "refresh_token", "refresh_token": self._login.refresh_token or ""}
        if self._login.resource is not None:
            fields["resource"] = self._login.resource
        return client_request(self._login, self._login.token_endpoint, fields)

    async def _take(self, response: httpx2.Response) -> None:
        body = await response.aread()
        try:
            found = msgspec.json.decode(body, type=_Renewed)
        except msgspec.DecodeError:
            raise NeedsLogin(ENDED) from None
        if response.status_code != httpx2.codes.OK or not found.access_token.isascii():
            raise NeedsLogin(ENDED)
        self._login = structs.replace(
            self._login,
            access_token=found.access_token,
            refresh_token=found.refresh_token or self._login.refresh_token,
            expires_at=None if found.expires_in is None else self._now() + found.expires_in,
            scope=found.scope or self._login.scope,
        )
        await self._keep(self._login)


def client_request(login: Login, url: str, fields: dict[str, str]) -> httpx2.Request:
    """Return a form that is sent to the authorization server as its client."""
    headers = {"Accept": "application/json"}
    name, secret = str(login.client.get("client_id", "")), login.client.get("client_secret")
    method = login.client.get("token_endpoint_auth_method")
    if secret and method == "client_secret_basic":
        pair = f"{quote(name, safe='')}:{quote(str(secret), safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    else:
        fields = {**fields, "client_id": name}
        if secret and method == "client_secret_post":
            fields["client_secret"] = str(secret)
    return httpx2.Request("POST", url, data=fields, headers=headers)
