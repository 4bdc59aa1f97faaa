"""Grants: asking another person's runtime in, answering, and ending it.

Where a grant leads is decided once, when it is accepted, and never looked up again.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from app.account import contact_pairs
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import HOUR, Http, operation
from app.core.schema import Record
from app.errors import Invalid, NoRouteForGrant, NotConnected, QuotaExceeded, SessionClosed
from app.network.contacts import people
from app.runtime.devices import endpoint_rows, route_rows, session_rows
from app.runtime.grants import grant_rows, grant_states, refusals, target_offers
from app.runtime.grants.grant_rows import Grant, GrantRow, TargetKind
from app.runtime.realtime import event_rows

Handle = Annotated[str, Meta(min_length=1, max_length=64)]
Ttl = Annotated[int, Meta(ge=1, le=30)]
MOST_PENDING, MOST_LISTED = 200, 1000
KINDS: tuple[TargetKind, ...] = ("person_default_runtime", "runtime_session")


class Target(Record):
    """Whom a grant or a delegation is for.

    `kind` is person_default_runtime, or runtime_session with the id of an offer.
    """

    kind: Annotated[str, Meta(max_length=64)]
    principal_id: Handle
    target_offer_id: Handle | None = None


class Requested(msgspec.Struct, frozen=True):
    """A request that was checked: who asks from where, and whom for what."""

    reply: session_rows.Session
    recipient: int
    kind: TargetKind
    offer: str | None


@operation(
    "POST /local-agent/grants",
    scope="runtime:connect",
    http=Http(refuses={"target": "it is the caller, or no offer is named"}),
)
def request_grant(
    tx: Tx,
    me: Caller,
    *,
    target: Target,
    reply_endpoint_id: Handle,
    reply_session_handle: Handle,
    requested_ttl_minutes: Ttl = 30,
) -> GrantRow:
    """Ask a contact's runtime in; it waits ten minutes for their yes.

    The same request that waits already is not made twice.
    """
    recipient = require_recipient(tx, me, target)
    reply = session_rows.require_at(tx, me, reply_endpoint_id, reply_session_handle)
    return ask(tx, require_target(tx, me, reply, target, recipient), requested_ttl_minutes).row


@operation("GET /local-agent/grants", scope="runtime:connect", http=Http(bare=True))
def list_runtime_grants(tx: Tx, me: Caller) -> list[GrantRow]:
    """List the grants that the caller gave or holds, and the requests, newest first.

    With the token of a device, those of that device, and the requests that any may accept.
    """
    found = grant_rows.list_own(tx, me.user, MOST_LISTED)
    if me.bound_device is None:
        return [grant.row for grant in found]
    own = {None, *(endpoint.endpoint_id for endpoint in endpoint_rows.list_own(tx, me))}
    return [grant.row for grant in found if grant.endpoint_of(grant.side_of(me.user)) in own]


@operation("POST /local-agent/grants/{id}/accept", scope="runtime:connect")
def accept_grant(tx: Tx, me: Caller, *, id: Handle) -> GrantRow:
    """Let a runtime in, at the default route of now or the offered session, until its time ends."""
    grant = grant_rows.require_own(tx, me.user, id)
    grant_states.after(grant.status, "accept", grant.side_of(me.user))
    _require_contact(tx, grant.requester, grant.recipient)
    endpoint, session = _find_session(tx, grant)
    endpoint_rows.require_device(me, session.device_id)
    _require_reply(tx, grant)
    if grant_rows.find_active_on(tx, session.session_handle) is not None:
        raise refusals.AlreadyGranted("This session serves another grant; let that end first.")
    active = grant_rows.activate(tx, grant, endpoint, session.session_handle)
    grant_rows.tell_endpoints(
        tx,
        active,
        "grant.activated",
        {"activatedAt": active.row.activated_at, "grantExpiresAt": active.row.grant_expires_at},
    )
    tx.tell(grant_rows.ACTIVATED, active)
    return active.row


@operation("POST /local-agent/grants/{id}/decline", scope="runtime:connect", http=Http(status=204))
def decline_grant(tx: Tx, me: Caller, *, id: Handle) -> Record:
    """Say no to a request for a grant."""
    grant = grant_rows.require_own(tx, me.user, id)
    grant_states.after(grant.status, "decline", grant.side_of(me.user))
    grant_rows.end(tx, me, grant, "declined")
    return Record()


@operation("POST /local-agent/grants/{id}/revoke", scope="runtime:connect", http=Http(status=204))
def revoke_runtime_grant(tx: Tx, me: Caller, *, id: Handle) -> Record:
    """End an active grant at once, on either side; doing it again changes nothing."""
    grant = grant_rows.require_own(tx, me.user, id)
    grant_states.after(grant.status, "revoke", grant.side_of(me.user))
    require_side(tx, me, grant)
    if grant.status == "active":
        grant_rows.end(tx, me, grant, "revoked")
    return Record()


@operation("COMMAND", every=HOUR)
def forget_offers(tx: Tx, me: Caller) -> Record:
    """Delete the offers that ended long ago."""
    target_offers.delete_old(tx)
    return Record()


def require_recipient(tx: Tx, me: Caller, target: Target) -> int:
    """Return the user that a target means.

    Raise InvalidTargetKind, NotFound, or Invalid where it is the caller.
    """
    if target.kind not in KINDS:
        raise refusals.InvalidTargetKind(
            f"target.kind must be {' or '.join(KINDS)}.", field="target.kind"
        )
    if target.kind == "runtime_session" and target.target_offer_id is None:
        raise Invalid(
            "target.targetOfferId must name the offer of a session.", field="target.targetOfferId"
        )
    recipient = people.require_person(tx, target.principal_id, field="target.principalId")
    if recipient["id"] == me.user:
        raise Invalid("target.principalId must be someone else's.", field="target.principalId")
    return int(recipient["id"])


def require_target(
    tx: Tx, me: Caller, reply: session_rows.Session, target: Target, recipient: int
) -> Requested:
    """Return a request that can be made now.

    Raise NotConnected, NoRouteForGrant, or why the session that is meant cannot be asked for.
    """
    _require_contact(tx, me.user, recipient)
    if target.kind == "runtime_session" and target.target_offer_id is not None:
        offer = target.target_offer_id
        _, handle = target_offers.require_open(tx, offer, owner=recipient, audience=me.user)
        _require_inbound(tx, handle)
        return Requested(reply, recipient, "runtime_session", offer)
    route = route_rows.find_reachable(tx, recipient)
    if route is None:
        raise _no_route()
    _require_inbound(tx, route.session_handle)
    return Requested(reply, recipient, "person_default_runtime", None)


def ask(tx: Tx, wanted: Requested, ttl_minutes: int) -> Grant:
    """Make a request and tell its recipient, or return the same one that waits already."""
    reply = wanted.reply
    same = find_open(tx, wanted)
    if same is not None and same.status == "pending" and same.ttl_minutes == ttl_minutes:
        return same
    if grant_rows.count_pending(tx, wanted.recipient) >= MOST_PENDING:
        raise QuotaExceeded("Too many requests wait for their answer.", limit=MOST_PENDING)
    grant = grant_rows.insert(
        tx,
        requester=reply.user_id,
        device=reply.device_id,
        reply=(reply.endpoint_id, reply.session_handle),
        recipient=wanted.recipient,
        target_kind=wanted.kind,
        offer=wanted.offer,
        ttl_minutes=ttl_minutes,
    )
    endpoint, _ = _find_session(tx, grant)
    event_rows.append_event(tx, endpoint, "grant.request", _request_event(tx, grant))
    return grant


def find_open(tx: Tx, wanted: Requested) -> Grant | None:
    """Return the newest grant or request for the same target from the same session."""
    reply = wanted.reply
    return next(
        (
            found
            for found in grant_rows.find_between(
                tx, reply.user_id, wanted.recipient, reply.session_handle
            )
            if (found.row.target_kind, found.row.target_offer_id) == (wanted.kind, wanted.offer)
        ),
        None,
    )


def require_side(tx: Tx, me: Caller, grant: Grant) -> None:
    """Raise EndpointNotOwned where the caller's token is of a device that is not in the grant."""
    side = grant.side_of(me.user)
    endpoint = endpoint_rows.find(tx, grant.endpoint_of(side) or "")
    if endpoint is not None:
        endpoint_rows.require_device(me, endpoint.device_id)


def _request_event(tx: Tx, grant: Grant) -> dict[str, object]:
    requester = people.person_row(tx, grant.requester)
    return {
        "communicationSessionId": grant.id,
        "requesterPrincipalId": grant.row.requester_principal_id,
        "requesterDeviceId": grant.row.requester_device_id,
        "requesterHandle": requester["username"],
        "requesterName": requester["name"],
        "targetKind": grant.row.target_kind,
        "targetOfferId": grant.row.target_offer_id,
        "requestedTtlMinutes": grant.ttl_minutes,
        "requestExpiresAt": grant.row.request_expires_at,
    }


def _find_session(tx: Tx, grant: Grant) -> tuple[str, session_rows.Session]:
    """Return the endpoint and session that a grant leads to when it is accepted now.

    Raise what stands against it.
    """
    if grant.row.target_offer_id is not None:
        endpoint, handle = target_offers.require_open(
            tx, grant.row.target_offer_id, owner=grant.recipient, audience=grant.requester
        )
    else:
        route = route_rows.find_reachable(tx, grant.recipient)
        if route is None:
            raise _no_route()
        endpoint, handle = route.endpoint_id, route.session_handle
    return endpoint, _require_inbound(tx, handle)


def _require_inbound(tx: Tx, handle: str) -> session_rows.Session:
    session = session_rows.find(tx, handle)
    if session is None or session.state == "closed":
        raise SessionClosed("The session that this asks for is closed.", field="target")
    if not session.allow_inbound:
        raise refusals.InboundDisabled(
            "The session that this asks for takes no messages.", field="target"
        )
    return session


def _require_reply(tx: Tx, grant: Grant) -> None:
    session = session_rows.find(tx, grant.row.requester_reply_session_handle)
    if session is None or session.state == "closed":
        raise SessionClosed("The session that asked for this grant is closed.")


def _require_contact(tx: Tx, one: int, other: int) -> None:
    if not contact_pairs.are_contacts(tx, one, other):
        raise NotConnected("You are not contacts yet; ask to become one first.", field="target")


def _no_route() -> NoRouteForGrant:
    return NoRouteForGrant(
        "No runtime of theirs can be reached now; they have to start their bridge.", field="target"
    )
