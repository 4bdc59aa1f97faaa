"""The table of the devices that store records."""

import sqlite3

from app.account import device_tokens
from app.core import random_tokens
from app.core.database.tx import Tx
from app.errors import NotFound, QuotaExceeded

MOST_DEVICES = 20
PREFIX = "dev_"
TOKEN_USE = "raw-memory"  # noqa: S105 - what tokens are for
_SELECT = """SELECT d.*, EXISTS (SELECT 1 FROM raw_key_wraps w WHERE w.device = d.id) AS has_key
    FROM raw_devices d"""


def add(
    tx: Tx, owner: int, *, name: str, public_key: bytes, signing_key: bytes, status: str
) -> sqlite3.Row:
    """Add a device and return it; raise QuotaExceeded where its owner has enough of them."""
    if count_live(tx, owner) >= MOST_DEVICES:
        raise QuotaExceeded(
            f"You have {MOST_DEVICES} devices in raw memory; revoke one first.", limit=MOST_DEVICES
        )
    made = tx.insert(
        "raw_devices",
        owner_id=owner,
        device_id=random_tokens.new_id(PREFIX),
        name=name,
        public_key=public_key,
        signing_key=signing_key,
        status=status,
        created_at=tx.now,
    )
    return _read(tx, made)


def activate(tx: Tx, number: int) -> tuple[str, str] | None:
    """Let an approved device in; return its id and its token, None where it was revoked."""
    row = tx.one(
        "UPDATE raw_devices SET status = 'active', last_seen_at = :now "
        "WHERE id = :id AND status = 'pending' RETURNING owner_id, device_id, name",
        id=number,
        now=tx.now,
    )
    if row is None:
        return None
    token = device_tokens.issue(
        tx,
        row["owner_id"],
        row["device_id"],
        TOKEN_USE,
        name=row["name"],
        scopes=device_tokens.RAW_MEMORY,
    )
    return row["device_id"], token


def revoke(tx: Tx, owner: int, device_id: str) -> sqlite3.Row:
    """Revoke a device for good, with its token; doing it again changes nothing.

    Raise NotFound for a device that is not the owner's.
    """
    row = require_own(tx, owner, device_id)
    tx.run(
        "UPDATE raw_devices SET status = 'revoked', revoked_at = :now "
        "WHERE id = :id AND status <> 'revoked'",
        id=row["id"],
        now=tx.now,
    )
    device_tokens.revoke(tx, owner, device_id, TOKEN_USE)
    return _read(tx, row["id"])


def note_seen(tx: Tx, owner: int, device_id: str) -> None:
    """Note that a device was heard of."""
    tx.update("raw_devices", {"device_id": device_id, "owner_id": owner}, last_seen_at=tx.now)


def drop_pending(tx: Tx, number: int) -> None:
    """Forget a device that was approved and never came for its token."""
    tx.run("DELETE FROM raw_devices WHERE id = :id AND status = 'pending'", id=number)


def require_own(tx: Tx, owner: int, device_id: str) -> sqlite3.Row:
    """Return a device of a user; raise NotFound for any other."""
    row = tx.one(
        f"{_SELECT} WHERE d.device_id = :device AND d.owner_id = :owner",
        device=device_id,
        owner=owner,
    )
    if row is None:
        raise NotFound("There is no such device.", field="deviceId")
    return row


def find_active(tx: Tx, owner: int, device_id: str) -> sqlite3.Row | None:
    """Return a user's device that may store records; None for any other."""
    return tx.one(
        "SELECT * FROM raw_devices "
        "WHERE device_id = :device AND owner_id = :owner AND status = 'active'",
        device=device_id,
        owner=owner,
    )


def list_all(tx: Tx, owner: int) -> list[sqlite3.Row]:
    """Return every device of a user, the oldest first; revoked ones too."""
    return tx.all(f"{_SELECT} WHERE d.owner_id = :owner ORDER BY d.id", owner=owner)


def count_live(tx: Tx, owner: int) -> int:
    """Return how many devices a user has that are not revoked."""
    return int(
        tx.value(
            "SELECT count(*) FROM raw_devices WHERE owner_id = :owner AND status <> 'revoked'",
            owner=owner,
        )
    )


def _read(tx: Tx, number: int) -> sqlite3.Row:
    return tx.require_row(f"{_SELECT} WHERE d.id = :id", id=number)
