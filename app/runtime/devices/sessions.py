"""Runtime sessions: the conversations at an endpoint that messages can go to."""

from typing import Any, Literal

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import SessionClosed
from app.runtime.devices import endpoint_rows, fields, session_rows
from app.runtime.devices.session_rows import Session, State

MOST_OPEN = 200
DeliveryMode = Literal["managed_stream"]


class SessionCapabilities(Record):
    """What a runtime can do with messages for a session."""

    live_inject: bool = False
    mid_turn_steer: bool = False
    reply_events: bool = False


class SessionView(Record):
    """A runtime session; `closed` is final."""

    session_handle: str
    principal_id: str
    endpoint_id: str
    label: str
    workspace_boundary: Any
    state: State
    delivery_mode: DeliveryMode
    capabilities: SessionCapabilities
    allow_inbound: bool
    allow_mid_turn_steer: bool
    created_at: str
    last_active_at: str


class SessionList(Record):
    sessions: list[SessionView]


@operation("POST /local-agent/sessions", scope="runtime:connect", http=Http(refuses=fields.REFUSES))
def begin_runtime_session(
    tx: Tx,
    me: Caller,
    *,
    endpoint_id: fields.EndpointId,
    label: fields.Label,
    state: Literal["idle", "busy"],
    delivery_mode: DeliveryMode,
    capabilities: SessionCapabilities,
    allow_inbound: bool,
    allow_mid_turn_steer: bool,
    workspace_boundary: fields.WorkspaceBoundary | None = None,
) -> SessionView:
    """Tell of a session at one of the caller's endpoints.

    Of more than 200 open ones at an endpoint the one that was idle for longest is closed.
    """
    fields.require_small(workspace_boundary)
    endpoint_rows.require_live(tx, me, endpoint_id)
    session_rows.close_oldest(tx, endpoint_id, keep=MOST_OPEN - 1)
    values = {
        "label": label,
        "workspace_boundary": workspace_boundary,
        "state": state,
        "delivery_mode": delivery_mode,
        "capabilities": msgspec.to_builtins(capabilities),
        "allow_inbound": allow_inbound,
        "allow_mid_turn_steer": allow_mid_turn_steer,
    }
    return view(session_rows.insert(tx, me.user, endpoint_id, values))


@operation(
    "PATCH /local-agent/sessions/{handle}",
    scope="runtime:connect",
    http=Http(refuses=fields.REFUSES),
)
def change_runtime_session(
    tx: Tx,
    me: Caller,
    *,
    handle: fields.Handle,
    state: State | None = None,
    allow_inbound: bool | None = None,
    allow_mid_turn_steer: bool | None = None,
    workspace_boundary: fields.WorkspaceBoundary | None = None,
) -> SessionView:
    """Change a session of the caller's, or close it for good."""
    fields.require_small(workspace_boundary)
    found = session_rows.require_own(tx, me, handle)
    if found.state == "closed":
        if state == "closed":
            return view(found)
        raise SessionClosed("This session is closed.", field="handle")
    given = {
        "state": state,
        "allow_inbound": allow_inbound,
        "allow_mid_turn_steer": allow_mid_turn_steer,
        "workspace_boundary": workspace_boundary,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return view(session_rows.change(tx, found, changes))


@operation("PAGE", scope="runtime:connect", effect="read")
def list_runtime_sessions(tx: Tx, me: Caller) -> SessionList:
    """List the sessions that are open, those active last first."""
    return SessionList([view(found) for found in session_rows.list_open(tx, me, limit=MOST_OPEN)])


def view(found: Session) -> SessionView:
    """Return a session as the contract shows it."""
    return copy_fields(
        SessionView,
        found,
        delivery_mode="managed_stream",
        capabilities=msgspec.convert(found.capabilities, SessionCapabilities),
    )
