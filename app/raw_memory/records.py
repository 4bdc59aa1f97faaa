"""The records of a user: listing, reading and deleting them, and how much room they take."""

import asyncio
import sqlite3
from datetime import timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import LARGEST_ID, Most, Record
from app.errors import NotFound
from app.raw_memory import device_rows
from app.raw_memory import record_rows as rows
from app.raw_memory.fields import SessionRef
from app.vault.encoding import encode_base64url
from app.vault.envelope import ALGORITHM, WRAP

STALE = timedelta(hours=1)
"""How long an upload may take before what there is of it is deleted."""


AS_STORED = (
    "id",
    "record_id",
    "device_id",
    "session_ref",
    "sequence",
    "created_at",
    "account_key_id",
    "sha256",
    "received_at",
)


class ListedRecord(Record, kw_only=True):
    """A record as lists show it: what only its bytes tell is left out."""

    id: int
    record_id: str
    device_id: str
    session_ref: str
    sequence: int
    created_at: str
    alg: Literal["A256GCM"]
    nonce: str
    account_key_id: str
    wrap: Literal["A256KW"]
    size_bytes: int
    sha256: str
    received_at: str


class WholeRecord(ListedRecord, kw_only=True):
    ciphertext: str
    wrapped_key: str
    signature: str


class RecordList(Record):
    records: list[ListedRecord]
    next_after: int | None


class RecordAnswer(Record):
    record: WholeRecord


class RecordDeleted(Record):
    deleted: Literal[True] = True


class RecordsDeleted(Record):
    deleted: int


class Usage(Record):
    """What a user's records take, and what they may."""

    records: int
    bytes: int
    devices: int
    quota_records: int
    quota_bytes: int
    quota_devices: int


class Purged(Record):
    purged: int


@operation("GET /raw-memory/records", scope="raw.memory:read")
def list_records(
    tx: Tx,
    me: Caller,
    *,
    device_id: str | None = None,
    session_ref: SessionRef | None = None,
    after: Annotated[int, Meta(ge=0, le=LARGEST_ID)] = 0,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
) -> RecordList:
    """List records as they came in, without their bytes; `after` is the id of the last one seen."""
    found = rows.list_after(
        tx, me.user, device_id=device_id, session_ref=session_ref, after=after, limit=limit + 1
    )
    listed = [ListedRecord(**_columns(row)) for row in found[:limit]]
    return RecordList(listed, listed[-1].id if len(found) > limit else None)


@operation("GET /raw-memory/records/{recordId}", scope="raw.memory:read")
async def read_record(app: App, me: Caller, *, record_id: str) -> RecordAnswer:
    """Return a record with its bytes, as they were sent."""
    row = app.quick(rows.require_own, me, record_id)
    ciphertext = bytearray()
    for number in range(-(-row["size"] // rows.PART)):
        part = await app.read(rows.read_part, me, row["id"], number)
        if part is None:
            raise NotFound("The record was deleted while it was read.", field="recordId")
        ciphertext += part
    return RecordAnswer(await asyncio.to_thread(_whole, row, ciphertext))


@operation("DELETE /raw-memory/records/{recordId}", scope="raw.memory:write")
def delete_record(tx: Tx, me: Caller, *, record_id: str) -> RecordDeleted:
    """Delete a record for good; its id is never used again."""
    rows.bury(tx, me.user, [rows.require_own(tx, me, record_id)["id"]])
    return RecordDeleted()


@operation("DELETE /raw-memory/records", scope="raw.memory:write")
async def delete_session_records(
    app: App, me: Caller, *, session_ref: SessionRef
) -> RecordsDeleted:
    """Delete every record of a session for good."""
    # in small steps, so that large records hold up nobody; those that come meanwhile stay
    last, deleted = await app.read(rows.newest, me.user), 0
    while gone := await app.write(_bury_some, me, session_ref, last):
        deleted += gone
    return RecordsDeleted(deleted)


@operation("GET /raw-memory/usage", scope="raw.memory:read")
def raw_memory_usage(tx: Tx, me: Caller) -> Usage:
    """Return how many records and devices there are, their bytes, and the most there may be."""
    number, bytes_ = rows.held(tx, me.user)
    return Usage(
        number,
        bytes_,
        device_rows.count_live(tx, me.user),
        rows.MOST_RECORDS,
        tx.settings.raw_memory_quota,
        device_rows.MOST_DEVICES,
    )


@operation("COMMAND", frees=True, every=HOUR)
async def purge_stale_records(app: App, me: Caller) -> Purged:
    """Delete what is left of uploads that were cut off."""
    before, purged = stamp(app.clock() - STALE), 0
    while gone := await app.write(rows.purge_stale, before):
        purged += gone
    return Purged(purged)


@operation("COMMAND", frees=True)
async def purge_user_records(app: App, me: Caller, *, username: str) -> Purged:
    """Delete the records of a user who is to be deleted, in steps that hold up nobody."""
    user = await app.read(lambda tx: int(users.require_user(tx, username)["id"]))
    purged = 0
    while gone := await app.write(rows.purge_owner, user):
        purged += gone
    return Purged(purged)


def _bury_some(tx: Tx, me: Caller, session_ref: str, before: int) -> int:
    some = rows.some_of_session(tx, me.user, session_ref, before)
    rows.bury(tx, me.user, some)
    return len(some)


def _whole(row: sqlite3.Row, ciphertext: bytearray) -> WholeRecord:
    return WholeRecord(
        **_columns(row),
        ciphertext=encode_base64url(bytes(ciphertext)),
        wrapped_key=encode_base64url(row["wrapped_key"]),
        signature=encode_base64url(row["signature"]),
    )


def _columns(row: sqlite3.Row) -> dict[str, Any]:
    return {
        **{name: row[name] for name in AS_STORED},
        "size_bytes": row["size"],
        "nonce": encode_base64url(row["nonce"]),
        "alg": ALGORITHM,
        "wrap": WRAP,
    }
