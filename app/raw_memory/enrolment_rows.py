"""The table of enrolments: devices that ask to be let in, and wait for a yes."""

import sqlite3
from datetime import timedelta

from app.account.key_rows import key_digest
from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.raw_memory import device_rows

LIFE = timedelta(minutes=10)
KEPT = timedelta(days=1)
"""How long an enrolment that has ended can still be asked for how it ended."""
POLL_PREFIX = "hearth_rp_"
PREFIX = "enr_"
SOME = 100
_SELECT = """SELECT *,
    CASE WHEN status IN ('pending', 'approved') AND expires_at <= :now THEN 'expired'
      ELSE status END AS now_status FROM raw_enrolments"""


def begin(tx: Tx, *, name: str, public_key: bytes, signing_key: bytes) -> tuple[str, str, str]:
    """Begin an enrolment; return its id, the token that asks for its end, and when it expires."""
    id_ = PREFIX + random_tokens.new_bytes(16).hex()
    token = random_tokens.new_secret(POLL_PREFIX)
    expires = stamp(tx.moment + LIFE)
    tx.insert(
        "raw_enrolments",
        enrolment_id=id_,
        poll_digest=key_digest(token),
        name=name,
        public_key=public_key,
        signing_key=signing_key,
        status="pending",
        created_at=tx.now,
        expires_at=expires,
    )
    return id_, token, expires


def find(tx: Tx, enrolment_id: str) -> sqlite3.Row | None:
    """Return an enrolment."""
    return tx.one(f"{_SELECT} WHERE enrolment_id = :id", id=enrolment_id, now=tx.now)


def find_polled(tx: Tx, token: str) -> sqlite3.Row | None:
    """Return the enrolment whose device holds this token."""
    return tx.one(f"{_SELECT} WHERE poll_digest = :digest", digest=key_digest(token), now=tx.now)


def decide(tx: Tx, enrolment_id: str, user: int, *, status: str, device: int | None) -> None:
    """Keep what a user has decided."""
    tx.run(
        "UPDATE raw_enrolments SET status = :status, decided_by = :user, device = :device "
        "WHERE enrolment_id = :id AND status = 'pending'",
        id=enrolment_id,
        user=user,
        status=status,
        device=device,
    )


def consume(tx: Tx, enrolment_id: str) -> None:
    """Note that the device has come for its token."""
    tx.update("raw_enrolments", {"enrolment_id": enrolment_id}, status="consumed")


def purge(tx: Tx) -> int:
    """Forget some enrolments that ended a day ago, and approved devices that never came.

    Return how many.
    """
    for row in tx.all(
        "SELECT device FROM raw_enrolments "
        "WHERE expires_at <= :now AND status = 'approved' AND device IS NOT NULL LIMIT :some",
        now=tx.now,
        some=SOME,
    ):
        device_rows.drop_pending(tx, row["device"])
    return tx.run(
        """DELETE FROM raw_enrolments WHERE enrolment_id IN (
             SELECT enrolment_id FROM raw_enrolments WHERE expires_at < :before LIMIT :some)""",
        before=stamp(tx.moment - KEPT),
        some=SOME,
    ).rowcount
