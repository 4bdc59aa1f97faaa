"""A sealed record as it goes over the wire, and what its seal and its signature cover."""

import hashlib

import msgspec

from app.vault.encoding import encode_base64url

VERSION = "hearth-raw-v1"
ALGORITHM, WRAP = "A256GCM", "A256KW"
KEY_BYTES, NONCE_BYTES, TAG_BYTES, WRAPPED_BYTES, SIGNATURE_BYTES = 32, 12, 16, 40, 64


class RecordLabel(msgspec.Struct, frozen=True):
    """What names a record, and whose it is: all of it is authenticated."""

    user_id: str
    device_id: str
    record_id: str
    sequence: int
    created_at: str
    account_key_id: str

    @property
    def text(self) -> bytes:
        """The additional data of the encryption."""
        return "\n".join(
            (
                VERSION,
                self.user_id,
                self.device_id,
                self.record_id,
                str(self.sequence),
                self.created_at,
                self.account_key_id,
            )
        ).encode()


class SealedRecord(msgspec.Struct, rename="camel", kw_only=True):
    """A record as a client sends it and the server gives it back."""

    record_id: str
    device_id: str
    session_ref: str
    sequence: int
    created_at: str
    alg: str
    nonce: str
    ciphertext: str
    account_key_id: str
    wrap: str
    wrapped_key: str
    signature: str

    def label(self, user_id: str) -> RecordLabel:
        """Return what names this record of a user."""
        return RecordLabel(
            user_id,
            self.device_id,
            self.record_id,
            self.sequence,
            self.created_at,
            self.account_key_id,
        )


def signed_text(label: RecordLabel, nonce: bytes, ciphertext: bytes, wrapped_key: bytes) -> bytes:
    """Return what the device signs: the label, the nonce, the ciphertext by its digest, the key."""
    parts = (nonce, hashlib.sha256(ciphertext).digest(), wrapped_key)
    return b"\n".join([label.text, *(encode_base64url(part).encode() for part in parts)])


def is_signed(signing_key: bytes, signature: bytes, text: bytes) -> bool:
    """Return whether that key signed the text."""
    # imported by the first upload: most servers have none
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(signing_key).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True
