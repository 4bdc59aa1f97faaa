"""Approvals: a runtime asks for each call of a tool that it makes for another person.

The owner of the runtime decides, as with every escalation; a trusted policy or what was allowed
for the session answers at once.
"""

import sqlite3
from datetime import timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.events import Events
from app.core.database.tx import Tx, stamp
from app.core.markdown.shortened import one_line
from app.core.operation import operation
from app.core.schema import Line, Text
from app.errors import GrantRevoked
from app.network.contacts import people
from app.runtime.approvals import approval_rows, trusted_policies, trusted_tools
from app.runtime.approvals.approval_rows import Approval, Asked, Scope, Status
from app.runtime.devices import endpoint_rows, session_rows
from app.runtime.grants import grant_rows, grant_states, refusals
from app.runtime.grants.grant_rows import Grant
from app.runtime.messages import message_rows
from app.tools.approvals import call_origin, escalation_rows, precedents, still_allowed, stop_switch
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.change_preview import Preview

Handle = Annotated[str, Meta(min_length=1, max_length=64)]
LONGEST_SHOWN = 200
BY_END: dict[escalation_rows.Ended, Status] = {
    "executed": "allowed",
    "stopped": "denied",
    "expired": "expired",
    "failed": "revoked",
    "superseded": "revoked",
}


class Wish(msgspec.Struct, frozen=True):
    """A call of a tool that a runtime asks for."""

    grant: str
    session: str
    message: str | None
    tool: str
    summary: str


def listen(events: Events) -> None:
    """Hear of decisions, and of grants that end."""
    events.on_within(escalation_rows.SETTLED, _settled)
    events.on_within(grant_rows.ENDED, _grant_ended)


@operation("POST /local-agent/tool-approvals", scope="runtime:connect")
async def ask_tool_approval(
    app: App,
    me: Caller,
    *,
    communication_session_id: Handle,
    session_handle: Handle,
    message_id: Handle | None = None,
    tool_name: Annotated[str, Line(1, 200)],
    tool_input_summary: Annotated[str, Text(4000)],
) -> Approval:
    """Ask the owner whether a runtime may make a call for the other side of a grant.

    It waits five minutes for a yes. While agents are stopped none passes unasked, and none gets a
    yes.
    """
    wish = Wish(communication_session_id, session_handle, message_id, tool_name, tool_input_summary)
    return await app.write(_ask, me, wish, stopped=stop_switch.is_stopped(app))


@operation("GET /local-agent/tool-approvals/{id}", scope="runtime:connect")
def read_tool_approval(tx: Tx, me: Caller, *, id: Handle) -> Approval:
    """Read what became of a call that a runtime of the caller's asked for."""
    row = approval_rows.require_own(tx, me.user, id)
    endpoint = endpoint_rows.find(tx, row["endpoint"])
    if endpoint is not None:
        endpoint_rows.require_device(me, endpoint.device_id)
    return approval_rows.shown(tx, row)


def origin_of(grant: Grant) -> Origin:
    """Return where calls under a grant come from."""
    return Origin("runtime", communication_session_id=grant.id)


def caller_behind(tx: Tx, row: sqlite3.Row) -> Caller | None:
    """Return who asked for an escalation under a grant between runtimes.

    None when the grant has ended, or the endpoint that works under it was removed.
    """
    origin = call_origin.unpack_origin(row["origin"])
    grant = grant_rows.find(tx, origin.communication_session_id or "")
    if grant is None or grant.status != "active":
        return None
    endpoint = endpoint_rows.find(tx, grant.endpoint_of(grant.side_of(row["user_id"])) or "")
    if endpoint is None or endpoint.removed_at is not None:
        return None
    return still_allowed.asker_with(tx, row, tuple(msgspec.json.decode(row["scopes"])))


def _ask(tx: Tx, me: Caller, wish: Wish, *, stopped: bool) -> Approval:
    grant = grant_rows.require_own(tx, me.user, wish.grant)
    session = session_rows.require_own(tx, me, wish.session)
    if grant.session_of(grant.side_of(me.user)) != wish.session:
        raise refusals.WrongTarget(
            "This session is not the one of the grant.", field="sessionHandle"
        )
    grant_states.require_active(grant.status)
    _require_message(tx, grant, session, wish.message)
    asked = Asked(me.user, grant, session.endpoint_id, wish.session, wish.tool)
    if not stopped:
        if trusted_policies.is_trusted(tx, me.user, grant.other(me.user), wish.tool, session):
            return approval_rows.insert(tx, asked, "auto_allow", expires_at=tx.now, scope="once")
        precedent = precedents.find_by_name(tx, me, wish.tool, origin_of(grant))
        if precedent is not None:
            precedents.count_use(tx, precedent)
            return approval_rows.insert(tx, asked, "auto_allow", expires_at=tx.now, scope="session")
    return _ask_owner(tx, me, asked, session, wish.message, wish.summary)


def _ask_owner(
    tx: Tx,
    me: Caller,
    asked: Asked,
    session: session_rows.Session,
    message_id: str | None,
    summary: str,
) -> Approval:
    peer = people.person_row(tx, asked.grant.other(me.user))
    escalation = escalation_rows.raise_(
        tx,
        me,
        kind="runtime_tool_call",
        origin=origin_of(asked.grant),
        tool=asked.tool,
        arguments={
            "communicationSessionId": asked.grant.id,
            "sessionHandle": asked.session,
            "messageId": message_id,
            "toolName": asked.tool,
            "toolInputSummary": summary,
        },
        summary=f"{asked.tool} for {peer['name']}: {one_line(summary, LONGEST_SHOWN)}",
        reason=f"Your agent works for {peer['name']} (@{peer['username']}) in “{session.label}”.",
        preview=Preview("text", summary),
        risk=trusted_tools.risk_of(asked.tool),
        taint=frozenset({"agent"}),
    )
    waiting = approval_rows.find_by_escalation(tx, escalation)
    if waiting is not None:
        return approval_rows.shown(tx, waiting)
    ends = stamp(tx.moment + timedelta(minutes=escalation_rows.RUNTIME_MINUTES))
    return approval_rows.insert(tx, asked, "pending", expires_at=ends, escalation=escalation)


def _require_message(
    tx: Tx, grant: Grant, session: session_rows.Session, message_id: str | None
) -> None:
    if message_id is None:
        return
    message = message_rows.find(tx, message_id)
    if message is None or (message.grant, message.session) != (grant.id, session.session_handle):
        raise refusals.WrongTarget(
            "messageId must name a message that came to this session.", field="messageId"
        )


def _settled(tx: Tx, found: escalation_rows.Settled) -> None:
    """Write how an escalation of a runtime's has ended."""
    if found.origin.kind != "runtime":
        return
    row = approval_rows.find_by_escalation(tx, found.id)
    if row is not None:
        status = BY_END[found.status]
        approval_rows.settle(tx, row, status, _scope(tx, found) if status == "allowed" else None)


def _scope(tx: Tx, found: escalation_rows.Settled) -> Scope:
    """Return whether a yes was for the session, by what the owner let be remembered."""
    owner = Caller(user=found.user, user_id="", username="", kind="operator")
    kept = precedents.find_by_name(tx, owner, found.tool, found.origin)
    return "once" if kept is None else "session"


def _grant_ended(tx: Tx, ended: grant_rows.Ended) -> None:
    """End what was asked for and allowed under a grant."""
    grant = ended.grant
    if not ended.was_active:
        return
    origin = origin_of(grant)
    for user in (grant.requester, grant.recipient):
        escalation_rows.supersede(
            tx,
            ended.by,
            user,
            lambda found, _: found.communication_session_id == grant.id,
            failure=GrantRevoked(f"What allowed this is gone: the grant is {grant.status}."),
        )
        precedents.forget(tx, user, origin.key(ended.by))
    approval_rows.revoke_under(tx, grant.id)
