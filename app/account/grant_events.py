"""The event that a grant has ended or allows less, whatever kind of grant it is."""

from typing import Literal

from app.core.database.tx import Tx

GrantKind = Literal["contact", "share_link", "runtime", "folder", "oauth"]
Reason = Literal["revoked", "narrowed", "expired"]
REVOKED = "grant.revoked"


def emit_revoked(
    tx: Tx,
    listener: int,
    kind: GrantKind,
    grant: int | str | None,
    *,
    by: str | None,
    reason: Reason = "revoked",
) -> None:
    """Tell a user that a grant is gone or narrower; `by` is the userId of who did that."""
    tx.emit(REVOKED, user=listener, grantKind=kind, grantId=grant, by=by, reason=reason)
