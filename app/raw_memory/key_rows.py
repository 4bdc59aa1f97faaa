"""The tables of account keys, which the server holds only wrapped."""

import sqlite3

from app.core.database.tx import Tx
from app.vault.encoding import decode_base64url

Wrap = tuple[int, str, str]
"""The row of a device, and `enc` and ciphertext of the key that is sealed to it."""


def find(tx: Tx, owner: int) -> sqlite3.Row | None:
    """Return the present generation of a user's keys; None before the first."""
    return tx.one("SELECT * FROM raw_key_sets WHERE owner_id = :owner", owner=owner)


def put(tx: Tx, owner: int, *, generation: int, account_key_id: str) -> None:
    """Begin a generation."""
    tx.run(
        """INSERT INTO raw_key_sets (owner_id, generation, account_key_id)
           VALUES (:owner, :generation, :key)
           ON CONFLICT (owner_id) DO UPDATE
             SET generation = excluded.generation, account_key_id = excluded.account_key_id""",
        owner=owner,
        generation=generation,
        key=account_key_id,
    )


def put_recovery(tx: Tx, owner: int, *, salt: str | None, wrapped_key: str | None) -> None:
    """Replace what the recovery code opens; None takes it away."""
    tx.update(
        "raw_key_sets",
        {"owner_id": owner},
        recovery_salt=salt,
        recovery_key=None if wrapped_key is None else decode_base64url(wrapped_key),
        recovery_at=None if wrapped_key is None else tx.now,
    )


def put_wraps(tx: Tx, owner: int, wraps: list[Wrap]) -> None:
    """Replace all wraps; one that stays the same keeps its time."""
    held = {row["device"]: row for row in list_wraps(tx, owner)}
    tx.run("DELETE FROM raw_key_wraps WHERE owner_id = :owner", owner=owner)
    for device, enc, ciphertext in wraps:
        new = (decode_base64url(enc), decode_base64url(ciphertext))
        old = held.get(device)
        same = old is not None and (old["enc"], old["ciphertext"]) == new
        tx.insert(
            "raw_key_wraps",
            device=device,
            owner_id=owner,
            enc=new[0],
            ciphertext=new[1],
            created_at=old["created_at"] if old is not None and same else tx.now,
        )


def drop_wrap(tx: Tx, owner: int, device: int) -> None:
    """Drop the wrap of a device that was revoked."""
    tx.run(
        "DELETE FROM raw_key_wraps WHERE device = :device AND owner_id = :owner",
        device=device,
        owner=owner,
    )


def put_previous(tx: Tx, owner: int, keys: list[tuple[str, str]]) -> None:
    """Replace the earlier keys, each wrapped under the present one."""
    tx.run("DELETE FROM raw_previous_keys WHERE owner_id = :owner", owner=owner)
    for position, (key_id, wrapped) in enumerate(keys):
        tx.insert(
            "raw_previous_keys",
            owner_id=owner,
            position=position,
            account_key_id=key_id,
            wrapped_key=decode_base64url(wrapped),
        )


def list_wraps(tx: Tx, owner: int) -> list[sqlite3.Row]:
    """Return the wraps with the ids of their devices."""
    return tx.all(
        """SELECT w.*, d.device_id FROM raw_key_wraps w JOIN raw_devices d ON d.id = w.device
           WHERE w.owner_id = :owner ORDER BY w.device""",
        owner=owner,
    )


def list_previous(tx: Tx, owner: int) -> list[sqlite3.Row]:
    """Return the earlier keys as they were put."""
    return tx.all(
        "SELECT account_key_id, wrapped_key FROM raw_previous_keys "
        "WHERE owner_id = :owner ORDER BY position",
        owner=owner,
    )


def known_ids(tx: Tx, owner: int) -> frozenset[str]:
    """Return the ids of the present key and of all earlier ones."""
    now = find(tx, owner)
    earlier = {row["account_key_id"] for row in list_previous(tx, owner)}
    return frozenset(earlier if now is None else earlier | {now["account_key_id"]})
