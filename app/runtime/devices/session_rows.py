"""The table of runtime sessions: the conversations of a runtime that messages can go to."""

import dataclasses
import sqlite3
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import SessionClosed, SessionNotFound, SessionNotOwned
from app.runtime.devices import endpoint_rows

State = Literal["idle", "busy", "closed"]
PREFIX = "rs_"
CHANGED = "runtime.session_changed"
"""Told within the transaction that changes or closes a session, with a Change."""
COLUMNS = (
    "s.session_handle, s.endpoint_id, s.user_id, u.uuid AS principal_id, e.device_id, s.label, "
    "s.workspace_boundary, s.state, s.delivery_mode, s.capabilities, s.allow_inbound, "
    "s.allow_mid_turn_steer, s.created_at, s.last_active_at"
)
TABLE = (
    "runtime_sessions s JOIN users u ON u.id = s.user_id "
    "JOIN runtime_endpoints e ON e.endpoint_id = s.endpoint_id"
)


@dataclasses.dataclass(frozen=True)
class Session:
    """A runtime session as it is kept."""

    session_handle: str
    endpoint_id: str
    user_id: int
    principal_id: str
    device_id: str
    label: str
    workspace_boundary: Any
    state: State
    delivery_mode: str
    capabilities: dict[str, bool]
    allow_inbound: bool
    allow_mid_turn_steer: bool
    created_at: str
    last_active_at: str


class Change(NamedTuple):
    """What was changed of a session."""

    before: Session
    after: Session


def find(tx: Tx, handle: str) -> Session | None:
    """Return a session, closed or not."""
    row = tx.one(f"SELECT {COLUMNS} FROM {TABLE} WHERE s.session_handle = :handle", handle=handle)
    return None if row is None else _session(row)


def list_open(tx: Tx, me: Caller, *, limit: int) -> list[Session]:
    """Return the open sessions of the caller's, those active last first."""
    rows = tx.all(
        f"""SELECT {COLUMNS} FROM {TABLE} WHERE s.user_id = :me AND s.state IN ('idle', 'busy')
              AND (:device IS NULL OR e.device_id = :device)
            ORDER BY s.last_active_at DESC, s.session_handle LIMIT :limit""",
        me=me.user,
        device=me.bound_device,
        limit=limit,
    )
    return [_session(row) for row in rows]


def require(tx: Tx, handle: str) -> Session:
    """Return anyone's session, closed or not; raise SessionNotFound."""
    found = find(tx, handle)
    if found is None:
        raise SessionNotFound("There is no session with that handle.", field="sessionHandle")
    return found


def require_own(tx: Tx, me: Caller, handle: str) -> Session:
    """Return a session of the caller's, closed or not.

    Raise SessionNotFound, or SessionNotOwned for another user's, or one of another device than
    that of the caller's token.
    """
    found = require(tx, handle)
    if found.user_id != me.user:
        raise SessionNotOwned("This session is another user's.", field="sessionHandle")
    if me.bound_device not in (None, found.device_id):
        raise SessionNotOwned("A device token acts for its own device only.", field="sessionHandle")
    return found


def require_open(tx: Tx, me: Caller, handle: str) -> Session:
    """Return an open session of the caller's; raise as `require_own` does, or SessionClosed."""
    found = require_own(tx, me, handle)
    if found.state == "closed":
        raise SessionClosed("This session is closed.", field="sessionHandle")
    return found


def require_at(tx: Tx, me: Caller, endpoint_id: str, handle: str) -> Session:
    """Return an open session of the caller's at one of their endpoints.

    Raise as `endpoint_rows.require_live` and `require_open` do; SessionNotFound where it is at
    another endpoint.
    """
    endpoint_rows.require_live(tx, me, endpoint_id)
    found = require_open(tx, me, handle)
    if found.endpoint_id != endpoint_id:
        raise SessionNotFound(
            "There is no session with that handle at this endpoint.", field="sessionHandle"
        )
    return found


def insert(tx: Tx, user: int, endpoint_id: str, values: Mapping[str, Any]) -> Session:
    """Begin a session at an endpoint; `values` are its columns from `label` on."""
    handle = random_tokens.new_id(PREFIX)
    tx.insert(
        "runtime_sessions",
        session_handle=handle,
        endpoint_id=endpoint_id,
        user_id=user,
        created_at=tx.now,
        last_active_at=tx.now,
        **_as_stored(values),
    )
    return require(tx, handle)


def change(tx: Tx, before: Session, values: Mapping[str, Any]) -> Session:
    """Change columns of a session, note that it was active now, and return it."""
    kept = _as_stored(values)
    columns = "".join(f"{name} = :{name}, " for name in kept)
    tx.run(
        f"UPDATE runtime_sessions SET {columns}last_active_at = :now "
        "WHERE session_handle = :handle",
        handle=before.session_handle,
        now=tx.now,
        **kept,
    )
    after = require(tx, before.session_handle)
    tx.tell(CHANGED, Change(before, after))
    return after


def close_at(tx: Tx, endpoint_id: str) -> None:
    """Close every session of an endpoint."""
    close_oldest(tx, endpoint_id, keep=0)


def close_oldest(tx: Tx, endpoint_id: str, *, keep: int) -> None:
    """Close the open sessions of an endpoint but so many, those first that rested for longest."""
    rows = tx.all(
        f"""SELECT {COLUMNS} FROM {TABLE} WHERE s.endpoint_id = :endpoint
              AND s.state IN ('idle', 'busy')
            ORDER BY s.last_active_at DESC, s.session_handle LIMIT -1 OFFSET :keep""",
        endpoint=endpoint_id,
        keep=keep,
    )
    for row in rows:
        change(tx, _session(row), {"state": "closed"})


def _as_stored(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(values)
    for name in ("workspace_boundary", "capabilities"):
        if kept.get(name) is not None:
            kept[name] = msgspec.json.encode(kept[name]).decode()
    return kept


def _session(row: sqlite3.Row) -> Session:
    kept = dict(row)
    for name in ("workspace_boundary", "capabilities"):
        kept[name] = None if kept[name] is None else msgspec.json.decode(kept[name])
    for name in ("allow_inbound", "allow_mid_turn_steer"):
        kept[name] = bool(kept[name])
    return Session(**kept)
