"""Todos and notes as things to be weighed."""

from datetime import datetime
from zoneinfo import ZoneInfo

from app.agent.items import Item
from app.core.fragments import line
from app.workspace import due

TOP_PRIORITY = 5


def todo_item(id_: int, title: str, description: str | None, priority: int, due_date: str | None, zone: ZoneInfo) -> Item:
    """Return a stored todo as an item; a priority of 0 is none."""
    moment: datetime | None = None if due_date is None or due.is_day(due_date) else due.moment(due_date, zone)
    return Item(
        source="todo", title=title, words=line(description or "", 200), day=due.day_of(due_date, zone) if due_date and not moment else None,
        moment=moment, priority=priority / TOP_PRIORITY if priority else None, id=str(id_),
    )  # fmt: skip


def note_item(id_: int, title: str, summary: str, *, pinned: bool) -> Item:
    """Return a note as an item."""
    return Item(source="note", title=title, words=line(summary, 280), pinned=pinned, id=str(id_))
