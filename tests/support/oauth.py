"""An application that connects by OAuth, and the browser of its user."""

import base64
import hashlib
import html
import re
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx2 as httpx

from tests.conftest import ORIGIN, Client, Served

OAUTH = f"{ORIGIN}/api/auth/oauth2"
CONSENT = f"{ORIGIN}/auth/consent"
RESOURCE = f"{ORIGIN}/api/v1"
REDIRECT = "http://127.0.0.1:33418/callback"
VERIFIER = "a-verifier-that-is-long-enough-for-every-application"
SCOPES = "openid profile offline_access os.notes:read"
OWN_PAGE = {"Origin": ORIGIN}


def challenge_of(verifier: str) -> str:
    """Give the S256 challenge of a verifier."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def answer_in(location: str) -> dict[str, str]:
    """Give what an answer says, in the query of the address that it goes to."""
    return dict(parse_qsl(urlsplit(location).query))


def hidden(page: str) -> dict[str, str]:
    """Give the hidden fields of a page's form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


def ticked(page: str) -> list[str]:
    """Give the rights that are ticked."""
    return re.findall(r'name="scope" value="([^"]+)" checked', page)


def going_to(page: str) -> str:
    """Give the address that a page leads on to."""
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', page)
    assert found, page
    return html.unescape(found[1])


class Application:
    """An application that registered itself."""

    def __init__(self, served: Served, registered: dict[str, Any]) -> None:
        self.http = served.client()
        self.client_id: str = registered["client_id"]
        self.secret: str | None = registered.get("client_secret")
        self.redirect: str = registered["redirect_uris"][0]

    def asks(self, **changes: str | None) -> str:
        """Give the address of a request; None leaves a parameter out."""
        usual = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "scope": SCOPES,
            "state": "a state",
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
        }
        sent = {name: value for name, value in (usual | changes).items() if value is not None}
        return f"{OAUTH}/authorize?{urlencode(sent)}"

    async def token(self, **fields: str | None) -> httpx.Response:
        """Ask the token endpoint; None leaves a field out."""
        sent = {"client_id": self.client_id} | fields
        return await self.http.post(
            f"{OAUTH}/token",
            data={name: value for name, value in sent.items() if value is not None},
        )

    async def exchange(self, code: str, /, **changes: str | None) -> httpx.Response:
        """Exchange a code."""
        usual = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": VERIFIER,
        }
        return await self.token(**(usual | changes))

    async def refresh(self, token: str, /, **changes: str | None) -> httpx.Response:
        """Use a refresh token."""
        return await self.token(grant_type="refresh_token", refresh_token=token, **changes)


class Browser:
    """The browser of a user, as far as forms and cookies go."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.http = served.client()

    async def sign_in(self, username: str = "alice") -> None:
        """Begin a session."""
        made = await self.served.command("make_sign_in_code", username=username)
        signed_in = await self.http.post(
            f"{ORIGIN}/api/auth/sign-in", json={"code": made.code}, headers=OWN_PAGE
        )
        assert signed_in.status_code == 200

    async def open(self, address: str) -> httpx.Response:
        """Open an address and follow where it leads on this server."""
        response = await self.http.get(address)
        while response.status_code == 302 and response.headers["location"].startswith("/"):
            response = await self.http.get(ORIGIN + response.headers["location"])
        return response

    async def sent_back(self, address: str) -> dict[str, str]:
        """Open a request that is refused, and give what its application hears."""
        response = await self.http.get(address)
        assert response.status_code == 302, response.text
        location = response.headers["location"]
        assert not location.startswith("/"), "it was not refused"
        return answer_in(location)

    async def request_id(self, address: str) -> str:
        """Open a request and give the name under which it is answered."""
        response = await self.http.get(address)
        assert response.status_code == 302, response.text
        assert response.headers["location"].startswith("/auth/consent?"), response.headers
        return parse_qs(urlsplit(response.headers["location"]).query)["request"][0]

    async def answer(
        self, page: str, decision: str = "approve", scopes: list[str] | None = None, **more: str
    ) -> httpx.Response:
        """Send the form of a page."""
        fields = hidden(page) | {"decision": decision} | more
        return await self.http.post(
            CONSENT,
            data={**fields, "scope": ticked(page) if scopes is None else scopes},
            headers=OWN_PAGE,
        )

    async def says_yes(self, address: str, scopes: list[str] | None = None) -> dict[str, str]:
        """Open a request, allow it, and give what the application hears."""
        page = await self.open(address)
        assert page.status_code == 200, page.text
        answered = await self.answer(page.text, scopes=scopes)
        assert answered.status_code == 200, answered.text
        return answer_in(going_to(answered.text))

    async def decide(self, request_id: str, **fields: Any) -> httpx.Response:
        """Answer by the call."""
        return await self.http.post(
            f"{OAUTH}/consent", json={"requestId": request_id, **fields}, headers=OWN_PAGE
        )


async def register(served: Served, **metadata: Any) -> Application:
    """Register an application, a public one unless it says otherwise."""
    usual = {
        "client_name": "Garden Planner",
        "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "none",
    }
    async with served.client() as client:
        made = await client.post(f"{OAUTH}/register", json=usual | metadata)
    assert made.status_code == 201, made.text
    return Application(served, made.json())


async def connect(app: Application, browser: Browser, scope: str = SCOPES) -> dict[str, Any]:
    """Go the whole way and give the tokens."""
    heard = await browser.says_yes(app.asks(scope=scope))
    response = await app.exchange(heard["code"])
    assert response.status_code == 200, response.text
    tokens: dict[str, Any] = response.json()
    return tokens


def with_token(served: Served, tokens: dict[str, Any]) -> Client:
    """Give the client of whoever holds an access token."""
    return served.client(tokens["access_token"])
