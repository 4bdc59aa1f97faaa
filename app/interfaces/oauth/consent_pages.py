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
IF_STARTED = "Go on only if you have just started it."
START_AGAIN = "Go back to the application and connect it again."


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
            return await notice(
                "This request cannot be answered", error.message, NOT_SENT, status=400
            )
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
            return await _expired()
        yes = value_of(form, "decision") == "approve"
        ticked = tuple(value for name, value in form if name == "scope")
        try:
            location = await self._answered(visit, me, asked, ticked if yes else None)
        except Invalid as error:
            return await self._shown(visit, sealed, ticked=ticked, trouble=error.message)
        except (AlreadyDecided, BadRequest, Unauthorized):
            return await self._shown(visit, sealed)
        return await _leaving(location, yes=yes)

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
            return await page("code", code=code)
        if visit.query_params.get("error") == "access_denied":
            return await notice("Not connected", "You said no, and the program got nothing.")
        return await notice(
            "There is no code here",
            "The program that sent you here asked for something that it cannot have.",
            START_AGAIN,
            status=400,
        )

    async def _shown(
        self, visit: Visit, sealed: str, *, ticked: tuple[str, ...] | None = None, trouble: str = ""
    ) -> Response:
        """Show the page of a request as it stands now."""
        asked = self.seal.opened(sealed)
        if asked is None:
            return await _expired()
        here = f"{CONSENT}?request={sealed}"
        me = visit.session_caller()
        server = await lazy_import("app.account.oauth.authorization_server")
        origin = visit.origin
        try:
            client: Client = visit.parts.quick(server.client_of, self.named, origin, asked)
            why = f"{client.name} wants to use your Hearth. Sign in to see what it asks for."
            if me is None:
                return await sign_in_page.shown(next_=here, why=why, status=401)
            if visit.parts.quick(codes.is_answered, asked):
                return await _answered_before()
            visit.parts.quick(server.signed_in_for, me, asked)
        except BadRequest as error:
            return await notice("This request has ended", error.message, START_AGAIN, status=400)
        except Unauthorized:
            why = f"{client.name} wants to know that it is really you. Sign in again."
            return await sign_in_page.shown(next_=here, why=why, status=401)
        return await page(
            "consent",
            status=400 if trouble else 200,
            client=client,
            target=_target(asked.redirect_uri, origin),
            warning=_warning(client, asked.redirect_uri),
            groups=rights.groups_of(asked.scopes),
            ticked=asked.scopes if ticked is None else ticked,
            sealed=sealed,
            token=self.seal.token_for(me.credential, sealed),
            username=me.username,
            switch=f"{SIGN_IN}?next={quote(here, safe='')}",
            trouble=trouble,
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
    return await sign_in_page.shown(
        next_=sign_in_page.own_page(f"{OAUTH}/authorize?{query}"),
        why=f"An application that {host} describes wants to use your Hearth. "
        "Sign in to see what it asks for.",
        status=401,
    )


def _warning(client: Client, uri: str) -> str:
    """Say how far it is known who an application is."""
    if client.vouched:
        return ""
    host = client_documents.host_of(client.client_id)
    if not host:
        return f"It chose this name itself, and Hearth cannot check it. {IF_STARTED}"
    if redirect_uris.is_local(uri):
        return (
            f"{host} describes an application of this name. Any program on this computer can "
            f"claim to be it. {IF_STARTED}"
        )
    if uri.startswith(f"https://{host}/"):
        return f"{host} says that this is its application, and gets the answer."
    return f"{host} describes it so, but the answer goes elsewhere. {IF_STARTED}"


def _target(uri: str, origin: str) -> dict[str, str]:
    """Say where an answer goes, in words and as an address without its query."""
    address = uri.partition("?")[0]
    if uri == origin + CLI_PAGE:
        words = "A page of this server that shows a code to copy"
    elif redirect_uris.is_local(uri):
        words = "A program on this computer"
    elif uri.startswith("https://"):
        words = f"The web site {urlsplit(uri).netloc}"
    else:
        words = f"An app that opens addresses with {uri.partition(':')[0]}:"
    return {"words": words, "address": address}


async def _leaving(location: str, *, yes: bool) -> Response:
    return await page(
        "leaving",
        headers={"Referrer-Policy": "no-referrer"},
        title="Allowed" if yes else "Not allowed",
        words="Your answer goes to the application. If nothing happens, take the link."
        if yes
        else "The application gets nothing. It will hear that you said no.",
        address=location,
        link="Back to the application",
    )


async def _expired() -> Response:
    return await notice(
        "This request has expired",
        "You have ten minutes to answer, and it does not outlast a restart of the server.",
        START_AGAIN,
        status=400,
    )


async def _answered_before() -> Response:
    return await notice(
        "You have answered this already",
        "Each request is answered once. To change your mind, end the connection or connect the "
        "application again.",
        status=409,
    )


def _redirect(location: str) -> Response:
    return Response(status_code=302, headers={"Location": location})
