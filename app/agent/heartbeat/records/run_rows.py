"""The table of runs: a row, with its receipts, for each time a heartbeat was due or asked for."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from app.agent.heartbeat.records.run_records import ItemOutcome, Suppressed, ToolCall, Trigger
from app.agent.heartbeat.records.schedule_rows import Claim, Tier
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.schema import encode
from app.errors import AlreadyRunning, NotFound

SkipReason = Literal["nothing_due", "outside_hours", "disabled", "budget", "user_away"]
SKIPPED = {
    "nothing_due": "Nothing was due.",
    "outside_hours": "It was due inside the hours, but the server could run it only outside of "
    "them.",
    "disabled": "The heartbeat is switched off.",
    "budget": "The budget is used up.",
    "user_away": "Nobody has been here for two weeks.",
}
INTERRUPTED = "The server was stopped while the run was under way."


class BegunRun(msgspec.Struct, frozen=True):
    """A run that has begun: its id, whose it is, what it may do and why it runs."""

    id: int
    user: int
    policy: Tier
    tier: Tier
    trigger: Trigger
    dry_run: bool
    started_at: str
    claim: Claim | None = None


class RunEnding(msgspec.Struct):
    """What a run leaves in its row when it ends; filled as the run goes on."""

    status: Literal["completed", "failed"] = "completed"
    skip_reason: SkipReason | None = None
    error: str | None = None
    summary: str = ""
    text: str = ""
    suppress_reason: str | None = None
    items: list[ItemOutcome] = msgspec.field(default_factory=list)
    agenda: list[Mapping[str, Any]] = msgspec.field(default_factory=list)
    suppressed: list[Suppressed] = msgspec.field(default_factory=list)
    insights: list[str] = msgspec.field(default_factory=list)
    calls: list[ToolCall] = msgspec.field(default_factory=list)
    tokens: int = 0
    model: str = "offline"
    message_id: int | None = None
    seen_message: int = 0


def begin(
    tx: Tx,
    me: Caller,
    *,
    policy: Tier,
    tier: Tier,
    trigger: Trigger,
    dry_run: bool = False,
    claim: Claim | None = None,
    undo_of: int | None = None,
) -> BegunRun:
    """Add a run that has begun.

    Raise AlreadyRunning while another one of the user's is under way.
    """
    if (running := find_running(tx, me.user)) is not None:
        raise AlreadyRunning(
            "A run of the heartbeat is under way; wait until it ends.", runId=running
        )
    made = tx.insert(
        "heartbeat_runs",
        user_id=me.user,
        policy=policy,
        tier=tier,
        overridden=int(tier != policy),
        source_trigger=trigger,
        dry_run=int(dry_run),
        status="running",
        started_at=tx.now,
        due_at=claim.due_at if claim else None,
        previous_due_at=claim.previous_due_at if claim else None,
        next_due_at=claim.next_due_at if claim else None,
        missed=claim.missed if claim else 0,
        undo_of=undo_of,
    )
    return BegunRun(made, me.user, policy, tier, trigger, dry_run, tx.now, claim)


def find_running(tx: Tx, user: int) -> int | None:
    """Return the id of a user's run that is under way."""
    found: int | None = tx.value(
        "SELECT id FROM heartbeat_runs WHERE user_id = :user AND status = 'running'", user=user
    )
    return found


def end(tx: Tx, begun: BegunRun, ending: RunEnding) -> None:
    """Note how a run ended, with its receipts."""
    tx.run(
        """UPDATE heartbeat_runs SET status = :status, ended_at = :now,
          skip_reason = :skip, error = :error, summary = :summary, text = :text,
               suppress_reason = :suppress, items = :items, agenda = :agenda, suppressed =
                 :suppressed, insights = :insights, calls = :calls,
               tokens = :tokens, model = :model, message_id = :message, seen_message = :seen
           WHERE id = :id AND status = 'running'""",
        status=ending.status,
        now=tx.now,
        skip=ending.skip_reason,
        error=ending.error,
        summary=ending.summary,
        text=ending.text,
        suppress=ending.suppress_reason,
        items=_to_json(ending.items),
        agenda=_to_json(ending.agenda),
        suppressed=_to_json(ending.suppressed),
        insights=_to_json(ending.insights),
        calls=_to_json(ending.calls),
        tokens=ending.tokens,
        model=ending.model,
        message=ending.message_id,
        seen=ending.seen_message,
        id=begun.id,
    )


def mark_undone(tx: Tx, run: int) -> None:
    """Mark a run as undone."""
    tx.update("heartbeat_runs", {"id": run}, undone_at=tx.now)


def any_running(tx: Tx) -> bool:
    """Return whether a run has not ended; at the start of a server none can still be under way."""
    return tx.one("SELECT 1 FROM heartbeat_runs WHERE status = 'running' LIMIT 1") is not None


def interrupt_all(tx: Tx) -> list[int]:
    """Close the runs that were under way when the server was stopped and return their users.

    What they did stands in their actions.
    """
    users = [
        row[0]
        for row in tx.all(
            "SELECT user_id FROM heartbeat_runs WHERE status = 'running' AND dry_run = 0"
        )
    ]
    tx.run(
        "UPDATE heartbeat_runs SET status = 'failed', ended_at = :now, error = :error, "
        "summary = :error WHERE status = 'running'",
        now=tx.now,
        error=INTERRUPTED,
    )
    return users


def last_seen(tx: Tx, user: int) -> sqlite3.Row | None:
    """Return the start of the last run that has looked at the workspace, and the newest message
    that it saw.
    """
    return tx.one(
        # A run that was skipped has seen nothing, so the next looks further back.
        """SELECT id, started_at, seen_message FROM heartbeat_runs
          WHERE user_id = :user AND status = 'completed' AND dry_run = 0 AND undo_of IS NULL
             AND ifnull(skip_reason, '') NOT IN ('outside_hours', 'disabled', 'user_away',
               'budget') ORDER BY started_at DESC, id DESC LIMIT 1""",
        user=user,
    )


def find_last(tx: Tx, user: int) -> sqlite3.Row | None:
    """Return the newest run that was no taking back."""
    return tx.one(
        f"{_SELECT} WHERE r.user_id = :user AND r.undo_of IS NULL "
        "ORDER BY r.started_at DESC, r.id DESC LIMIT 1",
        user=user,
    )


def last_start(tx: Tx, user: int) -> str | None:
    """Return when the newest run began that was no taking back."""
    found: str | None = tx.value(
        "SELECT started_at FROM heartbeat_runs "
        "WHERE user_id = :user AND undo_of IS NULL ORDER BY started_at DESC LIMIT 1",
        user=user,
    )
    return found


def any_before(tx: Tx, user: int, run: int) -> bool:
    """Return whether the user has had a real run before that one."""
    return (
        tx.one(
            "SELECT 1 FROM heartbeat_runs "
            "WHERE user_id = :user AND id < :run AND dry_run = 0 LIMIT 1",
            user=user,
            run=run,
        )
        is not None
    )


def count_since(tx: Tx, user: int, since: str) -> int:
    """Count the runs since a moment, without those that took back others."""
    return int(
        tx.value(
            "SELECT count(*) FROM heartbeat_runs "
            "WHERE user_id = :user AND started_at >= :since AND undo_of IS NULL",
            user=user,
            since=since,
        )
    )


def said_since(tx: Tx, user: int, since: str) -> list[str]:
    """Return what was said to the user since a moment."""
    rows = tx.all(
        "SELECT text FROM heartbeat_runs "
        "WHERE user_id = :user AND started_at > :since AND message_id IS NOT NULL",
        user=user,
        since=since,
    )
    return [row[0] for row in rows]


def prune(tx: Tx, user: int, *, before: str, most: int) -> int:
    """Delete some of a user's runs that began before a moment, with their actions; return how
    many.

    The newest stays, the one that tells what was seen last, and every run of which something
    still waits for a yes.
    """
    # Without it the next run would take everything for new.
    seen = last_seen(tx, user)
    return tx.run(
        """DELETE FROM heartbeat_runs WHERE id IN (
               SELECT id FROM heartbeat_runs r WHERE user_id = :user AND started_at < :before
                 AND status <> 'running' AND id <> :seen
                 AND started_at < (SELECT max(started_at) FROM heartbeat_runs WHERE user_id = :user)
                 AND NOT EXISTS (SELECT 1 FROM heartbeat_actions a WHERE a.run_id = r.id
                   AND a.status = 'awaiting_approval')
               ORDER BY started_at LIMIT :most)""",
        user=user,
        before=before,
        seen=0 if seen is None else seen["id"],
        most=most,
    ).rowcount


def require(tx: Tx, user: int, run: int) -> sqlite3.Row:
    """Return a user's run; raise NotFound."""
    row = tx.one(f"{_SELECT} WHERE r.id = :id AND r.user_id = :user", id=run, user=user)
    if row is None:
        raise NotFound("There is no such run of the heartbeat.", runId=run)
    return row


def list_page(tx: Tx, user: int, limit: int) -> list[sqlite3.Row]:
    """Return the newest runs."""
    return tx.all(
        f"{_SELECT} WHERE r.user_id = :user ORDER BY r.started_at DESC, r.id DESC LIMIT :limit",
        user=user,
        limit=limit,
    )


_SELECT = (
    "SELECT r.*, (SELECT count(*) FROM heartbeat_actions a "
    "WHERE a.run_id = r.id) AS actions_created FROM heartbeat_runs r"
)


def _to_json(value: Sequence[Any]) -> str:
    return encode(value).decode()
