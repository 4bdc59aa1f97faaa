"""The tables of webhooks and of the secrets that sign for them."""

import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.errors import NotFound, QuotaExceeded
from app.webhooks.event_types import EVERY
from app.webhooks.retries import FAILING_TIME, FAILING_TRIES

MOST = 20
OVERLAP = timedelta(hours=24)
"""So long a secret still signs after it was rotated."""
MOST_ROTATED = 3
Status = Literal["active", "paused", "disabled"]
Reason = Literal["gone", "failing"]


def own_hooks(tx: Tx, me: Caller) -> list[sqlite3.Row]:
    """Return the caller's webhooks, the oldest first."""
    return tx.all("SELECT * FROM webhooks WHERE user_id = :me ORDER BY id", me=me.user)


def require_own(tx: Tx, me: Caller, hook: int) -> sqlite3.Row:
    """Return a webhook of the caller; raise NotFound."""
    row = tx.one("SELECT * FROM webhooks WHERE id = :id AND user_id = :me", id=hook, me=me.user)
    if row is None:
        raise NotFound(f"There is no webhook {hook}.", field="id")
    return row


def hooks_for(tx: Tx, user: int, type_: str) -> list[int]:
    """Return the webhooks of a user that want to hear of an event; paused ones hear of it later."""
    rows = tx.all(
        "SELECT id, events FROM webhooks WHERE user_id = :user AND status <> 'disabled'", user=user
    )
    return [row["id"] for row in rows if wants(row["events"], type_)]


def wants(events: str, type_: str) -> bool:
    """Return whether a type is among the events as they are stored."""
    return type_ in (named := msgspec.json.decode(events)) or EVERY in named


def insert(
    tx: Tx, me: Caller, *, url: str, description: str, events: Sequence[str], sealed: bytes
) -> sqlite3.Row:
    """Add a webhook with its secret; raise QuotaExceeded where there are as many as can be."""
    if tx.value("SELECT count(*) FROM webhooks WHERE user_id = :me", me=me.user) >= MOST:
        raise QuotaExceeded(
            f"You have {MOST} webhooks, the most allowed; remove one first.", limit=MOST
        )
    hook = tx.insert(
        "webhooks",
        user_id=me.user,
        url=url,
        description=description,
        events=_packed(events),
        status="active",
        created_at=tx.now,
        updated_at=tx.now,
    )
    _add_secret(tx, hook, sealed)
    return tx.require_row("SELECT * FROM webhooks WHERE id = :id", id=hook)


def change(
    tx: Tx, hook: int, *, url: str | None, description: str | None, events: Sequence[str] | None
) -> None:
    """Change what is given of a webhook."""
    tx.run(
        """UPDATE webhooks SET url = ifnull(:url, url), events = ifnull(:events, events),
             description = ifnull(:description, description), updated_at = :now WHERE id = :id""",
        url=url,
        description=description,
        events=None if events is None else _packed(events),
        now=tx.now,
        id=hook,
    )


def set_status(tx: Tx, hook: int, status: Literal["active", "paused"]) -> None:
    """Pause a webhook or let it go on; what it failed before is forgotten when it goes on."""
    tx.run(
        """UPDATE webhooks SET status = :status, disabled_reason = NULL, updated_at = :now,
             failures = iif(:status = 'active', 0, failures),
             failing_since = iif(:status = 'active', NULL, failing_since)
           WHERE id = :id AND status <> :status""",
        status=status,
        now=tx.now,
        id=hook,
    )


def remove(tx: Tx, hook: int) -> None:
    """Delete a webhook; its secrets and deliveries go with it."""
    tx.run("DELETE FROM webhooks WHERE id = :id", id=hook)


def note_success(tx: Tx, hook: int) -> None:
    """Note that a delivery was taken: the failures before it count no more."""
    tx.update("webhooks", {"id": hook}, failures=0, failing_since=None, last_success_at=tx.now)


def note_failure(tx: Tx, hook: int, *, gone: bool) -> bool:
    """Note that an attempt failed, and return whether the webhook is disabled for it."""
    row = tx.require_row(
        """UPDATE webhooks SET failures = failures + 1, last_failure_at = :now,
             failing_since = ifnull(failing_since, :now)
           WHERE id = :id RETURNING failures, failing_since""",
        now=tx.now,
        id=hook,
    )
    # Counted from the first failure and not from the last success, which may lie long ago because
    # nothing happened: a receiver that is down for a minute would be given up.
    is_failing = row["failures"] >= FAILING_TRIES and row["failing_since"] <= stamp(
        tx.moment - FAILING_TIME
    )
    if gone or is_failing:
        tx.update(
            "webhooks",
            {"id": hook},
            status="disabled",
            disabled_reason="gone" if gone else "failing",
            updated_at=tx.now,
        )
    return gone or is_failing


def secrets(tx: Tx, hook: int) -> list[bytes]:
    """Return what signs for a webhook now, the newest first."""
    rows = tx.all(
        """SELECT secret FROM webhook_secrets
           WHERE webhook_id = :hook AND (ends_at IS NULL OR ends_at > :now) ORDER BY id DESC""",
        hook=hook,
        now=tx.now,
    )
    return [row["secret"] for row in rows]


def rotate_secret(tx: Tx, hook: int, sealed: bytes) -> None:
    """Let another secret sign; the ones before it do so a while longer."""
    tx.run(
        "UPDATE webhook_secrets SET ends_at = :ends WHERE webhook_id = :hook AND ends_at IS NULL",
        ends=stamp(tx.moment + OVERLAP),
        hook=hook,
    )
    # Each is a signature in every request.
    tx.run(
        """DELETE FROM webhook_secrets WHERE webhook_id = :hook AND id NOT IN (
             SELECT id FROM webhook_secrets WHERE webhook_id = :hook
             ORDER BY id DESC LIMIT :most)""",
        hook=hook,
        most=MOST_ROTATED,
    )
    _add_secret(tx, hook, sealed)
    tx.update("webhooks", {"id": hook}, updated_at=tx.now)


def sweep_secrets(tx: Tx) -> None:
    """Delete the secrets that sign no more."""
    tx.run("DELETE FROM webhook_secrets WHERE ends_at <= :now", now=tx.now)


def _add_secret(tx: Tx, hook: int, sealed: bytes) -> None:
    tx.insert("webhook_secrets", webhook_id=hook, secret=sealed)


def _packed(events: Sequence[str]) -> str:
    return msgspec.json.encode([EVERY] if EVERY in events else list(dict.fromkeys(events))).decode()
