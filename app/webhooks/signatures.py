"""Signatures by the scheme of Standard Webhooks, and the secrets that make them."""

import base64
import hashlib
import hmac
from collections.abc import Iterable

from app.core import random_tokens

PREFIX = "whsec_"
KEY_BYTES = 32


def new_secret() -> str:
    """Return a secret that nobody has seen."""
    return PREFIX + base64.b64encode(random_tokens.new_bytes(KEY_BYTES)).decode()


def signed_headers(
    secrets: Iterable[str], *, event_id: str, seconds: int, body: bytes
) -> dict[str, str]:
    """Return the headers that prove who sent a body, and when; one signature by each secret."""
    content = f"{event_id}.{seconds}.".encode() + body
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{_signature(secret, content)}" for secret in secrets),
    }


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
