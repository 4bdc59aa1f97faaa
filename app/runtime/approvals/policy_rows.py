"""The table of trusted tool policies: what a person lets another's agent do without being asked.

A policy is active once a bridge of its owner's has said in which folder it holds.
"""

import dataclasses
import sqlite3
from datetime import timedelta
from typing import Any, Literal

import msgspec

from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.core.schema import Record
from app.errors import NotFound
from app.runtime.approvals.trusted_tools import Preset, lies_in
from app.runtime.devices import endpoint_rows
from app.runtime.devices.endpoint_rows import Endpoint
from app.runtime.devices.session_rows import Session

Scope = Literal["bridge_run", "persistent"]
Status = Literal["pending_ack", "active", "revoked"]
PREFIX = "ttp_"
BRIDGE_RUN = "bridge-instance:"
"""How a capability begins that names the run of the bridge."""
KEPT_FOR = timedelta(days=30)
COLUMNS = (
    "p.*, peer.uuid AS peer_uuid "
    "FROM trusted_tool_policies p JOIN users peer ON peer.id = p.peer_id"
)


class TrustedPolicy(Record):
    """A trusted tool policy as the contract shows it."""

    policy_id: str
    revision: int
    peer_principal_id: str
    access_preset: Preset
    canonical_folder: str | None
    scope: Scope
    tools: list[str]
    status: Status
    created_at: str


@dataclasses.dataclass(frozen=True)
class Policy:
    """A policy as it is now."""

    shown: TrustedPolicy
    user: int
    peer: int
    endpoint: str | None
    used_through: int

    def covers(self, tool: str, session: Session) -> bool:
        """Return whether it lets a tool pass in a session."""
        shown, place = self.shown, session.workspace_boundary
        return (
            shown.status == "active"
            and tool in shown.tools
            and self.endpoint in (None, session.endpoint_id)
            and shown.canonical_folder is not None
            and isinstance(place, str)
            and lies_in(place, shown.canonical_folder)
        )


def put(
    tx: Tx,
    user: int,
    peer: int,
    *,
    preset: Preset,
    folder: str | None,
    scope: Scope,
    tools: list[str],
    status: Status,
) -> Policy:
    """Write what a user lets a person do in a folder, in place of what was said of both before."""
    before = next(
        (
            one
            for one in list_own(tx, user, peer=peer)
            if one.shown.status != "revoked"
            and (one.shown.canonical_folder, one.shown.scope) == (folder, scope)
        ),
        None,
    )
    id_ = random_tokens.new_id(PREFIX) if before is None else before.shown.policy_id
    tx.run(
        """INSERT INTO trusted_tool_policies (id, user_id, peer_id, revision, preset, folder,
             scope, tools, status, created_at)
           VALUES (:id, :user, :peer, 1, :preset, :folder, :scope, :tools, :status, :now)
           ON CONFLICT (id) DO UPDATE SET revision = revision + 1, preset = excluded.preset,
             tools = excluded.tools, status = excluded.status, endpoint = NULL,
             bridge_run = NULL""",
        id=id_,
        user=user,
        peer=peer,
        preset=preset,
        folder=folder,
        scope=scope,
        tools=msgspec.json.encode(tools).decode(),
        status=status,
        now=tx.now,
    )
    return require_own(tx, user, id_)


def list_own(tx: Tx, user: int, *, peer: int | None = None) -> list[Policy]:
    """Return a user's policies, for one person or all, the newest first."""
    rows = tx.all(
        f"""SELECT {COLUMNS} WHERE p.user_id = :user AND (:peer IS NULL OR p.peer_id = :peer)
            ORDER BY p.created_at DESC, p.id""",
        user=user,
        peer=peer,
    )
    return [_policy(tx, row) for row in rows]


def require_own(tx: Tx, user: int, id_: str) -> Policy:
    """Return a user's policy, revoked or not; raise NotFound."""
    row = tx.one(f"SELECT {COLUMNS} WHERE p.id = :id AND p.user_id = :user", id=id_, user=user)
    if row is None:
        raise NotFound("There is no such trusted tool policy.", field="id")
    return _policy(tx, row)


def acknowledge(tx: Tx, policy: Policy, folder: str, endpoint: Endpoint | None) -> Policy:
    """Write that a bridge holds to a policy in a folder, from now on."""
    tx.update(
        "trusted_tool_policies",
        {"id": policy.shown.policy_id},
        status="active",
        folder=folder,
        endpoint=None if endpoint is None else endpoint.endpoint_id,
        bridge_run=None if endpoint is None else run_of(endpoint),
    )
    return require_own(tx, policy.user, policy.shown.policy_id)


def note_use(tx: Tx, policy: Policy, through: int, last: str) -> None:
    """Write how often a policy was used, and when for the last time."""
    tx.run(
        "UPDATE trusted_tool_policies SET used_through = :through, "
        "last_used_at = max(ifnull(last_used_at, ''), :last) WHERE id = :id",
        through=through,
        last=last,
        id=policy.shown.policy_id,
    )


def revoke(tx: Tx, policy: Policy) -> Policy:
    """End a policy for good."""
    tx.run(
        "UPDATE trusted_tool_policies SET status = 'revoked', revision = revision + 1, "
        "revoked_at = :now WHERE id = :id",
        now=tx.now,
        id=policy.shown.policy_id,
    )
    return require_own(tx, policy.user, policy.shown.policy_id)


def delete_old(tx: Tx, user: int) -> None:
    """Delete a user's policies that ended long ago."""
    tx.run(
        "DELETE FROM trusted_tool_policies WHERE user_id = :user AND revoked_at <= :past",
        user=user,
        past=stamp(tx.moment - KEPT_FOR),
    )


def run_of(endpoint: Endpoint) -> str | None:
    """Return the run of the bridge behind an endpoint, where it tells."""
    return next(
        (
            one.removeprefix(BRIDGE_RUN)
            for one in endpoint.capabilities
            if one.startswith(BRIDGE_RUN)
        ),
        None,
    )


def _policy(tx: Tx, row: sqlite3.Row) -> Policy:
    shown = TrustedPolicy(
        row["id"],
        row["revision"],
        row["peer_uuid"],
        row["preset"],
        row["folder"],
        row["scope"],
        msgspec.json.decode(row["tools"]),
        "revoked" if _run_is_over(tx, row) else row["status"],
        row["created_at"],
    )
    return Policy(shown, row["user_id"], row["peer_id"], row["endpoint"], row["used_through"])


def _run_is_over(tx: Tx, row: Any) -> bool:
    """Return whether a policy was for one run of a bridge, which has ended."""
    if row["scope"] != "bridge_run" or row["status"] != "active" or row["endpoint"] is None:
        return False
    endpoint = endpoint_rows.find(tx, row["endpoint"])
    return (
        endpoint is None or endpoint.removed_at is not None or run_of(endpoint) != row["bridge_run"]
    )
