"""Usage: the tokens and devices of a month, by feature, by user, by source and by day."""

import re
import sqlite3
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from app.account import users
from app.account.metering.token_rows import WHOLE_MONTH, CountedBy
from app.account.periods import days_beside, month_of
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record, Rule

MONTH = r"[1-9][0-9]{3}-(0[1-9]|1[0-2])"


class Month(Rule, frozen=True):
    """A month such as 2026-11."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": f"^{MONTH}$"}

    def __call__(self, value: str) -> str:
        if not re.fullmatch(MONTH, value):
            raise ValueError("must be a month such as 2026-11")
        return value


AMonth = Annotated[str, Meta(description="a month of UTC such as 2026-11; else this one"), Month()]


class Tokens(Record):
    """`reserved` are those of calls that are not over."""

    prompt: int
    completion: int
    total: int
    reserved: int


class FeatureTokens(Record):
    feature: str
    tokens: int


class CredentialTokens(Record):
    kind: str
    id: int | str | None
    name: str | None
    tokens: int


class DeviceTokens(Record):
    device_id: str
    name: str | None
    first_seen_at: str
    last_seen_at: str
    tokens: int


class DayTokens(Record):
    """The tokens of one day in the user's zone, as far as it lies in the month."""

    date: str
    tokens: int


class MonthUsage(Record):
    """What a month took; `closed` says that it is over."""

    month: str
    active_devices: int
    tokens: Tokens
    by_feature: list[FeatureTokens]
    by_credential: list[CredentialTokens]
    by_device: list[DeviceTokens]
    by_day: list[DayTokens]
    closed: bool


@operation("GET /metering/usage", category="metering", scope="metering:read")
async def read_usage(app: App, me: Caller, *, month: AMonth | None = None) -> MonthUsage:
    """Read the tokens and active devices of a month."""
    await app.write_gathered()
    return await app.read(month_usage, me.user, month)


@operation("COMMAND", category="metering", effect="read")
async def user_usage(
    app: App, me: Caller, *, username: str, month: AMonth | None = None
) -> MonthUsage:
    """Read what a user's month took."""
    await app.write_gathered()
    return await app.read(lambda tx: month_usage(tx, users.require_user(tx, username)["id"], month))


def month_usage(tx: Tx, user: int, month: str | None) -> MonthUsage:
    """Return what a month took, the present one unless another is named."""
    this = month_of(tx.moment)
    month = month or this
    devices = _by_device(tx, user, month)
    return MonthUsage(
        month,
        len(devices),
        _token_totals(tx, user, month),
        _by_feature(tx, user, month),
        _by_credential(tx, user, month),
        devices,
        _by_day(tx, user, month),
        closed=month < this,
    )


def _counts(tx: Tx, user: int, month: str, by: CountedBy, columns: str) -> list[sqlite3.Row]:
    """Return some columns of what counts in a month for each of a kind of subject, most first."""
    return tx.all(
        f"SELECT {columns} {OF_MONTH} ORDER BY prompt + completion DESC, subject_id",
        user=user,
        month=month,
        by=by,
        whole=WHOLE_MONTH,
    )


def _token_totals(tx: Tx, user: int, month: str) -> Tokens:
    rows = _counts(tx, user, month, "account", f"prompt, completion, {USED}, reserved")
    return Tokens(*(rows[0] if rows else (0, 0, 0, 0)))


def _by_feature(tx: Tx, user: int, month: str) -> list[FeatureTokens]:
    rows = _counts(tx, user, month, "feature", f"subject_id, {USED}")
    return [FeatureTokens(*row) for row in rows]


def _by_credential(tx: Tx, user: int, month: str) -> list[CredentialTokens]:
    columns = f"subject_id, {NAME_OF_CREDENTIAL}, {USED}"
    rows = _counts(tx, user, month, "credential", columns)
    return [CredentialTokens(*_kind_and_id(row[0]), row[1], row[2]) for row in rows]


def _by_device(tx: Tx, user: int, month: str) -> list[DeviceTokens]:
    rows = tx.all(
        f"""SELECT device_id AS subject_id,
          {NAME_OF_CREDENTIAL.replace("subject_id", "device_id")}, first_seen_at, last_seen_at,
                   ifnull((SELECT {USED} {OF_MONTH} AND subject_id = d.device_id), 0)
            FROM active_devices d WHERE user_id = :user AND month = :month
              ORDER BY last_seen_at DESC, device_id""",
        user=user,
        month=month,
        by="device",
        whole=WHOLE_MONTH,
    )
    return [DeviceTokens(*row) for row in rows]


def _by_day(tx: Tx, user: int, month: str) -> list[DayTokens]:
    first, last = days_beside(month)
    rows = tx.all(
        f"""SELECT day, {USED} FROM token_counts
            WHERE user_id = :user AND subject = 'account' AND day BETWEEN :first AND :last
              AND month = :month ORDER BY day""",
        user=user,
        month=month,
        first=first,
        last=last,
    )
    return [DayTokens(*row) for row in rows]


USED = "prompt + completion"
OF_MONTH = (
    "FROM token_counts WHERE user_id = :user AND subject = :by AND day = :whole AND month = :month"
)
NAME_OF_CREDENTIAL = """CASE
    WHEN subject_id GLOB 'key:[0-9]*'
      THEN (SELECT name FROM keys WHERE keys.user_id = :user
      AND keys.id = CAST(substr(subject_id, 5) AS INTEGER))
    WHEN subject_id GLOB 'managed_agent:[0-9]*'
      THEN (SELECT name FROM keys WHERE keys.user_id = :user
      AND keys.id = CAST(substr(subject_id, 15) AS INTEGER))
    WHEN subject_id GLOB 'agent:[0-9]*'
      THEN (SELECT name FROM managed_agents a WHERE a.user_id = :user
      AND a.id = CAST(substr(subject_id, 7) AS INTEGER))
    WHEN subject_id GLOB 'oauth:[0-9]*'
    THEN (SELECT client_name FROM oauth_grants o WHERE o.user_id = :user
      AND o.id = CAST(substr(subject_id, 7) AS INTEGER)) END"""


def _kind_and_id(credential: str) -> tuple[str, int | str | None]:
    kind, colon, number = credential.partition(":")
    return kind, (int(number) if number.isdigit() else number) if colon else None
