"""What the server answers, as far as a device reads it: each field checked for its type."""

from typing import Literal

import msgspec

from app.vault.envelope import SealedRecord


class Answer(msgspec.Struct, rename="camel"):
    """The body of a successful answer."""


class Device(Answer):
    device_id: str
    name: str
    public_key: str
    signing_key: str
    status: Literal["pending", "active", "revoked"]
    has_key: bool
    last_seen_at: str | None


class DeviceAnswer(Answer):
    device: Device


class Devices(Answer):
    devices: list[Device]


class Enrolment(Answer):
    enrolment_id: str
    poll_token: str
    approval_url: str
    expires_at: str


class Poll(Answer):
    status: Literal["pending", "approved", "denied", "expired", "consumed"]
    device_id: str | None = None
    device_token: str | None = None


class Profile(Answer):
    user_id: str


class Identity(Answer):
    profile: Profile


class Kdf(Answer):
    name: Literal["HKDF-SHA256"]
    salt: str


class Recovery(Answer):
    kdf: Kdf
    wrapped_key: str


class Wrap(Answer):
    device_id: str
    enc: str
    ciphertext: str


class PreviousKey(Answer):
    account_key_id: str
    wrapped_key: str


class Keys(Answer):
    account_key_id: str | None
    generation: int
    recovery: Recovery | None
    wraps: list[Wrap]
    previous_keys: list[PreviousKey]


class ListedRecord(Answer):
    id: int
    record_id: str
    device_id: str
    session_ref: str
    sequence: int
    created_at: str
    account_key_id: str
    size_bytes: int


class RecordPage(Answer):
    records: list[ListedRecord]
    next_after: int | None


class WholeRecord(Answer):
    record: SealedRecord


class UploadResult(Answer):
    record_id: str | None
    status: Literal["created", "duplicate", "rejected"]
    error: str | None = None
    message: str | None = None


class UploadResults(Answer):
    results: list[UploadResult]


class Usage(Answer):
    records: int
    bytes: int
    devices: int
    quota_records: int
    quota_bytes: int
    quota_devices: int


class Refusal(Answer):
    error: str = ""
    message: str = ""
    generation: int | None = None
    results: list[UploadResult] | None = None
