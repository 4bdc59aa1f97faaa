"""The account key of a user as the server holds it: sealed to each device, wrapped for recovery.

Each change is a generation of its own, so that two devices cannot overwrite each other's.
"""

import sqlite3
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import LARGEST_ID, Body, Record
from app.errors import GenerationConflict, Invalid
from app.raw_memory import device_rows
from app.raw_memory import key_rows as rows
from app.raw_memory.fields import Enc, KeyId, SealedKey, Uuid, WrappedKey
from app.vault.encoding import decode_base64url, encode_base64url

MOST_KEYS = 1000
LONGEST_SALT = 128


class Kdf(Record):
    """How the recovery code becomes a key; the salt is base64url of 16 to 64 bytes."""

    name: Literal["HKDF-SHA256"]
    salt: Annotated[str, Meta(max_length=LONGEST_SALT)]


class GivenRecovery(Body):
    kdf: Kdf
    wrapped_key: WrappedKey


class GivenWrap(Body):
    device_id: str
    enc: Enc
    ciphertext: SealedKey


class PreviousKey(Body):
    account_key_id: Annotated[str, Uuid()]
    wrapped_key: WrappedKey


class Recovery(Record):
    status: Literal["created", "existing"]
    kdf: Kdf
    wrapped_key: str
    created_at: str


class Wrap(Record):
    device_id: str
    enc: str
    ciphertext: str
    created_at: str


class AccountKeys(Record):
    """One generation of a user's keys; before the first, 0 and nulls."""

    account_key_id: str | None
    generation: int
    recovery: Recovery | None
    wraps: list[Wrap]
    previous_keys: list[PreviousKey]


@operation("GET /raw-memory/keys", scope="raw.memory:read")
def get_account_keys(tx: Tx, me: Caller) -> AccountKeys:
    """Return the wrapped account key, and earlier ones that are wrapped under it."""
    return _read(tx, me.user)


@operation(
    "PUT /raw-memory/keys",
    scope="raw.memory:write",
    http=Http(
        refuses={
            "accountKeyId": "it was that of an earlier key",
            "wraps": "a device is unknown or revoked, or has two",
            "recovery": "its salt is not 16 to 64 bytes in base64url",
            "previousKeys": "an earlier key is missing, or one is there that was none",
        }
    ),
)
def put_account_keys(
    tx: Tx,
    me: Caller,
    *,
    account_key_id: KeyId,
    if_generation: Annotated[int, Meta(ge=0, le=LARGEST_ID)],
    wraps: Annotated[list[GivenWrap], Meta(max_length=2 * device_rows.MOST_DEVICES)],
    recovery: GivenRecovery | UnsetType | None = UNSET,
    previous_keys: Annotated[list[PreviousKey], Meta(max_length=MOST_KEYS)] | UnsetType = UNSET,
) -> AccountKeys:
    """Replace the wraps of the account key, or the key; `ifGeneration` is the present generation.

    With a new `accountKeyId` every earlier key comes along, wrapped under the new one. Without
    `recovery` that stays as it is; null takes it away.
    """
    now = rows.find(tx, me.user)
    generation = 0 if now is None else now["generation"]
    if if_generation != generation:
        raise GenerationConflict(
            f"The keys are at generation {generation}; read them again.", generation=generation
        )
    if isinstance(recovery, GivenRecovery):
        _check_salt(recovery.kdf.salt)
    sealed = _wraps_by_row(tx, me.user, wraps)
    earlier = None if isinstance(previous_keys, UnsetType) else previous_keys
    _check_previous(tx, me.user, now, account_key_id, earlier)
    rows.put(tx, me.user, generation=generation + 1, account_key_id=account_key_id)
    rows.put_wraps(tx, me.user, sealed)
    if earlier is not None:
        rows.put_previous(
            tx, me.user, [(each.account_key_id, each.wrapped_key) for each in earlier]
        )
    if not isinstance(recovery, UnsetType):
        rows.put_recovery(
            tx,
            me.user,
            salt=None if recovery is None else recovery.kdf.salt,
            wrapped_key=None if recovery is None else recovery.wrapped_key,
        )
    return _read(tx, me.user, created=isinstance(recovery, GivenRecovery))


def _check_salt(salt: str) -> None:
    try:
        fits = 16 <= len(decode_base64url(salt)) <= 64
    except ValueError:
        fits = False
    if not fits:
        raise Invalid(
            "recovery.kdf.salt must be 16 to 64 bytes in base64url without padding.",
            field="recovery.kdf.salt",
        )


def _wraps_by_row(tx: Tx, owner: int, wraps: list[GivenWrap]) -> list[rows.Wrap]:
    """Return the wraps with the rows of their devices.

    Raise Invalid for a device that is unknown, revoked or named twice.
    """
    live = {
        row["device_id"]: row["id"]
        for row in device_rows.list_all(tx, owner)
        if row["status"] != "revoked"
    }
    found: dict[int, rows.Wrap] = {}
    for at, wrap in enumerate(wraps):
        number = live.get(wrap.device_id)
        if number is None or number in found:
            why = "is unknown or revoked" if number is None else "has a wrap already"
            raise Invalid(f"wraps[{at}].deviceId: the device {why}.", field=f"wraps[{at}].deviceId")
        found[number] = (number, wrap.enc, wrap.ciphertext)
    return list(found.values())


def _check_previous(
    tx: Tx, owner: int, now: sqlite3.Row | None, key_id: str, given: list[PreviousKey] | None
) -> None:
    """Raise Invalid unless every earlier key comes along, once each, and no other."""
    wanted = {row["account_key_id"] for row in rows.list_previous(tx, owner)}
    if key_id in wanted:
        raise Invalid(
            "accountKeyId was used before; a new key needs an id of its own.", field="accountKeyId"
        )
    if now is not None and now["account_key_id"] != key_id:
        wanted.add(now["account_key_id"])
    elif given is None:
        return
    ids = [each.account_key_id for each in given or ()]
    if missing := wanted - set(ids):
        raise Invalid(
            f"previousKeys lacks the earlier key {min(missing)}; without it the records under it "
            "could not be read.",
            field="previousKeys",
        )
    if len(ids) > len(wanted):
        raise Invalid(
            "previousKeys holds a key twice, or one that was never here.", field="previousKeys"
        )


def _read(tx: Tx, owner: int, *, created: bool = False) -> AccountKeys:
    now = rows.find(tx, owner)
    if now is None:
        return AccountKeys(None, 0, None, [], [])
    return AccountKeys(
        now["account_key_id"],
        now["generation"],
        None
        if now["recovery_key"] is None
        else Recovery(
            "created" if created else "existing",
            Kdf("HKDF-SHA256", now["recovery_salt"]),
            encode_base64url(now["recovery_key"]),
            now["recovery_at"],
        ),
        [
            Wrap(
                row["device_id"],
                encode_base64url(row["enc"]),
                encode_base64url(row["ciphertext"]),
                row["created_at"],
            )
            for row in rows.list_wraps(tx, owner)
        ],
        [
            PreviousKey(row["account_key_id"], encode_base64url(row["wrapped_key"]))
            for row in rows.list_previous(tx, owner)
        ],
    )
