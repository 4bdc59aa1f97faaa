"""The table of grants between runtimes: requests, their answers, and their end.

A grant whose time is over is expired from that moment on, whoever looks; the first write that
meets it, or the server's clock, writes that down and tells of it.
"""

import dataclasses
import sqlite3
from datetime import timedelta
from typing import Literal, NamedTuple

from app.core import random_tokens
from app.core.caller import OPERATOR, Caller
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.schema import Record
from app.errors import NotFound
from app.network.grants import revocation
from app.runtime.grants import grant_states
from app.runtime.grants.grant_states import Side, Status
from app.runtime.realtime import event_rows

TargetKind = Literal["person_default_runtime", "runtime_session"]
PREFIX = "comm_"
REQUEST_LASTS = timedelta(minutes=10)
KEPT_FOR = timedelta(days=30)
"""How long a grant and its messages are kept after its end."""
AT_ONCE = 200
"""So many grants are ended or deleted in one transaction; the rest comes a moment later."""
ACTIVATED = "runtime.grant_activated"
"""Told within the transaction that activates a grant, with the Grant."""
ENDED = "runtime.grant_ended"
"""Told within the transaction that ends a grant or its request, with an Ended."""
COLUMNS = (
    "g.*, requester.uuid AS requester_uuid, recipient.uuid AS recipient_uuid "
    "FROM runtime_grants g JOIN users requester ON requester.id = g.requester_id "
    "JOIN users recipient ON recipient.id = g.recipient_id"
)


class GrantRow(Record):
    """A grant as the contract shows it."""

    comm_session_id: str
    requester_principal_id: str
    requester_device_id: str
    requester_reply_endpoint_id: str
    requester_reply_session_handle: str
    recipient_principal_id: str
    target_kind: TargetKind
    target_offer_id: str | None
    frozen_endpoint_id: str | None
    frozen_session_handle: str | None
    status: Status
    requested_at: str
    request_expires_at: str
    activated_at: str | None
    grant_expires_at: str | None
    revoked_at: str | None


@dataclasses.dataclass(frozen=True)
class Grant:
    """A grant as it is at a moment."""

    id: str
    row: GrantRow
    requester: int
    recipient: int
    ttl_minutes: int
    ends_at: str
    stored: Status
    """What was last written down; `row.status` knows the time."""

    @property
    def status(self) -> Status:
        return self.row.status

    def side_of(self, user: int) -> Side:
        """Return the side on which a participant stands."""
        return "requester" if user == self.requester else "recipient"

    def endpoint_of(self, side: Side) -> str | None:
        """Return the endpoint of one side; None for a recipient who has not accepted."""
        if side == "requester":
            return self.row.requester_reply_endpoint_id
        return self.row.frozen_endpoint_id

    def session_of(self, side: Side) -> str | None:
        """Return the session of one side; None for a recipient who has not accepted."""
        if side == "requester":
            return self.row.requester_reply_session_handle
        return self.row.frozen_session_handle

    def other(self, user: int) -> int:
        """Return the user on the other side."""
        return self.recipient if user == self.requester else self.requester


class Ended(NamedTuple):
    """A grant that has ended, as it is now, and whether it had been active."""

    grant: Grant
    was_active: bool
    by: Caller


def insert(
    tx: Tx,
    *,
    requester: int,
    device: str,
    reply: tuple[str, str],
    recipient: int,
    target_kind: TargetKind,
    offer: str | None,
    ttl_minutes: int,
) -> Grant:
    """Write a request for a grant, and return it; `reply` is an endpoint and its session."""
    id_ = random_tokens.new_id(PREFIX)
    ends = stamp(tx.moment + REQUEST_LASTS)
    tx.insert(
        "runtime_grants",
        id=id_,
        requester_id=requester,
        requester_device=device,
        reply_endpoint=reply[0],
        reply_session=reply[1],
        recipient_id=recipient,
        target_kind=target_kind,
        offer_id=offer,
        status="pending",
        ttl_minutes=ttl_minutes,
        requested_at=tx.now,
        request_expires_at=ends,
        ends_at=ends,
    )
    return require(tx, id_)


def find(tx: Tx, id_: str) -> Grant | None:
    """Return a grant as it is now."""
    row = tx.one(f"SELECT {COLUMNS} WHERE g.id = :id", id=id_)
    return None if row is None else _grant(tx, row)


def require(tx: Tx, id_: str) -> Grant:
    """Return a grant that is known to be there."""
    return _grant(tx, tx.require_row(f"SELECT {COLUMNS} WHERE g.id = :id", id=id_))


def require_own(tx: Tx, user: int, id_: str) -> Grant:
    """Return a grant that a user takes part in.

    Raise NotFound, the same for a stranger's as for none.
    """
    found = find(tx, id_)
    if found is None or user not in (found.requester, found.recipient):
        raise NotFound("There is no such grant.", field="communicationSessionId")
    return found


def list_own(tx: Tx, user: int, most: int) -> list[Grant]:
    """Return the grants that a user takes part in, the newest first, at most so many."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE g.number IN (
              SELECT number FROM runtime_grants WHERE requester_id = :user
              UNION SELECT number FROM runtime_grants WHERE recipient_id = :user)
            ORDER BY g.number DESC LIMIT :most""",
        user=user,
        most=most,
    )
    return [_grant(tx, row) for row in rows]


def find_between(tx: Tx, requester: int, recipient: int, reply_session: str) -> list[Grant]:
    """Return what is open from a session of one user to another user, the newest first."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE g.requester_id = :requester AND g.recipient_id = :recipient
              AND g.reply_session = :session AND g.status IN ('pending', 'active')
            ORDER BY g.number DESC""",
        requester=requester,
        recipient=recipient,
        session=reply_session,
    )
    return [one for one in (_grant(tx, row) for row in rows) if one.status in grant_states.OPEN]


def latest_device(tx: Tx, requester: int, recipient: int) -> str | None:
    """Return the device from which one user last asked another for a grant."""
    found: str | None = tx.value(
        "SELECT requester_device FROM runtime_grants WHERE requester_id = :requester "
        "AND recipient_id = :recipient ORDER BY number DESC LIMIT 1",
        requester=requester,
        recipient=recipient,
    )
    return found


def count_pending(tx: Tx, recipient: int) -> int:
    """Return how many requests wait for a user's answer."""
    return int(
        tx.value(
            "SELECT count(*) FROM runtime_grants WHERE recipient_id = :user "
            "AND status = 'pending' AND ends_at > :now",
            user=recipient,
            now=tx.now,
        )
    )


def find_active_on(tx: Tx, session: str) -> Grant | None:
    """Return the active grant that is frozen to a session."""
    row = tx.one(
        f"SELECT {COLUMNS} WHERE g.frozen_session = :session AND g.status = 'active'",
        session=session,
    )
    found = None if row is None else settle(tx, _grant(tx, row))
    return None if found is None or found.status != "active" else found


def activate(tx: Tx, grant: Grant, endpoint: str, session: str) -> Grant:
    """Freeze a grant to an endpoint and session, and begin its time."""
    ends = stamp(tx.moment + timedelta(minutes=grant.ttl_minutes))
    tx.update(
        "runtime_grants",
        {"id": grant.id},
        status="active",
        frozen_endpoint=endpoint,
        frozen_session=session,
        activated_at=tx.now,
        grant_expires_at=ends,
        ends_at=ends,
    )
    return require(tx, grant.id)


def next_sequence(tx: Tx, grant: str) -> int:
    """Return the number of the next message under a grant."""
    return int(
        tx.require_row(
            "UPDATE runtime_grants SET sequence = sequence + 1 WHERE id = :id RETURNING sequence",
            id=grant,
        )[0]
    )


def settle(tx: Tx, grant: Grant) -> Grant:
    """Return a grant, its end written down and told of where its time is over."""
    if grant.status == grant.stored:
        return grant
    return end(tx, OPERATOR, grant, "expired")


def end(
    tx: Tx, me: Caller, grant: Grant, status: Literal["declined", "revoked", "expired"]
) -> Grant:
    """End a grant or a request for one, and tell everyone of it; the caller has checked that it
    may.
    """
    tx.update(
        "runtime_grants",
        {"id": grant.id},
        status=status,
        revoked_at=tx.now if status == "revoked" else None,
        ends_at=min(tx.now, grant.ends_at),
    )
    ended, was_active = require(tx, grant.id), grant.stored == "active"
    tell_endpoints(tx, ended, f"grant.{status}", {"reason": status})
    tx.tell(ENDED, Ended(ended, was_active, me))
    # Only what was asked for can be declined, which was no grant yet.
    if was_active and status != "declined":
        for listener in (grant.requester, grant.recipient):
            revocation.emit_revoked(tx, me, listener, "runtime", grant.id, status)
    return ended


def tell_endpoints(tx: Tx, grant: Grant, event: str, more: dict[str, str | None]) -> None:
    """Tell the endpoints of both sides of a grant, as far as they are known."""
    data = {
        "communicationSessionId": grant.id,
        "endpointId": grant.row.frozen_endpoint_id,
        "sessionHandle": grant.row.frozen_session_handle,
        **more,
    }
    for endpoint in {grant.endpoint_of("requester"), grant.endpoint_of("recipient")} - {None}:
        event_rows.append_event(tx, str(endpoint), event, data)


def any_due(tx: Tx) -> bool:
    """Return whether the time of a grant or a request is over, or one was kept long enough."""
    return (
        tx.one(
            """SELECT 1 FROM runtime_grants WHERE status IN ('pending', 'active')
                 AND ends_at <= :now
               UNION ALL SELECT 1 FROM runtime_grants WHERE status NOT IN ('pending', 'active')
                 AND ends_at <= :past LIMIT 1""",
            now=tx.now,
            past=stamp(tx.moment - KEPT_FOR),
        )
        is not None
    )


def settle_due(tx: Tx) -> int:
    """End what is due, delete what was kept long enough, and return how many have ended."""
    rows = tx.all(
        f"SELECT {COLUMNS} WHERE g.status IN ('pending', 'active') AND g.ends_at <= :now "
        "ORDER BY g.ends_at, g.number LIMIT :most",
        now=tx.now,
        most=AT_ONCE,
    )
    for row in rows:
        settle(tx, _grant(tx, row))
    tx.run(
        """DELETE FROM runtime_grants WHERE number IN (
             SELECT number FROM runtime_grants WHERE status NOT IN ('pending', 'active')
               AND ends_at <= :past LIMIT :most)""",
        past=stamp(tx.moment - KEPT_FOR),
        most=AT_ONCE,
    )
    return len(rows)


def end_between(tx: Tx, me: Caller, one: int, other: int) -> None:
    """End what is open between two users, who are no contacts any more."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE g.status IN ('pending', 'active')
              AND ((g.requester_id = :one AND g.recipient_id = :other)
                OR (g.requester_id = :other AND g.recipient_id = :one)) ORDER BY g.number""",
        one=one,
        other=other,
    )
    for row in rows:
        grant = settle(tx, _grant(tx, row))
        if grant.status in grant_states.OPEN:
            end(tx, me, grant, "revoked" if grant.status == "active" else "declined")


def _grant(tx: Tx, row: sqlite3.Row) -> Grant:
    shown = copy_fields(
        GrantRow,
        row,
        comm_session_id=row["id"],
        requester_principal_id=row["requester_uuid"],
        requester_device_id=row["requester_device"],
        requester_reply_endpoint_id=row["reply_endpoint"],
        requester_reply_session_handle=row["reply_session"],
        recipient_principal_id=row["recipient_uuid"],
        target_offer_id=row["offer_id"],
        frozen_endpoint_id=row["frozen_endpoint"],
        frozen_session_handle=row["frozen_session"],
        status=grant_states.status_at(row["status"], row["ends_at"], tx.now),
    )
    return Grant(
        row["id"],
        shown,
        row["requester_id"],
        row["recipient_id"],
        row["ttl_minutes"],
        row["ends_at"],
        row["status"],
    )
