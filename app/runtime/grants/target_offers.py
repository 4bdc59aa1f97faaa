"""Target offers: a session of one's own that a certain person may ask for by name."""

import sqlite3
from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from app.account import contact_pairs
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import Invalid, NotConnected, QuotaExceeded
from app.network.contacts import people
from app.runtime.devices import session_rows
from app.runtime.grants import refusals

PREFIX = "to_"
MOST = 200
KEPT_FOR = timedelta(days=1)
"""So long after its end an offer is told to be over, and not unknown."""
Handle = Annotated[str, Meta(min_length=1, max_length=64)]


class Offered(Record):
    target_offer_id: str
    expires_at: str


@operation(
    "POST /local-agent/target-offers",
    scope="runtime:connect",
    http=Http(refuses={"audiencePrincipalId": "it is the caller"}),
)
def offer_session(
    tx: Tx,
    me: Caller,
    *,
    endpoint_id: Handle,
    session_handle: Handle,
    audience_principal_id: Handle,
    ttl_seconds: Annotated[int, Meta(ge=1, le=3600)] = 3600,
) -> Offered:
    """Offer a session of the caller's to a contact, who alone can ask for it."""
    session_rows.require_at(tx, me, endpoint_id, session_handle)
    audience = people.require_person(tx, audience_principal_id, field="audiencePrincipalId")
    if audience["id"] == me.user:
        raise Invalid("audiencePrincipalId must be someone else's.", field="audiencePrincipalId")
    if not contact_pairs.are_contacts(tx, me.user, audience["id"]):
        raise NotConnected("You can offer a session to contacts only.", field="audiencePrincipalId")
    _require_room(tx, me.user)
    id_, ends = random_tokens.new_id(PREFIX), stamp(tx.moment + timedelta(seconds=ttl_seconds))
    tx.insert(
        "target_offers",
        id=id_,
        user_id=me.user,
        endpoint=endpoint_id,
        session=session_handle,
        audience_id=audience["id"],
        created_at=tx.now,
        expires_at=ends,
    )
    return Offered(id_, ends)


@operation(
    "POST /local-agent/target-offers/{id}/revoke", scope="runtime:connect", http=Http(status=204)
)
def revoke_offer(tx: Tx, me: Caller, *, id: Handle) -> Record:
    """Take an offer of the caller's back; doing it again changes nothing."""
    row = tx.one("SELECT * FROM target_offers WHERE id = :id AND user_id = :me", id=id, me=me.user)
    if row is None:
        raise refusals.OfferNotFound("There is no such offer.", field="id")
    session_rows.require_own(tx, me, row["session"])
    tx.run(
        "UPDATE target_offers SET revoked_at = ifnull(revoked_at, :now) WHERE id = :id",
        now=tx.now,
        id=id,
    )
    return Record()


def require_open(tx: Tx, id_: str, *, owner: int, audience: int) -> tuple[str, str]:
    """Return the endpoint and session that one user offers another.

    Raise OfferNotFound, OfferAudienceMismatch, OfferRevoked or OfferExpired.
    """
    row = tx.one(
        "SELECT * FROM target_offers WHERE id = :id AND user_id = :owner", id=id_, owner=owner
    )
    if row is None:
        raise refusals.OfferNotFound("There is no such offer.", field="target.targetOfferId")
    if row["audience_id"] != audience:
        raise refusals.OfferAudienceMismatch(
            "This offer was made to somebody else.", field="target.targetOfferId"
        )
    _require_live(tx, row)
    return row["endpoint"], row["session"]


def delete_old(tx: Tx) -> None:
    """Delete the offers that ended long ago."""
    tx.run("DELETE FROM target_offers WHERE expires_at <= :past", past=stamp(tx.moment - KEPT_FOR))


def _require_live(tx: Tx, row: sqlite3.Row) -> None:
    if row["revoked_at"] is not None:
        raise refusals.OfferRevoked("This offer was taken back.", field="target.targetOfferId")
    if row["expires_at"] <= tx.now:
        raise refusals.OfferExpired(
            "This offer has expired; ask for a new one.", field="target.targetOfferId"
        )


def _require_room(tx: Tx, user: int) -> None:
    delete_old(tx)
    live = tx.value(
        "SELECT count(*) FROM target_offers WHERE user_id = :me AND revoked_at IS NULL "
        "AND expires_at > :now",
        me=user,
        now=tx.now,
    )
    if live >= MOST:
        raise QuotaExceeded(f"{MOST} offers are open already; revoke some first.", limit=MOST)
