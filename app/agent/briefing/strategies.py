"""The three things to do first.

Clusters of what is pressing, each with the points of its best item.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from app.account import users
from app.account.users import TimeZone
from app.agent.briefing import rewriting, summaries
from app.agent.briefing.model_rewriter import rewriter_for
from app.agent.briefing.rewriting import Category
from app.agent.briefing.summaries import Summary
from app.agent.priorities import lexicon, quadrants, urgency
from app.agent.priorities.lexicon import Sense
from app.agent.priorities.quadrants import Scored
from app.agent.priorities.urgency import Level
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import stamp
from app.core.operation import operation
from app.core.process.counted import counted
from app.core.rewriter import Draft, Piece
from app.core.schema import Record
from app.workspace.todos import due

Kind = Literal["overdue", "conflict", "replies", "today", "urgent", "focus", "drop"]
TOP = 3
MANY = 5
NAMED = 3
FIRST_QUADRANT_BONUS = 25
LEAST_IMPORTANCE_OF_A_REPLY = 30


class Strategy(Struct, frozen=True):
    """One thing to do with some items, best first."""

    kind: Kind
    title: str
    description: str
    urgency: int
    category: Category
    points: int


class StrategyView(Record):
    """A strategy as it goes out; `priority` 1 is the first."""

    priority: int
    title: str
    description: str
    urgency_level: Level
    category: Category


class StrategyList(Record):
    strategies: list[StrategyView]
    generated_at: str


@operation("POST /briefing/strategies", scope="agent.chat:run", effect="read")
async def briefing_strategies(
    app: App,
    me: Caller,
    *,
    status_quo_summary: Summary | None = None,
    todo_summary: Summary | None = None,
    calendar_summary: Summary | None = None,
    notes_summary: Summary | None = None,
    email_attention_summary: Summary | None = None,
    user_timezone: TimeZone | None = None,
) -> StrategyList:
    """Name the three things to do first about what the summaries hold."""
    zone, now = app.quick(due.request_zone, me, user_timezone), app.clock()
    given = {
        "status": status_quo_summary,
        "todo": todo_summary,
        "calendar": calendar_summary,
        "notes": notes_summary,
        "email": email_attention_summary,
    }
    found = await asyncio.to_thread(_best_strategies, given, now, zone)
    locale = app.quick(users.settings_of, me.user).locale
    pieces = [
        Piece(
            one.kind, one.title, one.description, urgency.urgency_level(one.urgency), one.category
        )
        for one in found
    ]
    said = (
        await rewriting.rewrite_draft(rewriter_for(app, me), Draft("strategies", locale, pieces))
    ).pieces
    views = [
        StrategyView(
            number,
            one.title,
            one.text,
            rewriting.urgency_level(one.urgency_level),
            rewriting.category_of(one.category),
        )
        for number, one in enumerate(said, 1)
    ]
    return StrategyList(views, stamp(now))


def _best_strategies(
    given: Mapping[str, str | None], now: datetime, zone: ZoneInfo
) -> list[Strategy]:
    return top_three(summaries.weigh_items(given, now, zone), now.astimezone(zone))


def top_three(found: Sequence[Scored], now: datetime) -> list[Strategy]:
    """Return the top three, best first.

    What each is worth depends on its own items only, whatever their order.
    """
    # First the most pressing, so that the titles that are named are those.
    items = sorted(found, key=lambda one: (one.quadrant, one.rank))
    candidates = [
        strategy
        for make in (_overdue, _conflict, _replies, _today, _urgent, _focus, _drop)
        if (strategy := make(items, now))
    ]
    best = sorted(candidates, key=lambda one: -one.points)
    # What is overdue with the top priority is named whatever else there is.
    if any(quadrants.is_late_top(one, now) for one in items):
        must = next(one for one in best if one.kind == "overdue")
        if must not in best[:TOP]:
            return [*best[: TOP - 1], must]
    return best[:TOP]


def _overdue(items: Sequence[Scored], now: datetime) -> Strategy | None:
    late = [one for one in items if urgency.is_overdue(one.item, now)]
    late.sort(key=lambda one: not quadrants.is_late_top(one, now))
    top = sum(quadrants.is_late_top(one, now) for one in late)
    title = f"Clear {counted(len(late), 'overdue todo')}{_first_of(late)}"
    named = _name_items(late, max(NAMED, min(top, quadrants.FIRST)))
    return _make_strategy("overdue", late, title, f"Do or replan {named}.", "action")


def _conflict(items: Sequence[Scored], now: datetime) -> Strategy | None:
    clashing = [one for one in items if one.item.conflict and "over" not in one.why]
    return _make_strategy(
        "conflict",
        clashing,
        f"Resolve the calendar conflict of {' and '.join(map(_quote_title, clashing[:2]))}",
        f"{_name_items(clashing)} overlap: move or decline one.",
        "planning",
    )


def _replies(items: Sequence[Scored], now: datetime) -> Strategy | None:
    waiting = [
        one
        for one in items
        if (one.item.needs_reply or urgency.asks_for_answer(one.item))
        and one.importance >= LEAST_IMPORTANCE_OF_A_REPLY
    ]
    title = f"Reply to {counted(len(waiting), 'message')}{_first_of(waiting)}"
    return _make_strategy(
        "replies", waiting, title, f"Start with {_name_items(waiting)}.", "communication"
    )


def _today(items: Sequence[Scored], now: datetime) -> Strategy | None:
    due = [one for one in items if one.item.source == "todo" and _is_due_today(one, now)]
    return _make_strategy(
        "today",
        due,
        f"Finish {counted(len(due), 'todo')} due today{_first_of(due)}",
        f"Due by tonight: {_name_items(due)}.",
        "action",
    )


def _urgent(items: Sequence[Scored], now: datetime) -> Strategy | None:
    others = [one for one in items if one.quadrant == 1 and not _has_own_cluster(one, now)]
    risky = any(Sense.ALARM in lexicon.find_senses(one.item.text) for one in others)
    return _make_strategy(
        "urgent",
        others,
        f"Handle what cannot wait{_first_of(others)}",
        f"Important and pressing: {_name_items(others)}.",
        "risk" if risky else "action",
    )


def _focus(items: Sequence[Scored], now: datetime) -> Strategy | None:
    calm = [one for one in items if one.quadrant == 2]
    title = f"Protect time for {_quote_title(calm[0])}" if calm else ""
    return _make_strategy(
        "focus",
        calm[:1],
        title,
        f"Important and not yet urgent: {_name_items(calm)}. Book 60 to 90 minutes.",
        "planning",
    )


def _drop(items: Sequence[Scored], now: datetime) -> Strategy | None:
    rest = [one for one in items if one.quadrant == 4]
    if len(rest) < MANY:
        return None
    return _make_strategy(
        "drop",
        rest,
        f"Drop or delegate the rest{_first_of(rest)}",
        f"Neither urgent nor important: {_name_items(rest)}.",
        "review",
    )


def _make_strategy(
    kind: Kind, items: Sequence[Scored], title: str, description: str, category: Category
) -> Strategy | None:
    if not items:
        return None
    # The best item decides; many of a kind add a little.
    worth = max(one.weight + FIRST_QUADRANT_BONUS * (one.quadrant == 1) for one in items) + 5 * min(
        len(items), MANY
    )
    return Strategy(kind, title, description, max(one.urgency for one in items), category, worth)


def _has_own_cluster(one: Scored, now: datetime) -> bool:
    """Return whether an item belongs to a cluster that comes before the rest of quadrant 1."""
    item = one.item
    return (
        urgency.is_overdue(item, now)
        or item.conflict
        or item.needs_reply is True
        or urgency.asks_for_answer(item)
        or (item.source == "todo" and _is_due_today(one, now))
    )


def _is_due_today(one: Scored, now: datetime) -> bool:
    known = urgency.item_moment(one.item, now)
    return known is not None and known[0] == now.date() and not urgency.is_overdue(one.item, now)


def _first_of(items: Sequence[Scored]) -> str:
    """Return the end of a title that names what to begin with."""
    if not items:
        return ""
    name = _quote_title(items[0])
    return f": {name}" if len(items) == 1 else f", {name} first"


def _name_items(items: Sequence[Scored], most: int = NAMED) -> str:
    shown = ", ".join(map(_quote_title, items[:most]))
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


def _quote_title(one: Scored) -> str:
    title = one.item.title
    return f"“{title if len(title) <= 60 else title[:59].rstrip() + '…'}”"
