"""The tables of caps and of the warnings that were given: every statement that changes them."""

import sqlite3
from typing import Literal

import msgspec

from app.account.periods import Period
from app.core.database.tx import Tx
from app.errors import AlreadyExists, NotFound

Subject = Literal["account", "device", "credential", "agent", "heartbeat"]
Metric = Literal["tokens", "devices"]
HEARTBEAT_TOKENS_A_DAY = 50_000
WARN_PERCENT = 80


class Cap(msgspec.Struct, frozen=True):
    """A cap as it is stored; a `subject_id` of "" means each."""

    id: int
    subject: Subject
    subject_id: str
    metric: Metric
    period: Period
    most: int
    warn_percent: int


def add_defaults(tx: Tx, user: int) -> None:
    """Give a new user the caps that everyone begins with."""
    insert(
        tx,
        user,
        subject="heartbeat",
        subject_id="",
        metric="tokens",
        period="day",
        most=HEARTBEAT_TOKENS_A_DAY,
    )


def insert(
    tx: Tx,
    user: int,
    *,
    subject: Subject,
    subject_id: str,
    metric: Metric,
    period: Period,
    most: int,
    warn_percent: int = WARN_PERCENT,
) -> int:
    """Add a cap and give its id.

    Raise AlreadyExists where there is one for the same subject, metric and period.
    """
    try:
        return tx.insert(
            "caps",
            user_id=user,
            subject=subject,
            subject_id=subject_id,
            metric=metric,
            period=period,
            most=most,
            warn_percent=warn_percent,
            created_at=tx.now,
        )
    except sqlite3.IntegrityError:
        raise AlreadyExists(
            "There is a cap for this subject, metric and period already; change that one."
        ) from None


def update(tx: Tx, user: int, id_: int, *, most: int | None, warn_percent: int | None) -> None:
    """Change what is given; a warning that was given before may come again."""
    tx.run(
        "UPDATE caps SET most = ifnull(:most, most), warn_percent = ifnull(:warn, "
        "warn_percent) WHERE id = :id AND user_id = :user",
        id=id_,
        user=user,
        most=most,
        warn=warn_percent,
    )
    tx.run("DELETE FROM cap_warnings WHERE cap_id = :id", id=id_)


def delete(tx: Tx, user: int, id_: int) -> None:
    """Take a cap away."""
    tx.run("DELETE FROM caps WHERE id = :id AND user_id = :user", id=id_, user=user)


def warn_once(tx: Tx, cap: Cap, subject_id: str, period: str) -> bool:
    """Note that whoever it counts for was warned in a period.

    Say whether this is the first time.
    """
    return (
        tx.run(
            """INSERT INTO cap_warnings (cap_id, subject_id, period)
               VALUES (:cap, :subject, :period)
               ON CONFLICT (cap_id, subject_id) DO UPDATE SET period = excluded.period
                 WHERE period <> excluded.period""",
            cap=cap.id,
            subject=subject_id,
            period=period,
        ).rowcount
        == 1
    )


def list_caps(tx: Tx, user: int, metric: Metric | None = None) -> list[Cap]:
    """Return a user's caps, oldest first."""
    rows = tx.all(
        f"SELECT {COLUMNS} FROM caps "
        "WHERE user_id = :user AND metric = ifnull(:metric, metric) ORDER BY id",
        user=user,
        metric=metric,
    )
    return [Cap(*row) for row in rows]


def list_token_caps(
    tx: Tx, user: int, *, credential: str, device: str | None, agent: str | None
) -> list[Cap]:
    """Return a user's caps of tokens without those of another credential, device or agent, oldest
    first.
    """
    rows = tx.all(
        f"""SELECT {COLUMNS} FROM caps WHERE user_id = :user AND metric = 'tokens'
            AND (subject_id = '' OR subject_id IN (:credential, :device, :agent)) ORDER BY id""",
        user=user,
        credential=credential,
        device=device,
        agent=agent,
    )
    return [Cap(*row) for row in rows]


def require_cap(tx: Tx, user: int, id_: int) -> Cap:
    """Return one cap of a user; raise NotFound."""
    row = tx.one(
        f"SELECT {COLUMNS} FROM caps WHERE id = :id AND user_id = :user", id=id_, user=user
    )
    if row is None:
        raise NotFound(f"There is no cap {id_}.", field="id")
    return Cap(*row)


COLUMNS = "id, subject, subject_id, metric, period, most, warn_percent"
