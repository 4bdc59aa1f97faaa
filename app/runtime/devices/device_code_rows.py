"""The table of device codes: programs that asked to be let in, and the answers."""

import sqlite3
from datetime import timedelta
from typing import Literal, NamedTuple

import msgspec

from app.account import key_rows
from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.runtime.devices.endpoint_rows import Runtime

LIFE = timedelta(minutes=10)
TIME_TO_FETCH = timedelta(minutes=1)
"""How long at least an approved program may come for its token."""
KEPT_FOR = timedelta(hours=1)
POLL_PREFIX = "hearth_dp_"
Status = Literal["pending", "approved", "denied", "expired", "consumed"]
COLUMNS = (
    "poll_digest, device_id, runtime, bridge_version, adapter_version, capabilities, label, "
    "status, user_id, created_at, expires_at"
)


class DeviceCode(msgspec.Struct, frozen=True):
    """A program that asked to be let in, and what became of that."""

    poll_digest: bytes
    device_id: str
    runtime: Runtime
    bridge_version: str
    adapter_version: str
    capabilities: list[str]
    label: str | None
    status: Status
    user_id: int | None
    created_at: str
    expires_at: str


class Codes(NamedTuple):
    """The two secrets of a request: one for the person, one for the program."""

    user_code: str
    poll_token: str
    expires_at: str


def insert(
    tx: Tx,
    *,
    device_id: str,
    runtime: Runtime,
    bridge_version: str,
    adapter_version: str,
    capabilities: list[str],
    label: str | None,
) -> Codes:
    """Keep what a program asks, and return its codes."""
    made = Codes(
        random_tokens.new_code(), random_tokens.new_secret(POLL_PREFIX), stamp(tx.moment + LIFE)
    )
    tx.insert(
        "device_codes",
        poll_digest=key_rows.key_digest(made.poll_token),
        code_digest=_code_digest(made.user_code),
        device_id=device_id,
        runtime=runtime,
        bridge_version=bridge_version,
        adapter_version=adapter_version,
        capabilities=msgspec.json.encode(capabilities).decode(),
        label=label,
        status="pending",
        created_at=tx.now,
        expires_at=made.expires_at,
    )
    return made


def find_by_poll_token(tx: Tx, poll_token: str) -> DeviceCode | None:
    """Return the request that a program asks after."""
    row = tx.one(
        f"SELECT {COLUMNS} FROM device_codes WHERE poll_digest = :poll",
        poll=key_rows.key_digest(poll_token),
    )
    return None if row is None else _as_it_is_now(tx, row)


def find_by_user_code(tx: Tx, user_code: str) -> DeviceCode | None:
    """Return the request with a code, however that was typed."""
    row = tx.one(
        f"SELECT {COLUMNS} FROM device_codes WHERE code_digest = :code",
        code=_code_digest(user_code),
    )
    return None if row is None else _as_it_is_now(tx, row)


def decide(tx: Tx, found: DeviceCode, user: int, status: Literal["approved", "denied"]) -> None:
    """Keep a user's answer."""
    tx.run(
        """UPDATE device_codes SET status = :status, user_id = :user,
             expires_at = max(expires_at, :fetch) WHERE poll_digest = :poll""",
        status=status,
        user=user,
        fetch=stamp(tx.moment + TIME_TO_FETCH),
        poll=found.poll_digest,
    )


def consume(tx: Tx, found: DeviceCode) -> None:
    """Note that the program has got its token."""
    tx.update("device_codes", {"poll_digest": found.poll_digest}, status="consumed")


def delete_old(tx: Tx) -> int:
    """Delete the requests whose time was over long ago, and return their number."""
    return tx.run(
        "DELETE FROM device_codes WHERE expires_at <= :past", past=stamp(tx.moment - KEPT_FOR)
    ).rowcount


def _as_it_is_now(tx: Tx, row: sqlite3.Row) -> DeviceCode:
    kept = {**dict(row), "capabilities": msgspec.json.decode(row["capabilities"])}
    if kept["status"] in ("pending", "approved") and kept["expires_at"] <= tx.now:
        kept["status"] = "expired"
    return DeviceCode(**kept)


def _code_digest(user_code: str) -> bytes:
    # its 60 bits hold for the ten minutes that it lives
    return key_rows.key_digest(random_tokens.normalise_code(user_code))
