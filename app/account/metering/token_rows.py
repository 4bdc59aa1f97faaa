"""The tables of tokens: the ledger, one row for each model call, and its counts by period.

Both are written in one transaction.
"""

import sqlite3
from collections.abc import Iterator
from typing import Literal, NamedTuple

from app.account.periods import Period, Span, months_beside
from app.core.database.tx import Tx

Feature = Literal["chat", "briefing", "heartbeat", "rpc", "guest", "managed_agent"]
CountedBy = Literal["account", "feature", "credential", "device", "agent"]
WHOLE_MONTH = ""
"""What stands as the day of a count that is the month's."""


class Use(NamedTuple):
    """What a model call is counted under."""

    user: int
    feature: Feature
    credential: str
    device: str | None
    agent: str | None
    day: str
    month: str

    @property
    def span(self) -> Span:
        """Return the day and the month in which it counts."""
        return Span(self.day, self.month)

    @property
    def subjects(self) -> Iterator[tuple[CountedBy, str]]:
        """Return every subject under which it counts, with the subject's id."""
        yield "account", ""
        yield "feature", self.feature
        yield "credential", self.credential
        if self.device is not None:
            yield "device", self.device
        if self.agent is not None:
            yield "agent", self.agent


class Count(NamedTuple):
    """Tokens that were used and that are reserved."""

    used: int
    reserved: int


def insert_open(tx: Tx, use: Use, *, model: str, prompt: int, completion: int) -> int:
    """Write a call that is to come, with the most it may take, and give its id.

    It counts as reserved.
    """
    _add_to_counts(tx, use, prompt=0, completion=0, reserved=prompt + completion)
    return _insert(tx, use, model=model, prompt=prompt, completion=completion, settled_at=None)


def insert_settled(tx: Tx, use: Use, *, model: str, prompt: int, completion: int) -> None:
    """Write a call that is over."""
    _add_to_counts(tx, use, prompt=prompt, completion=completion, reserved=0)
    _insert(tx, use, model=model, prompt=prompt, completion=completion, settled_at=tx.now)


def settle(tx: Tx, row: sqlite3.Row, *, prompt: int, completion: int) -> Use:
    """Write what an open call took; what was reserved for it is free again."""
    # as COLUMNS has them
    use = Use(*row[3:10])
    tx.update(
        "token_uses", {"id": row["id"]}, prompt=prompt, completion=completion, settled_at=tx.now
    )
    _add_to_counts(
        tx, use, prompt=prompt, completion=completion, reserved=-(row["prompt"] + row["completion"])
    )
    return use


def remove(tx: Tx, row: sqlite3.Row) -> None:
    """Take an open call away that was never made."""
    tx.run("DELETE FROM token_uses WHERE id = :id", id=row["id"])
    _add_to_counts(
        tx, Use(*row[3:10]), prompt=0, completion=0, reserved=-(row["prompt"] + row["completion"])
    )


def find_open(tx: Tx, id_: int) -> sqlite3.Row | None:
    """Return a call that has not been settled, or None when it has."""
    return tx.one(f"SELECT {COLUMNS} FROM token_uses WHERE id = :id AND settled_at IS NULL", id=id_)


def all_open(tx: Tx, *, before: str) -> list[sqlite3.Row]:
    """Return the calls from before a moment that have not been settled."""
    return tx.all(
        f"SELECT {COLUMNS} FROM token_uses WHERE settled_at IS NULL AND at < :before", before=before
    )


def any_open(tx: Tx) -> bool:
    """Return whether a call has not been settled; at the start of a server none can still run."""
    return tx.one("SELECT 1 FROM token_uses WHERE settled_at IS NULL LIMIT 1") is not None


def count(tx: Tx, user: int, by: CountedBy, id_: str, period: Period, span: Span) -> Count:
    """Return what counts for one subject in a period."""
    row = tx.require_row(
        "SELECT ifnull(sum(prompt + completion), 0), ifnull(sum(reserved), 0) "
        f"FROM token_counts WHERE {_WITHIN} AND subject_id = :id",
        user=user,
        by=by,
        id=id_,
        **_period_condition(period, span),
    )
    return Count(*row)


def largest_count(tx: Tx, user: int, by: CountedBy, period: Period, span: Span) -> Count:
    """Return what counts in a period for the subject that has used and reserved most."""
    row = tx.one(
        f"""SELECT sum(prompt + completion) AS used, sum(reserved) AS reserved
            FROM token_counts WHERE {_WITHIN} GROUP BY subject_id
            ORDER BY used + sum(reserved) DESC LIMIT 1""",
        user=user,
        by=by,
        **_period_condition(period, span),
    )
    return Count(0, 0) if row is None else Count(*row)


COLUMNS = "id, prompt, completion, user_id, feature, credential, device, agent, day, month"
_WITHIN = "user_id = :user AND subject = :by AND day = :day AND month IN (:one, :two, :three)"


def _period_condition(period: Period, span: Span) -> dict[str, str]:
    """A day of the user's may lie in two months; a month is one row."""
    day, months = (
        (span.day, months_beside(span.day)) if period == "day" else (WHOLE_MONTH, (span.month,) * 3)
    )
    return dict(zip(("day", "one", "two", "three"), (day, *months), strict=True))


def _insert(
    tx: Tx, use: Use, *, model: str, prompt: int, completion: int, settled_at: str | None
) -> int:
    columns = use._asdict()
    return tx.insert(
        "token_uses",
        user_id=columns.pop("user"),
        model=model,
        prompt=prompt,
        completion=completion,
        at=tx.now,
        settled_at=settled_at,
        **columns,
    )


def _add_to_counts(tx: Tx, use: Use, *, prompt: int, completion: int, reserved: int) -> None:
    for by, id_ in use.subjects:
        # a day's row names its month too: the user's day may lie in two months of UTC
        for day in (WHOLE_MONTH, use.day):
            tx.run(
                """INSERT INTO token_counts (user_id, subject, day, month, subject_id, prompt,
                     completion, reserved)
                   VALUES (:user, :by, :day, :month, :id, :prompt, :completion, :reserved)
                   ON CONFLICT (user_id, subject, day, month, subject_id) DO UPDATE SET
                   prompt = prompt + excluded.prompt, completion = completion +
                     excluded.completion, reserved = reserved + excluded.reserved""",
                user=use.user,
                by=by,
                day=day,
                month=use.month,
                id=id_,
                prompt=prompt,
                completion=completion,
                reserved=reserved,
            )
