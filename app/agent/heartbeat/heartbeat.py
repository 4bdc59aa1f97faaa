"""The heartbeat's endpoints: its tier, its schedule, running it now, and what its runs did."""

import asyncio
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account import users
from app.account.users import TimeZone
from app.agent.heartbeat.records import action_rows, run_records, run_rows, schedule_rows, tiers
from app.agent.heartbeat.records.action_rows import Action
from app.agent.heartbeat.records.run_records import Receipt, Run
from app.agent.heartbeat.records.run_rows import BegunRun
from app.agent.heartbeat.records.schedule_rows import Heartbeat, Tier
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.process.lazy_import import lazy_import
from app.core.schema import Body, Id, Most, Record, Rule
from app.errors import Invalid
from app.workspace.todos import due

USUAL_LIMIT, MOST_RUNS = 20, 50


class Clock(Rule, frozen=True):
    """A time of day as HH:MM; an `end` may be 24:00."""

    end: bool = False

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": f"^({due.CLOCK}|24:00)$" if self.end else f"^{due.CLOCK}$"}

    def __call__(self, value: str) -> str:
        if not (re.fullmatch(due.CLOCK, value) or (self.end and value == "24:00")):
            raise ValueError("must be a time of day such as 08:30")
        return value


Weekday = Annotated[int, Meta(ge=1, le=7)]


class ActiveHours(Body):
    """From `start` to before `end`; an end that is not later than the start is on the next day.

    `24:00` is a legal end.
    """

    start: Annotated[str, Meta(description="HH:MM"), Clock()]
    end: Annotated[str, Meta(description="HH:MM"), Clock(end=True)]


class PolicyState(Record):
    policy: str
    tier: str
    is_default: bool
    updated_at: str | None


class PolicyChoice(Record):
    policy: str
    tier: str


class Schedule(Record):
    """When the heartbeat runs by itself; weekdays count from 1, Monday.

    `nextRunAt` always lies inside the hours.
    """

    enabled: bool
    every_minutes: int
    active_hours: ActiveHours | None
    weekdays: list[int]
    timezone: str
    next_run_at: str | None


class ScheduleAnswer(Record):
    schedule: Schedule


class LastRun(Record):
    id: int
    status: str
    source: str
    started_at: str
    ended_at: str | None
    summary: str


class Status(Record):
    tier: str
    policy: str
    enabled: bool
    next_run_at: str | None
    last_run: LastRun | None
    runs_last_day: int = msgspec.field(name="runsLast24h")
    runs_today: int


class StatusAnswer(Record):
    """How the heartbeat stands; today is the user's."""

    policy: str
    tier: str
    last_run: LastRun | None
    runs_today: int
    status: Status


class RunResult(Record):
    """What a run came to. `text` is what it had to say, `delivered` whether it was said; `error`,
    there only where it failed, why it did.
    """

    run_id: int
    id: int
    policy: str
    tier: str
    started_at: str
    completed_at: str | None
    ended_at: str | None
    status: str
    actions_created: int
    dry_run: bool
    text: str
    suppressed: bool
    suppress_reason: str | None
    delivered: bool
    tool_calls: int
    model: str
    elapsed_ms: int
    skip_reason: str | None
    error: str | UnsetType = UNSET


class RunList(Record):
    runs: list[Run]


class OneRun(Record):
    """A run with its actions, and how it came about."""

    run: Run
    actions: list[Action]
    receipt: Receipt


@operation("GET /heartbeat/policy", scope="os.heartbeat:read")
def read_heartbeat_policy(tx: Tx, me: Caller) -> PolicyState:
    """Read the heartbeat's tier.

    MESSAGES only tells its owner things, ACTIONS also makes reversible changes.
    """
    beat = schedule_rows.heartbeat_of(tx, me.user)
    return PolicyState(beat.policy, beat.policy, beat.policy_at is None, beat.policy_at)


@operation("POST /heartbeat/policy", scope="os.heartbeat:run")
def choose_heartbeat_policy(tx: Tx, me: Caller, *, tier: Tier) -> PolicyChoice:
    """Choose the heartbeat's tier; it holds from the next run on."""
    schedule_rows.set_policy(tx, me.user, tier)
    return PolicyChoice(tier, tier)


@operation("GET /heartbeat/schedule", scope="os.heartbeat:read")
def read_heartbeat_schedule(tx: Tx, me: Caller) -> ScheduleAnswer:
    """Read when the heartbeat runs by itself."""
    return ScheduleAnswer(_schedule_record(schedule_rows.heartbeat_of(tx, me.user)))


@operation(
    "PUT /heartbeat/schedule",
    scope="os.heartbeat:run",
    http=Http(refuses={"activeHours": "they end when they begin"}),
)
def change_heartbeat_schedule(
    tx: Tx,
    me: Caller,
    *,
    enabled: bool | None = None,
    every_minutes: Annotated[int, Meta(ge=5, le=1440)] | None = None,
    active_hours: ActiveHours | UnsetType | None = UNSET,
    weekdays: Annotated[list[Weekday], Meta(min_length=1, max_length=7)] | None = None,
    timezone: TimeZone | None = None,
) -> ScheduleAnswer:
    """Change when the heartbeat runs by itself; what is not given stays.

    Switching it on ends a pause after failures.

    activeHours of null are the whole day; hours that end before they begin run over midnight and
    belong to the day on which they begin.
    """
    beat = schedule_rows.heartbeat_of(tx, me.user)
    fields = {
        "enabled": enabled,
        "every_minutes": every_minutes,
        "timezone": timezone,
        "weekdays": None
        if weekdays is None
        else "".join(str(day) for day in sorted(set(weekdays))),
        "zone": None if timezone is None else ZoneInfo(timezone),
    }
    changes: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    # null is a value here, the whole day; only what is missing stays.
    if not isinstance(active_hours, UnsetType):
        changes.update(_hours_record(active_hours))
    return ScheduleAnswer(_schedule_record(schedule_rows.update(tx, beat, **changes)))


@operation("GET /heartbeat/status", scope="os.heartbeat:read")
def read_heartbeat_status(tx: Tx, me: Caller) -> StatusAnswer:
    """Read how the heartbeat stands.

    Its tier, its last run, its next one, and how many there were today.
    """
    beat, row = schedule_rows.heartbeat_of(tx, me.user), run_rows.find_last(tx, me.user)
    zone = ZoneInfo(users.settings_of(tx, me.user).timezone)
    today = tx.moment.astimezone(zone).date()
    today_count = run_rows.count_since(tx, me.user, due.days_span(today, today, zone).since)
    last = None if row is None else copy_fields(LastRun, row, source=run_records.source_of(row))
    day_count = run_rows.count_since(tx, me.user, stamp(tx.moment - timedelta(days=1)))
    status = Status(
        beat.policy, beat.policy, beat.enabled, beat.shown_next, last, day_count, today_count
    )
    return StatusAnswer(beat.policy, beat.policy, last, today_count, status)


@operation("POST /heartbeat/run", scope="os.heartbeat:run", http=Http(wrap="result"))
async def run_heartbeat(
    app: App, me: Caller, *, tier: Tier | None = None, dry_run: bool = False
) -> RunResult:
    """Run the heartbeat now, once, whatever its schedule; `tier` holds for this run only.

    With dryRun nothing is done, only told.
    """
    begun = await app.write(_begin_run, me, tier, dry_run=dry_run)
    passes = await lazy_import("app.agent.heartbeat.run_once")
    # Whoever asked may leave; a run is never stopped halfway by that.
    await asyncio.shield(app.tasks.start(passes.run_heartbeat(app, me, begun)))
    return app.quick(_run_result, me, begun)


@operation("GET /heartbeat/runs", scope="os.heartbeat:read")
def list_heartbeat_runs(
    tx: Tx, me: Caller, *, limit: Annotated[int, Meta(ge=1), Most(MOST_RUNS)] = USUAL_LIMIT
) -> RunList:
    """List the heartbeat's runs, newest first, rehearsals and skipped ones included."""
    return RunList(
        [run_records.run_record(row, me.user_id) for row in run_rows.list_page(tx, me.user, limit)]
    )


@operation("GET /heartbeat/runs/{id}", scope="os.heartbeat:read")
def read_heartbeat_run(tx: Tx, me: Caller, *, id: Id) -> OneRun:
    """Read one run with its actions and its receipt.

    What began it, what it looked at, what it did not say again, and what it cost.
    """
    row = run_rows.require(tx, me.user, id)
    return OneRun(
        run_records.run_record(row, me.user_id),
        [action_rows.action_record(action) for action in action_rows.list_of_run(tx, me.user, id)],
        run_records.receipt(row, tx.settings.token_price_micros),
    )


def _begin_run(
    tx: Tx, me: Caller, asked: Literal["MESSAGES", "ACTIONS"] | None, *, dry_run: bool
) -> BegunRun:
    policy = schedule_rows.heartbeat_of(tx, me.user).policy
    return run_rows.begin(
        tx,
        me,
        policy=policy,
        tier=tiers.choose_tier(me, policy, asked),
        trigger="manual",
        dry_run=dry_run,
    )


def _run_result(tx: Tx, me: Caller, begun: BegunRun) -> RunResult:
    row = run_rows.require(tx, me.user, begun.id)
    run = run_records.run_record(row, me.user_id)
    return copy_fields(
        RunResult,
        run,
        run_id=run.id,
        text=row["text"],
        suppressed=row["suppress_reason"] is not None,
        suppress_reason=row["suppress_reason"],
        delivered=row["message_id"] is not None,
        tool_calls=len(run_records.receipt(row).tool_calls),
        model=row["model"],
        elapsed_ms=run_records.elapsed_ms(row),
    )


def _schedule_record(beat: Heartbeat) -> Schedule:
    active = (
        None
        if beat.active_start is None or beat.active_end is None
        else ActiveHours(beat.active_start, beat.active_end)
    )
    return Schedule(
        beat.enabled,
        beat.every_minutes,
        active,
        [int(day) for day in beat.weekdays],
        beat.zone.key,
        beat.shown_next,
    )


def _hours_record(active: ActiveHours | None) -> dict[str, str | None]:
    if active is None:
        return {"active_start": None, "active_end": None}
    if active.start == active.end:
        raise Invalid(
            "activeHours.end must be another time than the start; null is the whole day.",
            field="activeHours.end",
        )
    return {"active_start": active.start, "active_end": active.end}
