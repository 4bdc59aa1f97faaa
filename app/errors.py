"""Every failure a caller can see: its code, its HTTP status and its sentence."""

from typing import Any, ClassVar


class AppError(Exception):
    """A failure whose message and details are safe to show to the caller.

    `details` become fields of the error body beside `error` and `message`; their names are the
    contract's (camelCase).
    """

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    @property
    def body(self) -> dict[str, Any]:
        """Return the one shape of every refusal."""
        return {"success": False, "error": self.code, "message": self.message, **self.details}

    @property
    def headers(self) -> dict[str, str]:
        """Return the HTTP headers that belong to this failure."""
        wait = self.details.get("retryAfter")
        return {} if wait is None else {"Retry-After": str(wait)}


class Invalid(AppError):
    """A field of the request is wrong; `field` names it."""

    code, status = "invalid_request", 400


class Malformed(Invalid):
    """The request could not be read at all, so no field rule was reached."""


class Unauthorized(AppError):
    """No credential, or one that is unknown, expired or revoked."""

    code, status = "unauthorized", 401
    challenge = "Bearer"

    def challenged(self, challenge: str) -> "Unauthorized":
        """Return the same failure with this WWW-Authenticate header."""
        self.challenge = challenge
        return self

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": self.challenge}


class Forbidden(AppError):
    """The caller may see the thing but not do this to it."""

    code, status = "forbidden", 403


class InsufficientScope(Forbidden):
    """The credential lacks the scope that `scope` names."""

    code = "insufficient_scope"


class EndpointNotOwned(Forbidden):
    """The endpoint is another user's, or of another device than the token's."""

    code = "endpoint_not_owned"


class SessionNotOwned(Forbidden):
    """The runtime session is another user's, or of another device than the token's."""

    code = "session_not_owned"


class NotFound(AppError):
    """No such thing, or it is another owner's."""

    code, status = "not_found", 404


class SessionNotFound(NotFound):
    code = "session_not_found"


class NoDefaultRoute(NotFound):
    """The user has no default route; see NoRouteForGrant for a grant that lacks one."""

    code = "no_default_route"


class MethodNotAllowed(AppError):
    """The path exists, but not for this method; `allow` lists those it has."""

    code, status = "method_not_allowed", 405

    @property
    def headers(self) -> dict[str, str]:
        return {"Allow": ", ".join(self.details["allow"])}


class Conflict(AppError):
    """The present state refuses this; each subclass is one code of the contract."""

    code, status = "conflict", 409


class AlreadyExists(Conflict):
    code = "already_exists"


class AlreadyMember(Conflict):
    code = "already_member"


class SeatsFull(Conflict):
    """Every seat of the team is taken."""

    code = "seats_full"


class RevisionConflict(Conflict):
    code = "revision_conflict"


class GenerationConflict(Conflict):
    """The keys have changed since they were read; `generation` is the present one."""

    code = "generation_conflict"


class RecordImmutable(Conflict):
    """The id has a record with other bytes, or had one that was deleted."""

    code = "record_immutable"


class QuotaExceeded(Conflict):
    code = "quota_exceeded"


class AlreadyRunning(Conflict):
    code = "already_running"


class NothingToUndo(Conflict):
    code = "nothing_to_undo"


class AlreadyDecided(Conflict):
    code = "already_decided"


class EscalationExpired(Conflict):
    code = "escalation_expired"


class GrantRevoked(Conflict):
    code = "grant_revoked"


class BaseRevisionChanged(Conflict):
    code = "base_revision_changed"


class AlreadyConnected(Conflict):
    code = "already_connected"


class AlreadyPending(Conflict):
    code = "already_pending"


class RequestNotPending(Conflict):
    code = "request_not_pending"


class RequestExpired(Conflict):
    code = "request_expired"


class NotConnected(Conflict):
    code = "not_connected"


class HandleTaken(Conflict):
    """The name is in use, or was until lately."""

    code = "handle_taken"


class AgentPaused(Conflict):
    """The managed agent is paused by its owner."""

    code = "agent_paused"


class NoRouteForGrant(Conflict):
    """A grant needs a default route, and its recipient has none."""

    code = "no_default_route"


class SessionClosed(Conflict):
    code = "session_closed"


class IdempotencyConflict(Conflict):
    code = "idempotency_conflict"


class IdempotencyInProgress(Conflict):
    code = "idempotency_in_progress"


class ClientMessageIdConflict(Conflict):
    code = "client_message_id_conflict"


class PayloadTooLarge(AppError):
    """More bytes than `limitBytes`."""

    code, status = "payload_too_large", 413


class Unprocessable(AppError):
    """A well-formed request that the domain refuses (a tool-level error)."""

    code, status = "unprocessable", 422


class RateLimited(AppError):
    """Too many requests; `retryAfter` says how many seconds to wait."""

    code, status = "rate_limited", 429


class MessageLimitReached(AppError):
    """A guest has written as many messages as one session takes; `limit` is their number."""

    code, status = "message_limit_reached", 429


class BudgetExceeded(AppError):
    """A cap has no room for it; `cap` is its id, `resetsAt` when it begins anew, `retryAfter`
    the seconds until then.
    """

    code, status = "budget_exceeded", 429


class Unavailable(AppError):
    """Something this answer needs does not work just now."""

    code, status = "unavailable", 503


class StorageFull(AppError):
    """The disk has no room; nothing of the request was stored."""

    code, status = "storage_full", 507
