"""The way of a user through OAuth: what an application asks, the page that says it, the answer."""

import re
from typing import cast
from urllib.parse import quote, urlsplit

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.account.oauth import client_documents, clients, codes, redirect_uris
from app.account.oauth.clients import CLI_PAGE, Client, NamedClients
from app.account.oauth.policy import OAUTH
from app.account.oauth.refusals import BadRequest, SentBack
from app.account.oauth.sealed_requests import Asked, RequestSeal
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Clock
from app.core.process.lazy_import import lazy_import
from app.errors import AlreadyDecided, Forbidden, Invalid, NotFound, RateLimited, Unauthorized
from app.interfaces.credentials import address_of
from app.interfaces.languages.said import said
from app.interfaces.languages.words import Words
from app.interfaces.oauth import rights
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.forms import fields_of, form_of, value_of
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.render_page import notice, page, told_as_page
from app.interfaces.pages.sign_in_page import SIGN_IN
from app.interfaces.pages.visit import Visit

CONSENT = "/auth/consent"
LONGEST_QUERY = 4_000
LARGEST = 64 << 10
CODE = re.compile(r"[A-Za-z0-9_.~-]{1,200}")
NOT_SENT = "Nothing was sent anywhere. Go back to the application and try again."


class Decision(msgspec.Struct, rename="camel"):
    """What a user answers by the call."""

    request_id: str
    decision: str
    scopes: list[str] | None = None


class ConsentPages:
    """The pages between an application's request and its answer."""

    def __init__(self, clock: Clock, named: NamedClients) -> None:
        self.named = named
        self.seal = RequestSeal(clock)

    def routes(self) -> list[Route]:
        """Give the routes."""
        return [
            Route(OAUTH + "/authorize", self.authorize),
            Route(OAUTH + "/consent", self.decide, methods=["POST"]),
            Route(CONSENT, self.ask),
            Route(CONSENT, self.hear, methods=["POST"]),
            Route(CLI_PAGE, self.show_code),
        ]

    @told_as_page
    async def authorize(self, visit: Visit) -> Response:
        """Check what an application asks, and lead its user to the page that says it."""
        query = visit.scope["query_string"]
        if len(query) > LONGEST_QUERY:
            raise Invalid(f"The request is longer than {LONGEST_QUERY} characters. {NOT_SENT}")
        server = await lazy_import("app.account.oauth.authorization_server")
        me = visit.session_caller()
        sent = fields_of(query)
        try:
            client_id = await self._described(visit, dict(sent))
            if client_id is not None and me is None:
                return await _sign_in_first(visit, client_id)
            asked = visit.parts.quick(server.check, self.named, visit.origin, sent, me)
        except BadRequest as error:
            return await notice(visit, "consent.refused", error.message, NOT_SENT, status=400)
        except SentBack as back:
            return _redirect(back.location)
        return _redirect(f"{CONSENT}?request={self.seal.seal(asked)}")

    @told_as_page
    async def ask(self, visit: Visit) -> Response:
        """Show what an application asks; first the page to sign in, where nobody has."""
        sealed = visit.query_params.get("request", "")
        return await self._shown(visit, sealed)

    @told_as_page
    async def hear(self, visit: Visit) -> Response:
        """Take the answer that the form of the page holds, and go on to the application."""
        form = await form_of(visit)
        sealed = value_of(form, "request")
        me = visit.session_caller()
        if me is None:
            return await self._shown(visit, sealed)
        token = self.seal.token_for(me.credential, sealed)
        is_own = visit.credentials.guard.is_own_page(visit.sent, visit.scheme)
        if not (is_own and random_tokens.equal_secrets(value_of(form, "token"), token)):
            raise Forbidden("Only the page of this request may answer it. Open it again.")
        asked = self.seal.opened(sealed)
        if asked is None:
            return await _expired(visit)
        yes = value_of(form, "decision") == "approve"
        ticked = tuple(value for name, value in form if name == "scope")
        try:
            location = await self._answered(visit, me, asked, ticked if yes else None)
        except Invalid as error:
            return await self._shown(visit, sealed, ticked=ticked, trouble=error.message)
        except (AlreadyDecided, BadRequest, Unauthorized):
            return await self._shown(visit, sealed)
        return await _leaving(visit, location, yes=yes)

    async def decide(self, visit: Visit) -> Response:
        """Take an answer by the call that pages with scripts make."""
        me = visit.session_caller()
        if me is None:
            raise visit.unauthorized()
        visit.credentials.require_own_page(visit.method, visit.sent, visit.scheme)
        try:
            sent = await visit.fields(LARGEST)
            given = msgspec.convert(sent, Decision)
        except msgspec.ValidationError as error:
            raise Invalid(f"{error}.", field="requestId") from None
        if given.decision not in ("approve", "deny"):
            raise Invalid("decision must be approve or deny.", field="decision")
        asked = self.seal.opened(given.request_id)
        if asked is None:
            raise NotFound("This request is unknown, or older than ten minutes.")
        scopes = asked.scopes if given.scopes is None else tuple(given.scopes)
        try:
            location = await self._answered(
                visit, me, asked, scopes if given.decision == "approve" else None
            )
        except BadRequest as error:
            raise Invalid(error.message, field="requestId") from None
        return json_response({"success": True, "redirectTo": location})

    @told_as_page
    async def show_code(self, visit: Visit) -> Response:
        """Show a code to copy, for a program that no answer can be sent to."""
        code = visit.query_params.get("code", "")
        if CODE.fullmatch(code):
            return await page(visit, "code", code=code)
        if visit.query_params.get("error") == "access_denied":
            return await notice(visit, "consent.not_connected")
        say = await visit.words()
        return await notice(visit, "consent.no_code", say("consent.start_again"), status=400)

    async def _shown(
        self, visit: Visit, sealed: str, *, ticked: tuple[str, ...] | None = None, trouble: str = ""
    ) -> Response:
        """Show the page of a request as it stands now."""
        asked = self.seal.opened(sealed)
        if asked is None:
            return await _expired(visit)
        here = f"{CONSENT}?request={sealed}"
        me = visit.session_caller()
        server = await lazy_import("app.account.oauth.authorization_server")
        origin, say = visit.origin, await visit.words()
        try:
            client: Client = visit.parts.quick(server.client_of, self.named, origin, asked)
            if me is None:
                why = say("consent.why", client=client.name)
                return await sign_in_page.shown(visit, next_=here, why=why, status=401)
            if visit.parts.quick(codes.is_answered, asked):
                return await notice(visit, "consent.answered", status=409)
            visit.parts.quick(server.signed_in_for, me, asked)
        except BadRequest as error:
            again = say("consent.start_again")
            return await notice(visit, "consent.ended", error.message, again, status=400)
        except Unauthorized:
            why = say("consent.why_again", client=client.name)
            return await sign_in_page.shown(visit, next_=here, why=why, status=401)
        return await page(
            visit,
            "consent",
            status=400 if trouble else 200,
            client=client,
            target=_target(say, asked.redirect_uri, origin),
            warning=_warning(say, client, asked.redirect_uri),
            groups=rights.groups_of(asked.scopes),
            ticked=asked.scopes if ticked is None else ticked,
            sealed=sealed,
            token=self.seal.token_for(me.credential, sealed),
            username=me.username,
            switch=f"{SIGN_IN}?next={quote(here, safe='')}",
            trouble=said(say, trouble),
        )

    async def _described(self, visit: Visit, sent: dict[str, str]) -> str | None:
        """Return the name of an application that is the address of a document, if it is one.

        Where somebody has signed in, what the document says is known afterwards.
        """
        client_id = sent.get("client_id", "")
        if not client_documents.is_address(client_id) or self.named.find(client_id, visit.origin):
            return None
        client_documents.demand_allowed(visit.parts, client_id, sent.get("redirect_uri", ""))
        if visit.session_caller() is not None and not visit.parts.quick(
            clients.is_fresh, client_id
        ):
            if wait := visit.parts.rates.registrations.take_token(address_of(visit.scope)).wait:
                raise RateLimited("Too many applications; wait a moment.", retryAfter=wait)
            await client_documents.renew(visit.parts, client_id)
        return client_id

    async def _answered(
        self, visit: Visit, me: Caller, asked: Asked, scopes: tuple[str, ...] | None
    ) -> str:
        """Keep an answer and return where it takes the user."""
        server = await lazy_import("app.account.oauth.authorization_server")
        location = await visit.parts.write(
            server.answer, me, self.named, visit.origin, asked, scopes=scopes
        )
        return cast(str, location)


async def _sign_in_first(visit: Visit, client_id: str) -> Response:
    """Show the form to sign in before the document of an application is fetched."""
    host = client_documents.host_of(client_id)
    query = visit.scope["query_string"].decode("latin-1")
    say = await visit.words()
    return await sign_in_page.shown(
        visit,
        next_=sign_in_page.own_page(f"{OAUTH}/authorize?{query}"),
        why=say("consent.why_described", host=host),
        status=401,
    )


def _warning(say: Words, client: Client, uri: str) -> str:
    """Say how far it is known who an application is."""
    if client.vouched:
        return ""
    host = client_documents.host_of(client.client_id)
    if not host:
        return say("consent.warning.own_name")
    if redirect_uris.is_local(uri):
        return say("consent.warning.local", host=host)
    if uri.startswith(f"https://{host}/"):
        return say("consent.warning.same_host", host=host)
    return say("consent.warning.elsewhere", host=host)


def _target(say: Words, uri: str, origin: str) -> dict[str, str]:
    """Say where an answer goes, in words and as an address without its query."""
    address = uri.partition("?")[0]
    if uri == origin + CLI_PAGE:
        words = say("consent.target.code")
    elif redirect_uris.is_local(uri):
        words = say("consent.target.local")
    elif uri.startswith("https://"):
        words = say("consent.target.site", host=urlsplit(uri).netloc)
    else:
        words = say("consent.target.scheme", scheme=uri.partition(":")[0])
    return {"words": words, "address": address}


async def _leaving(visit: Visit, location: str, *, yes: bool) -> Response:
    say = await visit.words()
    answer = "allowed" if yes else "denied"
    return await page(
        visit,
        "leaving",
        headers={"Referrer-Policy": "no-referrer"},
        title=say(f"consent.{answer}.title"),
        words=say(f"consent.{answer}.told"),
        address=location,
        link=say("consent.back"),
    )


async def _expired(visit: Visit) -> Response:
    say = await visit.words()
    return await notice(visit, "consent.expired", say("consent.start_again"), status=400)


def _redirect(location: str) -> Response:
    return Response(status_code=302, headers={"Location": location})
