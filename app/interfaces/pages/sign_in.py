"""Signing in and out at a page of this server: the way in of people, beside the API."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.app import App
from app.core.caller import OPERATOR
from app.core.json_body import decode
from app.errors import Unauthorized
from app.interfaces.credentials import Credentials, require_json, session_secret
from app.interfaces.pages.pages import json_response
from app.interfaces.wire.request_bodies import read_body

LARGEST = 16 << 10


class SignIn:
    """The three routes of a web session."""

    def __init__(self, parts: App, credentials: Credentials) -> None:
        self.parts = parts
        self.credentials = credentials

    def routes(self) -> list[Route]:
        """Give the routes."""
        return [
            Route("/api/auth/sign-in", self.sign_in, methods=["POST"]),
            Route("/api/auth/sign-out", self.sign_out, methods=["POST"]),
            Route("/api/auth/session", self.session, methods=["GET"]),
        ]

    async def sign_in(self, request: Request) -> Response:
        """Begin a session with a key or a code of the command line, and give the profile of its
        user; a session that there was ends.
        """
        require_json(_headers(request))
        given = decode(await read_body(request.receive, LARGEST))
        secret = await self.begin(request, given)
        return self._answer(request, await self._profile(secret), secret)

    async def begin(self, request: Request, given: dict[str, Any]) -> str:
        """Begin a session with the key or code that is given, and return its secret."""
        headers, scheme = _headers(request), request.scope.get("scheme", "http")
        try:
            begun = await self.parts.call(
                OPERATOR,
                "sign_in",
                {name: given[name] for name in ("key", "code") if name in given},
            )
        except Unauthorized as error:
            (self.credentials.failed if "key" in given else self.credentials.guessed)(request.scope)
            challenge = self.credentials.unauthorized(headers, scheme, sent=True).challenge
            raise error.challenged(challenge) from None
        if (before := session_secret(headers)) is not None:
            await self.parts.call(OPERATOR, "sign_out", {"secret": before})
        return str(begun.secret)

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        headers, scheme = _headers(request), request.scope.get("scheme", "http")
        self.credentials.require_own_page(request.method, headers, scheme)
        if (secret := session_secret(headers)) is not None:
            await self.parts.call(OPERATOR, "sign_out", {"secret": secret})
        return Response(
            status_code=204,
            headers={"Set-Cookie": self.credentials.cookie("", headers, scheme).decode()},
        )

    async def session(self, request: Request) -> Response:
        """Give the profile of whoever is signed in."""
        headers, scheme = _headers(request), request.scope.get("scheme", "http")
        secret = session_secret(headers)
        profile = None if secret is None else await self._profile(secret)
        if profile is None or secret is None:
            if secret is not None:
                self.credentials.failed(request.scope)
            raise self.credentials.unauthorized(headers, scheme, sent=secret is not None)
        return self._answer(request, profile, secret)

    async def _profile(self, secret: str) -> Any:
        admitted = self.credentials.sessions.admit(secret)
        return (
            None
            if admitted is None
            else (await self.parts.call(admitted[0], "identity", {})).profile
        )

    def _answer(self, request: Request, profile: Any, secret: str) -> Response:
        cookie = self.credentials.cookie(
            secret, _headers(request), request.scope.get("scheme", "http")
        )
        return json_response(
            {"success": True, "profile": profile}, headers={"Set-Cookie": cookie.decode()}
        )


def _headers(request: Request) -> dict[bytes, bytes]:
    return dict(request.scope["headers"])
