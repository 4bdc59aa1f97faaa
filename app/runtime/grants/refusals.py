"""Why a grant, an offer or a message is refused: the codes of runtime sessions."""

from app.errors import Conflict, Forbidden, Invalid, NotFound


class InvalidTargetKind(Invalid):
    code = "invalid_target_kind"


class InvalidMessageKind(Invalid):
    code = "invalid_message_kind"


class WrongParticipant(Forbidden):
    """The other side of the grant may do this."""

    code = "wrong_participant"


class PermissionRequired(Forbidden):
    """Its owner has said no."""

    code = "permission_required"


class OfferAudienceMismatch(Forbidden):
    """The offer was made to somebody else."""

    code = "offer_audience_mismatch"


class OfferNotFound(NotFound):
    code = "offer_not_found"


class OfferExpired(Conflict):
    code = "offer_expired"


class OfferRevoked(Conflict):
    code = "offer_revoked"


class InboundDisabled(Conflict):
    """The session takes no messages."""

    code = "inbound_disabled"


class NotActive(Conflict):
    code = "communication_session_not_active"


class CommunicationExpired(Conflict):
    code = "communication_session_expired"


class CommunicationRevoked(Conflict):
    code = "communication_session_revoked"


class CommunicationDeclined(Conflict):
    code = "communication_session_declined"


class RequestExpired(Conflict):
    code = "request_expired"


class WrongTarget(Conflict):
    """It belongs to another grant, session or revision."""

    code = "wrong_target"


class AckNotApplicable(Conflict):
    code = "ack_not_applicable"


class AlreadyGranted(Conflict):
    """A session serves one active grant at a time."""

    code = "runtime_session_already_granted"


class DeliveryTerminal(Conflict):
    """The runtime has it already, or it has come to its end."""

    code = "delivery_terminal"
