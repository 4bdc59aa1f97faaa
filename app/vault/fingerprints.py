"""Fingerprints: what two people, or one at two screens, compare to know that keys are the same."""

import hashlib

from app.core.random_tokens import TYPED_ALPHABET, normalise_code
from app.vault.encoding import decode_base64url

GROUPS, GROUP = 6, 4
BITS = GROUPS * GROUP * 5


def device_fingerprint(public_key: str, signing_key: str) -> str:
    """Return the fingerprint of a device's keys, as they are written on the wire."""
    keys = decode_base64url(public_key) + decode_base64url(signing_key)
    return spell(hashlib.sha256(b"hearth-device-v1\n" + keys).digest())


def key_fingerprint(digest: bytes) -> str:
    """Return the fingerprint of an account key, by its digest."""
    return spell(digest)


def spell(digest: bytes) -> str:
    """Return the first 120 bits of a digest in six groups, without letters that look alike."""
    number = int.from_bytes(digest, "big") >> (len(digest) * 8 - BITS)
    letters = [TYPED_ALPHABET[number >> shift & 31] for shift in range(BITS - 5, -5, -5)]
    return "-".join(
        "".join(letters[start : start + GROUP]) for start in range(0, GROUPS * GROUP, GROUP)
    )


def is_same(given: str, fingerprint: str) -> bool:
    """Return whether a fingerprint was typed, however it was written."""
    return normalise_code(given) == normalise_code(fingerprint)
