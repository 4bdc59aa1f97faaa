"""What an application asks a user for, sealed, until the user answers.

It goes through the browser and comes back: who has not signed in makes the server keep nothing.
"""

import base64
import binascii
import hashlib
import hmac
from datetime import datetime, timedelta

import msgspec

from app.core import random_tokens
from app.core.database.tx import Clock

LIFE = timedelta(minutes=10)


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A request of an application that was checked.

    `signed_in_since`: whoever answers must have signed in at this Unix time or later. `number`
    makes each request another one.
    """

    client_id: str
    redirect_uri: str
    scopes: tuple[str, ...]
    challenge: str
    state: str | None
    nonce: str | None
    signed_in_since: int
    asked_at: int
    number: str

    @property
    def parameters(self) -> dict[str, str]:
        """Give what the application sent, as far as the answer depends on it."""
        return {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": " ".join(self.scopes),
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
        } | ({} if self.state is None else {"state": self.state})


class RequestSeal:
    """Seals requests such that only this run of the server opens them, and for ten minutes."""

    def __init__(self, clock: Clock) -> None:
        self._key = random_tokens.new_secret("").encode()
        self._clock = clock

    def seal(self, asked: Asked) -> str:
        """Return the request as a text that stands in an address."""
        body = msgspec.json.encode(asked)
        return base64.urlsafe_b64encode(self._mark(body) + body).rstrip(b"=").decode()

    def opened(self, sealed: str) -> Asked | None:
        """Return the request in such a text; None for one that is altered or too old."""
        try:
            whole = base64.urlsafe_b64decode(sealed.encode("ascii") + b"=" * (-len(sealed) % 4))
        except (ValueError, binascii.Error):
            return None
        body = whole[32:]
        if not hmac.compare_digest(whole[:32], self._mark(body)):
            return None
        asked = msgspec.json.decode(body, type=Asked)
        age = self._clock() - datetime.fromtimestamp(asked.asked_at, tz=self._clock().tzinfo)
        return asked if age < LIFE else None

    def token_for(self, session: int | None, sealed: str) -> str:
        """Return what the page of a request holds in one session, and no other page."""
        return self._mark(f"{session} {sealed}".encode()).hex()

    def _mark(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")


def digest(asked: Asked) -> bytes:
    """Return what an answered request is known by."""
    return hashlib.sha256(msgspec.json.encode(asked)).digest()
