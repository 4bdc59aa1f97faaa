"""HPKE's base mode (RFC 9180, sections 4 to 6) for X25519, HKDF-SHA256 and AES-256-GCM.

Written from the standard with other primitives of the library than its own HPKE, to hold that to.
"""

import hmac
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEM = b"KEM" + (0x20).to_bytes(2, "big")
SUITE = b"HPKE" + b"".join(part.to_bytes(2, "big") for part in (0x20, 1, 2))


def extract(suite: bytes, salt: bytes, label: bytes, key: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, sha256)


def expand(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
    info = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    made = block = b""
    while len(made) < length:
        block = hmac.digest(key, block + info + bytes([len(made) // 32 + 1]), sha256)
        made += block
    return made[:length]


def derive_private_key(material: bytes) -> bytes:
    return expand(KEM, extract(KEM, b"", b"dkp_prk", material), b"sk", b"", 32)


class Sender:
    """A sender's context for a public key, with an ephemeral key that is given."""

    def __init__(self, ephemeral: bytes, public: bytes, info: bytes = b"") -> None:
        private = X25519PrivateKey.from_private_bytes(ephemeral)
        self.enc = private.public_key().public_bytes_raw()
        agreed = private.exchange(X25519PublicKey.from_public_bytes(public))
        shared = expand(
            KEM, extract(KEM, b"", b"eae_prk", agreed), b"shared_secret", self.enc + public, 32
        )
        context = (
            b"\0"
            + extract(SUITE, b"", b"psk_id_hash", b"")
            + extract(SUITE, b"", b"info_hash", info)
        )
        secret = extract(SUITE, shared, b"secret", b"")
        self._cipher = AESGCM(expand(SUITE, secret, b"key", context, 32))
        self._nonce = int.from_bytes(expand(SUITE, secret, b"base_nonce", context, 12), "big")
        self._number = 0

    def seal(self, text: bytes, aad: bytes = b"") -> bytes:
        nonce = (self._nonce ^ self._number).to_bytes(12, "big")
        self._number += 1
        return self._cipher.encrypt(nonce, text, aad)
