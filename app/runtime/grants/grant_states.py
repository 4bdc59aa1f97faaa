"""The state table of grants: pure functions of a state, an event and the time.

Times are texts of the contract, which sort as the moments do.
"""

from typing import Literal

from app.errors import AppError, RequestNotPending
from app.runtime.grants import refusals

Status = Literal["pending", "active", "declined", "revoked", "expired"]
Event = Literal["accept", "decline", "revoke"]
Side = Literal["requester", "recipient"]
OPEN: tuple[Status, ...] = ("pending", "active")
"""The states that time can end."""
REFUSALS: dict[Status, type[AppError]] = {
    "pending": refusals.NotActive,
    "declined": refusals.CommunicationDeclined,
    "revoked": refusals.CommunicationRevoked,
    "expired": refusals.CommunicationExpired,
}


def status_at(status: Status, ends_at: str, now: str) -> Status:
    """Return the state of a grant at a moment.

    `ends_at` is the end of the request while it is pending, and that of the grant afterwards.
    """
    return "expired" if status in OPEN and ends_at <= now else status


def after(status: Status, event: Event, side: Side) -> Status:
    """Return the state that an event of one side leads to.

    Raise WrongParticipant, or what the state refuses it with. A grant may be revoked again.
    """
    if event == "revoke":
        if status not in ("active", "revoked"):
            raise refusal(status)
        return "revoked"
    if side != "recipient":
        raise refusals.WrongParticipant("Only the recipient of this request can answer it.")
    if status == "expired":
        raise refusals.RequestExpired("This request has expired; ask for a new one.")
    if status != "pending":
        raise RequestNotPending(f"This request is no longer open: it is {status}.")
    return "active" if event == "accept" else "declined"


def require_active(status: Status) -> None:
    """Raise the refusal of a state in which nothing is sent."""
    if status != "active":
        raise refusal(status)


def refusal(status: Status) -> AppError:
    """Return why nothing can be done by a grant that is not active."""
    said = "has not been accepted yet" if status == "pending" else f"is {status}"
    return REFUSALS[status](f"This grant {said}.", field="communicationSessionId")
