"""What the library of cryptography does here, in the few forms that the envelope needs."""

import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap, aes_key_wrap

from app.vault.envelope import KEY_BYTES

ENC_BYTES = 32
RECOVERY = b"hearth-recovery-v1"
_SUITE = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)


class NotAuthentic(Exception):
    """Something does not open with its key: it is not what was sealed, or not with that key."""


def seal_to(public_key: bytes, secret: bytes) -> tuple[bytes, bytes]:
    """Encrypt a secret to a public key (HPKE, base mode) and return `enc` and ciphertext.

    Raise NotAuthentic for a key of which no secret can be agreed on.
    """
    try:
        sealed = _SUITE.encrypt(secret, X25519PublicKey.from_public_bytes(public_key))
    except ValueError:
        raise NotAuthentic from None
    return sealed[:ENC_BYTES], sealed[ENC_BYTES:]


def open_sealed(private_key: bytes, enc: bytes, ciphertext: bytes) -> bytes:
    """Return the secret that was sealed to a key; raise NotAuthentic."""
    try:
        return _SUITE.decrypt(enc + ciphertext, X25519PrivateKey.from_private_bytes(private_key))
    except (InvalidTag, ValueError):
        raise NotAuthentic from None


def wrap_key(wrapping: bytes, key: bytes) -> bytes:
    """Wrap a key under another (RFC 3394)."""
    return aes_key_wrap(wrapping, key)


def unwrap_key(wrapping: bytes, wrapped: bytes) -> bytes:
    """Return the key that was wrapped under another; raise NotAuthentic."""
    try:
        key = aes_key_unwrap(wrapping, wrapped)
    except (InvalidUnwrap, ValueError):
        raise NotAuthentic from None
    if len(key) != KEY_BYTES:
        raise NotAuthentic
    return key


def encrypt(key: bytes, nonce: bytes, plaintext: bytes, aad: bytes) -> bytes:
    """Encrypt under a key that is used once (AES-256-GCM)."""
    return AESGCM(key).encrypt(nonce, plaintext, aad)


def decrypt(key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
    """Return what was encrypted; raise NotAuthentic."""
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, aad)
    except (InvalidTag, ValueError):
        raise NotAuthentic from None


def recovery_key(code: bytes, salt: bytes) -> bytes:
    """Return the key that a recovery code comes to with a salt."""
    return HKDF(hashes.SHA256(), KEY_BYTES, salt, RECOVERY).derive(code)


def sign(private_key: bytes, text: bytes) -> bytes:
    """Sign a text (Ed25519)."""
    return Ed25519PrivateKey.from_private_bytes(private_key).sign(text)


def public_keys_of(exchange: bytes, signing: bytes) -> tuple[bytes, bytes]:
    """Return the public halves of a device's two private keys."""
    return (
        X25519PrivateKey.from_private_bytes(exchange).public_key().public_bytes_raw(),
        Ed25519PrivateKey.from_private_bytes(signing).public_key().public_bytes_raw(),
    )


def account_key_digest(account_key: bytes) -> bytes:
    """Return what tells an account key from others and says nothing of it."""
    return hashlib.sha256(b"hearth-account-key-v1\n" + account_key).digest()
