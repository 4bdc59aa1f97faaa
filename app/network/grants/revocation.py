"""What follows when a grant or a share link ends or becomes narrower."""

from typing import Literal

from app.account import grant_events
from app.account.grant_events import GrantKind, Reason
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import GrantRevoked
from app.tools.approvals import escalation_rows, precedents
from app.tools.approvals.call_origin import Origin


def emit_revoked(
    tx: Tx,
    me: Caller,
    listener: int,
    kind: GrantKind,
    grant: int | str | None,
    reason: Reason = "revoked",
) -> None:
    """Tell a user that a grant is gone, or with the reason `narrowed` that it allows less.

    `by` is null where nobody took it back, but its time is over.
    """
    by = None if reason == "expired" else me.user_id or None
    grant_events.emit_revoked(tx, listener, kind, grant, by=by, reason=reason)


def end_waiting(
    tx: Tx,
    me: Caller,
    owner: int,
    *,
    kind: Literal["peer", "guest"],
    credential: int,
    origin: Origin,
    why: str,
) -> None:
    """End the calls by a grant that wait for its owner, and forget the approvals given for it."""
    escalation_rows.supersede(
        tx,
        me,
        owner,
        lambda _, row: bool(row["credential_kind"] == kind and row["credential"] == credential),
        failure=GrantRevoked(f"What allowed this is gone: {why}."),
    )
    # An approval "for longer" would otherwise outlive the grant it was given under.
    precedents.forget(tx, owner, origin.key(me))
