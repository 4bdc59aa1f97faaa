"""Escalations: what an agent was about to do that waits for a person's yes or no."""

import contextlib
import functools
import sqlite3
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import MINUTE, Tool, operation
from app.core.schema import Id, Most, Offset, Record
from app.errors import BaseRevisionChanged, StorageFull, Unavailable
from app.tools.approvals import call_origin, change_preview, escalation_rows, precedents
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.change_preview import Preview, Target
from app.tools.approvals.escalation_rows import PENDING

Status = Literal["pending", "decided", "all"]
Object = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
Anyone = Annotated[msgspec.Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Actor"})]
MaybeAnyone = Annotated[
    msgspec.Raw,
    Meta(extra_json_schema={"anyOf": [{"$ref": "#/components/schemas/Actor"}, {"type": "null"}]}),
]
MaybeObject = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
NULL = msgspec.Raw(b"null")


class Escalation(Record):
    """What exactly would be done, for whom, and what was decided and came of it."""

    id: int
    status: str
    kind: str
    origin: call_origin.Shown
    requested_by: Anyone
    tool_name: str
    arguments: Object
    arguments_sha256: str
    summary: str
    reason: str
    preview: Preview | None
    risk: str
    target: Target | None
    created_at: str
    expires_at: str
    decision: str | None
    decided_by: MaybeAnyone
    decided_at: str | None
    note: str | None
    result: MaybeObject
    failure: MaybeObject


class EscalationAnswer(Record):
    escalation: Escalation


class EscalationList(Record):
    escalations: list[Escalation]
    total: int
    pending_count: int


class Swept(Record):
    expired: int


@operation(
    "GET /escalations",
    scope="escalations:read",
    also=("GET /net/escalations",),
    tool=Tool(risk="R", namespace="messaging"),
)
async def list_escalations(
    app: App,
    me: Caller,
    *,
    status: Status = "pending",
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
) -> EscalationList:
    """List what waits for a yes or no, newest first; `decided` is what waits no more."""
    await _end_outdated(app, me)
    return await app.read(list_escalations_of, me, status, limit, offset)


def list_escalations_of(
    tx: Tx, me: Caller, status: Status = "pending", limit: int = 200, offset: int = 0
) -> EscalationList:
    """Return what waits for a user's yes or no, newest first."""
    condition = {"pending": PENDING, "decided": f"NOT ({PENDING})", "all": "1"}[status]
    total = tx.value(
        f"SELECT count(*) FROM escalations WHERE user_id = :me AND {condition}",
        me=me.user,
        now=tx.now,
    )
    rows = tx.all(
        f"SELECT * FROM escalations WHERE user_id = :me AND {condition} "
        "ORDER BY id DESC LIMIT :limit OFFSET :offset",
        me=me.user,
        now=tx.now,
        limit=limit,
        offset=offset,
    )
    return EscalationList(
        [escalation_record(tx, row) for row in rows],
        total,
        escalation_rows.count_pending(tx, me.user),
    )


@operation("GET /escalations/{id}", scope="escalations:read", also=("GET /net/escalations/{id}",))
async def read_escalation(app: App, me: Caller, *, id: Id) -> EscalationAnswer:
    """Read one escalation."""
    await _end_outdated(app, me)
    return await app.read(
        lambda tx: EscalationAnswer(
            escalation_record(tx, escalation_rows.require_own(tx, me.user, id))
        )
    )


@operation("COMMAND", every=MINUTE)
async def expire_escalations(app: App, me: Caller) -> Swept:
    """End what nobody has decided in its time."""
    # Each minute on an idle server: a look costs nothing, a write would wake the disk.
    if not app.quick(_any_due):
        return Swept(0)
    return Swept(await app.write(_expire_due, me))


async def _end_outdated(app: App, me: Caller) -> None:
    """End what would change something that is not as it was shown any more.

    Nobody should be asked for a yes that cannot hold.

    Where nothing can be written, what waits is still shown; a yes finds the change too.
    """
    # Who looks on by a grant only reads, and ends nothing.
    outdated = {} if me.reach is not None else await app.read(_find_outdated, me)
    if outdated:
        # A full disk must not keep the owner from seeing what waits.
        with contextlib.suppress(StorageFull, Unavailable):
            await app.write(_supersede_outdated, me)


def _supersede_outdated(tx: Tx, me: Caller) -> None:
    # Asked again inside of the write: it may have been restored since the look.
    for id_, present in _find_outdated(tx, me).items():
        failure = BaseRevisionChanged(
            "What this would change has changed since; let the agent ask again.", revision=present
        )
        escalation_rows.supersede(tx, me, me.user, functools.partial(_has_id, id_), failure=failure)


def _has_id(id_: int, origin: Origin, row: sqlite3.Row) -> bool:
    return bool(row["id"] == id_)


def _find_outdated(tx: Tx, me: Caller) -> dict[int, int | None]:
    """Return what would change a note or todo that has changed since, with its present revision.

    The revision is None where the note or todo is gone.
    """
    rows = tx.all(
        f"""SELECT id, target_kind, target_id, base_revision FROM escalations
            WHERE user_id = :me AND {PENDING} AND target_kind IN ('note', 'todo')
              AND base_revision IS NOT NULL""",
        me=me.user,
        now=tx.now,
    )
    present = {
        row["id"]: change_preview.present_revision(tx, me, row["target_kind"], row["target_id"])
        for row in rows
    }
    return {
        row["id"]: present[row["id"]] for row in rows if present[row["id"]] != row["base_revision"]
    }


def escalation_record(tx: Tx, row: sqlite3.Row) -> Escalation:
    """Return an escalation as the contract shows it.

    One whose time is over is expired, be it swept or not.
    """
    target = (
        None
        if row["target_kind"] is None
        else Target(row["target_kind"], row["target_id"], row["base_revision"])
    )
    preview = None if row["preview"] is None else Preview(row["preview_kind"], row["preview"])
    return copy_fields(
        Escalation,
        row,
        status="expired" if escalation_rows.is_due(tx, row) else row["status"],
        origin=call_origin.unpack_origin(row["origin"]).shown,
        requested_by=_raw_json(row["requested_by"]),
        tool_name=row["tool"],
        arguments=_raw_json(row["arguments"]),
        preview=preview,
        target=target,
        decided_by=_raw_json(row["decided_by"]),
        result=_raw_json(row["result"]),
        failure=_raw_json(row["failure"]),
    )


def _raw_json(text: str | None) -> msgspec.Raw:
    return NULL if text is None else msgspec.Raw(text)


def _any_due(tx: Tx) -> bool:
    return tx.one(
        "SELECT 1 FROM escalations WHERE status = 'pending' AND expires_at <= :now LIMIT 1",
        now=tx.now,
    ) is not None or precedents.any_over(tx)


def _expire_due(tx: Tx, me: Caller) -> int:
    due = tx.all(
        "SELECT * FROM escalations WHERE status = 'pending' AND expires_at <= :now "
        # So one transaction stays short; the rest comes a minute later.
        "ORDER BY id LIMIT 1000",
        now=tx.now,
    )
    for row in due:
        escalation_rows.expire(tx, me, row)
    precedents.delete_over(tx)
    return len(due)
