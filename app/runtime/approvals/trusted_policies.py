"""Trusted tool policies: letting a person's agent do things without being asked each time.

Only the owner makes and revokes them; a bridge says in which folder it holds to one, and how often
it was used.
"""

from typing import Annotated, Any

from msgspec import Meta

from app.account import contact_pairs
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import LARGEST_ID, Body, Record, Text
from app.errors import EndpointNotOwned, Invalid, NotConnected, QuotaExceeded
from app.network.contacts import people
from app.runtime.approvals import policy_rows
from app.runtime.approvals.policy_rows import Policy, Scope, TrustedPolicy
from app.runtime.approvals.trusted_tools import PRESETS, Preset
from app.runtime.devices import endpoint_rows
from app.runtime.devices.endpoint_rows import Endpoint
from app.runtime.devices.session_rows import Session
from app.runtime.grants import grant_rows, refusals
from app.runtime.realtime import event_rows

MOST_POLICIES = 200
Handle = Annotated[str, Meta(min_length=1, max_length=64)]
Folder = Annotated[str, Meta(min_length=1), Text(4096)]
ToolName = Annotated[str, Meta(min_length=1, max_length=200), Text(200)]
Number = Annotated[int, Meta(ge=1, le=LARGEST_ID)]


class PolicyList(Record):
    policies: list[TrustedPolicy]


class Use(Body):
    """A use of a policy, by its number among them all."""

    sequence: Number
    used_at: Annotated[str, Text(40)]


class UsesTaken(Record):
    """Up to which number the uses are written down, and whether all of these were before."""

    accepted_through_sequence: int
    duplicate: bool


@operation("GET /local-agent/trusted-tool-policies", scope="runtime:connect")
def list_trusted_policies(tx: Tx, me: Caller) -> PolicyList:
    """List what the caller lets other people's agents do without being asked, newest first."""
    return PolicyList([policy.shown for policy in policy_rows.list_own(tx, me.user)])


@operation(
    "POST /local-agent/trusted-tool-policies",
    scope="escalations:decide",
    http=Http(
        status=201,
        refuses={"peerPrincipalId": "it is the caller", "tools": "with chat-only none are allowed"},
    ),
)
def trust_tools(
    tx: Tx,
    me: Caller,
    *,
    peer_principal_id: Handle,
    access_preset: Preset,
    scope: Scope,
    canonical_folder: Folder | None = None,
    tools: Annotated[list[ToolName], Meta(max_length=50)] | None = None,
) -> TrustedPolicy:
    """Let a contact's agent use tools in a folder without being asked.

    It holds once a bridge of the caller's has acknowledged it. What was said before of the same
    contact and folder is replaced.
    """
    peer = people.require_person(tx, peer_principal_id, field="peerPrincipalId")
    if peer["id"] == me.user:
        raise Invalid("peerPrincipalId must be someone else's.", field="peerPrincipalId")
    if not contact_pairs.are_contacts(tx, me.user, peer["id"]):
        raise NotConnected("You can trust contacts only.", field="peerPrincipalId")
    if access_preset == "chat-only" and tools:
        raise Invalid("tools must be left out with chat-only.", field="tools")
    policy_rows.delete_old(tx, me.user)
    if len(policy_rows.list_own(tx, me.user)) >= MOST_POLICIES:
        raise QuotaExceeded(
            f"There are {MOST_POLICIES} policies; revoke some first.", limit=MOST_POLICIES
        )
    policy = policy_rows.put(
        tx,
        me.user,
        peer["id"],
        preset=access_preset,
        folder=canonical_folder,
        scope=scope,
        tools=list(dict.fromkeys(tools or PRESETS[access_preset])),
        # that nothing is allowed needs nobody's word
        status="active" if access_preset == "chat-only" else "pending_ack",
    )
    _tell_bridges(tx, me, policy)
    return policy.shown


@operation(
    "DELETE /local-agent/trusted-tool-policies/{id}",
    scope="escalations:decide",
    http=Http(status=204),
)
def revoke_trusted_policy(tx: Tx, me: Caller, *, id: Handle) -> Record:
    """Take back what was allowed: the next call is asked for again."""
    revoke(tx, me, policy_rows.require_own(tx, me.user, id))
    return Record()


@operation("POST /local-agent/trusted-tool-policies/{id}/ack", scope="runtime:connect")
def acknowledge_trusted_policy(
    tx: Tx, me: Caller, *, id: Handle, revision: Number, canonical_folder: Folder
) -> TrustedPolicy:
    """Say that a bridge holds to a policy, and in which folder on its device."""
    policy = policy_rows.require_own(tx, me.user, id)
    _require_revision(policy, revision)
    if policy.shown.status != "pending_ack":
        return policy.shown
    endpoint = _endpoint_of(tx, me)
    if endpoint is None and policy.shown.scope == "bridge_run":
        raise EndpointNotOwned("A policy for one run is acknowledged with its device's token.")
    return policy_rows.acknowledge(tx, policy, canonical_folder, endpoint).shown


@operation("POST /local-agent/trusted-tool-policies/{id}/usage", scope="runtime:connect")
def report_policy_usage(
    tx: Tx,
    me: Caller,
    *,
    id: Handle,
    revision: Number,
    uses: Annotated[list[Use], Meta(min_length=1, max_length=500)],
) -> UsesTaken:
    """Report when a policy was used; each number counts once, and none may be left out."""
    policy = policy_rows.require_own(tx, me.user, id)
    if revision > policy.shown.revision:
        raise _not_this_revision(policy)
    through, last = policy.used_through, ""
    for use in sorted(uses, key=lambda one: one.sequence):
        if use.sequence == through + 1:
            through, last = use.sequence, max(last, use.used_at)
    duplicate = all(use.sequence <= policy.used_through for use in uses)
    if through > policy.used_through:
        policy_rows.note_use(tx, policy, through, last)
    return UsesTaken(through, duplicate)


def is_trusted(tx: Tx, owner: int, peer: int, tool: str, session: Session) -> bool:
    """Return whether a user lets a person use a tool in a session without being asked."""
    return any(
        policy.covers(tool, session) for policy in policy_rows.list_own(tx, owner, peer=peer)
    )


def folders_for(tx: Tx, owner: int, peer: int) -> list[str]:
    """Return the folders that a user has opened to a person."""
    return [
        policy.shown.canonical_folder
        for policy in policy_rows.list_own(tx, owner, peer=peer)
        if policy.shown.status == "active" and policy.shown.canonical_folder is not None
    ]


def revoke(tx: Tx, me: Caller, policy: Policy) -> None:
    """End a policy and tell the bridges of its owner; doing it again changes nothing."""
    if policy.shown.status == "revoked":
        return
    ended = policy_rows.revoke(tx, policy)
    data = {
        "policyId": ended.shown.policy_id,
        "revision": ended.shown.revision,
        "revokedBy": me.user_id,
    }
    for endpoint in _live_endpoints(tx, policy.user):
        event_rows.append_event(tx, endpoint.endpoint_id, "trusted_tool_policy.revoked", data)


def end_between(tx: Tx, me: Caller, one: int, other: int) -> None:
    """End what two users, who are no contacts any more, have let each other do."""
    for owner, peer in ((one, other), (other, one)):
        for policy in policy_rows.list_own(tx, owner, peer=peer):
            revoke(tx, me, policy)


def _tell_bridges(tx: Tx, me: Caller, policy: Policy) -> None:
    """Tell the bridges of the owner's devices, each by its own name, what was decided."""
    shown = policy.shown
    requester = {
        "requesterPrincipalId": shown.peer_principal_id,
        "requesterDeviceId": grant_rows.latest_device(tx, policy.peer, policy.user),
    }
    for endpoint in _live_endpoints(tx, policy.user):
        run = policy_rows.run_of(endpoint)
        data: dict[str, Any] = {
            **requester,
            "policyId": shown.policy_id,
            "revision": shown.revision,
            "ownerPrincipalId": me.user_id,
            "ownerDeviceId": endpoint.device_id,
            "canonicalFolder": shown.canonical_folder,
            "accessPreset": shown.access_preset,
            "tools": shown.tools,
            "scope": shown.scope,
            "createdFrom": "settings",
            "createdBy": me.user_id,
            "createdAt": shown.created_at,
            "bridgeInstanceId": run,
        }
        event_rows.append_event(tx, endpoint.endpoint_id, "trusted_tool_policy.upserted", data)
        if shown.access_preset == "chat-only":
            # a bridge may hold more from before, of its own accord
            narrower = {**requester, "access": "chat-only", "bridgeInstanceId": run}
            event_rows.append_event(
                tx, endpoint.endpoint_id, "relationship.policy_update", narrower
            )


def _live_endpoints(tx: Tx, user: int) -> list[Endpoint]:
    owner = Caller(user=user, user_id="", username="", kind="operator")
    return [one for one in endpoint_rows.list_own(tx, owner) if one.removed_at is None]


def _endpoint_of(tx: Tx, me: Caller) -> Endpoint | None:
    """Return the endpoint that a call comes from; None where a key could mean several."""
    found = [one for one in endpoint_rows.list_own(tx, me) if one.removed_at is None]
    return found[0] if found and (me.bound_device is not None or len(found) == 1) else None


def _require_revision(policy: Policy, revision: int) -> None:
    if policy.shown.status == "revoked" or revision != policy.shown.revision:
        raise _not_this_revision(policy)


def _not_this_revision(policy: Policy) -> refusals.AckNotApplicable:
    return refusals.AckNotApplicable(
        f"The policy is {policy.shown.status}, at revision {policy.shown.revision}.",
        field="revision",
        revision=policy.shown.revision,
    )
