"""Storing what devices upload: each record is checked and stored, or refused, by itself."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.accepted_schemas import request_schemas
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import AppError, Forbidden, Invalid, RecordImmutable, Unprocessable
from app.raw_memory import device_rows
from app.raw_memory import record_rows as rows
from app.raw_memory.record_checks import (
    CheckedRecord,
    GivenRecord,
    check_record,
    read_record,
    signing_key_for,
)

MOST_AT_ONCE = 100
WORTH_A_THREAD = 64 << 10
TRANSACTION_BYTES = rows.PART
"""So many bytes of small records are stored together, with one sync of the disk."""
_FORM = request_schemas([GivenRecord], "")[0][0]
GivenRecords = Annotated[
    list[Annotated[Any, Meta(extra_json_schema=_FORM)]],
    Meta(min_length=1, max_length=MOST_AT_ONCE, description="records as devices seal them"),
]


class UploadResult(Record):
    """What became of one record; `id` where it is stored, `error` and `message` where not."""

    record_id: str | None
    status: Literal["created", "duplicate", "rejected"]
    id: int | UnsetType = UNSET
    error: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class UploadResults(Record):
    """What became of each record, in their order."""

    results: list[UploadResult]
    created: int
    duplicates: int
    rejected: int


@operation(
    "POST /raw-memory/records",
    scope="raw.memory:write",
    http=Http(
        body="max_raw_memory_body",
        refuses={"*": "no record was stored (422); `results` says of each why"},
    ),
)
async def upload_records(app: App, me: Caller, *, records: GivenRecords) -> UploadResults:
    """Store sealed records; one that is refused does not keep the others from being stored."""
    upload = _Upload(app, me)
    for at in range(len(records)):
        # what was stored needs no memory any more
        given, records[at] = records[at], None
        await upload.add(at, given)
    await upload.store_waiting()
    results = [upload.results[at] for at in range(len(records))]
    counts = [sum(each.status == status for each in results) for status in _STATUSES]
    if counts[2] == len(results):
        raise Unprocessable(
            f"No record was stored. The first: {results[0].message}",
            results=msgspec.to_builtins(results),
            created=0,
            duplicates=0,
            rejected=counts[2],
        )
    return UploadResults(results, *counts)


_STATUSES = ("created", "duplicate", "rejected")


class _Upload:
    """One request's records on their way into the database.

    Small ones wait for each other; a large one is stored part by part, so that others' writes
    come in between.
    """

    def __init__(self, app: App, me: Caller) -> None:
        self._app, self._me = app, me
        self._waiting: dict[int, CheckedRecord] = {}
        self.results: dict[int, UploadResult] = {}

    async def add(self, at: int, given: Any) -> None:
        """Check a record and store it, or let it wait for those that come with it."""
        id_ = given.get("recordId") if isinstance(given, dict) else None
        name = id_[:64] if isinstance(id_, str) else None
        try:
            record = read_record(given, f"records[{at}]")
            key = self._app.quick(signing_key_for, self._me, record)
            checked = (
                check_record(record, self._me, key)
                if len(record.ciphertext) < WORTH_A_THREAD
                else await asyncio.to_thread(check_record, record, self._me, key)
            )
            del record
        except AppError as error:
            self.results[at] = _rejected(name, error)
            return
        size = sum(len(each.ciphertext) for each in self._waiting.values())
        if size + len(checked.ciphertext) > TRANSACTION_BYTES:
            await self.store_waiting()
        if len(checked.ciphertext) <= TRANSACTION_BYTES:
            self._waiting[at] = checked
        else:
            self.results[at] = await self._store_large(checked)

    async def store_waiting(self) -> None:
        """Store the small records that were gathered, in one transaction."""
        if self._waiting:
            waiting, self._waiting = self._waiting, {}
            self.results |= await self._app.write(_store_small, self._me, waiting)

    async def _store_large(self, checked: CheckedRecord) -> UploadResult:
        name = checked.columns["record_id"]
        try:
            begun = await self._app.write(_begin, self._me, checked)
            if isinstance(begun, UploadResult):
                return begun
            try:
                for number, start in enumerate(range(0, len(checked.ciphertext), rows.PART)):
                    part = checked.ciphertext[start : start + rows.PART]
                    await self._app.write(rows.put_part, begun, number, part)
                return await self._app.write(_finish, self._me, checked, begun)
            except BaseException:
                # in a task of its own, since this one may be cancelled
                self._app.tasks.start(self._app.write(rows.discard, begun))
                raise
        except AppError as error:
            if error.status >= 500:  # a full disk, an ending server: not a matter of this record
                raise
            return _rejected(name, error)


def _store_small(tx: Tx, me: Caller, waiting: dict[int, CheckedRecord]) -> dict[int, UploadResult]:
    """Store records whole; return what became of each."""
    have, results = rows.held(tx, me.user), {}
    for at, checked in waiting.items():
        columns = checked.columns
        try:
            _require_active(tx, me, columns["device_id"])
            if (number := _find_same(tx, me, checked)) is not None:
                results[at] = UploadResult(columns["record_id"], "duplicate", number)
                continue
            rows.require_room(tx, have, columns["size"])
        except AppError as error:
            results[at] = _rejected(columns["record_id"], error)
            continue
        number = rows.add(tx, me.user, columns, state="kept")
        rows.put_part(tx, number, 0, checked.ciphertext)
        have = (have[0] + 1, have[1] + columns["size"])
        results[at] = UploadResult(columns["record_id"], "created", number)
    for device in {checked.columns["device_id"] for checked in waiting.values()}:
        device_rows.note_seen(tx, me.user, device)
    return results


def _begin(tx: Tx, me: Caller, checked: CheckedRecord) -> UploadResult | int:
    """Return the number of a record whose parts are to come, or that it is there already."""
    columns = checked.columns
    _require_active(tx, me, columns["device_id"])
    if (number := _find_same(tx, me, checked)) is not None:
        return UploadResult(columns["record_id"], "duplicate", number)
    rows.require_room(tx, rows.held(tx, me.user), columns["size"])
    return rows.add(tx, me.user, columns, state="arriving")


def _finish(tx: Tx, me: Caller, checked: CheckedRecord, number: int) -> UploadResult:
    """Let a record be seen whose parts have come, unless its device was revoked meanwhile."""
    device = checked.columns["device_id"]
    try:
        _require_active(tx, me, device)
    except Forbidden:
        rows.discard(tx, number)
        return _rejected(
            checked.columns["record_id"],
            Forbidden("The device was revoked while the record came in.", field="deviceId"),
        )
    if not rows.complete(tx, number):
        return _rejected(
            checked.columns["record_id"],
            Invalid("The record came in by another request too; send it again.", field="recordId"),
        )
    device_rows.note_seen(tx, me.user, device)
    return UploadResult(checked.columns["record_id"], "created", number)


def _find_same(tx: Tx, me: Caller, checked: CheckedRecord) -> int | None:
    """Return the number of this very record, where it is stored; None where its id is free.

    Raise RecordImmutable for other bytes under its id. What is left of an upload that was cut off
    makes way.
    """
    row = rows.find(tx, me.user, checked.columns["record_id"])
    if row is None:
        return None
    if row["state"] == "arriving":
        rows.discard(tx, row["id"])
        return None
    if row["state"] == "deleted":
        raise RecordImmutable("A record with this id was deleted.", field="recordId")
    if any(row[name] != value for name, value in checked.columns.items()):
        raise RecordImmutable("Another record has this id.", field="recordId")
    number: int = row["id"]
    return number


def _require_active(tx: Tx, me: Caller, device_id: str) -> None:
    if device_rows.find_active(tx, me.user, device_id) is None:
        raise Forbidden("The device is unknown or not active.", field="deviceId")


def _rejected(record_id: str | None, error: AppError) -> UploadResult:
    return UploadResult(record_id, "rejected", error=error.code, message=error.message)
