"""The endpoints that applications call: token, revocation, registration, userinfo, public keys."""

import asyncio
import base64
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.account import oauth_grants, oauth_tokens, users
from app.account.oauth import clients, codes
from app.account.oauth.clients import ClientRefused, NamedClients
from app.account.oauth.policy import OAUTH
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.process.lazy_import import lazy_import
from app.errors import Invalid, RateLimited
from app.interfaces.credentials import address_of, key_of
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit

LARGEST_REGISTRATION = 64 << 10
GUESSED = ("invalid_client", "invalid_grant")
ASK_AGAIN_HOURLY = {"Cache-Control": "public, max-age=3600"}
BASIC = {"WWW-Authenticate": 'Basic realm="Hearth", charset="UTF-8"'}
NO_HEADERS: Mapping[str, str] = {}


class TokenEndpoints:
    """The endpoints at which no user sits."""

    def __init__(self, named: NamedClients) -> None:
        self.named = named
        self._key: Any = None
        self._one = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Give the routes."""
        return [
            Route(OAUTH + "/token", self.token, methods=["POST"]),
            Route(OAUTH + "/revoke", self.revoke, methods=["POST"]),
            Route(OAUTH + "/register", self.register, methods=["POST"]),
            Route(OAUTH + "/userinfo", self.userinfo, methods=["GET", "POST"]),
            Route(OAUTH + "/jwks", self.keys),
        ]

    async def token(self, visit: Visit) -> Response:
        """Give tokens for a code or a refresh token."""
        try:
            form = await form_of(visit)
        except Invalid as error:
            return _refused("invalid_request", error.message)
        origin = visit.origin
        server = await lazy_import("app.account.oauth.authorization_server")
        code = visit.parts.quick(codes.find, value_of(form, "code"))
        if code is not None and "openid" in code.scopes:
            await self._signing_key(visit)  # what could fail must not fail once the code is used up
        answer = await visit.parts.write(server.exchange, self.named, origin, form, _basic(visit))
        if answer.body.get("error") in GUESSED:
            visit.guessed()
        headers = BASIC if answer.status == 401 else NO_HEADERS
        if answer.claims is None:
            return json_response(answer.body, answer.status, dict(headers))
        id_tokens = await lazy_import("app.account.oauth.id_tokens")
        claims = {"iss": origin, **answer.claims}
        return json_response(
            answer.body | {"id_token": id_tokens.signed(await self._signing_key(visit), claims)}
        )

    async def revoke(self, visit: Visit) -> Response:
        """End a token; of one that is unknown nobody learns so."""
        try:
            token = value_of(await form_of(visit), "token")
        except Invalid:
            token = ""
        if token:
            await visit.parts.write(oauth_tokens.revoke, token)
        return json_response({})

    async def register(self, visit: Visit) -> Response:
        """Let an application make itself known (RFC 7591)."""
        registration = visit.parts.settings.oauth_registration
        if registration == "off":
            return _refused("access_denied", "Client registration is disabled", status=403)
        if wait := visit.parts.rates.registrations.take_token(address_of(visit.scope)).wait:
            raise RateLimited("Too many registrations; wait a moment.", retryAfter=wait)
        try:
            sent = await visit.fields(LARGEST_REGISTRATION)
            metadata = msgspec.convert(sent, clients.Metadata)
        except (Invalid, msgspec.ValidationError) as error:
            return _refused("invalid_client_metadata", str(error))
        try:
            clients.checked(metadata, registration)
            registered = await visit.parts.write(clients.register, metadata, registration)
        except ClientRefused as refused:
            return _refused(refused.error, refused.description)
        return json_response(registered, 201)

    async def userinfo(self, visit: Visit) -> Response:
        """Tell an application who its user is, as far as its scopes allow."""
        token = key_of(visit.sent)
        me = None if token is None else visit.credentials.ring.find_caller(token)
        if me is None or me.kind != "oauth":
            if token is not None:
                visit.credentials.failed(visit.scope)
            raise visit.unauthorized(sent=token is not None)
        visit.exchange.caller = me
        visit.credentials.ring.note_use(me)
        me.require(("openid",))
        return json_response(visit.parts.quick(_userinfo, me))

    async def keys(self, visit: Visit) -> Response:
        """Give the public keys of id tokens."""
        key = await self._signing_key(visit)
        id_tokens = await lazy_import("app.account.oauth.id_tokens")
        return json_response(id_tokens.public(key), headers=ASK_AGAIN_HOURLY)

    async def _signing_key(self, visit: Visit) -> Any:
        async with self._one:
            if self._key is None:
                id_tokens = await lazy_import("app.account.oauth.id_tokens")
                self._key = await asyncio.to_thread(id_tokens.load, visit.parts.store.path.parent)
        return self._key


def _userinfo(tx: Tx, me: Caller) -> dict[str, Any]:
    chosen = users.settings_of(tx, me.user)
    told: dict[str, Any] = {"sub": oauth_grants.subject_of(tx, me.credential or 0)}
    if "profile" in me.rights:
        first, _, last = chosen.name.rpartition(" ")
        told |= {
            "name": chosen.name,
            "given_name": first or last,
            "family_name": last if first else None,
            "picture": None,
            "preferred_username": me.username,
        }
    if "email" in me.rights:
        told["email"] = chosen.email
    return told


def _basic(visit: Visit) -> dict[str, str]:
    """Give the credentials that a client sent by HTTP Basic, where they can be read."""
    sent = visit.sent.get(b"authorization", b"")
    if sent[:6].lower() != b"basic ":
        return {}
    try:
        base64_text = sent.decode("ascii")
        base64.b64decode(base64_text[6:], validate=True).decode("utf-8")
    except ValueError:
        return {"Authorization": "Basic Og=="}
    return {"Authorization": base64_text}


def _refused(error: str, description: str, *, status: int = 400) -> Response:
    return json_response({"error": error, "error_description": description}, status)
