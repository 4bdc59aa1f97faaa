"""Stage A, the rules: what there is to tell for each line of the checklist.

It is read by keys and ranges of indexes, at no cost in tokens.
"""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from app.agent.heartbeat.look import checklist_times, digests
from app.agent.heartbeat.look.checklist import Kind, Rule, Task
from app.agent.heartbeat.records.proposals import Fact, news_key
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.hooks import Waiting, no_requests
from app.tools.approvals.change_preview import quotable_line
from app.tools.calendars import calendars
from app.workspace.folders import access
from app.workspace.index import link_text
from app.workspace.notes import link_targets
from app.workspace.todos import due, replan
from app.workspace.todos.todo_records import TOP_PRIORITY
from app.workspace.todos.todo_search import OVERDUE, overdue_params

MOST_EACH = 8
MOST_CONVERSATIONS = 50
MOST_EVENTS = 200


class RuleContext(msgspec.Struct, frozen=True):
    """What every rule is given: whose workspace, the moment, what the last run has seen, whether
    a piece of news was told already, and what has come from others.
    """

    tx: Tx
    me: Caller
    zone: ZoneInfo
    per_day: int
    seen_at: datetime | None
    told: Callable[[str], bool]
    requests_to: Waiting = no_requests

    @property
    def now(self) -> datetime:
        """The moment of this run."""
        return self.tx.moment


FindFacts = Callable[[RuleContext, Rule, int, str, Task], list[Fact]]


def find_facts(look: RuleContext, task: Task, item: int) -> list[Fact]:
    """Return what the rules of one line have to tell now."""
    occurrence = ""
    if task.when is not None:
        found = checklist_times.latest_occurrence(task.when, look.now, look.zone, seen=look.seen_at)
        if found is None:
            return []
        occurrence = found.name
    return [
        fact for rule in task.rules for fact in RULES[rule.kind](look, rule, item, occurrence, task)
    ]


def _overdue(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    rows = look.tx.all(
        f"""SELECT id, title, due_date, priority FROM todos
          WHERE owner_id = :me AND trash_id IS NULL AND {OVERDUE}
            ORDER BY deadline, priority DESC, id LIMIT :most""",
        me=look.me.user,
        most=MOST_EACH,
        **overdue_params(look.tx, look.zone),
    )
    return [_todo_fact("overdue", item, row, occurrence) for row in rows]


def _due_soon(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    rows = _todos_between(look, look.now, _span_end(look, rule.hours), timed=False)
    return [_todo_fact("due_soon", item, row, occurrence) for row in rows]


def _calendar(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    """Return todos with a time of day, and events of the connected calendars, that begin soon."""
    until = _span_end(look, rule.hours)
    rows = _todos_between(look, look.now, until, timed=True)
    return [
        *(_todo_fact("calendar", item, row, occurrence) for row in rows),
        *_upcoming_events(look, until, item, occurrence),
    ]


def _upcoming_events(look: RuleContext, until: datetime, item: int, occurrence: str) -> list[Fact]:
    """Return the events that begin from now on.

    One is known by its calendar, title and beginning, since its row is another after each
    reading.
    """
    now, until = look.now.astimezone(look.zone), until.astimezone(look.zone)
    ahead = [
        one
        for one in calendars.occurrences_between(look.tx, look.me, now, until, most=MOST_EVENTS)
        if one.start >= now
    ]
    return [
        Fact(
            item,
            "calendar",
            None,
            f"{one.calendar} {one.title} {stamp(one.start)} {occurrence}",
            {
                "title": one.title or "(no title)",
                "due": one.start.date().isoformat() if one.whole_day else stamp(one.start),
                "place": one.place,
            },
        )
        for one in ahead[:MOST_EACH]
    ]


def _todos_between(
    look: RuleContext, since: datetime, until: datetime, *, timed: bool
) -> list[sqlite3.Row]:
    return look.tx.all(
        """SELECT id, title, due_date, priority FROM todos
          WHERE owner_id = :me AND trash_id IS NULL AND completed = 0
             AND deadline >= :since AND deadline < :until AND length(due_date) > :longer
           ORDER BY deadline, priority DESC, id LIMIT :most""",
        me=look.me.user,
        since=stamp(since),
        until=stamp(until),
        longer=10 if timed else 0,
        most=MOST_EACH,
    )


def _top(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    """Return open todos of top priority that are due soon, or have no date.

    Two short ranges of one index.
    """
    soon = "deadline >= :now AND deadline < :until"
    rows = [
        row for condition in (soon, "deadline = :none") for row in _important_todos(look, condition)
    ]
    return [_todo_fact("top", item, row, occurrence) for row in rows[:MOST_EACH]]


def _important_todos(look: RuleContext, condition: str) -> list[sqlite3.Row]:
    return look.tx.all(
        f"""SELECT id, title, due_date, priority FROM todos
          WHERE owner_id = :me AND trash_id IS NULL AND completed = 0 AND {condition}
              AND priority >= :top ORDER BY deadline, priority DESC, id LIMIT :most""",
        me=look.me.user,
        none=due.NO_DUE,
        until=stamp(_span_end(look, 24)),
        now=look.tx.now,
        top=TOP_PRIORITY,
        most=MOST_EACH,
    )


def _stale_pins(
    look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task
) -> list[Fact]:
    rows = look.tx.all(
        f"""SELECT id, title, updated_at FROM notes n WHERE owner_id = :me
          AND trash_id IS NULL AND pinned = 1 AND updated_at < :before
            {access.unhidden_condition(look.me)} ORDER BY updated_at, id LIMIT :most""",
        me=look.me.user,
        before=stamp(look.now - timedelta(hours=rule.hours)),
        most=MOST_EACH,
    )
    return [
        Fact(
            item,
            "stale_pins",
            ("note", row["id"]),
            f"{row['updated_at']} {occurrence}",
            {"title": row["title"], "since": row["updated_at"]},
        )
        for row in rows
    ]


def _unanswered(
    look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task
) -> list[Fact]:
    """Conversations with others whose last message is another's, has not been read, and is old
    enough; and requests that wait as long.
    """
    since = stamp(look.now - timedelta(hours=rule.hours))
    asked = [
        Fact(
            item,
            "unanswered",
            ("request", one.id),
            f"{one.since} {occurrence}",
            {
                "sender": quotable_line(one.sender, 60),
                "wish": one.wish,
                "words": quotable_line(one.words, 160),
                "since": one.since,
            },
        )
        for one in look.requests_to(look.tx, look.me.user, MOST_EACH)
        if one.since <= since
    ]
    return [*_unread_conversations(look, since, item, occurrence), *asked]


def _unread_conversations(look: RuleContext, since: str, item: int, occurrence: str) -> list[Fact]:
    rows = look.tx.all(
        """SELECT m.conversation_id AS id, m.read_id, c.owner_id, (SELECT
          max(id) FROM messages WHERE conversation_id = m.conversation_id) AS last
           FROM conversation_members m JOIN conversations c ON c.id = m.conversation_id
           WHERE m.user_id = :me AND m.hidden = 0 AND NOT (c.type = 'direct' AND c.owner_id IS :me)
           ORDER BY m.active_at DESC LIMIT :most""",
        me=look.me.user,
        most=MOST_CONVERSATIONS,
    )
    found = []
    for row in rows:
        if row["last"] is None or row["last"] <= row["read_id"]:
            continue
        message = look.tx.require_row(
            "SELECT role, sender_id, sender_label, content, created_at FROM messages "
            "WHERE id = :id",
            id=row["last"],
        )
        # What one's own agent said last is an answer.
        own = message["sender_id"] == look.me.user or (
            message["role"] == "assistant" and row["owner_id"] == look.me.user
        )
        if own or message["created_at"] > since:
            continue
        about = {
            "sender": quotable_line(message["sender_label"], 60),
            "words": quotable_line(message["content"], 160),
            "since": message["created_at"],
        }
        state = f"{row['last']} {occurrence}"
        found.append(Fact(item, "unanswered", ("conversation", row["id"]), state, about))
    return found[:MOST_EACH]


def _replan(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    # Planning reads all open todos; most days nothing is overdue.
    if not _overdue(look, rule, item, occurrence, task):
        return []
    moves = replan.plan_moves(look.tx, look.me, per_day=look.per_day, zone=look.zone)
    return [
        Fact(
            item,
            "replan",
            ("todo", move.id),
            f"{move.before} {occurrence}",
            {"title": move.title, "from": move.before, "to": move.after},
        )
        for move in moves
    ]


def _digest(make: Callable[[Tx, Caller, ZoneInfo], Mapping[str, object] | None]) -> FindFacts:
    """Return the rule that tells a text made of the workspace, once at each of a line's times."""

    def find(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
        return _fact_once(
            look, item, rule.kind, task, occurrence, lambda: make(look.tx, look.me, look.zone)
        )

    return find


def _words(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    return _fact_once(look, item, rule.kind, task, occurrence, lambda: {"words": rule.words})


def _fact_once(
    look: RuleContext,
    item: int,
    rule: Kind,
    task: Task,
    occurrence: str,
    about: Callable[[], Mapping[str, object] | None],
) -> list[Fact]:
    """Return the one fact of a line for one of its times, unless that has been told.

    Only then it is worth making.
    """
    state = f"{task.text} {occurrence}"
    # Asked before the text is made, which reads many rows.
    if look.told(news_key(rule, None, state)):
        return []
    told = about()
    return [] if told is None else [Fact(item, rule, None, state, told)]


def _append(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    """Return the note that a line is to be added to, by its title, with its text as it is now."""
    link = link_text.find_links(f"[[{rule.note}]]")
    found = link_targets.LinkResolver(look.tx, look.me).find_note(link[0]) if link else None
    # A note that the run may not see must not be written to either.
    if found is None or found["id"] in look.me.hidden:
        return []
    note = look.tx.require_row(
        "SELECT title, content, revision FROM notes WHERE id = :id", id=found["id"]
    )
    about = {
        "title": note["title"],
        "words": rule.words,
        "content": note["content"],
        "revision": note["revision"],
    }
    return [Fact(item, "append", ("note", found["id"]), f"{task.text} {occurrence}", about)]


def _unpin(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    return [
        msgspec.structs.replace(fact, rule="unpin")
        for fact in _stale_pins(look, rule, item, occurrence, task)
    ]


def _no_facts(look: RuleContext, rule: Rule, item: int, occurrence: str, task: Task) -> list[Fact]:
    return []


def _todo_fact(rule: str, item: int, row: sqlite3.Row, occurrence: str) -> Fact:
    about = {"title": row["title"], "due": row["due_date"]}
    return Fact(
        item, rule, ("todo", row["id"]), f"{row['due_date']} {occurrence}", about, row["priority"]
    )


def _span_end(look: RuleContext, hours: int) -> datetime:
    """Return the end of a span that begins now; 0 hours are the rest of the day."""
    if hours:
        return look.now + timedelta(hours=hours)
    today = look.now.astimezone(look.zone).date()
    return datetime.fromisoformat(due.days_span(today, today, look.zone).until)


RULES: dict[Kind, FindFacts] = {
    "overdue": _overdue,
    "due_soon": _due_soon,
    "top": _top,
    "replan": _replan,
    "stale_pins": _stale_pins,
    "unpin": _unpin,
    "unanswered": _unanswered,
    "calendar": _calendar,
    "weekly_note": _digest(digests.weekly_note),
    "briefing": _digest(digests.daily_briefing),
    "journal": _digest(digests.done_today),
    "todo": _words,
    "append": _append,
    "remind": _words,
    "summary": _no_facts,
}
