"""Bytes as text, in the one spelling that the wire allows: base64url without padding."""

import base64
import binascii
import re

NOT_IT = "must be base64url without padding"
SLICE = 1 << 18
_LETTERS = re.compile(r"[A-Za-z0-9_-]*")


def encode_base64url(raw: bytes) -> str:
    """Return bytes as text."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decode_base64url(text: str) -> bytes:
    """Return the bytes that a text stands for; raise ValueError for any other spelling of them."""
    # in slices, between which other threads have their turn
    raw = b"".join(
        _decode_slice(text[start : start + SLICE]) for start in range(0, len(text), SLICE)
    )
    # the last letter has bits to spare, which must be zero: two spellings would be two records
    last = len(text) // 4 * 4
    if text[last:] != encode_base64url(raw[last // 4 * 3 :]):
        raise ValueError(NOT_IT)
    return raw


def _decode_slice(text: str) -> bytes:
    # the decoder itself skips what is no letter of it
    if not _LETTERS.fullmatch(text) or len(text) % 4 == 1:
        raise ValueError(NOT_IT)
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise ValueError(NOT_IT) from None


def decode_sized(text: str, size: int) -> bytes:
    """Return just so many bytes; raise ValueError."""
    raw = decode_base64url(text)
    if len(raw) != size:
        raise ValueError(f"must be {size} bytes in base64url without padding")
    return raw
