"""Runs that begin by themselves.

At their time, after a message, and what was missed while the server was away.
"""

from datetime import timedelta
from functools import partial

from app.account import users
from app.agent.heartbeat.records import run_rows, schedule_rows
from app.agent.heartbeat.records.run_records import Trigger
from app.agent.heartbeat.records.run_rows import BegunRun, RunEnding
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.process.background_tasks import FewAtOnce
from app.core.process.lazy_import import lazy_import
from app.core.schema import Record

AT_ONCE = 4
AT_ONCE_PRUNED = 200


class Pruned(Record):
    """How many runs were deleted."""

    runs: int


class DueHeartbeats(FewAtOnce):
    """The users whose runs have come due and have not ended."""

    def __init__(self, app: App) -> None:
        super().__init__(app.tasks, AT_ONCE)
        self.server_started = stamp(app.clock())


@operation("COMMAND", every=30)
async def run_due_heartbeats(app: App, me: Caller) -> Record:
    """Begin every user's run that is due, each once, without waiting for its end."""
    # A clock that was put back would otherwise silence everybody until it has caught up.
    for user in app.quick(schedule_rows.planned_in_the_future):
        await app.write(schedule_rows.replan, user)
    due = app.part(DueHeartbeats)
    for user in app.quick(schedule_rows.list_due):
        due.start(user, partial(_run_due, app, user))
    return Record()


@operation("COMMAND", every=HOUR)
async def prune_heartbeat_runs(app: App, me: Caller) -> Pruned:
    """Delete the runs whose time is over, a few at a time, so that nobody waits for it."""
    before, total = stamp(app.clock() - timedelta(days=app.settings.heartbeat_days)), 0
    for user in await app.read(_due_users):
        # In small transactions: a run brings its actions along.
        done = AT_ONCE_PRUNED
        while done == AT_ONCE_PRUNED:
            done = await app.write(run_rows.prune, user, before=before, most=AT_ONCE_PRUNED)
            total += done
    return Pruned(total)


def wake(tx: Tx, user: int) -> None:
    """Let a user's heartbeat run soon, because somebody else has written to them or asks them for
    something.

    It is planned by the one gate of all runs, so many messages come to one run. For most users,
    whose heartbeat is off, this is one look.
    """
    # In the transaction of whoever sends a message, so it must cost next to nothing.
    if schedule_rows.can_wake(tx, user):
        schedule_rows.wake(tx, user, last_run_at=run_rows.last_start(tx, user))


def _due_users(tx: Tx) -> list[int]:
    return [row[0] for row in tx.all("SELECT id FROM users")]


async def _run_due(app: App, user: int) -> None:
    beginner = app.quick(_owner_caller, user)
    # Taken in a write of its own, so that two ticks never begin the same run.
    begun = await app.write(_claim_run, beginner, app.part(DueHeartbeats).server_started)
    if begun is not None and begun.claim is not None and begun.claim.inside:
        passes = await lazy_import("app.agent.heartbeat.run_once")
        await passes.run_heartbeat(app, beginner, begun)


def _claim_run(tx: Tx, me: Caller, started: str) -> BegunRun | None:
    """Take a due run and begin it.

    One that could only begin outside of its hours is noted as skipped. None when there is none
    to take.
    """
    if run_rows.find_running(tx, me.user) is not None:
        return None
    claim = schedule_rows.claim_due(tx, me.user)
    if claim is None:
        return None
    policy = schedule_rows.heartbeat_of(tx, me.user).policy
    missed = claim.due_at < started
    trigger: Trigger = "message" if claim.woken else "startup" if missed else "timer"
    begun = run_rows.begin(tx, me, policy=policy, tier=policy, trigger=trigger, claim=claim)
    if not claim.inside:
        run_rows.end(
            tx,
            begun,
            RunEnding(skip_reason="outside_hours", summary=run_rows.SKIPPED["outside_hours"]),
        )
    return begun


def _owner_caller(tx: Tx, user: int) -> Caller:
    """Return the caller for whom a run begins by itself.

    The user, with the rights that a heartbeat can have at most.
    """
    return users.caller_for(tx, user, "heartbeat", name="Heartbeat")
