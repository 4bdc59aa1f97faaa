"""A sealed record: it opens as it was sealed, and in no other way."""

import copy

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.vault.encoding import decode_base64url, encode_base64url
from app.vault.envelope import SealedRecord
from app.vault.primitives import public_keys_of
from app.vault.refusals import NoKeyHere, Tampered
from app.vault.sealed_records import Head, OpenRecord, SealingDevice, open_record, seal_record
from tests.support.raw_records import RawDevice

USER, DEVICE = "5f0c1a52-0000-4000-8000-000000000001", "dev_0123456789abcdef"
KEY_ID = "0c8f5f7e-3c0f-4d8f-9d0e-2a5b7f3a1c11"
EXCHANGE, SIGNING, ACCOUNT = b"\1" * 32, b"\2" * 32, b"\3" * 32
PUBLIC = public_keys_of(EXCHANGE, SIGNING)[1]
HEAD = Head(session="work", session_ref="s-1", name="log", previous=None)
BINARY = ("nonce", "ciphertext", "wrapped_key", "signature")


def sealed(content: bytes = b"words", head: Head = HEAD, number: int = 0) -> SealedRecord:
    device = SealingDevice(USER, DEVICE, SIGNING, KEY_ID, ACCOUNT)
    return seal_record(
        device, head, content, sequence=number, created_at="2026-11-21T09:30:00.000Z"
    )


def opened(record: SealedRecord, user: str = USER, account: bytes = ACCOUNT) -> OpenRecord:
    return open_record(record, user, PUBLIC, {KEY_ID: account})


@given(st.binary(max_size=200), st.text(max_size=40), st.text(max_size=40))
def test_a_record_opens_as_it_was_sealed(content: bytes, session: str, name: str) -> None:
    head = Head(session=session, session_ref="s-1", name=name, previous="d")
    found = opened(sealed(content, head))
    assert (found.content, found.head) == (content, head)


def test_no_two_records_share_a_key_or_a_nonce() -> None:
    records = [sealed() for _ in range(50)]
    for field in (*BINARY, "record_id"):
        assert len({getattr(record, field) for record in records}) == 50


def test_no_byte_of_a_record_can_be_changed() -> None:
    record = sealed()
    for field in BINARY:
        raw = decode_base64url(getattr(record, field))
        for at in range(len(raw)):
            changed = bytearray(raw)
            changed[at] ^= 1 << at % 8
            other = copy.copy(record)
            setattr(other, field, encode_base64url(bytes(changed)))
            with pytest.raises(Tampered):
                opened(other)


def test_no_part_of_it_can_be_cut_or_added() -> None:
    record = sealed()
    for field in BINARY:
        raw = decode_base64url(getattr(record, field))
        for other in (raw[:-1], raw[1:], raw + b"\0", b"", raw * 2):
            changed = copy.copy(record)
            setattr(changed, field, encode_base64url(other))
            with pytest.raises(Tampered):
                opened(changed)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("record_id", KEY_ID),
        ("device_id", "dev_other"),
        ("session_ref", "s-2"),
        ("sequence", 1),
        ("created_at", "2026-11-21T09:30:00.001Z"),
        ("alg", "none"),
        ("wrap", "none"),
    ],
)
def test_no_label_of_it_can_be_changed(field: str, value: object) -> None:
    record = sealed()
    setattr(record, field, value)
    with pytest.raises(Tampered):
        opened(record)


def test_parts_of_two_records_do_not_make_a_third() -> None:
    one, two = sealed(b"one"), sealed(b"two", number=1)
    for field in BINARY:
        mixed = copy.copy(one)
        setattr(mixed, field, getattr(two, field))
        with pytest.raises(Tampered):
            opened(mixed)


def test_it_is_one_users_under_one_account_key() -> None:
    record = sealed()
    with pytest.raises(Tampered):
        opened(record, user=USER[:-1] + "2")
    with pytest.raises(Tampered) as told:
        opened(record, account=b"\4" * 32)
    assert told.value.what == "swapped record key"
    with pytest.raises(NoKeyHere):
        open_record(record, USER, PUBLIC, {})


@pytest.mark.parametrize("text", [b"", b"words", b"{}\nwords", b'{"format":2}\n', b"\xff\n"])
def test_a_record_of_another_program_is_told(text: bytes) -> None:
    device = RawDevice()
    device.user_id, device.device_id = USER, DEVICE
    record = msgspec.convert(device.seal(text), SealedRecord)
    public = public_keys_of(device.exchange, device.signing)[1]
    with pytest.raises(Tampered) as told:
        open_record(record, USER, public, {device.key_id: device.account_key})
    assert told.value.what == "foreign record"
