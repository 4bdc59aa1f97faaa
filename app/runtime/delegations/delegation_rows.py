"""The table of delegations: tasks that were handed over, and what each still waits for."""

import dataclasses
import sqlite3
from datetime import timedelta
from typing import Any, Literal

import msgspec

from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields

Status = Literal[
    "collaboration_requested",
    "grant_requested",
    "folder_access_requested",
    "delegated",
    "completed",
    "ended",
]
PREFIX = "col_"
WAITS_FOR, KEPT_FOR = timedelta(days=30), timedelta(days=30)
AT_ONCE = 200


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A task as it was handed in."""

    client_message_id: str
    body_sha256: str
    target_kind: str
    offer: str | None
    task: Any
    context: bytes | None
    endpoint: str
    session: str
    correlation_id: str | None
    ttl_minutes: int


@dataclasses.dataclass(frozen=True)
class Delegation:
    """A delegation as it is kept."""

    collaboration_id: str
    user: int
    peer: int
    order: Order
    grant: str | None
    approval: str | None
    message: str | None
    status: Status
    refusal: str | None
    expires_at: str


def insert(tx: Tx, user: int, peer: int, order: Order) -> Delegation:
    """Write a task down that waits for everything, and return it."""
    id_ = random_tokens.new_id(PREFIX)
    columns = msgspec.structs.asdict(order)
    columns["task"] = msgspec.json.encode(order.task).decode()
    columns["context"] = None if order.context is None else order.context.decode()
    tx.insert(
        "runtime_delegations",
        collaboration_id=id_,
        user_id=user,
        peer_id=peer,
        offer_id=columns.pop("offer"),
        status="collaboration_requested",
        created_at=tx.now,
        expires_at=stamp(tx.moment + WAITS_FOR),
        **columns,
    )
    return require(tx, id_)


def find_sent(tx: Tx, user: int, client_message_id: str) -> Delegation | None:
    """Return the task that a user handed over under an id of their own."""
    row = tx.one(
        "SELECT * FROM runtime_delegations WHERE user_id = :user AND client_message_id = :client",
        user=user,
        client=client_message_id,
    )
    return None if row is None else _delegation(row)


def find(tx: Tx, collaboration: str) -> Delegation | None:
    """Return the delegation that a collaboration came of."""
    row = tx.one("SELECT * FROM runtime_delegations WHERE collaboration_id = :id", id=collaboration)
    return None if row is None else _delegation(row)


def require(tx: Tx, collaboration: str) -> Delegation:
    """Return a delegation that is known to be there."""
    return _delegation(
        tx.require_row(
            "SELECT * FROM runtime_delegations WHERE collaboration_id = :id", id=collaboration
        )
    )


def find_by_escalation(tx: Tx, escalation: int) -> Delegation | None:
    """Return the task that waits for the decision of an escalation."""
    row = tx.one(
        "SELECT * FROM runtime_delegations WHERE escalation_id = :id "
        "AND status = 'folder_access_requested'",
        id=escalation,
    )
    return None if row is None else _delegation(row)


def list_under(tx: Tx, grant: str) -> list[Delegation]:
    """Return the tasks under a grant that have not come to an end, in order."""
    rows = tx.all(
        """SELECT * FROM runtime_delegations WHERE grant_id = :grant AND status IN
             ('grant_requested', 'folder_access_requested', 'delegated') ORDER BY number""",
        grant=grant,
    )
    return [_delegation(row) for row in rows]


def list_waiting_between(tx: Tx, user: int, peer: int) -> list[Delegation]:
    """Return the tasks from one user to another that wait for them to become contacts."""
    rows = tx.all(
        """SELECT * FROM runtime_delegations WHERE peer_id = :peer AND user_id = :user
             AND status = 'collaboration_requested' ORDER BY number""",
        user=user,
        peer=peer,
    )
    return [_delegation(row) for row in rows]


def list_ready(tx: Tx) -> list[Delegation]:
    """Return the tasks between users who are contacts by now, and have not gone on."""
    rows = tx.all(
        """SELECT d.* FROM runtime_delegations d
             JOIN contacts c ON c.user_id = d.user_id AND c.contact_id = d.peer_id
           WHERE d.status = 'collaboration_requested' AND d.expires_at > :now
           ORDER BY d.number LIMIT :most""",
        now=tx.now,
        most=AT_ONCE,
    )
    return [_delegation(row) for row in rows]


def list_overdue(tx: Tx) -> list[Delegation]:
    """Return the tasks that waited in vain for their users to become contacts."""
    rows = tx.all(
        """SELECT * FROM runtime_delegations WHERE status = 'collaboration_requested'
             AND expires_at <= :now ORDER BY expires_at LIMIT :most""",
        now=tx.now,
        most=AT_ONCE,
    )
    return [_delegation(row) for row in rows]


def count_waiting(tx: Tx, user: int) -> int:
    """Return how many tasks of a user have not been handed over."""
    return int(
        tx.value(
            """SELECT count(*) FROM runtime_delegations WHERE user_id = :user AND status IN
                 ('collaboration_requested', 'grant_requested', 'folder_access_requested')""",
            user=user,
        )
    )


def change(tx: Tx, delegation: Delegation, status: Status, **columns: Any) -> Delegation:
    """Write that a task has come to a state, with further columns, and return it."""
    assigned = "".join(f", {name} = :{name}" for name in columns)
    tx.run(
        f"UPDATE runtime_delegations SET status = :status{assigned} WHERE collaboration_id = :id",
        status=status,
        id=delegation.collaboration_id,
        **columns,
    )
    return require(tx, delegation.collaboration_id)


def delete_old(tx: Tx) -> None:
    """Delete what came to its end long ago."""
    tx.run(
        "DELETE FROM runtime_delegations WHERE status IN ('delegated', 'completed', 'ended') "
        "AND created_at <= :past",
        past=stamp(tx.moment - KEPT_FOR),
    )


def _delegation(row: sqlite3.Row) -> Delegation:
    order = copy_fields(
        Order,
        row,
        offer=row["offer_id"],
        task=msgspec.json.decode(row["task"]),
        context=None if row["context"] is None else row["context"].encode(),
    )
    return copy_fields(
        Delegation,
        row,
        user=row["user_id"],
        peer=row["peer_id"],
        order=order,
        grant=row["grant_id"],
        approval=row["approval_id"],
        message=row["message_id"],
    )
