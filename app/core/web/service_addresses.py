"""Addresses of services that users name: MCP servers, and the receivers of webhooks."""

from app.core.web import addresses
from app.core.web.addresses import FetchPolicy, NotAllowed
from app.errors import Forbidden, Invalid
from app.settings import Settings

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def is_local(url: str) -> bool:
    """Return whether an address is one of this machine."""
    return addresses.parse_target(url, FetchPolicy()).host in _HERE


def policy_for(settings: Settings, url: str) -> FetchPolicy:
    """Return what may be asked for a service: this machine only where its own address says so."""
    inside = settings.allow_private_hosts
    return FetchPolicy(
        loopback=is_local(url) or inside, private=inside, plain=False, own_port=settings.port
    )


def check_address(settings: Settings, url: str, *, field: str) -> str:
    """Return the address of a service.

    Raise Invalid for one that is none, Forbidden for one that must not be asked.
    """
    try:
        found = addresses.parse_target(url.strip(), FetchPolicy())
        allowed = policy_for(settings, url.strip())
        if found.scheme == "http" and not is_local(found.url) and not allowed.private:
            raise Invalid(
                f"{field} must begin with https://; http:// is for this machine.", field=field
            )
    except NotAllowed as error:
        raise Invalid(f"{field} cannot be used: {error}", field=field) from None
    try:
        addresses.require_nameable(found, allowed)
    except NotAllowed as error:
        raise Forbidden(str(error), reason="address_not_allowed", field=field) from None
    return found.url
