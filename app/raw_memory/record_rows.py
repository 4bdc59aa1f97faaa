"""The tables of records and of the parts that their bytes lie in."""

import itertools
import sqlite3
from collections.abc import Mapping
from typing import Any

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import NotFound, QuotaExceeded

PART = 1 << 20
"""The bytes of a part: so that neither a write nor a read holds up others for long."""
MOST_RECORDS = 100_000
PURGED, PURGED_BYTES = 50, 8 << 20
"""Of how many records, and of how many bytes, a transaction empties at most.

What it empties passes through the log, for which a full disk has little room.
"""
NOTHING = b""
COLUMNS = (
    "id, record_id, device_id, session_ref, sequence, created_at, nonce, account_key_id, "
    "wrapped_key, signature, size, sha256, received_at"
)


def find(tx: Tx, owner: int, record_id: str) -> sqlite3.Row | None:
    """Return whatever has that id among a user's records: kept, arriving or deleted."""
    return tx.one(
        f"SELECT {COLUMNS}, state FROM raw_records WHERE owner_id = :owner AND record_id = :id",
        owner=owner,
        id=record_id,
    )


def held(tx: Tx, owner: int) -> tuple[int, int]:
    """Return how many records a user has, and their bytes; with those that are arriving."""
    row = tx.require_row(
        "SELECT count(*), ifnull(sum(size), 0) FROM raw_records "
        "WHERE owner_id = :owner AND state <> 'deleted'",
        owner=owner,
    )
    return row[0], row[1]


def require_room(tx: Tx, have: tuple[int, int], size: int) -> None:
    """Raise QuotaExceeded where a user who has so much has no room for so many bytes more."""
    number, bytes_ = have
    if number >= MOST_RECORDS:
        raise QuotaExceeded(
            f"You have {number} records, the most allowed; delete some first.", limit=MOST_RECORDS
        )
    quota = tx.settings.raw_memory_quota
    if bytes_ + size > quota:
        raise QuotaExceeded(
            f"Your records hold {bytes_} bytes and may hold {quota}; delete some first.",
            limitBytes=quota,
        )


def add(tx: Tx, owner: int, fields: Mapping[str, Any], *, state: str) -> int:
    """Add a record without its bytes and return its number."""
    return tx.insert("raw_records", owner_id=owner, state=state, received_at=tx.now, **fields)


def put_part(tx: Tx, record: int, number: int, content: bytes) -> None:
    """Store one part of a record, unless that was discarded meanwhile."""
    tx.run(
        "INSERT INTO raw_record_parts (record, number, bytes) "
        "SELECT id, :number, :content FROM raw_records WHERE id = :id",
        id=record,
        number=number,
        content=content,
    )


def complete(tx: Tx, record: int) -> bool:
    """Let a record be seen, now that all its parts are there; False where it was discarded."""
    done = tx.run(
        "UPDATE raw_records SET state = 'kept', received_at = :now "
        "WHERE id = :id AND state = 'arriving'",
        id=record,
        now=tx.now,
    )
    return done.rowcount == 1


def discard(tx: Tx, record: int) -> None:
    """Delete what there is of a record that did not come to be complete."""
    tx.run("DELETE FROM raw_records WHERE id = :id AND state = 'arriving'", id=record)


def require_own(tx: Tx, me: Caller, record_id: str) -> sqlite3.Row:
    """Return a kept record of the caller; raise NotFound for any other."""
    row = find(tx, me.user, record_id)
    if row is None or row["state"] != "kept":
        raise NotFound("There is no such record.", field="recordId")
    return row


def list_after(
    tx: Tx, owner: int, *, device_id: str | None, session_ref: str | None, after: int, limit: int
) -> list[sqlite3.Row]:
    """Return the kept records of a user after a number, of a device or a session if asked for."""
    chosen = ("AND session_ref = :session" if session_ref is not None else "") + (
        " AND device_id = :device" if device_id is not None else ""
    )
    return tx.all(
        f"""SELECT {COLUMNS} FROM raw_records
            WHERE owner_id = :owner AND state = 'kept' AND id > :after {chosen}
            ORDER BY id LIMIT :limit""",
        owner=owner,
        device=device_id,
        session=session_ref,
        after=after,
        limit=limit,
    )


def read_part(tx: Tx, me: Caller, record: int, number: int) -> bytes | None:
    """Return one part of a record of the caller; None where there is none."""
    found: bytes | None = tx.value(
        """SELECT bytes FROM raw_record_parts JOIN raw_records r ON r.id = record
           WHERE record = :id AND number = :number AND owner_id = :me AND state = 'kept'""",
        id=record,
        number=number,
        me=me.user,
    )
    return found


def bury(tx: Tx, owner: int, numbers: list[int]) -> None:
    """Delete records for good; their ids stay, so that nothing else can come under them."""
    for number in numbers:
        tx.run("DELETE FROM raw_record_parts WHERE record = :id", id=number)
        tx.update(
            "raw_records",
            {"id": number, "owner_id": owner},
            state="deleted",
            session_ref="",
            nonce=NOTHING,
            wrapped_key=NOTHING,
            signature=NOTHING,
            size=0,
            sha256="",
        )


def some_of_session(tx: Tx, owner: int, session_ref: str, before: int) -> list[int]:
    """Return a few kept records of a session that came up to a number."""
    return _some(
        tx,
        "owner_id = :owner AND session_ref = :session AND state = 'kept' AND id <= :before",
        owner=owner,
        session=session_ref,
        before=before,
    )


def newest(tx: Tx, owner: int) -> int:
    """Return the number of a user's newest record; 0 where there is none."""
    return int(
        tx.value(
            "SELECT ifnull(max(id), 0) FROM raw_records WHERE owner_id = :owner AND state = 'kept'",
            owner=owner,
        )
    )


def purge_stale(tx: Tx, before: str) -> int:
    """Delete some records that began to arrive before a moment and never were whole.

    Return how many.
    """
    return _purge(tx, _some(tx, "state = 'arriving' AND received_at < :before", before=before))


def purge_owner(tx: Tx, owner: int) -> int:
    """Delete some records of a user who is to be deleted; return how many."""
    return _purge(tx, _some(tx, "owner_id = :owner", owner=owner))


def _purge(tx: Tx, numbers: list[int]) -> int:
    for number in numbers:
        tx.run("DELETE FROM raw_records WHERE id = :id", id=number)
    return len(numbers)


def _some(tx: Tx, which: str, **params: object) -> list[int]:
    """Return the first records of these that one transaction may empty, at least one."""
    rows = tx.all(
        f"SELECT id, size FROM raw_records WHERE {which} ORDER BY id LIMIT :some",
        some=PURGED,
        **params,
    )
    totals = itertools.accumulate(row["size"] for row in rows)
    return [
        row["id"]
        for row, total in zip(rows, totals, strict=True)
        if total == row["size"] or total <= PURGED_BYTES
    ]
