"""What every request passes first.

The Host allow-list, the Origin check, CORS for the origins that were allowed; and the headers of
every answer.
"""

from urllib.parse import urlsplit

from app.errors import Forbidden
from app.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
SECURITY_HEADERS: list[tuple[bytes, bytes]] = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
Headers = list[tuple[bytes, bytes]]
ANY_ORIGIN: Headers = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, POST"),
    (b"access-control-allow-headers", b"Authorization, X-API-Key, Content-Type"),
    (b"access-control-expose-headers", b"X-Request-Id, Retry-After"),
    (b"access-control-max-age", b"600"),
]


class Guard:
    """The rules for where a request may come from, by its headers."""

    def __init__(self, settings: Settings) -> None:
        bound = f"[{settings.host}]" if ":" in settings.host else settings.host
        self._hosts = frozenset(
            host.lower().encode() for host in (*LOOPBACK, bound, *settings.allowed_hosts)
        )
        # what nearly all requests name, found by one look-up
        self._with_port = frozenset(b"%s:%d" % (host, settings.port) for host in self._hosts)
        self._public = urlsplit(settings.public_url.rstrip("/"))
        self._origins = frozenset(origin.rstrip("/").encode() for origin in settings.cors_origins)

    def check(
        self, method: str, headers: dict[bytes, bytes], scheme: str, *, for_all: bool = False
    ) -> Headers | None:
        """Raise Forbidden for a foreign Host or, on methods that change things, a foreign Origin.

        Give CORS headers for an allowed origin.

        What is `for_all` pages of every origin may ask, without cookies.
        """
        host = headers.get(b"host", b"").lower()
        # a name of the setting may have a port of its own
        if not (
            host in self._with_port or host in self._hosts or _without_port(host) in self._hosts
        ):
            raise Forbidden(
                "This Host is not one that the server answers to; see the setting "
                "HEARTH_ALLOWED_HOSTS.",
                reason="host_not_allowed",
            )
        if for_all:
            return ANY_ORIGIN
        origin = headers.get(b"origin")
        if origin is not None and origin in self._origins:
            return _cors_headers(origin)
        if method in UNSAFE:
            self._check_origin(origin, headers, self.origin(headers, scheme).encode("latin-1"))
        return None

    def origin(self, headers: dict[bytes, bytes], scheme: str) -> str:
        """Return scheme, host and port as the client named them.

        For the public address its own scheme, since a proxy may speak https for it.
        """
        host = headers.get(b"host", b"").decode("latin-1").lower()
        return f"{self._public.scheme if host == self._public.netloc.lower() else scheme}://{host}"

    def is_own_page(self, headers: dict[bytes, bytes], scheme: str) -> bool:
        """Return whether the request names a page of this server as the one it comes from."""
        return headers.get(b"origin", b"").lower() == self.origin(headers, scheme).encode("latin-1")

    def _check_origin(self, origin: bytes | None, headers: dict[bytes, bytes], own: bytes) -> None:
        if origin is not None and origin.lower() != own:
            raise Forbidden(
                "Pages of another origin may not change anything here.", reason="origin_not_allowed"
            )
        # without this header it is no browser, or an old one, of which Origin tells
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            raise Forbidden(
                "Pages of another site may not change anything here.", reason="origin_not_allowed"
            )


def _without_port(host: bytes) -> bytes:
    name, colon, port = host.rpartition(b":")
    return name if colon and port.isdigit() else host


def _cors_headers(origin: bytes) -> Headers:
    return [
        (b"access-control-allow-origin", origin),
        (b"vary", b"Origin"),
        (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
        (
            b"access-control-allow-headers",
            b"Authorization, X-API-Key, Content-Type, Idempotency-Key, X-Device-Id, "
            b"MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name",
        ),
        (
            b"access-control-expose-headers",
            b"X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, "
            b"Retry-After, Mcp-Session-Id, WWW-Authenticate",
        ),
        (b"access-control-max-age", b"600"),
    ]
