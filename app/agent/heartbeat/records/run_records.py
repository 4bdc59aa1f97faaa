"""A run of the heartbeat as it goes out: the run, what came of each line, and its receipt."""

import sqlite3
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from app.core.fit_types import copy_fields
from app.core.schema import Record, json_column

Trigger = Literal["manual", "timer", "message", "startup", "undo"]
Outcome = Literal["done", "nothing", "needs_model", "failed"]


class ItemOutcome(Record):
    """A line of the checklist and what came of it."""

    text: str
    outcome: Outcome


class Suppressed(Record):
    """A piece of news that was not told again."""

    rule: str
    target: str | None
    told_at: str


class ToolCall(Record):
    """A tool that the model called to find something out."""

    tool: str
    outcome: str


class TokenUsage(Record):
    total: int


class Receipt(Record):
    """How a run came about and what it looked at.

    `cost` is what its tokens come to in millionths of the currency's unit, as the invoice counts
    them; null where the server has no price of a token.
    """

    trigger: Trigger
    due_at: str | None
    previous_due_at: str | None
    next_due_at: str | None
    missed: int
    agenda: json_column({"type": "array", "items": {"type": "object"}})  # type: ignore[valid-type]
    suppressed: list[Suppressed]
    tool_calls: list[ToolCall]
    tokens: int
    cost: int | None


class Run(Record):
    """One run of the heartbeat."""

    id: int
    run_id: int
    user_id: str
    policy: str
    tier: str
    status: str
    source: Literal["manual", "cron"]
    dry_run: bool
    started_at: str
    completed_at: str | None
    ended_at: str | None
    summary: str
    insights: list[str]
    actions_created: int
    skip_reason: str | None
    token_usage: TokenUsage
    message_id: int | None
    undone_at: str | None
    items: list[ItemOutcome]
    error: str | UnsetType = UNSET
    undo_of: int | UnsetType = UNSET


def run_record(row: sqlite3.Row, user_id: str) -> Run:
    """Return a run as it goes out."""
    return copy_fields(
        Run,
        row,
        run_id=row["id"],
        user_id=user_id,
        policy=row["tier"],
        source=source_of(row),
        dry_run=row["dry_run"] == 1,
        completed_at=row["ended_at"] if row["status"] == "completed" else None,
        insights=msgspec.json.decode(row["insights"]),
        token_usage=TokenUsage(row["tokens"]),
        items=msgspec.json.decode(row["items"], type=list[ItemOutcome]),
        # left out and not null where there is none, as the contract has it
        error=UNSET if row["error"] is None else row["error"],
        undo_of=UNSET if row["undo_of"] is None else row["undo_of"],
    )


def receipt(row: sqlite3.Row, price: int = 0) -> Receipt:
    """Return a run's receipt; `price` is what a token costs in micro-units, 0 where nobody has
    said.
    """
    cost = row["tokens"] * price if price else None
    return copy_fields(
        Receipt,
        row,
        trigger=row["source_trigger"],
        agenda=msgspec.Raw(row["agenda"]),
        suppressed=msgspec.json.decode(row["suppressed"], type=list[Suppressed]),
        tool_calls=msgspec.json.decode(row["calls"], type=list[ToolCall]),
        cost=cost,
    )


def elapsed_ms(row: sqlite3.Row) -> int:
    """Return how long a run took."""
    if row["ended_at"] is None:
        return 0
    began, ended = (datetime.fromisoformat(row[name]) for name in ("started_at", "ended_at"))
    return max(0, (ended - began) // timedelta(milliseconds=1))


def source_of(row: sqlite3.Row) -> Literal["manual", "cron"]:
    """Return whether a person began a run or the clock did."""
    return "manual" if row["source_trigger"] in ("manual", "undo") else "cron"
