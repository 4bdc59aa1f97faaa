"""What follows when a grant or a share link ends or becomes narrower."""

from typing import Literal

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import GrantRevoked
from app.tools.approvals import escalation_rows, precedents
from app.tools.approvals.call_origin import Origin

Kind = Literal["contact", "folder", "share_link", "runtime"]


def emit_revoked(
    tx: Tx, me: Caller, listener: int, kind: Kind, grant: int | str | None, reason: str = "revoked"
) -> None:
    """Tell a user that a grant is gone, or with the reason `narrowed` that it allows less.

    `by` is null where nobody took it back, but its time is over.
    """
    tx.emit(
        "grant.revoked",
        user=listener,
        grantKind=kind,
        grantId=grant,
        by=me.user_id or None,
        reason=reason,
    )


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
