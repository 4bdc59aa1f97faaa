"""What the server checks of a record before it stores it; it can open none."""

import hashlib
import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.schema import LARGEST_ID, Body, Text
from app.core.schema_errors import MOMENT, explain_error
from app.errors import Forbidden, Invalid, PayloadTooLarge
from app.raw_memory import device_rows, key_rows
from app.raw_memory.fields import LONGEST_REFERENCE, Base64url, Uuid
from app.vault.encoding import decode_base64url
from app.vault.envelope import (
    NONCE_BYTES,
    SIGNATURE_BYTES,
    TAG_BYTES,
    WRAPPED_BYTES,
    RecordLabel,
    is_signed,
    signed_text,
)

LARGEST_RECORD = 8 << 20
AHEAD = timedelta(minutes=10)


class GivenRecord(Body):
    """A record as a device sends it."""

    record_id: Annotated[str, Uuid()]
    device_id: Annotated[str, Meta(max_length=64)]
    session_ref: Annotated[str, Text(LONGEST_REFERENCE)]
    sequence: Annotated[int, Meta(ge=0, le=LARGEST_ID)]
    created_at: Annotated[str, Meta(pattern=MOMENT)]
    alg: Literal["A256GCM"]
    nonce: Annotated[str, Base64url(NONCE_BYTES)]
    ciphertext: str
    account_key_id: Annotated[str, Uuid()]
    wrap: Literal["A256KW"]
    wrapped_key: Annotated[str, Base64url(WRAPPED_BYTES)]
    signature: Annotated[str, Base64url(SIGNATURE_BYTES)]


class CheckedRecord(msgspec.Struct, frozen=True):
    """A record whose form and signature are right: its columns, and its bytes."""

    columns: dict[str, Any]
    ciphertext: bytes


def read_record(given: Any, place: str) -> GivenRecord:
    """Return a record of which every field has its form.

    Raise Invalid, naming the field and the place of the record in the request.
    """
    try:
        return msgspec.convert(given, GivenRecord)
    except msgspec.ValidationError as error:
        raise explain_error(str(error), {}, place) from None


def check_record(record: GivenRecord, me: Caller, signing_key: bytes) -> CheckedRecord:
    """Return a record with its bytes; raise unless its device signed just this for its user."""
    if len(record.ciphertext) > -(-LARGEST_RECORD * 4 // 3):
        raise _too_large()
    try:
        ciphertext = decode_base64url(record.ciphertext)
    except ValueError as error:
        raise Invalid(f"ciphertext {error}.", field="ciphertext") from None
    if len(ciphertext) > LARGEST_RECORD:
        raise _too_large()
    if len(ciphertext) < TAG_BYTES:
        raise Invalid(
            f"ciphertext must have at least the {TAG_BYTES} bytes of its tag.", field="ciphertext"
        )
    nonce, wrapped = decode_base64url(record.nonce), decode_base64url(record.wrapped_key)
    signature = decode_base64url(record.signature)
    label = copy_fields(RecordLabel, record, user_id=me.user_id)
    if not is_signed(signing_key, signature, signed_text(label, nonce, ciphertext, wrapped)):
        raise Invalid("signature is not the device's for this record.", field="signature")
    columns = {
        "record_id": record.record_id,
        "device_id": record.device_id,
        "session_ref": record.session_ref,
        "sequence": record.sequence,
        "created_at": record.created_at,
        "nonce": nonce,
        "account_key_id": record.account_key_id,
        "wrapped_key": wrapped,
        "signature": signature,
        "size": len(ciphertext),
        "sha256": hashlib.sha256(ciphertext).hexdigest(),
    }
    return CheckedRecord(columns, ciphertext)


def signing_key_for(tx: Tx, me: Caller, record: GivenRecord) -> bytes:
    """Return the key that must have signed a record.

    Raise Forbidden where the caller may not store it, Invalid for what the present state refuses.
    """
    if me.bound_device not in (None, record.device_id):
        raise Forbidden("A device token stores records of its own device only.", field="deviceId")
    device = device_rows.find_active(tx, me.user, record.device_id)
    if device is None:
        raise Forbidden("The device is unknown or not active.", field="deviceId")
    if record.account_key_id not in key_rows.known_ids(tx, me.user):
        raise Invalid("accountKeyId is not one of your keys.", field="accountKeyId")
    if not _is_moment(record.created_at):
        raise Invalid("createdAt is not a moment in UTC.", field="createdAt")
    if record.created_at > stamp(tx.moment + AHEAD):
        raise Invalid(
            "createdAt is more than ten minutes ahead; is the clock of the device right?",
            field="createdAt",
        )
    key: bytes = device["signing_key"]
    return key


def _is_moment(text: str) -> bool:
    try:
        return re.fullmatch(MOMENT, text) is not None and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The record is larger than {LARGEST_RECORD >> 20} MiB.", limitBytes=LARGEST_RECORD
    )
