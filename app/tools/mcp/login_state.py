"""What signs in to a server, as it is kept: tokens, where they are renewed, and as whom."""

from typing import Any

import msgspec

from app.core.secret_files import Seal

EARLY_SECONDS = 30.0
"""A token is renewed so long before its end."""


class Login(msgspec.Struct, frozen=True):
    """The tokens of a server; `client` is the registration there, which holds for its issuer.

    `asked` are the scopes that it asked for, `scope` those that it says it has got.
    """

    issuer: str
    token_endpoint: str
    client: dict[str, Any]
    access_token: str
    refresh_token: str | None = None
    expires_at: float | None = None
    scope: str | None = None
    resource: str | None = None
    revocation_endpoint: str | None = None
    asked: tuple[str, ...] = ()

    def is_over(self, now: float) -> bool:
        """Return whether the access token has ended or is about to."""
        return self.expires_at is not None and now > self.expires_at - EARLY_SECONDS


def sealed(seal: Seal, user: int, login: Login) -> bytes:
    """Return a login as it is stored."""
    return seal.seal(msgspec.json.encode(login).decode(), f"mcp login {user}")


def opened(seal: Seal, user: int, stored: bytes | None) -> Login | None:
    """Return a login that was stored; raise SealBroken."""
    if stored is None:
        return None
    return msgspec.json.decode(seal.open(stored, f"mcp login {user}"), type=Login)
