"""What an application may be given, and for which resource its tokens are."""

from app.core.caller import SCOPES, WITHHELD

OAUTH = "/api/auth/oauth2"
"""Below this the endpoints lie."""
DEFAULT_SCOPES = ("openid", "profile")
GRANTABLE = tuple(scope for scope in SCOPES if scope not in WITHHELD["oauth"])
RESOURCES = ("/api/v1", "/api/v1/mcp", "/mcp")
"""The paths of this server that are one protected resource: tokens are for all of it.

RFC 9728 wants the address that a client was given to be named, so each has its own page.
"""


def wanted_scopes(text: str | None) -> tuple[str, ...] | None:
    """Return the scopes that a request asks for, as far as any application may have them.

    None when it names one that there is not, or nothing that it may have.
    """
    if text is None:
        return DEFAULT_SCOPES
    asked = dict.fromkeys(text.split())
    if any(scope not in SCOPES for scope in asked):
        return None
    return tuple(scope for scope in asked if scope in GRANTABLE) or None


def are_ours(resources: list[str], origin: str) -> bool:
    """Return whether every resource that a request names is this server."""
    return all(resource in {origin + path for path in RESOURCES} for resource in resources)
