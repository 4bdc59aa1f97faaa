"""Asking to become a contact or to reach another's agent, and the answer to that."""

import contextlib
import sqlite3
from datetime import timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account import contact_pairs
from app.agent.heartbeat import clock
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.hooks import Request
from app.core.operation import Http, operation
from app.core.schema import Id, Record, Text
from app.errors import (
    AlreadyConnected,
    AlreadyPending,
    Invalid,
    NotFound,
    RateLimited,
    RequestNotPending,
)
from app.network.contacts import contacts, people
from app.network.contacts.contacts import Contact
from app.network.contacts.people import Person
from app.network.grants import grant_rows, permission_object
from app.network.grants.permission_object import Permissions

DAYS = 30
REFUSED = "contact_request.refused"
"""Told within the transaction that rejects or takes back a request, with the two users: who asked,
and who was asked."""
Type = Literal["agent", "friend"]
AGENT_ONLY = Permissions(agent_access=True)


class Requested(Record):
    """`approved`: the other side had asked already, so both are accepted."""

    status: Literal["requested", "approved"]
    request_id: int


class Incoming(Record):
    request_id: int
    type: str
    created_at: str
    note: str | None
    from_: Person = msgspec.field(name="from")


class Outgoing(Record):
    request_id: int
    type: str
    created_at: str
    note: str | None
    to: Person


class RequestList(Record):
    incoming: list[Incoming]
    outgoing: list[Outgoing]


class Accepted(Permissions):
    """What is granted with a yes; where agentAccess is not said, what was asked for decides."""

    agent_access: bool | UnsetType = UNSET  # type: ignore[assignment]

    def of(self, kind: Type) -> Permissions:
        """Return the permissions that this comes to for a request of that type."""
        given = msgspec.structs.asdict(self)
        if self.agent_access is UNSET:
            given["agent_access"] = kind == "agent"
        return Permissions(**given)


class Answered(Record):
    status: Literal["accepted", "rejected"]
    contact: Contact | None


@operation(
    "POST /network/request",
    scope=("net.contacts:manage", "agent.message:send"),
    also=("POST /net/contacts/request",),
    http=Http(refuses={"to": "it is the caller"}),
)
async def request_contact(
    app: App,
    me: Caller,
    *,
    to: Annotated[str, Meta(min_length=1, max_length=64)],
    note: Annotated[str, Text(500)] | None = None,
) -> Requested:
    """Ask someone to become a contact, or for access to their agent; it waits for 30 days.

    `to` is a username or userId; `<username>_coo` means their agent.
    """
    # In memory and outside of the transaction: who is refused must not cost the writer anything.
    verdict = app.rates.contact_requests.take_token(me.user)
    if verdict.wait:
        raise RateLimited(
            "Too many requests to become a contact; wait a moment.", retryAfter=verdict.wait
        )
    return await app.write(_make_request, me, to, note)


@operation("GET /network/requests", scope="os.network:read", also=("GET /net/contacts/requests",))
def list_requests(tx: Tx, me: Caller) -> RequestList:
    """List the requests that wait: those to the caller and the caller's own, newest first."""
    incoming = tx.all(
        f"{_SELECT} JOIN users u ON u.id = r.from_id "
        f"WHERE r.to_id = :me AND {_PENDING} ORDER BY r.id DESC",
        me=me.user,
        now=tx.now,
    )
    outgoing = tx.all(
        f"{_SELECT} JOIN users u ON u.id = r.to_id "
        f"WHERE r.from_id = :me AND {_PENDING} ORDER BY r.id DESC",
        me=me.user,
        now=tx.now,
    )
    return RequestList(
        [Incoming(*_request_fields(row)) for row in incoming],
        [Outgoing(*_request_fields(row)) for row in outgoing],
    )


@operation(
    "DELETE /network/requests/{requestId}",
    scope="net.contacts:manage",
    also=("DELETE /net/contacts/requests/{requestId}",),
)
def cancel_request(tx: Tx, me: Caller, *, request_id: Id) -> Record:
    """Take back a request of one's own that still waits."""
    row = tx.one(
        "SELECT * FROM contact_requests WHERE id = :id AND from_id = :me", id=request_id, me=me.user
    )
    if row is None:
        raise NotFound("There is no such request.", field="requestId")
    _require_pending(tx, row)
    _set_status(tx, request_id, "cancelled")
    tx.tell(REFUSED, (me.user, row["to_id"]))
    return Record()


@operation(
    "POST /network/accept",
    scope="net.contacts:manage",
    also=("POST /net/contacts/accept",),
    http=Http(
        refuses={
            "permissions": "folderIds are none of the caller's folders, or stand beside another "
            "scope than folders"
        }
    ),
)
def answer_request(
    tx: Tx,
    me: Caller,
    *,
    request_id: Id,
    type: Type,
    action: Literal["accept", "reject"],
    permissions: Accepted | None = None,
) -> Answered:
    """Accept or reject a request to the caller.

    Without agentAccess `agent` grants that the caller's agent may be asked, `friend` does not.
    """
    row = tx.one(
        "SELECT * FROM contact_requests WHERE id = :id AND to_id = :me AND type = :type",
        id=request_id,
        me=me.user,
        type=type,
    )
    if row is None:
        raise NotFound("There is no such request.", field="requestId")
    _require_pending(tx, row)
    if action == "reject":
        _set_status(tx, request_id, "rejected")
        tx.tell(REFUSED, (row["from_id"], me.user))
        return Answered("rejected", None)
    wanted = (
        None if permissions is None else contacts.check_permissions(tx, me, permissions.of(type))
    )
    _accept_request(tx, row, wanted)
    contacts.tell_connected(
        tx, people.person_row(tx, row["from_id"]), people.person_row(tx, me.user)
    )
    return Answered("accepted", contacts.contact_record(tx, me.user, row["from_id"]))


def ask_once(tx: Tx, me: Caller, to: str, note: str) -> None:
    """Ask someone to become a contact, unless the caller's request waits for their answer already.

    Where they have asked before, both are contacts now.
    """
    with contextlib.suppress(AlreadyPending):
        _make_request(tx, me, to, note)


def is_waiting(tx: Tx, asker: int, asked: int) -> bool:
    """Return whether a request from one user to another waits for its answer."""
    return (
        tx.one(
            f"SELECT 1 FROM contact_requests r "
            f"WHERE r.from_id = :asker AND r.to_id = :asked AND {_PENDING}",
            asker=asker,
            asked=asked,
            now=tx.now,
        )
        is not None
    )


def waiting_for(tx: Tx, user: int, most: int) -> list[Request]:
    """Return the requests to a user that wait for an answer, the oldest first, as the heartbeat
    tells of them.
    """
    rows = tx.all(
        f"{_SELECT} JOIN users u ON u.id = r.from_id "
        f"WHERE r.to_id = :me AND {_PENDING} ORDER BY r.id LIMIT :most",
        me=user,
        now=tx.now,
        most=most,
    )
    wishes = {"friend": "to become a contact", "agent": "for access to your agent"}
    return [
        Request(row["id"], row["name"], wishes[row["type"]], row["note"] or "", row["created_at"])
        for row in rows
    ]


def _request_fields(row: sqlite3.Row) -> tuple[Any, ...]:
    return (*row[:4], people.person_record(row))


def _make_request(tx: Tx, me: Caller, to: str, note: str | None) -> Requested:
    other, agent = people.require_agent_or_person(tx, to, field="to")
    kind: Type = "agent" if agent else "friend"
    if other["id"] == me.user:
        raise Invalid("to must be someone else.", field="to")
    if _is_granted_already(tx, me.user, other["id"], kind):
        raise AlreadyConnected(
            f"{other['username']} is a contact already."
            if kind == "friend"
            else "You may ask this agent already.",
            field="to",
        )
    # An expired request still counts in the unique index of pending ones.
    _expire_between(tx, me.user, other["id"])
    if _find_waiting(tx, me.user, other["id"], kind) is not None:
        raise AlreadyPending("Your request to them is already waiting for an answer.", field="to")
    # Both want the same: two requests that cross need no further yes.
    theirs = _find_waiting(tx, other["id"], me.user, kind)
    made = tx.insert(
        "contact_requests",
        from_id=me.user,
        to_id=other["id"],
        type=kind,
        note=note,
        status="pending",
        created_at=tx.now,
        expires_at=stamp(tx.moment + timedelta(days=DAYS)),
    )
    row = tx.require_row("SELECT * FROM contact_requests WHERE id = :id", id=made)
    if theirs is None:
        sender = {
            "userId": me.user_id,
            "username": me.username,
            "name": people.person_row(tx, me.user)["name"],
        }
        tx.emit("contact.requested", user=other["id"], requestId=row["id"], **{"from": sender})
        # Their agent tells them at its next heartbeat, which need not wait for its hour.
        clock.wake(tx, other["id"])
        return Requested("requested", row["id"])
    for each in (theirs, row):
        _accept_request(tx, each, None)
    contacts.tell_connected(tx, other, people.person_row(tx, me.user))
    return Requested("approved", row["id"])


def _accept_request(tx: Tx, row: sqlite3.Row, permissions: Permissions | None) -> None:
    """Make the two contacts and grant what was chosen; without a choice, agent access where it
    was asked for.
    """
    asker, asked = row["from_id"], row["to_id"]
    contact_pairs.connect(tx, asker, asked, friend=row["type"] == "friend")
    if permissions is not None:
        grant_rows.put(tx, asked, asker, permissions)
    elif row["type"] == "agent":
        held = grant_rows.find_grant(tx, asked, asker)
        # The yes adds agent access to what is granted already and takes nothing away.
        grant_rows.put(
            tx,
            asked,
            asker,
            permission_object.with_agent(held.permissions if held.revision else AGENT_ONLY),
            note_id=held.note_id,
        )
    _set_status(tx, row["id"], "accepted")


def _is_granted_already(tx: Tx, asker: int, asked: int, kind: Type) -> bool:
    if kind == "friend":
        return contact_pairs.are_friends(tx, asker, asked)
    return grant_rows.find_grant(tx, asked, asker).permissions.agent_access


def _find_waiting(tx: Tx, asker: int, asked: int, kind: Type) -> sqlite3.Row | None:
    sql = (
        "SELECT * FROM contact_requests "
        "WHERE from_id = :asker AND to_id = :asked AND type = :kind "
        "AND status = 'pending' AND expires_at > :now"
    )
    return tx.one(sql, asker=asker, asked=asked, kind=kind, now=tx.now)


def _expire_between(tx: Tx, one: int, other: int) -> None:
    """Close the requests between two users whose time is over."""
    tx.run(
        """UPDATE contact_requests SET status = 'expired', decided_at = expires_at
           WHERE from_id IN (:one, :other) AND to_id IN (:one, :other) AND status = 'pending'
             AND expires_at <= :now""",
        one=one,
        other=other,
        now=tx.now,
    )


def _require_pending(tx: Tx, row: sqlite3.Row) -> None:
    if row["status"] != "pending" or row["expires_at"] <= tx.now:
        # Nothing sweeps expired requests; their rows stay pending until the two meet again.
        status = "expired" if row["status"] == "pending" else row["status"]
        raise RequestNotPending(
            f"This request is no longer open: it is {status}.", field="requestId"
        )


def _set_status(tx: Tx, request: int, status: str) -> None:
    tx.update("contact_requests", {"id": request}, status=status, decided_at=tx.now)


_SELECT = (
    "SELECT r.id, r.type, r.created_at, r.note, u.uuid, u.username, u.name FROM contact_requests r"
)
_PENDING = "r.status = 'pending' AND r.expires_at > :now"
