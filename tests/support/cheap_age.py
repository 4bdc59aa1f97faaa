"""Encryption with a passphrase that costs nothing, for tests that are about something else.

The genuine one takes a second of work and 512 MB each time, so that nobody can try passphrases.
What is written here is a file of age, format v1, of the least work; the genuine decryption reads
it. As a program, this is the worker with that encryption.
"""

import base64
import hashlib
import hmac
import os
import runpy
from collections.abc import Iterator

import pyrage.passphrase
import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from app.upkeep.backups import backups
from app.upkeep.worker_tasks import WORKER

WORK = 1  # the power of two that scrypt goes round
CHUNK = 1 << 16
genuine = pyrage.passphrase.encrypt


def encrypt(plaintext: bytes, passphrase: str) -> bytes:
    """Give an age file for the passphrase."""
    key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(16)
    wrapping = hashlib.scrypt(
        passphrase.encode(),
        salt=b"age-encryption.org/v1/scrypt" + salt,
        n=1 << WORK,
        r=8,
        p=1,
        dklen=32,
    )
    body = ChaCha20Poly1305(wrapping).encrypt(bytes(12), key, None)
    head = b"age-encryption.org/v1\n-> scrypt %s %d\n%s\n---" % (text(salt), WORK, text(body))
    mac = hmac.digest(derived(key, b"", b"header"), head, "sha256")
    payload = ChaCha20Poly1305(derived(key, nonce, b"payload"))
    chunks = [plaintext[at : at + CHUNK] for at in range(0, len(plaintext), CHUNK)] or [b""]
    sealed = [
        payload.encrypt(
            number.to_bytes(11, "big") + bytes([number == len(chunks) - 1]), chunk, None
        )
        for number, chunk in enumerate(chunks)
    ]
    return head + b" " + text(mac) + b"\n" + nonce + b"".join(sealed)


def text(value: bytes) -> bytes:
    return base64.b64encode(value).rstrip(b"=")


def derived(key: bytes, salt: bytes, purpose: bytes) -> bytes:
    """Give the key for a purpose: HKDF with SHA-256, of one round."""
    return hmac.digest(hmac.digest(salt or bytes(32), key, "sha256"), purpose + b"\x01", "sha256")


@pytest.fixture(scope="module")
def cheap_age() -> Iterator[None]:
    """Encrypt cheaply here and in the worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pyrage.passphrase, "encrypt", encrypt)
        patch.setattr(backups, "WORKER", __name__)
        yield


@pytest.fixture
def genuine_age(cheap_age: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Encrypt as the program does after all."""
    monkeypatch.setattr(pyrage.passphrase, "encrypt", genuine)
    monkeypatch.setattr(backups, "WORKER", WORKER)


if __name__ == "__main__":
    setattr(pyrage.passphrase, "encrypt", encrypt)  # noqa: B010 - a type checker takes it for a mistake
    runpy.run_module(WORKER, run_name="__main__")
