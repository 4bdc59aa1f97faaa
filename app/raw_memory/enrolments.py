"""Enrolling a device: it asks, a signed-in user says yes or no, and it comes for its token."""

from typing import Literal

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import HOUR, Http, operation
from app.core.schema import Record
from app.errors import NotFound, RequestExpired, RequestNotPending
from app.raw_memory import device_rows
from app.raw_memory import enrolment_rows as rows
from app.raw_memory.fields import DeviceName, PublicKey, SigningKey
from app.vault.encoding import decode_base64url, encode_base64url
from app.vault.fingerprints import device_fingerprint

Status = Literal["pending", "approved", "denied", "expired", "consumed"]
PAGE = "/raw-memory/enrol"
Answer = Literal["approved", "denied"]
ANSWERS: dict[str, Answer] = {"approve": "approved", "deny": "denied"}


class NewEnrolment(Record):
    """What a device needs to be let in: the page for its user, the token to ask how it went."""

    enrolment_id: str
    poll_token: str
    approval_url: str
    expires_at: str


class EnrolmentPoll(Record):
    status: Status
    device_id: str | None = None
    device_token: str | None = None


class EnrolmentStatus(Record):
    status: Answer


class WaitingEnrolment(Record):
    """What the page shows of a device that asks to be let in."""

    name: str
    fingerprint: str
    status: Status
    created_at: str
    expires_at: str


class Purged(Record):
    purged: int


@operation(
    "POST /raw-memory/enrolments", public=True, http=Http(status=201, per_address="enrolments")
)
def begin_enrolment(
    tx: Tx, me: Caller | None, *, name: DeviceName, public_key: PublicKey, signing_key: SigningKey
) -> NewEnrolment:
    """Ask that a device be let in; the page at `approvalUrl` asks its user."""
    id_, token, expires = rows.begin(
        tx,
        name=name,
        public_key=decode_base64url(public_key),
        signing_key=decode_base64url(signing_key),
    )
    return NewEnrolment(id_, token, f"{tx.settings.origin}{PAGE}?id={id_}", expires)


@operation("POST /raw-memory/enrolments/poll", public=True, http=Http(guessable=True))
def poll_enrolment(tx: Tx, me: Caller | None, *, poll_token: str) -> EnrolmentPoll:
    """Ask how an enrolment stands; the answer to the first one after the yes has the token."""
    row = rows.find_polled(tx, poll_token)
    if row is None:
        raise NotFound("There is no such enrolment.", field="pollToken")
    if row["now_status"] != "approved":
        return EnrolmentPoll(row["now_status"])
    rows.consume(tx, row["enrolment_id"])
    made = device_rows.activate(tx, row["device"])
    return EnrolmentPoll("denied") if made is None else EnrolmentPoll("approved", *made)


@operation("POST /raw-memory/enrolments/{id}/decide", session=True, http=Http(guessable=True))
def decide_enrolment(
    tx: Tx, me: Caller, *, id: str, decision: Literal["approve", "deny"]
) -> EnrolmentStatus:
    """Let a device in, or not; the same answer again changes nothing."""
    row = rows.find(tx, id)
    if row is None or row["decided_by"] not in (None, me.user):
        raise NotFound("There is no such enrolment.", field="id")
    wanted = ANSWERS[decision]
    if row["decided_by"] is not None:
        settled = "denied" if row["status"] == "denied" else "approved"
        if settled != wanted:
            raise RequestNotPending("This enrolment was answered already.", field="id")
        return EnrolmentStatus(wanted)
    if row["now_status"] == "expired":
        raise RequestExpired("This enrolment has expired; start again at the device.", field="id")
    device = None
    if wanted == "approved":
        device = device_rows.add(
            tx,
            me.user,
            name=row["name"],
            public_key=row["public_key"],
            signing_key=row["signing_key"],
            status="pending",
        )["id"]
    rows.decide(tx, id, me.user, status=wanted, device=device)
    return EnrolmentStatus(wanted)


@operation("COMMAND", effect="read")
def waiting_enrolment(tx: Tx, me: Caller, *, id: str) -> WaitingEnrolment:
    """Return what the page shows of an enrolment."""
    row = rows.find(tx, id)
    if row is None:
        raise NotFound("There is no such enrolment. Start it again on the device.", field="id")
    keys = (encode_base64url(row["public_key"]), encode_base64url(row["signing_key"]))
    return WaitingEnrolment(
        row["name"],
        device_fingerprint(*keys),
        row["now_status"],
        row["created_at"],
        row["expires_at"],
    )


@operation("COMMAND", frees=True, every=HOUR)
def purge_enrolments(tx: Tx, me: Caller) -> Purged:
    """Forget enrolments that ended a day ago."""
    return Purged(rows.purge(tx))
