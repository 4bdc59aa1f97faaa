"""Where an application may have its answers sent."""

import re
from typing import Literal

Registration = Literal["off", "loopback", "any"]
MOST, LONGEST = 10, 2_000
ALLOWED = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
LOOPBACK = re.compile(r"http://(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(/[^#]*|\?[^#]*|)")
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(//)?([^/?]*)(.*)")
HOST = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?")
NEVER = frozenset(
    {
        *("about", "blob", "data", "file", "filesystem", "ftp", "intent", "javascript", "mailto"),
        *("tel", "vbscript", "view-source", "ws", "wss"),
    }
)
"""Schemes that no application of its own stands behind."""


def check(uri: str, registration: Registration) -> None:
    """Raise ValueError, a sentence's end, for an address that may not be registered."""
    if not 0 < len(uri) <= LONGEST:
        raise ValueError(f"must have 1 to {LONGEST} characters")
    if not ALLOWED.fullmatch(uri):
        raise ValueError("must not hold a fragment, a space or any other unusual character")
    # Browsers take them out before they send, which leads to a path that nobody registered.
    path = uri.partition("?")[0].lower().replace("%2e", ".").replace("%2f", "/")
    if ".." in path.split("/") or "." in path.split("/"):
        raise ValueError("must not hold the path segments . or ..")
    if LOOPBACK.fullmatch(uri):
        return
    if registration != "any":
        raise ValueError(
            "must be http:// on 127.0.0.1, [::1] or localhost; the setting "
            "HEARTH_OAUTH_REGISTRATION allows others"
        )
    _check_elsewhere(uri)


def is_registered(uri: str, registered: tuple[str, ...]) -> bool:
    """Return whether `uri` is one of those registered.

    They are compared character by character; only the port of an address on this computer may
    differ, since a program takes the port that is free (RFC 8252, section 7.3).
    """
    if uri in registered:
        return True
    asked = _without_port(uri)
    return asked is not None and any(asked == _without_port(one) for one in registered)


def is_local(uri: str) -> bool:
    """Return whether an answer sent there stays on the user's own computer."""
    return LOOPBACK.fullmatch(uri) is not None


def _check_elsewhere(uri: str) -> None:
    found = SCHEME.fullmatch(uri)
    if found is None:
        raise ValueError("must be a whole address, its scheme in small letters")
    scheme, slashes, host, _ = found.groups()
    if scheme == "http":
        raise ValueError("must begin with https://, unless it is on this computer")
    if scheme in NEVER:
        raise ValueError(f"must not begin with {scheme}:")
    if slashes and "@" in host:
        raise ValueError("must not hold a user name or password")
    if scheme == "https" and not (slashes and HOST.fullmatch(host)):
        raise ValueError("must name a host in small letters after https://")


def _without_port(uri: str) -> tuple[str, str] | None:
    found = LOOPBACK.fullmatch(uri) if ALLOWED.fullmatch(uri) else None
    return None if found is None else (found[1], found[2])
