"""Who comes to a page or an endpoint that needs no credential.

A user who is signed in, if they are, and where they come from.
"""

from typing import Any

from app.core.caller import Caller
from app.errors import Forbidden, Unauthorized
from app.interfaces.credentials import Credentials, key_of, session_secret
from app.interfaces.guard import UNSAFE

SAME = (b"none", b"same-origin")


class Visitors:
    """Finds the user who visits, without asking for one."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def user(self, scope: Any) -> int | None:
        """Give the row of the user whose key or session comes with a request; None for a stranger.

        Raises Unauthorized for a key that does not hold, or RateLimited where too many such came
        from its address. A session counts only where a page of this very server asks, never
        where the page of another does.
        """
        headers = dict(scope["headers"])
        if (key := key_of(headers)) is not None:
            caller = self._credentials.ring.caller(key)
            if caller is None:
                self._credentials.failed(scope)
                raise self.challenged(
                    scope, "The credential is unknown, expired or revoked.", sent=True
                )
            self._credentials.ring.used(caller)
            return caller.user
        secret = session_secret(headers)
        if secret is None or not self._is_own(scope, headers):
            return None
        admitted: tuple[Caller, bool] | None = self._credentials.sessions.admit(secret)
        return None if admitted is None else admitted[0].user

    def guessed(self, scope: Any) -> None:
        """Count a link that nobody knows against the address that it came from.

        Raise RateLimited where too many did.
        """
        self._credentials.guessed(scope)

    def guessed_page(self, scope: Any) -> None:
        """Do the same for the page of a link, unless a browser asks for it on behalf of another
        site, which can show as many as it likes.
        """
        if dict(scope["headers"]).get(b"sec-fetch-site", b"none") in SAME:
            self._credentials.guessed(scope)

    def challenged(self, scope: Any, message: str, *, sent: bool) -> Unauthorized:
        """Give the refusal of whoever must sign in first."""
        headers = dict(scope["headers"])
        refusal = self._credentials.unauthorized(headers, scope.get("scheme", "http"), sent=sent)
        return Unauthorized(message).challenged(refusal.challenge)

    def _is_own(self, scope: Any, headers: dict[bytes, bytes]) -> bool:
        """Say whether a page of this server asks, or a person who opened the address."""
        if scope["method"] not in UNSAFE:
            return headers.get(b"sec-fetch-site", b"none") in SAME and headers.get(
                b"sec-fetch-dest", b""
            ) not in (b"iframe", b"frame", b"embed")
        try:
            self._credentials.require_own_page(
                scope["method"], headers, scope.get("scheme", "http")
            )
        except Forbidden:
            return False
        return True
