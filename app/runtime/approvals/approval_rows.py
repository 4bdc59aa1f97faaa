"""The table of approvals: what runtimes asked to be allowed, and the answers."""

import sqlite3
from typing import Literal

import msgspec

from app.core import random_tokens
from app.core.database.tx import Tx
from app.core.schema import Record
from app.errors import NotFound
from app.runtime.grants import grant_rows
from app.runtime.grants.grant_rows import Grant

Status = Literal["pending", "allowed", "denied", "expired", "revoked", "auto_allow"]
Scope = Literal["once", "session"]
PREFIX = "apr_"
ALLOWING: tuple[Status, ...] = ("allowed", "auto_allow")


class Approval(Record):
    """What became of a call that a runtime asked for; anything but allow is a no."""

    approval_id: str
    status: Status
    decision: Literal["allow", "deny"] | None
    scope: Scope | None


class Asked(msgspec.Struct, frozen=True):
    """What a runtime asks for, under which grant, in which of its sessions."""

    user: int
    grant: Grant
    endpoint: str
    session: str
    tool: str


def insert(
    tx: Tx,
    asked: Asked,
    status: Status,
    *,
    expires_at: str,
    scope: Scope | None = None,
    escalation: int | None = None,
) -> Approval:
    """Write down what a runtime asked for, and return it."""
    id_ = random_tokens.new_id(PREFIX)
    tx.insert(
        "runtime_approvals",
        id=id_,
        user_id=asked.user,
        grant_id=asked.grant.id,
        endpoint=asked.endpoint,
        session=asked.session,
        tool=asked.tool,
        escalation_id=escalation,
        status=status,
        scope=scope,
        created_at=tx.now,
        expires_at=expires_at,
    )
    return shown(tx, require_own(tx, asked.user, id_))


def require_own(tx: Tx, user: int, id_: str) -> sqlite3.Row:
    """Return the row of an approval that a user's runtime asked for; raise NotFound."""
    row = tx.one(
        "SELECT * FROM runtime_approvals WHERE id = :id AND user_id = :user", id=id_, user=user
    )
    if row is None:
        raise NotFound("There is no such approval.", field="id")
    return row


def find_by_escalation(tx: Tx, escalation: int) -> sqlite3.Row | None:
    """Return the row of the approval that waits for an escalation."""
    return tx.one(
        "SELECT * FROM runtime_approvals WHERE escalation_id = :id AND status = 'pending'",
        id=escalation,
    )


def settle(tx: Tx, row: sqlite3.Row, status: Status, scope: Scope | None) -> None:
    """Write what became of an approval."""
    tx.update("runtime_approvals", {"id": row["id"]}, status=status, scope=scope)


def revoke_under(tx: Tx, grant: str) -> None:
    """Let nothing be allowed any more under a grant that has ended."""
    tx.run(
        "UPDATE runtime_approvals SET status = 'revoked', scope = NULL WHERE grant_id = :grant "
        "AND status IN ('pending', 'allowed', 'auto_allow')",
        grant=grant,
    )


def shown(tx: Tx, row: sqlite3.Row) -> Approval:
    """Return an approval as it is now: it ends with its time, and with its grant."""
    status: Status = row["status"]
    if status == "pending" and row["expires_at"] <= tx.now:
        status = "expired"
    grant = grant_rows.find(tx, row["grant_id"])
    if status in ("pending", *ALLOWING) and (grant is None or grant.status != "active"):
        status = "revoked"
    if status == "pending":
        return Approval(row["id"], status, None, None)
    allows = status in ALLOWING
    return Approval(
        row["id"], status, "allow" if allows else "deny", row["scope"] if allows else None
    )
