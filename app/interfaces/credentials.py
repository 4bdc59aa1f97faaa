"""Who sends a request: found by its key or, where it has none, by the cookie of a web session.

With the limits of rate that stand before both.
"""

from collections.abc import MutableMapping
from typing import Any

from app.account.active_devices import Devices
from app.account.key_ring import KeyRing
from app.account.sessions import LIFE, Sessions
from app.core.app import App
from app.core.caller import Caller
from app.core.limits import RateLimit
from app.errors import Forbidden, InsufficientScope, RateLimited, Unauthorized
from app.interfaces.exchange import Exchange
from app.interfaces.guard import UNSAFE, Guard, Headers

COOKIE = b"hearth_session"
JSON = b"application/json"
BASE = "/api/v1"
MCP = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
RESOURCE = METADATA + BASE


class Credentials:
    """Finds the caller of a request.

    Counts what each caller asks, and what an address sends that does not hold.

    A credential is looked up before anything is counted, so nobody is refused for the failures
    of others. Share tokens, invites and codes have a count of their own (`guesses`): any web
    page can make a browser ask for links that do not exist.
    """

    def __init__(self, parts: App, guard: Guard) -> None:
        self.guard = guard
        self.ring = KeyRing(parts.store, parts.hooks)
        self.sessions = Sessions(parts.store)
        self.devices = Devices(parts.store, parts.tasks)
        parts.gathered += [self.ring.flush, self.sessions.flush_renewed, self.devices.flush_seen]
        self.rates = RateLimit(parts.settings.rate_limit)
        self.failures = RateLimit(parts.settings.failed_limit)
        self.guesses = RateLimit(parts.settings.failed_limit)

    def admit(self, exchange: Exchange) -> None:
        """Find the caller of the credential, and take a token of its rate."""
        headers, scheme = exchange.headers, exchange.scope.get("scheme", "http")
        key = key_of(headers)
        secret = session_secret(headers) if key is None else None
        caller = (
            self._by_session(exchange, secret)
            if secret is not None
            else None
            if key is None
            else self.ring.find_caller(key)
        )
        if caller is None:
            sent = key is not None or secret is not None
            if sent:
                self.failed(exchange.scope)
            raise self.unauthorized(
                headers, scheme, sent=sent, resource=resource_of(exchange.scope["path"])
            )
        if secret is None:
            self.ring.note_use(caller)
        self._count(exchange, caller)
        if secret is not None:
            self.require_own_page(exchange.scope["method"], headers, scheme)
        exchange.caller = self.devices.admit(caller, headers.get(b"x-device-id"))

    def admit_session(self, exchange: Exchange) -> Caller:
        """Find the caller of the session at a page, take a token of its rate, and return it.

        What changes something must be asked by a page of this server, as a form or as JSON.
        """
        headers, scheme = exchange.headers, exchange.scope.get("scheme", "http")
        secret = session_secret(headers)
        caller = None if secret is None else self._by_session(exchange, secret)
        if caller is None:
            if secret is not None:
                self.failed(exchange.scope)
            raise self.unauthorized(headers, scheme, sent=secret is not None)
        self._count(exchange, caller)
        if exchange.scope["method"] in UNSAFE:
            self._require_own_origin(headers, scheme)
        return caller

    def found(self, headers: dict[bytes, bytes]) -> Caller | None:
        """Return the caller of a credential as it is now, and count nothing."""
        key = key_of(headers)
        if key is not None:
            return self.ring.find_caller(key)
        secret = session_secret(headers)
        admitted = None if secret is None else self.sessions.admit(secret)
        return None if admitted is None else admitted[0]

    def failed(self, scope: MutableMapping[str, Any]) -> None:
        """Count a credential that does not hold.

        Raise RateLimited where its address sent too many of them.
        """
        spend_rate(self.failures, scope, "Too many failed credentials; wait a moment.")

    def guessed(self, scope: MutableMapping[str, Any]) -> None:
        """Count a share token, invite or code that nobody knows.

        Raise RateLimited where its address sent too many of them.
        """
        spend_rate(self.guesses, scope, "Too many unknown links or codes; wait a moment.")

    def require_own_page(self, method: str, headers: dict[bytes, bytes], scheme: str) -> None:
        """Raise Forbidden unless what a session changes is asked as JSON by a page of this very
        server: no other page can send both.
        """
        if method not in UNSAFE:
            return
        require_json(headers)
        self._require_own_origin(headers, scheme)

    def _require_own_origin(self, headers: dict[bytes, bytes], scheme: str) -> None:
        if not self.guard.is_own_page(headers, scheme):
            raise Forbidden(
                "With a session, only pages of this server may change anything: Origin must be "
                "its own.",
                reason="origin_not_allowed",
            )

    def unauthorized(
        self, headers: dict[bytes, bytes], scheme: str, *, sent: bool, resource: str = RESOURCE
    ) -> Unauthorized:
        """Return the refusal of a request without a credential that holds; `sent`: it had one."""
        challenge = self.challenge(headers, scheme, resource)
        message = (
            "The credential is unknown, expired or revoked."
            if sent
            else "Send a credential: Authorization: Bearer <API key>."
        )
        return Unauthorized(message).challenged(
            challenge + (', error="invalid_token"' if sent else "")
        )

    def wanting(self, exchange: Exchange, error: InsufficientScope) -> Headers:
        """Return the header by which an application learns what to ask its user for (RFC 6750)."""
        of_program = exchange.caller is not None and exchange.caller.kind == "oauth"
        if not of_program and exchange.route != MCP:
            return []
        scheme = exchange.scope.get("scheme", "http")
        where = self.challenge(exchange.headers, scheme, resource_of(exchange.scope["path"]))
        wanted = f'error="insufficient_scope", scope="{error.details["scope"]}"'
        challenge = where.replace("Bearer ", f"Bearer {wanted}, ", 1)
        return [(b"www-authenticate", challenge.encode("latin-1"))]

    def challenge(self, headers: dict[bytes, bytes], scheme: str, resource: str) -> str:
        """Return the challenge that names where the page about a resource is."""
        return f'Bearer resource_metadata="{self.guard.origin(headers, scheme)}{resource}"'

    def cookie(self, secret: str, headers: dict[bytes, bytes], scheme: str) -> bytes:
        """Return the cookie that holds a session, or with an empty secret the one that takes it
        away.
        """
        age = int(LIFE.total_seconds()) if secret else 0
        secure = b"; Secure" if self.guard.origin(headers, scheme).startswith("https:") else b""
        # Lax, not Strict: a link in a mail opens a page signed in
        return b"%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s" % (
            COOKIE,
            secret.encode(),
            age,
            secure,
        )

    def _count(self, exchange: Exchange, caller: Caller) -> None:
        """Take a token of a caller's rate; raise RateLimited where there is none."""
        exchange.caller = caller
        exchange.scope["known"] = (
            True  # so that its connection does not make way for those of strangers
        )
        exchange.verdict = self.rates.take_token((caller.kind, caller.credential))
        if exchange.verdict.wait:
            raise RateLimited("Too many requests; wait a moment.", retryAfter=exchange.verdict.wait)

    def _by_session(self, exchange: Exchange, secret: str) -> Caller | None:
        """Return the caller of a session.

        The cookie goes back with a session that was renewed, and is taken away with one that has
        ended.
        """
        admitted = self.sessions.admit(secret)
        if admitted is None or admitted[1]:
            exchange.cookie = self.cookie(
                "" if admitted is None else secret,
                exchange.headers,
                exchange.scope.get("scheme", "http"),
            )
        return None if admitted is None else admitted[0]


def resource_of(path: str) -> str:
    """Return where the page about the resource is that a request has asked for."""
    return METADATA + MCP if path.removesuffix("/") == MCP else RESOURCE


def spend_rate(limit: RateLimit, scope: MutableMapping[str, Any], message: str) -> None:
    """Take a token of the rate of the address that a request comes from; raise RateLimited."""
    if wait := limit.take_token(address_of(scope)).wait:
        raise RateLimited(message, retryAfter=wait)


def require_json(headers: dict[bytes, bytes]) -> None:
    """Raise Forbidden unless the request says that its body is JSON, which no form of another
    site can say.
    """
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != JSON:
        raise Forbidden(
            "With a session, Content-Type must be application/json.", reason="content_type_not_json"
        )


def session_secret(headers: dict[bytes, bytes]) -> str | None:
    """Return the session's secret in the cookies of a request."""
    sent = headers.get(b"cookie")
    if sent is None:
        return None
    for part in sent.split(b";"):
        name, _, value = part.strip().partition(b"=")
        if name == COOKIE:
            return value.decode("latin-1")
    return None


def address_of(scope: MutableMapping[str, Any]) -> str:
    """Return the address that a request comes from, as the trusted proxies name it where one
    passed it on.
    """
    return str((scope.get("client") or ("?",))[0])


def key_of(headers: dict[bytes, bytes]) -> str | None:
    """Return the key that was sent; when Authorization is there it alone counts."""
    authorization = headers.get(b"authorization")
    if authorization is None:
        key = headers.get(b"x-api-key")
        return None if key is None else key.decode("latin-1").strip()
    scheme, _, key = authorization.partition(b" ")
    # Basic and the like are a credential too, of which none holds
    return key.decode("latin-1").strip() if scheme.lower() == b"bearer" else ""
