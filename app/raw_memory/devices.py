"""The devices of raw memory: adding, listing and revoking them."""

import sqlite3
from typing import Literal

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import Forbidden
from app.raw_memory import device_rows as rows
from app.raw_memory import key_rows
from app.raw_memory.fields import DeviceName, PublicKey, SigningKey
from app.vault.encoding import decode_base64url, encode_base64url

MAY_ADD = ("key", "session")
"""What kinds of credentials add a device without asking anybody."""


class Device(Record):
    """A device that stores records; `has_key` says whether the account key is sealed to it."""

    device_id: str
    name: str
    public_key: str
    signing_key: str
    status: Literal["pending", "active", "revoked"]
    has_key: bool
    created_at: str
    last_seen_at: str | None
    revoked_at: str | None


class DeviceAnswer(Record):
    device: Device


class DeviceList(Record):
    devices: list[Device]


class RevokedDevice(Record):
    """A revoked device; the next account key should be one that it does not know."""

    device: Device
    rotation_needed: Literal[True] = True


@operation("POST /raw-memory/devices", scope="raw.memory:write", http=Http(status=201))
def add_raw_device(
    tx: Tx, me: Caller, *, name: DeviceName, public_key: PublicKey, signing_key: SigningKey
) -> DeviceAnswer:
    """Add a device that may store records, by its public keys."""
    if me.kind not in MAY_ADD:
        raise Forbidden(
            "Only a key or a web session adds a device at once; others enrol it.",
            reason="credential_kind",
        )
    row = rows.add(
        tx,
        me.user,
        name=name,
        public_key=decode_base64url(public_key),
        signing_key=decode_base64url(signing_key),
        status="active",
    )
    return DeviceAnswer(_as_device(row))


@operation("GET /raw-memory/devices", scope="raw.memory:read")
def list_raw_devices(tx: Tx, me: Caller) -> DeviceList:
    """List the devices of raw memory, the oldest first, revoked ones too."""
    return DeviceList([_as_device(row) for row in rows.list_all(tx, me.user)])


@operation("DELETE /raw-memory/devices/{deviceId}", scope="raw.memory:write")
def revoke_raw_device(tx: Tx, me: Caller, *, device_id: str) -> RevokedDevice:
    """Revoke a device for good; its records stay."""
    row = rows.revoke(tx, me.user, device_id)
    key_rows.drop_wrap(tx, me.user, row["id"])
    return RevokedDevice(_as_device(rows.require_own(tx, me.user, device_id)))


def _as_device(row: sqlite3.Row) -> Device:
    return copy_fields(
        Device,
        row,
        public_key=encode_base64url(row["public_key"]),
        signing_key=encode_base64url(row["signing_key"]),
        has_key=bool(row["has_key"]),
    )
