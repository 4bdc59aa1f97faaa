"""The table of device tokens: what a program on a machine of the user's comes with.

A device has one token for each of its uses; a new one ends the one before.
"""

from collections.abc import Mapping

import msgspec

from app.account import key_rows
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx

PREFIX = "hearth_dt_"
RUNTIME = ("runtime:connect",)
RAW_MEMORY = ("raw.memory:read", "raw.memory:write")


def issue(
    tx: Tx, user: int, device_id: str, used_for: str, *, name: str, scopes: tuple[str, ...]
) -> str:
    """Return a new token for one use of a user's device, and end the one before.

    `used_for` is the runtime, or "raw-memory"; `name` is shown where the device is.
    """
    secret = random_tokens.new_secret(PREFIX)
    tx.run(
        """INSERT INTO device_tokens (user_id, device_id, used_for, name, scopes, digest,
             created_at)
           VALUES (:user, :device, :use, :name, :scopes, :digest, :now)
           ON CONFLICT (user_id, device_id, used_for) DO UPDATE
             SET name = excluded.name, scopes = excluded.scopes, digest = excluded.digest,
                 created_at = excluded.created_at, revoked_at = NULL""",
        user=user,
        device=device_id,
        use=used_for,
        name=name,
        scopes=msgspec.json.encode(scopes).decode(),
        digest=key_rows.key_digest(secret),
        now=tx.now,
    )
    tx.emit("devices.changed")
    return secret


def revoke(tx: Tx, user: int, device_id: str, used_for: str) -> None:
    """End the token for one use of a user's device; doing it again changes nothing."""
    tx.run(
        """UPDATE device_tokens SET digest = NULL, revoked_at = ifnull(revoked_at, :now)
           WHERE user_id = :user AND device_id = :device AND used_for = :use""",
        user=user,
        device=device_id,
        use=used_for,
        now=tx.now,
    )
    tx.emit("devices.changed")


def find_caller(tx: Tx, print_: bytes) -> Caller | None:
    """Return the caller whose device token has this digest; None when it is unknown or ended."""
    row = tx.one(
        """SELECT t.id, t.device_id, t.name, t.scopes, u.id AS user, u.uuid, u.username
           FROM device_tokens t JOIN users u ON u.id = t.user_id WHERE t.digest = :print""",
        print=print_,
    )
    if row is None:
        return None
    return Caller(
        user=row["user"],
        user_id=row["uuid"],
        username=row["username"],
        kind="device",
        scopes=tuple(msgspec.json.decode(row["scopes"])),
        credential=row["id"],
        name=row["name"],
        device=row["device_id"],
    )


def note_use(tx: Tx, used: Mapping[int, str]) -> None:
    """Write when each token was last used."""
    for id_, moment in used.items():
        tx.run(
            "UPDATE device_tokens SET last_used_at = max(ifnull(last_used_at, ''), :moment) "
            "WHERE id = :id",
            moment=moment,
            id=id_,
        )
