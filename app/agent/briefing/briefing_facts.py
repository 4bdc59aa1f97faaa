"""What the workspace has for a briefing.

Todos that are due, and notes that changed or are pinned.
"""

import re
import sqlite3
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from app.agent.priorities.items import Item
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown.html_fragments import fit_line
from app.core.text import summarise_text
from app.workspace.folders import access
from app.workspace.notes import note_summaries
from app.workspace.todos import due, todo_counts, todo_search
from app.workspace.todos.todo_records import TOP_PRIORITY, Todo
from app.workspace.todos.todo_search import TodoFilters

SHOWN = 20
SHOWN_LATER = 5
SHOWN_NOTES = 10
DAYS_AHEAD = 3
HIGH_PRIORITY = 4
_OPEN_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[ \]\s+\S", re.MULTILINE)


class Group(Struct, frozen=True):
    """Some todos, and how many there are."""

    items: tuple[Item, ...] = ()
    total: int = 0


class Todos(Struct, frozen=True):
    """Open todos by when they are due; `later` are important ones with more time.

    `still_open` counts all.
    """

    overdue: Group = Group()
    today: Group = Group()
    soon: Group = Group()
    later: Group = Group()
    still_open: int = 0

    @property
    def groups(self) -> tuple[Group, ...]:
        """All that are shown, the soonest first."""
        return self.overdue, self.today, self.soon, self.later


class Note(Struct, frozen=True):
    """A note, when it changed, and how many boxes of it are not ticked."""

    item: Item
    changed: datetime
    open_boxes: int


class Notes(Struct, frozen=True):
    """The notes that changed since a moment, pinned ones that did not, and how many changed in
    all.
    """

    changed: tuple[Note, ...] = ()
    pinned: tuple[Note, ...] = ()
    total: int = 0


class Facts(Struct, frozen=True):
    """What a caller may know of the workspace; None for what the credential may not read."""

    todos: Todos | None
    notes: Notes | None


def gather_facts(tx: Tx, me: Caller, zone: ZoneInfo, since: str) -> Facts:
    """Read what the caller's credential may read.

    `since` is the moment from which changes of notes count.
    """
    todos = _gather_todos(tx, me, zone) if me.may(("os.todos:read",)) else None
    return Facts(todos, _gather_notes(tx, me, since) if me.may(("os.notes:read",)) else None)


def todo_item(
    id_: int,
    title: str,
    description: str | None,
    priority: int,
    due_date: str | None,
    zone: ZoneInfo,
) -> Item:
    """Return a stored todo as an item; a priority of 0 is none."""
    moment = (
        None if due_date is None or due.is_whole_day(due_date) else due.local_moment(due_date, zone)
    )
    return Item(
        source="todo",
        title=title,
        words=fit_line(description or "", 200),
        day=due.local_day(due_date, zone) if due_date and not moment else None,
        moment=moment,
        priority=min(1.0, priority / TOP_PRIORITY) if priority else None,
        id=str(id_),
    )


def note_item(id_: int, title: str, text: str, *, pinned: bool) -> Item:
    """Return a note with the beginning of its text as an item."""
    return Item(source="note", title=title, words=fit_line(text, 280), pinned=pinned, id=str(id_))


def _gather_todos(tx: Tx, me: Caller, zone: ZoneInfo) -> Todos:
    today = due.local_day(tx.now, zone)
    days = [(today + timedelta(days=number)).isoformat() for number in (0, 1, DAYS_AHEAD)]

    def open_todos(limit: int, **wanted: Any) -> tuple[list[Todo], int]:
        asked = TodoFilters(completed=False, limit=limit, user_timezone=zone.key, **wanted)
        return todo_search.any_page(tx, me, asked)

    overdue, late = open_todos(SHOWN, date="overdue")
    # Of many overdue ones, those of the top priority are never left out.
    weighty, _ = open_todos(SHOWN, date="overdue", priority_min=TOP_PRIORITY)
    shown = {todo.id for todo in overdue}
    missed = [todo for todo in weighty if todo.id not in shown]
    overdue = [*missed, *overdue][: max(SHOWN, len(missed))]
    # Twice as many, since those of today that are over stand among the overdue ones already.
    due_today, total_today = open_todos(2 * SHOWN, due_from=days[0], due_to=days[0])
    soon, total_soon = open_todos(SHOWN, due_from=days[1], due_to=days[2])
    important, _ = open_todos(2 * SHOWN, priority_min=HIGH_PRIORITY, sort="priority")
    still_today = [
        todo
        for todo in due_today
        if due.is_whole_day(todo.due_date or "") or (todo.due_date or "") >= tx.now
    ]
    seen = {todo.id for todo in (*overdue, *due_today, *soon)}
    later = [
        todo
        for todo in important
        if todo.id not in seen
        # What is due sooner was left out above for its limit, not for its time.
        and (todo.due_date is None or due.local_day(todo.due_date, zone).isoformat() > days[2])
    ]
    return Todos(
        overdue=_todo_group(overdue, late, zone),
        today=_todo_group(
            still_today[:SHOWN], total_today - len(due_today) + len(still_today), zone
        ),
        soon=_todo_group(soon, total_soon, zone),
        later=_todo_group(later[:SHOWN_LATER], min(len(later), SHOWN_LATER), zone),
        still_open=todo_counts.todo_counts(tx, me.user).still_open,
    )


def _todo_group(todos: list[Todo], total: int, zone: ZoneInfo) -> Group:
    return Group(
        tuple(
            todo_item(one.id, one.title, one.description, one.priority, one.due_date, zone)
            for one in todos
        ),
        total,
    )


def _gather_notes(tx: Tx, me: Caller, since: str) -> Notes:
    changed = note_summaries.last_changed(tx, me, limit=SHOWN_NOTES, since=since)
    seen = {row["id"] for row in changed}
    pinned = [
        row
        for row in note_summaries.last_changed(tx, me, limit=SHOWN_NOTES, pinned=(True,))
        if row["id"] not in seen
    ]
    total = tx.value(
        f"""SELECT count(*) FROM notes n WHERE owner_id = :me
          AND trash_id IS NULL AND pinned IN (0, 1) AND updated_at >= :since
            {access.unhidden_condition(me)}""",
        me=me.user,
        since=since,
    )
    return Notes(tuple(map(_note_of_row, changed)), tuple(map(_note_of_row, pinned)), total)


def _note_of_row(row: sqlite3.Row) -> Note:
    item = note_item(
        row["id"], row["title"], summarise_text(row["content"]), pinned=row["pinned"] == 1
    )
    return Note(
        item, datetime.fromisoformat(row["updated_at"]), len(_OPEN_BOX.findall(row["content"]))
    )
