"""A device of raw memory in tests, which seals records itself and speaks the wire by hand."""

import uuid
from typing import TYPE_CHECKING, Any

import msgspec

from app.vault import primitives
from app.vault.encoding import encode_base64url
from app.vault.envelope import SealedRecord, signed_text

if TYPE_CHECKING:
    from tests.conftest import Client

CREATED = "2026-11-21T09:30:00.000Z"
KEY_ID = "0c8f5f7e-3c0f-4d8f-9d0e-2a5b7f3a1c11"


class RawDevice:
    """A device with keys of its own, and an account key."""

    def __init__(self, number: int = 1) -> None:
        self.exchange = bytes([number]) * 32
        self.signing = bytes([number + 100]) * 32
        self.account_key = b"k" * 32
        self.key_id = KEY_ID
        self.user_id = self.device_id = ""

    @property
    def public(self) -> dict[str, str]:
        """What the server is told of it."""
        exchange, signing = primitives.public_keys_of(self.exchange, self.signing)
        return {
            "name": "Laptop",
            "publicKey": encode_base64url(exchange),
            "signingKey": encode_base64url(signing),
        }

    async def add(self, client: "Client") -> "RawDevice":
        """Add it by the key of its user."""
        self.user_id = (await client.ok("GET", "/identity"))["profile"]["userId"]
        made = await client.ok("POST", "/raw-memory/devices", status=201, json=self.public)
        self.device_id = made["device"]["deviceId"]
        return self

    def wrap(self) -> dict[str, str]:
        """Seal the account key to this device."""
        public = primitives.public_keys_of(self.exchange, self.signing)[0]
        enc, sealed = primitives.seal_to(public, self.account_key)
        return {
            "deviceId": self.device_id,
            "enc": encode_base64url(enc),
            "ciphertext": encode_base64url(sealed),
        }

    def keys(self, generation: int = 0, **more: Any) -> dict[str, Any]:
        """Give a body of PUT keys."""
        return {
            "accountKeyId": self.key_id,
            "ifGeneration": generation,
            "wraps": [self.wrap()],
            **more,
        }

    def seal(self, content: bytes = b"some text", **changes: Any) -> dict[str, Any]:
        """Give a record; what changes before it is signed fits the signature."""
        key, nonce = b"d" * 32, uuid.uuid4().bytes[:12]
        record = SealedRecord(
            record_id=str(uuid.uuid4()),
            device_id=self.device_id,
            session_ref="a session",
            sequence=0,
            created_at=CREATED,
            alg="A256GCM",
            nonce=encode_base64url(nonce),
            ciphertext="",
            account_key_id=self.key_id,
            wrap="A256KW",
            wrapped_key="",
            signature="",
        )
        for name, value in changes.items():
            setattr(record, name, value)
        label = record.label(self.user_id)
        ciphertext = primitives.encrypt(key, nonce, content, label.text)
        wrapped = primitives.wrap_key(self.account_key, key)
        record.ciphertext = encode_base64url(ciphertext)
        record.wrapped_key = encode_base64url(wrapped)
        record.signature = encode_base64url(
            primitives.sign(self.signing, signed_text(label, nonce, ciphertext, wrapped))
        )
        found: dict[str, Any] = msgspec.to_builtins(record)
        return found


def wrapped_key(content: bytes = b"e" * 32) -> str:
    """Give a key wrapped under some other."""
    return encode_base64url(primitives.wrap_key(b"w" * 32, content))


async def with_raw_memory(client: "Client") -> dict[str, Any]:
    """A device with a key and a record, a record to be sent, and a device that asks to come in."""
    device = await RawDevice().add(client)
    await client.ok("PUT", "/raw-memory/keys", json=device.keys())
    record = device.seal()
    await client.ok("POST", "/raw-memory/records", json={"records": [record]})
    asked = await client.ok("POST", "/raw-memory/enrolments", status=201, json=RawDevice(2).public)
    return {
        "raw_device": device.device_id,
        "raw_record": record["recordId"],
        "raw_unsent": device.seal(),
        "raw_wrap": device.wrap(),
        "raw_enrolment": asked["enrolmentId"],
        "raw_poll": asked["pollToken"],
    }
