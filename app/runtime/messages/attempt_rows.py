"""The table of attempts: what devices have said of the deliveries to them, in order."""

from typing import Any

from app.core.database.tx import Tx
from app.core.schema import Record
from app.runtime.messages.delivery_states import Phase

MOST = 200
"""So many are kept of one message; later ones still count."""


class Attempt(Record):
    """What a device said of a delivery."""

    attempt_id: str
    phase: Phase
    result_code: str | None
    retryable: bool
    runtime_ack_id: str | None
    created_at: str


def add(tx: Tx, message: str, attempt: Attempt) -> bool:
    """Write an attempt down; return False where the same one was written before."""
    given: dict[str, Any] = {
        "message": message,
        "attempt": attempt.attempt_id,
        "phase": attempt.phase,
    }
    known = tx.one(
        "SELECT 1 FROM runtime_attempts WHERE message_id = :message AND attempt_id = :attempt "
        "AND phase = :phase",
        **given,
    )
    if known is not None:
        return False
    tx.run(
        """INSERT INTO runtime_attempts (message_id, attempt_id, phase, result_code, retryable,
             runtime_ack_id, created_at)
           SELECT :message, :attempt, :phase, :code, :retryable, :ack, :now
           WHERE (SELECT count(*) FROM runtime_attempts WHERE message_id = :message) < :most""",
        **given,
        code=attempt.result_code,
        retryable=int(attempt.retryable),
        ack=attempt.runtime_ack_id,
        now=attempt.created_at,
        most=MOST,
    )
    return True


def list_of(tx: Tx, message: str) -> list[Attempt]:
    """Return what was said of a message, in order."""
    rows = tx.all(
        """SELECT attempt_id, phase, result_code, retryable, runtime_ack_id, created_at
           FROM runtime_attempts WHERE message_id = :message ORDER BY id""",
        message=message,
    )
    return [Attempt(row[0], row[1], row[2], bool(row[3]), row[4], row[5]) for row in rows]
