"""The state table of deliveries: pure functions of a state and what befalls it.

A delivery goes forwards only. The one way back is to the queue, when a runtime failed and says
that it may be tried again; from a runtime that has acknowledged a message there is none.
"""

from typing import Literal

Status = Literal[
    "queued",
    "dispatched",
    "device_acked",
    "runtime_pending",
    "runtime_acked",
    "handled",
    "replied",
    "rejected",
    "failed",
    "expired",
    "revoked",
]
Phase = Literal["device_ack", "runtime_pending", "runtime_ack", "runtime_failed"]
End = Literal["revoked", "expired"]
ORDER: dict[Status, int] = {
    "queued": 0,
    "dispatched": 1,
    "device_acked": 2,
    "runtime_pending": 3,
    "runtime_acked": 4,
}
"""The states on the way, in order; all others are the end of it."""
REACHED: dict[Phase, Status] = {
    "device_ack": "device_acked",
    "runtime_pending": "runtime_pending",
    "runtime_ack": "runtime_acked",
}
HANDLED, REJECTED = "handled", "rejected"
"""Result codes by which a runtime says at once how it ended."""


def is_terminal(status: Status) -> bool:
    """Return whether nothing changes it any more."""
    return status not in ORDER


def is_undelivered(status: Status) -> bool:
    """Return whether the runtime may still take it: it has neither acknowledged it nor failed."""
    return ORDER.get(status, len(ORDER)) < ORDER["runtime_acked"]


def after_sent(status: Status) -> Status:
    """Return the state once it has been sent to the stream."""
    return "dispatched" if status == "queued" else status


def after_ack(
    status: Status, phase: Phase, *, retryable: bool = False, result_code: str | None = None
) -> Status | None:
    """Return the state that an acknowledgement leads to, None where it changes nothing."""
    if is_terminal(status):
        return None
    if phase == "runtime_failed":
        return _after_failure(status, retryable=retryable, result_code=result_code)
    reached: Status = REACHED[phase]
    if ORDER[reached] <= ORDER[status]:
        # a runtime may say again, with another attempt, that it is not ready yet
        return status if status == phase == "runtime_pending" else None
    return "handled" if phase == "runtime_ack" and result_code == HANDLED else reached


def _after_failure(status: Status, *, retryable: bool, result_code: str | None) -> Status | None:
    if retryable:
        # the runtime has it already: a second time would be one too many
        return "queued" if is_undelivered(status) else None
    return "rejected" if result_code == REJECTED else "failed"


def after_reply(status: Status) -> Status:
    """Return the state of a message that was answered; an answer counts once it is acknowledged."""
    return "replied" if status == "runtime_acked" else status


def after_end(status: Status, end: End) -> Status:
    """Return the state once the grant has ended; what the runtime has taken is handled."""
    if is_terminal(status):
        return status
    return "handled" if status == "runtime_acked" else end
