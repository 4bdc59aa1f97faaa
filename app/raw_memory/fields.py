"""The fields that the wire spells in a form of their own: bytes as base64url, and UUIDs."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from app.core.schema import Line, Rule, Text
from app.vault.encoding import decode_sized
from app.vault.envelope import KEY_BYTES, WRAPPED_BYTES

SEALED_KEY_BYTES = KEY_BYTES + 16
UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
LONGEST_REFERENCE = 128


class Base64url(Rule, frozen=True):
    """Just so many bytes, in base64url without padding."""

    size: int

    @property
    def accepts(self) -> Mapping[str, Any]:
        letters = -(-self.size * 4 // 3)
        return {"minLength": letters, "maxLength": letters, "pattern": "^[A-Za-z0-9_-]*$"}

    def __call__(self, value: str) -> str:
        decode_sized(value, self.size)
        return value


class Uuid(Rule, frozen=True):
    """A UUID; its letters are kept as they are."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": UUID}

    def __call__(self, value: str) -> str:
        if not re.fullmatch(UUID, value):
            raise ValueError("must be a UUID")
        return value


DeviceName = Annotated[
    str, Meta(description="what its user calls the device, 1 to 100 characters"), Line(1, 100)
]
PublicKey = Annotated[str, Meta(description="X25519, in base64url"), Base64url(KEY_BYTES)]
SigningKey = Annotated[str, Meta(description="Ed25519, in base64url"), Base64url(KEY_BYTES)]
Enc = Annotated[str, Base64url(KEY_BYTES)]
SealedKey = Annotated[str, Base64url(SEALED_KEY_BYTES)]
WrappedKey = Annotated[str, Base64url(WRAPPED_BYTES)]
KeyId = Annotated[str, Uuid()]
SessionRef = Annotated[
    str,
    Meta(description="the session that records belong to, as the devices call it"),
    Text(LONGEST_REFERENCE),
]
