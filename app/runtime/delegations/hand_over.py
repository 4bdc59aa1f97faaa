"""Handing a task over: what it waits for, step by step, until it is a message under a grant."""

from typing import Any, Literal

import msgspec

from app.account import contact_pairs, users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import AppError, ClientMessageIdConflict, NotConnected, QuotaExceeded, SessionClosed
from app.network.contacts import contact_requests, people
from app.runtime.approvals import approval_rows, tool_approvals, trusted_policies
from app.runtime.approvals.approval_rows import Asked
from app.runtime.approvals.trusted_tools import lies_in
from app.runtime.delegations import capsules, delegation_rows
from app.runtime.delegations.capsules import Context
from app.runtime.delegations.delegation_rows import Delegation
from app.runtime.devices import session_rows
from app.runtime.grants import grant_rows, grants, refusals
from app.runtime.grants.grant_rows import Grant
from app.runtime.grants.grants import Target
from app.runtime.messages import messages
from app.runtime.messages.messages import Turn, Words
from app.runtime.realtime import event_rows
from app.tools.approvals import escalation_rows, precedents

FOLDER_ACCESS: Literal["folder_access"] = "folder_access"
CONTACT_NOTE = "My agent would like to hand a task to yours."
WHY_ENDED: dict[str, type[AppError]] = {
    one.code: one
    for one in (
        NotConnected,
        ClientMessageIdConflict,
        QuotaExceeded,
        SessionClosed,
        refusals.InboundDisabled,
        refusals.PermissionRequired,
        refusals.RequestExpired,
        refusals.CommunicationDeclined,
        refusals.CommunicationRevoked,
        refusals.CommunicationExpired,
    )
}
"""What a task that waited in vain is refused with when it is asked for again."""


def ask_for_contact(tx: Tx, me: Caller, username: str) -> None:
    """Ask someone to become a contact, for a task that waits for it."""
    contact_requests.ask_once(tx, me, username, CONTACT_NOTE)


def resume(tx: Tx, me: Caller, delegation: Delegation) -> Delegation:
    """Return how far a task is, that is asked for again; go on with it where that can be done now.

    Raise why it ended before it was handed over.
    """
    if delegation.status == "ended" and delegation.message is None:
        why = WHY_ENDED.get(delegation.refusal or "", refusals.NotActive)
        raise why("This task was not handed over; send it again with a new clientMessageId.")
    if delegation.status == "collaboration_requested":
        return try_on(tx, me, delegation)
    return delegation


def try_on(tx: Tx, me: Caller, delegation: Delegation) -> Delegation:
    """Go on with a task that waits; where something stands against that now, it waits on."""
    try:
        # a refusal must leave nothing half done
        with tx.savepoint():
            return go_on(tx, me, delegation)
    except AppError:
        return delegation


def go_on(tx: Tx, me: Caller, delegation: Delegation) -> Delegation:
    """Take a task as far as it comes now, and return it. Raise what stands against a grant."""
    if not contact_pairs.are_contacts(tx, delegation.user, delegation.peer):
        return delegation
    order = delegation.order
    recipient = people.person_row(tx, delegation.peer)
    target = Target(order.target_kind, recipient["uuid"], order.offer)
    reply = session_rows.require_at(tx, me, order.endpoint, order.session)
    wanted = grants.require_target(tx, me, reply, target, delegation.peer)
    found = grants.find_open(tx, wanted)
    if found is None or not _leads_somewhere(tx, found):
        grant = grants.ask(tx, wanted, order.ttl_minutes)
        return delegation_rows.change(tx, delegation, "grant_requested", grant_id=grant.id)
    return hand_over(tx, me, delegation, found)


def hand_over(tx: Tx, me: Caller, delegation: Delegation, grant: Grant) -> Delegation:
    """Send a task under an active grant, or ask its recipient for the folder that it is about."""
    paths = outside_paths(tx, delegation, grant)
    if paths and not _is_folder_granted(tx, grant):
        return _ask_for_folder(tx, delegation, grant, paths)
    return send(tx, me, delegation, grant)


def send(tx: Tx, me: Caller, delegation: Delegation, grant: Grant) -> Delegation:
    """Send a task under an active grant, whatever it is about."""
    order = delegation.order
    payload: dict[str, Any] = {
        "task": order.task,
        "delegation": {
            "clientMessageId": order.client_message_id,
            "correlationId": order.correlation_id or order.client_message_id,
            "requestedSessionHandle": order.session,
            "untrustedExternalContent": True,
        },
    }
    if order.context is not None:
        payload["context"] = msgspec.json.decode(order.context)
    words = Words(
        client_message_id=order.client_message_id,
        kind="task_invite",
        payload=payload,
        body_sha256=order.body_sha256,
        correlation_id=order.correlation_id,
        collaboration_id=delegation.collaboration_id,
        turn=Turn(order.client_message_id, "task", expects_reply=True),
    )
    message = messages.send(tx, me, grant, words)
    return delegation_rows.change(
        tx, delegation, "delegated", grant_id=grant.id, message_id=message.id
    )


def end_waiting(tx: Tx, delegation: Delegation, why: type[AppError]) -> None:
    """End a task that was not handed over, and tell whoever handed it in."""
    delegation_rows.change(tx, delegation, "ended", refusal=why.code)
    over = why in (refusals.RequestExpired, refusals.CommunicationExpired)
    tell(tx, delegation, "collaboration.expired" if over else "collaboration.revoked", None)


def tell(tx: Tx, delegation: Delegation, event: str, grant: Grant | None) -> None:
    """Tell the endpoints of a collaboration what became of it."""
    data = {
        "collaborationId": delegation.collaboration_id,
        "communicationSessionId": delegation.grant,
        "clientMessageId": delegation.order.client_message_id,
    }
    frozen = None if grant is None else grant.row.frozen_endpoint_id
    for endpoint in {delegation.order.endpoint, frozen} - {None}:
        event_rows.append_event(tx, str(endpoint), event, data)


def outside_paths(tx: Tx, delegation: Delegation, grant: Grant) -> list[str]:
    """Return the paths of a task's context that lie outside of what its recipient has opened.

    Where nothing was opened, there is no outside.
    """
    context = delegation.order.context
    if context is None:
        return []
    folders = trusted_policies.folders_for(tx, grant.recipient, grant.requester)
    paths = capsules.source_paths(msgspec.json.decode(context, type=Context))
    return [
        path
        for path in paths
        if folders
        and (".." in path.replace("\\", "/").split("/") or _is_absolute(path))
        and not any(lies_in(path, folder) for folder in folders)
    ]


def requester(tx: Tx, delegation: Delegation) -> Caller:
    """Return the caller that a task goes on for while nobody asks."""
    return users.caller_for(tx, delegation.user, "session", scopes=("runtime:connect",))


def _leads_somewhere(tx: Tx, grant: Grant) -> bool:
    """Return whether a grant is active and the session that it is frozen to still open."""
    session = session_rows.find(tx, grant.row.frozen_session_handle or "")
    return grant.status == "active" and session is not None and session.state != "closed"


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\", "~")) or path[1:2] == ":"


def _peer_of(tx: Tx, grant: Grant) -> Caller:
    """Return who asks a recipient for a folder: the other side, with no rights of its own."""
    owner, peer = people.person_row(tx, grant.recipient), people.person_row(tx, grant.requester)
    return Caller(
        user=owner["id"],
        user_id=owner["uuid"],
        username=peer["username"],
        kind="peer",
        scopes=(),
        name=peer["username"],
    )


def _is_folder_granted(tx: Tx, grant: Grant) -> bool:
    origin = tool_approvals.origin_of(grant)
    return precedents.find_by_name(tx, _peer_of(tx, grant), FOLDER_ACCESS, origin) is not None


def _ask_for_folder(tx: Tx, delegation: Delegation, grant: Grant, paths: list[str]) -> Delegation:
    asker, peer = _peer_of(tx, grant), people.person_row(tx, grant.requester)
    escalation = escalation_rows.raise_(
        tx,
        asker,
        kind=FOLDER_ACCESS,
        origin=tool_approvals.origin_of(grant),
        tool=FOLDER_ACCESS,
        arguments={
            "communicationSessionId": grant.id,
            "collaborationId": delegation.collaboration_id,
            "paths": paths,
            "task": delegation.order.task,
        },
        summary=f"A task of {peer['name']}'s about {paths[0]}",
        reason="It is about files outside of the folder that you opened to them.",
        taint=frozenset({"agent"}),
    )
    row = tx.require_row("SELECT expires_at FROM escalations WHERE id = :id", id=escalation)
    asked = Asked(
        grant.recipient,
        grant,
        grant.row.frozen_endpoint_id or "",
        grant.row.frozen_session_handle or "",
        FOLDER_ACCESS,
    )
    approval = approval_rows.insert(
        tx, asked, "pending", expires_at=row["expires_at"], escalation=escalation
    )
    return delegation_rows.change(
        tx,
        delegation,
        "folder_access_requested",
        grant_id=grant.id,
        approval_id=approval.approval_id,
        escalation_id=escalation,
    )


def grant_of(tx: Tx, delegation: Delegation) -> Grant | None:
    """Return the grant that a task waits for or went under."""
    return None if delegation.grant is None else grant_rows.find(tx, delegation.grant)
