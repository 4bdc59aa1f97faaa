"""Stage A: what there is for a run to do.

It reads a few ranges of indexes, writes nothing and costs no tokens.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from app.account import users
from app.agent.heartbeat.look import checklist, facts
from app.agent.heartbeat.look.checklist import Task
from app.agent.heartbeat.look.facts import RuleContext
from app.agent.heartbeat.records import action_rows, instructions, run_rows, tiers
from app.agent.heartbeat.records.proposals import SNOOZE, SNOOZES, Fact, rule_of
from app.agent.heartbeat.records.run_records import Suppressed
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.hooks import Waiting, no_requests
from app.workspace.folders import access
from app.workspace.todos import due

MOST_ACTIONS_A_RUN = 20
MOST_ACTIONS_A_DAY = 100
MOST_COUNTED = 100
ACTING = frozenset({"replan", "weekly_note", "journal", "todo", "append", "unpin"})
"""The rules that do something.

Where one is about the same as a rule that only reminds, there is nothing left to remind of.
"""
FIRST_LOOK = timedelta(days=1)
AWAY = timedelta(days=14)


class Changes(msgspec.Struct, frozen=True):
    """How much others than the heartbeat have changed since the last run, counted up to a
    hundred each.
    """

    notes: int
    todos: int
    messages: int
    requests: int

    @property
    def any(self) -> bool:
        """Whether there is any change."""
        return bool(self.notes or self.todos or self.messages or self.requests)


class Agenda(msgspec.Struct, frozen=True):
    """What stage A found: the checklist, what is news, what was told already, and how many
    actions the day still has room for.
    """

    tasks: tuple[Task, ...]
    facts: tuple[Fact, ...]
    suppressed: tuple[Suppressed, ...]
    changes: Changes
    first_of_day: bool
    room: int
    zone: ZoneInfo
    now: datetime
    seen_message: int

    @property
    def for_model(self) -> list[int]:
        """The lines that no rule knows.

        A model is asked about them when something has changed, and else once a day.
        """
        # Asking costs tokens, and without any change the answer would be the same.
        unknown = [number for number, task in enumerate(self.tasks) if not task.rules]
        return unknown if self.changes.any or self.first_of_day else []

    @property
    def entries(self) -> list[Mapping[str, Any]]:
        """The agenda as a receipt."""
        return [
            {
                "rule": fact.rule,
                "item": fact.item,
                "kind": fact.target and fact.target[0],
                "id": fact.target and fact.target[1],
            }
            for fact in self.facts
        ]


def make_agenda(tx: Tx, me: Caller, requests_to: Waiting = no_requests) -> Agenda:
    """Return what there is to do for the user whose run `me` acts in."""
    me = access.hide_policy_notes(tx, me)
    chosen = users.settings_of(tx, me.user)
    zone = ZoneInfo(chosen.timezone)
    seen = run_rows.last_seen(tx, me.user)
    seen_at = None if seen is None else datetime.fromisoformat(seen["started_at"])
    tasks = checklist.parse_tasks(instructions.read_checklist(tx, me.user))
    told = _NewsFilter(tx, me)
    looking = RuleContext(tx, me, zone, chosen.replan_per_day, seen_at, told.was_said, requests_to)
    found = [
        fact
        for number, task in enumerate(tasks)
        for fact in facts.find_facts(looking, task, number)
    ]
    news = told.keep_news(found)
    today = tx.moment.astimezone(zone).date()
    done = action_rows.count_since(tx, me.user, due.days_span(today, today, zone).since)
    room = max(0, MOST_ACTIONS_A_DAY - done)
    changes = _count_changes(
        tx, me, seen_at, 0 if seen is None else seen["seen_message"], requests_to
    )
    return Agenda(
        tasks,
        tuple(news),
        tuple(told.suppressed),
        changes,
        first_of_day=seen_at is None or seen_at.astimezone(zone).date() != today,
        room=room,
        zone=zone,
        now=tx.moment,
        # The next run counts from here, whatever comes while this one acts.
        seen_message=tx.value("SELECT ifnull(max(id), 0) FROM messages"),
    )


def is_away(tx: Tx, user: int) -> bool:
    """Return whether nobody has used a key of the user's for two weeks.

    Who is away is not served, and finds one run waiting on return.
    """
    last = tx.value(
        "SELECT max(last_used_at) FROM keys WHERE user_id = :user AND agent_id IS NULL", user=user
    )
    return last is not None and last < stamp(tx.moment - AWAY)


class _NewsFilter:
    """What was told lately, and what of the news at hand is none."""

    def __init__(self, tx: Tx, me: Caller) -> None:
        self._tx = tx
        self._user = me.user
        self._able = tiers.possible_actions(me)
        self.suppressed: list[Suppressed] = []

    def was_said(self, key: str) -> bool:
        return self._told_at([key]) is not None

    def keep_news(self, found: list[Fact]) -> list[Fact]:
        """Return what is news; of several facts about one thing the first by which something is
        done, or else the first.
        """
        news: dict[object, Fact] = {}
        acted: dict[object, str] = {}
        # Acting rules first, so that nothing is reminded of that is done in the same run.
        for fact in sorted(found, key=lambda one: one.rule not in ACTING):
            at = self._told_at(fact.told_by) or acted.get(fact.target)
            if at is not None:
                if fact.rule in ACTING and fact.target is not None:
                    acted[fact.target] = at
                about = None if fact.target is None else f"{fact.target[0]} {fact.target[1]}"
                self.suppressed.append(Suppressed(fact.rule, about, at))
            elif fact.target is None or fact.target not in news:
                news[fact.target or fact.key] = fact
        return sorted(news.values(), key=lambda one: one.item)

    def _told_at(self, keys: Sequence[str]) -> str | None:
        since = stamp(self._tx.moment - SNOOZES.get(rule_of(keys[0]), SNOOZE))
        return action_rows.last_told_at(self._tx, self._user, keys, since, able=self._able)


def _count_changes(
    tx: Tx, me: Caller, seen_at: datetime | None, seen_message: int, requests_to: Waiting
) -> Changes:
    since = stamp(seen_at or tx.moment - FIRST_LOOK)
    notes = tx.value(
        f"""SELECT count(*) FROM (SELECT 1 FROM notes t WHERE owner_id = :me
          AND trash_id IS NULL AND pinned IN (0, 1) AND updated_at >= :since
              AND title <> :checklist AND {_NOT_MINE} LIMIT :most)""",
        me=me.user,
        since=since,
        checklist=instructions.TITLE,
        kind="note",
        most=MOST_COUNTED,
    )
    todos = tx.value(
        f"""SELECT count(*) FROM (SELECT 1 FROM todos t WHERE owner_id = :me
          AND trash_id IS NULL AND updated_at >= :since AND {_NOT_MINE}
            LIMIT :most)""",
        me=me.user,
        since=since,
        kind="todo",
        most=MOST_COUNTED,
    )
    messages = tx.value(
        """SELECT count(*) FROM (SELECT 1 FROM conversation_members m
          JOIN conversations c ON c.id = m.conversation_id
               JOIN messages s ON s.conversation_id = m.conversation_id
             WHERE m.user_id = :me AND m.hidden = 0 AND m.active_at >= :since
               AND NOT (c.type = 'direct' AND c.owner_id IS :me)
               AND s.id > :seen AND s.sender_id IS NOT :me
               AND NOT (s.role = 'assistant' AND c.owner_id IS :me) LIMIT :most)""",
        me=me.user,
        since=since,
        seen=seen_message,
        most=MOST_COUNTED,
    )
    requests = sum(one.since >= since for one in requests_to(tx, me.user, MOST_COUNTED))
    return Changes(notes, todos, messages, requests)


_NOT_MINE = """NOT EXISTS (SELECT 1 FROM heartbeat_actions a
    WHERE a.user_id = :me AND a.target_kind = :kind AND a.target_id = t.id
      AND a.executed_at = t.updated_at)"""
"""What the heartbeat itself wrote is no change: an agent never wakes itself."""
