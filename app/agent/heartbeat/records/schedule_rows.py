"""The table of heartbeats: each user's tier, hours and next run.

Whoever begins a due run takes it from here by one conditional statement.
"""

from datetime import datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from app.account import users
from app.agent.heartbeat.records import active_hours
from app.agent.heartbeat.records.active_hours import Hours
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields

Tier = Literal["MESSAGES", "ACTIONS"]
DEFAULT_TIER: Tier = "MESSAGES"
MOST_FAILURES = 5
LONGEST_BACK_OFF = timedelta(days=1)
AFTER_A_WAKE = timedelta(minutes=5)
"""So long after a run nothing but its own time begins the next one."""
CLOCK_SLACK = timedelta(minutes=1)
TAKEN_AT_ONCE = 50


class Claim(msgspec.Struct, frozen=True):
    """A due run that was taken: when it was due, the one before it and the next, how many were
    missed, and whether something woke it.
    """

    due_at: str
    previous_due_at: str | None
    next_due_at: str
    missed: int
    woken: bool
    inside: bool


class Heartbeat(msgspec.Struct, frozen=True):
    """A user's heartbeat as it is set, with the defaults for what is not."""

    user: int
    zone: ZoneInfo
    name: str
    policy: Tier = DEFAULT_TIER
    policy_at: str | None = None
    enabled: bool = False
    every_minutes: int = 30
    active_start: str | None = None
    active_end: str | None = None
    weekdays: str = "1234567"
    timezone: str | None = None
    next_run_at: str | None = None
    previous_due_at: str | None = None
    woken: bool = False
    failures: int = 0
    conversation_id: int | None = None

    @property
    def every(self) -> timedelta:
        """The time from one run to the next; after failures it doubles with each."""
        usual = timedelta(minutes=self.every_minutes)
        return (
            usual
            if not self.failures
            else max(usual, min(usual * 2**self.failures, LONGEST_BACK_OFF))
        )

    @property
    def hours(self) -> Hours:
        """When runs may begin."""
        days = frozenset(int(day) for day in self.weekdays)
        if self.active_start is None or self.active_end is None:
            return Hours(self.zone, weekdays=days)
        return Hours(
            self.zone,
            active_hours.parse_minutes(self.active_start),
            active_hours.parse_minutes(self.active_end),
            days,
        )

    @property
    def shown_next(self) -> str | None:
        """The next run as it will be.

        Inside the hours, even when the user's zone has changed since it was planned.
        """
        if not self.enabled or self.next_run_at is None:
            return None
        return stamp(self.hours.first(datetime.fromisoformat(self.next_run_at)))


def heartbeat_of(tx: Tx, user: int) -> Heartbeat:
    """Return a user's heartbeat."""
    chosen = users.settings_of(tx, user)
    row = tx.one(
        "SELECT h.*, u.uuid FROM users u LEFT JOIN heartbeats h ON h.user_id = u.id "
        "WHERE u.id = :user",
        user=user,
    )
    if row is None or row["user_id"] is None:
        return Heartbeat(user, ZoneInfo(chosen.timezone), "" if row is None else row["uuid"])
    return copy_fields(
        Heartbeat,
        row,
        user=user,
        zone=ZoneInfo(row["timezone"] or chosen.timezone),
        name=row["uuid"],
        policy=row["policy"] or DEFAULT_TIER,
        enabled=row["enabled"] == 1,
        woken=row["woken"] == 1,
    )


def set_policy(tx: Tx, user: int, tier: Tier) -> None:
    """Note the tier of the runs to come."""
    _ensure(tx, user)
    tx.update("heartbeats", {"user_id": user}, policy=tier, policy_at=tx.now)


def update(tx: Tx, beat: Heartbeat, **fields: Any) -> Heartbeat:
    """Change fields of a schedule and plan its next run.

    One that is switched on has no failures.
    """
    if not fields:
        return beat
    _ensure(tx, beat.user)
    beat = msgspec.structs.replace(beat, **fields)
    # Whoever changes it has looked at it, so earlier failures are forgiven.
    beat = msgspec.structs.replace(beat, failures=0 if beat.enabled else beat.failures)
    tx.update(
        "heartbeats",
        {"user_id": beat.user},
        enabled=int(beat.enabled),
        every_minutes=beat.every_minutes,
        active_start=beat.active_start,
        active_end=beat.active_end,
        weekdays=beat.weekdays,
        timezone=beat.timezone,
        failures=beat.failures,
    )
    return _plan_from_now(tx, beat) if beat.enabled else _plan(tx, beat, None)


def list_due(tx: Tx) -> list[int]:
    """Return the users with a run that is due, the longest due first."""
    rows = tx.all(
        "SELECT user_id FROM heartbeats WHERE enabled = 1 AND next_run_at <= :now "
        "ORDER BY next_run_at LIMIT :some",
        now=tx.now,
        some=TAKEN_AT_ONCE,
    )
    return [row[0] for row in rows]


def planned_in_the_future(tx: Tx) -> list[int]:
    """Return the users whose next run was planned at a moment that has yet to come.

    The clock was put back since.
    """
    rows = tx.all(
        "SELECT user_id FROM heartbeats WHERE enabled = 1 AND planned_at > :late",
        late=stamp(tx.moment + CLOCK_SLACK),
    )
    return [row[0] for row in rows]


def replan(tx: Tx, user: int) -> None:
    """Plan a user's next run from now on."""
    beat = heartbeat_of(tx, user)
    if beat.enabled:
        _plan_from_now(tx, beat)


def claim_due(tx: Tx, user: int) -> Claim | None:
    """Take a user's due run, so that nobody else can; None when there is none (any more)."""
    beat = heartbeat_of(tx, user)
    if not beat.enabled or beat.next_run_at is None or beat.next_run_at > tx.now:
        return None
    due_at = datetime.fromisoformat(beat.next_run_at)
    moved = beat.hours.first(due_at)
    # The user's zone is another one now, in which the run that was planned may lie in the night.
    if moved > tx.moment and moved != due_at:
        _plan(tx, beat, stamp(moved))
        return None
    after, missed = active_hours.next_run(beat.hours, due_at, tx.moment, beat.every, name=beat.name)
    # next_run_at in the condition: of two that saw it due only one changes the row.
    taken = tx.run(
        """UPDATE heartbeats
           SET next_run_at = :next, planned_at = :now, previous_due_at = :due, woken = 0
           WHERE user_id = :user AND enabled = 1 AND next_run_at = :due""",
        next=stamp(after),
        now=tx.now,
        due=beat.next_run_at,
        user=user,
    )
    if taken.rowcount == 0:
        return None
    return Claim(
        beat.next_run_at,
        beat.previous_due_at,
        stamp(after),
        missed,
        beat.woken,
        inside=beat.hours.holds(tx.moment),
    )


def can_wake(tx: Tx, user: int) -> bool:
    """Return whether a user's next run could begin sooner.

    It is on, has not just failed, and was not brought forward already.
    """
    row = tx.one("SELECT enabled, failures, woken FROM heartbeats WHERE user_id = :user", user=user)
    return row is not None and row["enabled"] == 1 and not row["failures"] and not row["woken"]


def wake(tx: Tx, user: int, *, last_run_at: str | None) -> None:
    """Let the next run begin soon, inside the hours and not sooner than some minutes after the
    last one.
    """
    beat = heartbeat_of(tx, user)
    if not beat.enabled or beat.failures:
        return
    earliest = (
        tx.moment
        if last_run_at is None
        else max(tx.moment, datetime.fromisoformat(last_run_at) + AFTER_A_WAKE)
    )
    soon = stamp(beat.hours.first(earliest))
    tx.run(
        "UPDATE heartbeats SET next_run_at = :soon, planned_at = :now, woken = 1 "
        # Only ever sooner: a wake must not put off what was planned.
        "WHERE user_id = :user AND enabled = 1 AND next_run_at > :soon",
        soon=soon,
        now=tx.now,
        user=user,
    )


def note_success(tx: Tx, user: int) -> None:
    """Forget earlier failures; where there were none nothing is written."""
    tx.run("UPDATE heartbeats SET failures = 0 WHERE user_id = :user AND failures > 0", user=user)


def note_failure(tx: Tx, user: int) -> bool:
    """Count one more failure in a row and wait longer for the next run.

    Return whether this was the one that pauses the heartbeat.
    """
    _ensure(tx, user)
    tx.run("UPDATE heartbeats SET failures = failures + 1 WHERE user_id = :user", user=user)
    beat = heartbeat_of(tx, user)
    if not beat.enabled:
        return False
    if beat.failures >= MOST_FAILURES:
        tx.update("heartbeats", {"user_id": user}, enabled=0, next_run_at=None)
        return True
    _plan_from_now(tx, beat)
    return False


def set_conversation(tx: Tx, user: int, conversation: int) -> None:
    """Note in which conversation the user hears from the heartbeat."""
    _ensure(tx, user)
    tx.update("heartbeats", {"user_id": user}, conversation_id=conversation)


def _plan_from_now(tx: Tx, beat: Heartbeat) -> Heartbeat:
    first = active_hours.first_run(beat.hours, tx.moment, beat.every, name=beat.name)
    return _plan(tx, beat, stamp(first))


def _plan(tx: Tx, beat: Heartbeat, next_run_at: str | None) -> Heartbeat:
    tx.update(
        "heartbeats", {"user_id": beat.user}, next_run_at=next_run_at, planned_at=tx.now, woken=0
    )
    return msgspec.structs.replace(beat, next_run_at=next_run_at)


def _ensure(tx: Tx, user: int) -> None:
    tx.run("INSERT INTO heartbeats (user_id) VALUES (:user) ON CONFLICT DO NOTHING", user=user)
