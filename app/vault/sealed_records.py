"""Sealing records, and opening them: nothing is given back that its device did not sign.

Before its content, encrypted with it, a record says what the wire does not bind: which session it
is of, and which record came before it.
"""

import hashlib
from collections.abc import Mapping

import msgspec

from app.core.random_tokens import new_bytes, new_uuid
from app.vault import primitives
from app.vault.encoding import decode_base64url, decode_sized, encode_base64url
from app.vault.envelope import (
    ALGORITHM,
    KEY_BYTES,
    NONCE_BYTES,
    SIGNATURE_BYTES,
    WRAP,
    WRAPPED_BYTES,
    RecordLabel,
    SealedRecord,
    is_signed,
    signed_text,
)
from app.vault.primitives import NotAuthentic
from app.vault.refusals import NoKeyHere, Tampered

FORMAT = 1
LARGEST_CONTENT = 4 << 20
"""The bytes of a record's content; what is longer becomes several records."""


class Head(msgspec.Struct, rename="camel", kw_only=True):
    """What stands before the content of a record, encrypted with it.

    `previous` is the digest of the session's record before it, None for the first; `part` is
    above 1, or `more` follows, where the content was cut.
    """

    format: int = FORMAT
    session: str
    session_ref: str
    name: str
    previous: str | None
    part: int = 1
    more: bool = False


class OpenRecord(msgspec.Struct):
    """A record that was opened, and its digest, by which the next one names it."""

    record: SealedRecord
    head: Head
    content: bytes
    digest: str


class SealingDevice(msgspec.Struct, frozen=True):
    """Who seals: a user's device with its private signing key, under an account key."""

    user_id: str
    device_id: str
    signing_key: bytes
    account_key_id: str
    account_key: bytes


def seal_record(
    device: SealingDevice, head: Head, content: bytes, *, sequence: int, created_at: str
) -> SealedRecord:
    """Return a record that only the user's devices can open."""
    record_id = new_uuid()
    label = RecordLabel(
        device.user_id, device.device_id, record_id, sequence, created_at, device.account_key_id
    )
    key, nonce = new_bytes(KEY_BYTES), new_bytes(NONCE_BYTES)
    plaintext = msgspec.json.encode(head) + b"\n" + content
    ciphertext = primitives.encrypt(key, nonce, plaintext, label.text)
    wrapped = primitives.wrap_key(device.account_key, key)
    signature = primitives.sign(device.signing_key, signed_text(label, nonce, ciphertext, wrapped))
    return SealedRecord(
        record_id=record_id,
        device_id=device.device_id,
        session_ref=head.session_ref,
        sequence=sequence,
        created_at=created_at,
        alg=ALGORITHM,
        nonce=encode_base64url(nonce),
        ciphertext=encode_base64url(ciphertext),
        account_key_id=device.account_key_id,
        wrap=WRAP,
        wrapped_key=encode_base64url(wrapped),
        signature=encode_base64url(signature),
    )


def open_record(
    record: SealedRecord, user_id: str, signing_key: bytes, keys: Mapping[str, bytes]
) -> OpenRecord:
    """Return what a record holds; raise Tampered unless all of it is what its device sealed."""
    name = f"record {record.record_id[:64]}"
    try:
        nonce = decode_sized(record.nonce, NONCE_BYTES)
        wrapped = decode_sized(record.wrapped_key, WRAPPED_BYTES)
        signature = decode_sized(record.signature, SIGNATURE_BYTES)
        ciphertext = decode_base64url(record.ciphertext)
    except ValueError as error:
        raise Tampered("malformed record", f"{name} has a field that {error}.") from None
    if (record.alg, record.wrap) != (ALGORITHM, WRAP):
        raise Tampered("malformed record", f"{name} names algorithms that are not Hearth's.")
    label = record.label(user_id)
    if not is_signed(signing_key, signature, signed_text(label, nonce, ciphertext, wrapped)):
        raise Tampered("altered record", f"{name} is not what its device signed.")
    account_key = keys.get(record.account_key_id)
    if account_key is None:
        raise NoKeyHere(f"{name} is under an account key that this device does not have.")
    try:
        key = primitives.unwrap_key(account_key, wrapped)
    except NotAuthentic:
        raise Tampered(
            "swapped record key", f"the key of {name} does not open with your account key."
        ) from None
    try:
        plaintext = primitives.decrypt(key, nonce, ciphertext, label.text)
    except NotAuthentic:
        raise Tampered("altered record", f"{name} does not open with its own key.") from None
    return _read(record, plaintext, name)


def digest_of(record: SealedRecord) -> str:
    """Return what names a record for ever: the digest of its signature, which covers the rest."""
    return hashlib.sha256(record.signature.encode()).hexdigest()


def _read(record: SealedRecord, plaintext: bytes, name: str) -> OpenRecord:
    text, newline, content = plaintext.partition(b"\n")
    try:
        head = msgspec.json.decode(text, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError):
        newline = b""
    if not newline or head.format != FORMAT:
        raise Tampered("foreign record", f"{name} was not written by this program.")
    if head.session_ref != record.session_ref:
        raise Tampered("moved record", f"{name} belongs to another session.")
    return OpenRecord(record, head, content, digest_of(record))
