"""The table of escalations: raising, deciding, ending and expiring them."""

import hashlib
import sqlite3
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Literal

import msgspec

from app.account import users
from app.core.caller import Actor, Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import Taint
from app.core.schema import encode
from app.errors import AppError, NotFound, PayloadTooLarge, QuotaExceeded
from app.tools.approvals import audit, call_origin
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.change_preview import Preview, Target
from app.tools.registry.registry import RegisteredTool

MOST_PENDING = 200
LARGEST_ARGUMENTS = 256 << 10
RUNTIME_MINUTES = 5
PENDING = "status = 'pending' AND expires_at > :now"
ANSWER_LASTS = timedelta(hours=1)
"""So long the same call of a credential is told what was decided, and is no new one."""


Kind = Literal[
    "tool_call",
    "message_send",
    "calendar_write",
    "runtime_tool_call",
    "folder_access",
    "owner_question",
]
Level = Literal["low", "medium", "high"]
SETTLED = "escalation.settled"
"""Told within the transaction in which one ends, with a `Settled`."""
Ended = Literal["executed", "failed", "stopped", "expired", "superseded"]


class Settled(msgspec.Struct, frozen=True):
    """How an escalation ended, for whoever raised it."""

    id: int
    user: int
    origin: Origin
    tool: str
    status: Ended


class TooManyPending(QuotaExceeded):
    """As many escalations wait as one user may have."""


class UnknownOutcome(AppError):
    """It was under way when the server was stopped."""

    code, status = "unknown_outcome", 409


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
    definition: RegisteredTool | None = None,
) -> int:
    """Stop an action of an agent before its effect, and return the escalation's id.

    `me` is whose rights the action has, now and when it goes on. An equal action that waits
    already is not raised twice. Raise TooManyPending.
    """
    text = canonical_json(arguments)
    # The arguments lie in the row until somebody decides, and are shown to them.
    if len(text) > LARGEST_ARGUMENTS:
        raise PayloadTooLarge(
            "This is too large to wait for a yes; do it in smaller parts.",
            limitBytes=LARGEST_ARGUMENTS,
        )
    sha = arguments_digest(text)
    # Models repeat a call that was not done; the owner should be asked once.
    if (same := _find_same_pending(tx, me, tool, sha, origin, target)) is not None:
        return same
    if count_pending(tx, me.user) >= MOST_PENDING:
        raise TooManyPending(
            f"{MOST_PENDING} actions wait for a decision already; decide some of them first.",
            limit=MOST_PENDING,
        )
    id_ = tx.insert(
        "escalations",
        user_id=me.user,
        kind=kind,
        origin=call_origin.pack_origin(origin),
        requested_by=encode(_asking_actor(me, origin)).decode(),
        credential_kind=me.kind,
        credential=me.credential,
        credential_name=me.name,
        scopes=msgspec.json.encode(me.scopes).decode(),
        tool=tool,
        tool_sha256=definition.sha256 if definition else None,
        arguments=text.decode(),
        arguments_sha256=sha,
        taint=" ".join(sorted(taint)),
        summary=summary,
        reason=reason,
        preview_kind=preview.kind if preview else None,
        preview=preview.text if preview else None,
        risk=risk,
        target_kind=target.kind if target else None,
        target_id=target.id if target else None,
        base_revision=target.base_revision if target else None,
        created_at=tx.now,
        expires_at=_expires_at(tx, me, kind),
    )
    audit.add(tx, me, audit.Entry("proposal", tool, sha, reason, origin.kind, id_, taint))
    _publish(tx, "escalation.created", id_)
    return id_


def canonical_json(arguments: Mapping[str, Any]) -> bytes:
    """Return arguments as the JSON that is frozen and hashed: names in order, no spaces."""
    return msgspec.json.encode(arguments, order="sorted")


def arguments_digest(text: bytes) -> str:
    """Return the hash of frozen arguments."""
    return hashlib.sha256(text).hexdigest()


def count_pending(tx: Tx, user: int) -> int:
    """Count what waits for a user."""
    return int(
        tx.value(
            f"SELECT count(*) FROM escalations WHERE user_id = :user AND {PENDING}",
            user=user,
            now=tx.now,
        )
    )


def require_own(tx: Tx, user: int, id_: int) -> sqlite3.Row:
    """Return a user's escalation; raise NotFound."""
    row = tx.one("SELECT * FROM escalations WHERE id = :id AND user_id = :user", id=id_, user=user)
    if row is None:
        raise NotFound("There is no such escalation.")
    return row


def decide(
    tx: Tx, row: sqlite3.Row, *, decision: Literal["continue", "stop"], by: Actor, note: str | None
) -> None:
    """Note what was decided; what is continued is under way until `end` says what came of it."""
    tx.update(
        "escalations",
        {"id": row["id"]},
        status="stopped" if decision == "stop" else "continued",
        decision=decision,
        decided_by=encode(by).decode(),
        decided_at=tx.now,
        note=note,
    )


def end(
    tx: Tx,
    row: sqlite3.Row,
    status: Ended,
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
    tx.update(
        "escalations",
        {"id": row["id"]},
        status=status,
        result=None if result is None else result.decode(),
        failure=told,
    )
    origin = call_origin.unpack_origin(row["origin"])
    tx.tell(SETTLED, Settled(row["id"], row["user_id"], origin, row["tool"], status))
    _publish(tx, "escalation.expired" if status == "expired" else "escalation.decided", row["id"])


def supersede(
    tx: Tx, me: Caller, user: int, gone: Callable[[Origin, sqlite3.Row], bool], *, failure: AppError
) -> int:
    """End all that waits for a user and for which `gone` is true; return their number."""
    rows = tx.all(
        f"SELECT * FROM escalations WHERE user_id = :user AND {PENDING}", user=user, now=tx.now
    )
    ended = [row for row in rows if gone(call_origin.unpack_origin(row["origin"]), row)]
    for row in ended:
        audit.add(tx, me, audit_entry(row, "decision", f"superseded: {failure.code}"), user=user)
        end(tx, row, "superseded", failure=failure)
    return len(ended)


def audit_entry(row: sqlite3.Row, event: audit.Event, outcome: str) -> audit.Entry:
    """Return the audit's entry for something that befell an escalation."""
    taint: Any = frozenset(row["taint"].split())
    return audit.Entry(
        event,
        row["tool"],
        row["arguments_sha256"],
        outcome,
        call_origin.unpack_origin(row["origin"]).kind,
        row["id"],
        taint,
    )


def is_due(tx: Tx, row: sqlite3.Row) -> bool:
    """Return whether it waits although its time is over."""
    return bool(row["status"] == "pending" and row["expires_at"] <= tx.now)


def expire(tx: Tx, me: Caller, row: sqlite3.Row) -> None:
    """End one whose time is over: that nobody has decided is a no."""
    audit.add(tx, me, audit_entry(row, "expiry", "expired"), user=row["user_id"])
    end(tx, row, "expired")


def any_continuing(tx: Tx) -> bool:
    """Return whether an action was let go on and has not come to its end."""
    return tx.one("SELECT 1 FROM escalations WHERE status = 'continued' LIMIT 1") is not None


def close_continuing(tx: Tx, me: Caller) -> None:
    """Close what was under way when the server was stopped.

    Nobody knows whether it was done, so it is never done again.
    """
    # Only called at the start, when nothing can be under way any more.
    for row in tx.all("SELECT * FROM escalations WHERE status = 'continued'"):
        audit.add(tx, me, audit_entry(row, "call", UnknownOutcome.code), user=row["user_id"])
        end(
            tx,
            row,
            "failed",
            failure=UnknownOutcome(
                "The server was stopped while this was under way; it is not known whether it was "
                "done."
            ),
        )


def _asking_actor(me: Caller, origin: Origin) -> Actor:
    """Return who asked: in a chat the agent of the user, else the caller as themselves."""
    # By whatever credential the chat or the runtime came in, an agent is who asks.
    if origin.kind == "chat" or (origin.kind == "runtime" and me.kind != "peer"):
        return Actor("agent", me.user_id, me.username)
    return Actor("heartbeat", me.actor.id, me.username) if origin.kind == "heartbeat" else me.actor


def _expires_at(tx: Tx, me: Caller, kind: Kind) -> str:
    wait = (
        timedelta(minutes=RUNTIME_MINUTES)
        if kind == "runtime_tool_call"
        else timedelta(hours=users.settings_of(tx, me.user).escalation_ttl_hours)
    )
    return stamp(tx.moment + wait)


def _find_same_pending(
    tx: Tx, me: Caller, tool: str, sha: str, origin: Origin, target: Target | None
) -> int | None:
    """Return the escalation that waits already for the same action.

    The same is of the same asker, on the same state of its target.
    """
    rows = tx.all(
        f"""SELECT id, origin FROM escalations WHERE user_id = :me AND {PENDING} AND tool = :tool
              AND arguments_sha256 = :sha AND credential_kind = :kind
              AND credential IS :credential AND base_revision IS :revision ORDER BY id""",
        me=me.user,
        now=tx.now,
        tool=tool,
        sha=sha,
        kind=me.kind,
        credential=me.credential,
        revision=target.base_revision if target else None,
    )
    return next(
        (
            row["id"]
            for row in rows
            # By key, not as a whole: the next run of a heartbeat asks for the same thing again.
            if call_origin.unpack_origin(row["origin"]).key(me) == origin.key(me)
        ),
        None,
    )


def answered(tx: Tx, me: Caller, tool: str, sha: str, origin: Origin) -> sqlite3.Row | None:
    """Return the last escalation for the same call by the same asker that was decided a short
    while ago.
    """
    rows = tx.all(
        """SELECT id, status, origin, summary, result, failure FROM escalations
            WHERE user_id = :me AND status IN ('continued', 'executed', 'failed', 'stopped')
              AND tool = :tool AND arguments_sha256 = :sha AND credential_kind = :kind
              AND credential IS :credential AND decided_at > :since ORDER BY id DESC LIMIT 5""",
        me=me.user,
        tool=tool,
        sha=sha,
        kind=me.kind,
        credential=me.credential,
        since=stamp(tx.moment - ANSWER_LASTS),
    )
    return next(
        (row for row in rows if call_origin.unpack_origin(row["origin"]).key(me) == origin.key(me)),
        None,
    )


def _publish(tx: Tx, event: str, id_: int) -> None:
    row = tx.require_row("SELECT * FROM escalations WHERE id = :id", id=id_)
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
