"""Escalations: what an agent was about to do that waits for a person's yes or no. The table, reading it, and raising, ending and expiring rows."""

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Actor, Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import Taint, operation
from app.core.schema import Id, Most, Offset, Record, encode
from app.errors import (
    AppError,
    BaseRevisionChanged,
    NotFound,
    PayloadTooLarge,
    QuotaExceeded,
    StorageFull,
    Unavailable,
)
from app.tools.approvals import audit, change_preview, precedents
from app.tools.approvals import call_origin as origins
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.change_preview import Preview, Target
from app.tools.registry.registry import RegisteredTool

MOST_PENDING = 200
LARGEST_ARGUMENTS = 256 << 10
RUNTIME_MINUTES = 5
Kind = Literal[
    "tool_call",
    "message_send",
    "calendar_write",
    "runtime_tool_call",
    "folder_access",
    "owner_question",
]
Level = Literal["low", "medium", "high"]
Status = Literal["pending", "decided", "all"]
Ended = Literal["executed", "failed", "stopped", "expired", "superseded"]
Object = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
Anyone = Annotated[msgspec.Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Actor"})]
MaybeAnyone = Annotated[
    msgspec.Raw,
    Meta(extra_json_schema={"anyOf": [{"$ref": "#/components/schemas/Actor"}, {"type": "null"}]}),
]
MaybeObject = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
NULL = msgspec.Raw(b"null")


class TooManyPending(QuotaExceeded):
    """As many escalations wait as one user may have."""


class Escalation(Record):
    """Something that waits for a person, or waited: what exactly would be done, for whom, and what was decided and came of it."""

    id: int
    status: str
    kind: str
    origin: origins.Shown
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


class Settled(msgspec.Struct, frozen=True):
    """How an escalation ended, for whoever raised it."""

    id: int
    user: int
    kind: str
    origin: Origin
    tool: str
    status: Ended
    result: Any = None


class Behind(msgspec.Struct):
    """What stands behind escalations that this layer does not know.

    `rights` gives, by kind of credential, the scopes that it has now, None when it is gone; `callers` gives, for those that act by a grant, the whole
    caller as the grant is now. `does` gives, by name, what a yes does that is no tool of the catalogue, in the transaction of the decision.
    `settled` is told, by kind of origin, in the transaction in which a row ends.
    """

    callers: dict[str, Callable[[Tx, sqlite3.Row], Caller | None]] = msgspec.field(
        default_factory=dict
    )
    rights: dict[str, Callable[[Tx, sqlite3.Row], tuple[str, ...] | None]] = msgspec.field(
        default_factory=dict
    )
    does: dict[str, Callable[[Tx, Caller, Mapping[str, Any]], Any]] = msgspec.field(
        default_factory=dict
    )
    settled: dict[str, Callable[[Tx, Settled], None]] = msgspec.field(default_factory=dict)

    def tell(self, tx: Tx, row: sqlite3.Row, status: Ended, result: Any = None) -> None:
        """Tell whoever raised it how it ended."""
        origin = origins.unpacked(row["origin"])
        if (hear := self.settled.get(origin.kind)) is not None:
            hear(
                tx,
                Settled(
                    row["id"], row["user_id"], row["kind"], origin, row["tool"], status, result
                ),
            )


@operation(
    "GET /escalations",
    scope="escalations:read",
    since="beyond",
    effect="read",
    also=("GET /net/escalations",),
)
async def list_escalations(
    app: App,
    me: Caller,
    *,
    status: Status = "pending",
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
) -> EscalationList:
    """List what waits for a yes or no, newest first; `decided` is what waits no more, however it ended."""
    await _end_outdated(app, me)
    return await app.read(listed, me, status, limit, offset)


def listed(
    tx: Tx, me: Caller, status: Status = "pending", limit: int = 200, offset: int = 0
) -> EscalationList:
    """Give what waits for a user's yes or no, newest first."""
    condition = {"pending": _PENDING, "decided": f"NOT ({_PENDING})", "all": "1"}[status]
    total = tx.value(
        f"SELECT count(*) FROM escalations WHERE user_id = :me AND {condition}",
        me=me.user,
        now=tx.now,
    )
    rows = tx.all(
        f"SELECT * FROM escalations WHERE user_id = :me AND {condition} ORDER BY id DESC LIMIT :limit OFFSET :offset",
        me=me.user,
        now=tx.now,
        limit=limit,
        offset=offset,
    )
    return EscalationList([shown(tx, row) for row in rows], total, pending(tx, me.user))


@operation(
    "GET /escalations/{id}",
    scope="escalations:read",
    since="beyond",
    effect="read",
    also=("GET /net/escalations/{id}",),
)
async def read_escalation(app: App, me: Caller, *, id: Id) -> EscalationAnswer:
    """Read one escalation."""
    await _end_outdated(app, me)
    return await app.read(lambda tx: EscalationAnswer(shown(tx, own(tx, me.user, id))))


@operation("COMMAND")
async def expire_escalations(app: App, me: Caller) -> Swept:
    """End what nobody has decided in its time."""
    if not app.quick(_any_due):
        return Swept(0)
    return Swept(await app.write(_expire, me, app.part(Behind)))


async def _end_outdated(app: App, me: Caller) -> None:
    """End what waits for a change of something that is not as it was shown any more: nobody should be asked for a yes that cannot hold.

    Where nothing can be written, what waits is still shown; a yes finds the change too.
    """
    outdated = {} if me.reach is not None else await app.read(_outdated, me)
    if outdated:
        with contextlib.suppress(StorageFull, Unavailable):
            await app.write(_supersede_outdated, me, app.part(Behind))


def _supersede_outdated(tx: Tx, me: Caller, behind: Behind) -> None:
    for id_, present in _outdated(tx, me).items():
        failure = BaseRevisionChanged(
            "What this would change has changed since; let the agent ask again.", revision=present
        )
        supersede(
            tx, me, me.user, lambda _, row, id_=id_: row["id"] == id_, behind, failure=failure
        )  # type: ignore[misc]


def _outdated(tx: Tx, me: Caller) -> dict[int, int | None]:
    """Give what waits for a change of a note or todo that is another now, and the revision that this has; None where it is gone."""
    rows = tx.all(
        f"""SELECT id, target_kind, target_id, base_revision FROM escalations
            WHERE user_id = :me AND {_PENDING} AND target_kind IN ('note', 'todo') AND base_revision IS NOT NULL""",
        me=me.user,
        now=tx.now,
    )
    present = {
        row["id"]: change_preview.revision(tx, me, row["target_kind"], row["target_id"])
        for row in rows
    }
    return {
        row["id"]: present[row["id"]] for row in rows if present[row["id"]] != row["base_revision"]
    }


def raise_(
    tx: Tx,
    me: Caller,
    *,
    kind: Kind,
    origin: Origin,
    tool: str,
    arguments: Mapping[str, Any],
    summary: str,
    reason: str,
    preview: Preview | None = None,
    risk: Level = "medium",
    target: Target | None = None,
    taint: frozenset[Taint] = frozenset(),
    requested_by: Actor | None = None,
    definition: RegisteredTool | None = None,
) -> int:
    """Stop an action of an agent before its effect and let its owner decide; give the escalation's id.

    `me` is whose rights the action has, now and when it goes on. An equal action that waits already is not raised twice. Raises TooManyPending.
    """
    text = canonical(arguments)
    if len(text) > LARGEST_ARGUMENTS:
        raise PayloadTooLarge(
            "This is too large to wait for a yes; do it in smaller parts.",
            limitBytes=LARGEST_ARGUMENTS,
        )
    sha = digest(text)
    if (same := _same(tx, me, tool, sha, origin, target)) is not None:
        return same
    if pending(tx, me.user) >= MOST_PENDING:
        raise TooManyPending(
            f"{MOST_PENDING} actions wait for a decision already; decide some of them first.",
            limit=MOST_PENDING,
        )
    made = tx.run(
        """INSERT INTO escalations (user_id, kind, origin, requested_by, credential_kind, credential, credential_name, scopes, tool, tool_sha256,
               arguments, arguments_sha256, taint, summary, reason, preview_kind, preview, risk, target_kind, target_id, base_revision, created_at,
               expires_at)
           VALUES (:me, :kind, :origin, :by, :credential_kind, :credential, :credential_name, :scopes, :tool, :tool_sha, :arguments, :sha, :taint,
               :summary, :reason, :preview_kind, :preview, :risk, :target_kind, :target_id, :revision, :now, :expires)""",
        me=me.user,
        kind=kind,
        origin=origins.packed(origin),
        by=encode(requested_by or _asker(me, origin)).decode(),
        credential_kind=me.kind,
        credential=me.credential,
        credential_name=me.name,
        scopes=msgspec.json.encode(me.scopes).decode(),
        tool=tool,
        tool_sha=definition.sha256 if definition else None,
        arguments=text.decode(),
        sha=sha,
        taint=" ".join(sorted(taint)),
        summary=summary,
        reason=reason,
        preview_kind=preview.kind if preview else None,
        preview=preview.text if preview else None,
        risk=risk,
        target_kind=target.kind if target else None,
        target_id=target.id if target else None,
        revision=target.base_revision if target else None,
        now=tx.now,
        expires=_expiry(tx, me, kind),
    )
    id_ = made.lastrowid or 0
    audit.add(tx, me, audit.Entry("proposal", tool, sha, reason, origin.kind, id_, taint))
    _publish(tx, "escalation.created", id_)
    return id_


def canonical(arguments: Mapping[str, Any]) -> bytes:
    """Give arguments as the JSON that is frozen and hashed: names in order, no spaces."""
    return msgspec.json.encode(arguments, order="sorted")


def digest(text: bytes) -> str:
    """Give the hash of frozen arguments."""
    return hashlib.sha256(text).hexdigest()


def pending(tx: Tx, user: int) -> int:
    """Count what waits for a user."""
    return int(
        tx.value(
            f"SELECT count(*) FROM escalations WHERE user_id = :user AND {_PENDING}",
            user=user,
            now=tx.now,
        )
    )


def own(tx: Tx, user: int, id_: int) -> sqlite3.Row:
    """Give a user's escalation; raise NotFound."""
    row = tx.one("SELECT * FROM escalations WHERE id = :id AND user_id = :user", id=id_, user=user)
    if row is None:
        raise NotFound("There is no such escalation.")
    return row


def decide(
    tx: Tx, row: sqlite3.Row, *, decision: Literal["continue", "stop"], by: Actor, note: str | None
) -> None:
    """Note what was decided; what is continued is under way until `end` says what came of it."""
    tx.run(
        """UPDATE escalations SET status = :status, decision = :decision, decided_by = :by, decided_at = :now, note = :note WHERE id = :id""",
        status="stopped" if decision == "stop" else "continued",
        decision=decision,
        by=encode(by).decode(),
        now=tx.now,
        note=note,
        id=row["id"],
    )


def end(
    tx: Tx,
    row: sqlite3.Row,
    status: Ended,
    behind: Behind,
    *,
    result: bytes | None = None,
    failure: AppError | None = None,
) -> None:
    """Note how it ended, and tell whoever raised it and whoever listens."""
    told = (
        None
        if failure is None
        else encode({**failure.details, "error": failure.code, "message": failure.message}).decode()
    )
    tx.run(
        "UPDATE escalations SET status = :status, result = :result, failure = :failure WHERE id = :id",
        status=status,
        result=None if result is None else result.decode(),
        failure=told,
        id=row["id"],
    )
    behind.tell(tx, row, status, result)
    _publish(tx, "escalation.expired" if status == "expired" else "escalation.decided", row["id"])


def supersede(
    tx: Tx,
    me: Caller,
    user: int,
    gone: Callable[[Origin, sqlite3.Row], bool],
    behind: Behind,
    *,
    failure: AppError,
) -> int:
    """End all that waits for a user and of which `gone` says that what stood behind it is gone; give their number."""
    rows = tx.all(
        f"SELECT * FROM escalations WHERE user_id = :user AND {_PENDING}", user=user, now=tx.now
    )
    ended = [row for row in rows if gone(origins.unpacked(row["origin"]), row)]
    for row in ended:
        audit.add(tx, me, entry(row, "decision", f"superseded: {failure.code}"), user=user)
        end(tx, row, "superseded", behind, failure=failure)
    return len(ended)


def entry(row: sqlite3.Row, event: audit.Event, outcome: str) -> audit.Entry:
    """Give the audit's entry for something that befell an escalation."""
    taint: Any = frozenset(row["taint"].split())
    return audit.Entry(
        event,
        row["tool"],
        row["arguments_sha256"],
        outcome,
        origins.unpacked(row["origin"]).kind,
        row["id"],
        taint,
    )


def is_due(tx: Tx, row: sqlite3.Row) -> bool:
    """Say whether it waits although its time is over."""
    return bool(row["status"] == "pending" and row["expires_at"] <= tx.now)


def expire(tx: Tx, me: Caller, row: sqlite3.Row, behind: Behind) -> None:
    """End one whose time is over: that nobody has decided is a no."""
    audit.add(tx, me, entry(row, "expiry", "expired"), user=row["user_id"])
    end(tx, row, "expired", behind)


def any_begun(tx: Tx) -> bool:
    """Say whether an action was let go on and has not come to its end."""
    return tx.one("SELECT 1 FROM escalations WHERE status = 'continued' LIMIT 1") is not None


def close_begun(tx: Tx, me: Caller, behind: Behind) -> None:
    """Close what was under way when the server was stopped: nobody knows whether it was done, so it is never done again."""
    for row in tx.all("SELECT * FROM escalations WHERE status = 'continued'"):
        audit.add(tx, me, entry(row, "call", UnknownOutcome.code), user=row["user_id"])
        end(
            tx,
            row,
            "failed",
            behind,
            failure=UnknownOutcome(
                "The server was stopped while this was under way; it is not known whether it was done."
            ),
        )


class UnknownOutcome(AppError):
    """It was under way when the server was stopped."""

    code, status = "unknown_outcome", 409


def shown(tx: Tx, row: sqlite3.Row) -> Escalation:
    """Give an escalation as the contract shows it; one whose time is over is expired, be it swept or not."""
    target = (
        None
        if row["target_kind"] is None
        else Target(row["target_kind"], row["target_id"], row["base_revision"])
    )
    preview = None if row["preview"] is None else Preview(row["preview_kind"], row["preview"])
    return Escalation(
        row["id"],
        "expired" if is_due(tx, row) else row["status"],
        row["kind"],
        origins.unpacked(row["origin"]).shown,
        _raw(row["requested_by"]),
        row["tool"],
        _raw(row["arguments"]),
        row["arguments_sha256"],
        row["summary"],
        row["reason"],
        preview,
        row["risk"],
        target,
        row["created_at"],
        row["expires_at"],
        row["decision"],
        _raw(row["decided_by"]),
        row["decided_at"],
        row["note"],
        _raw(row["result"]),
        _raw(row["failure"]),
    )


_PENDING = "status = 'pending' AND expires_at > :now"


def _raw(text: str | None) -> msgspec.Raw:
    return NULL if text is None else msgspec.Raw(text)


def _asker(me: Caller, origin: Origin) -> Actor:
    """Give who asked: a heartbeat, a guest and so on as themselves; in a chat the agent of the user."""
    if origin.kind == "chat":
        return Actor("agent", me.user_id, me.username)
    return Actor("heartbeat", me.actor.id, me.username) if origin.kind == "heartbeat" else me.actor


def _expiry(tx: Tx, me: Caller, kind: Kind) -> str:
    wait = (
        timedelta(minutes=RUNTIME_MINUTES)
        if kind == "runtime_tool_call"
        else timedelta(hours=users.settings_of(tx, me).escalation_ttl_hours)
    )
    return stamp(tx.moment + wait)


def _same(
    tx: Tx, me: Caller, tool: str, sha: str, origin: Origin, target: Target | None
) -> int | None:
    """Give the one that waits already for the same action of the same asker on the same state of its target."""
    rows = tx.all(
        f"""SELECT id, origin FROM escalations WHERE user_id = :me AND {_PENDING} AND tool = :tool AND arguments_sha256 = :sha
              AND credential_kind = :kind AND credential IS :credential AND base_revision IS :revision ORDER BY id""",
        me=me.user,
        now=tx.now,
        tool=tool,
        sha=sha,
        kind=me.kind,
        credential=me.credential,
        revision=target.base_revision if target else None,
    )
    return next(
        (row["id"] for row in rows if origins.unpacked(row["origin"]).key(me) == origin.key(me)),
        None,
    )


def _any_due(tx: Tx) -> bool:
    return (
        tx.one(
            "SELECT 1 FROM escalations WHERE status = 'pending' AND expires_at <= :now LIMIT 1",
            now=tx.now,
        )
        is not None
    )


def _expire(tx: Tx, me: Caller, behind: Behind) -> int:
    due = tx.all(
        "SELECT * FROM escalations WHERE status = 'pending' AND expires_at <= :now ORDER BY id LIMIT 1000",
        now=tx.now,
    )
    for row in due:
        expire(tx, me, row, behind)
    precedents.sweep(tx)
    return len(due)


def _publish(tx: Tx, event: str, id_: int) -> None:
    row = tx.sure("SELECT * FROM escalations WHERE id = :id", id=id_)
    tx.emit(
        event,
        user=row["user_id"],
        escalationId=id_,
        kind=row["kind"],
        toolName=row["tool"],
        summary=row["summary"],
        status=row["status"],
        decision=row["decision"],
        expiresAt=row["expires_at"],
        decidedAt=row["decided_at"],
    )
