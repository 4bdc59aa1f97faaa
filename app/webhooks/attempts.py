"""What follows from an attempt to send: nothing more, another try later, or the webhook's end."""

from datetime import timedelta
from typing import NamedTuple

from app.core.database.tx import Tx, stamp
from app.webhooks import delivery_rows, hook_rows, retries
from app.webhooks.delivery_rows import Attempt, ToSend

GONE = 410


class Result(NamedTuple):
    """How a receiver answered, and how long it asks to be left alone."""

    attempt: Attempt
    asked: timedelta | None = None

    @property
    def is_taken(self) -> bool:
        """Whether the receiver has taken the event."""
        status = self.attempt.status_code
        return status is not None and 200 <= status < 300


def record_attempt(tx: Tx, sent: ToSend, result: Result, chance: float) -> None:
    """Note how an attempt went, and what follows from it for the delivery and the webhook."""
    before = delivery_rows.last_try(tx, sent.delivery)
    if before is None:
        return
    attempts = [*before.attempts, result.attempt]
    if result.is_taken:
        delivery_rows.note_attempt(
            tx, sent.delivery, attempts, status="succeeded", tries=before.tries
        )
        hook_rows.note_success(tx, sent.webhook)
        return
    # Where the webhook leads to another address by now, that one is not to blame.
    is_blamed = before.url == sent.url
    is_gone = is_blamed and result.attempt.status_code == GONE
    tries = before.tries + 1
    wait = None if is_gone else retries.wait_after(tries, chance, result.asked)
    status = before.status
    if status == "pending" and wait is None:
        status = "failed"
    delivery_rows.note_attempt(
        tx,
        sent.delivery,
        attempts,
        status=status,
        tries=tries,
        due=stamp(tx.moment + wait) if status == "pending" and wait is not None else None,
    )
    if is_blamed and hook_rows.note_failure(tx, sent.webhook, gone=is_gone):
        delivery_rows.cancel_pending(tx, sent.webhook)
