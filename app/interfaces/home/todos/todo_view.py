"""What a row says of a todo, in the words and the zone of whoever looks."""

import re
from datetime import date
from typing import Any, NamedTuple

import msgspec

from app.core.schema import encode
from app.interfaces.home.home_page import Person
from app.interfaces.home.todos.rule_words import rule_words

TOP, HIGH = 5, 4
LINK = re.compile(r"\[\[([^\[\]|]{1,120})(?:\|[^\[\]]*)?\]\]")
DAY = len("2026-11-22")


class Step(msgspec.Struct):
    """One step of a todo."""

    id: int
    title: str
    completed: bool


class Series(msgspec.Struct):
    """How a todo comes again."""

    rule: str
    from_: str = msgspec.field(name="from")


class Todo(msgspec.Struct, rename="camel"):
    """A todo as it goes out."""

    id: int
    title: str
    description: str | None
    completed: bool
    completed_at: str | None
    priority: int
    due_date: str | None
    recurrence: Series | None
    updated_at: str
    steps: list[Step] = []


class TodoView(NamedTuple):
    """A todo as its row shows it.

    `day` is the one it is due on, `clock` its time of day, `lateness` how late it is in words,
    `context` the note that its description links to.
    """

    id: int
    title: str
    description: str
    completed: bool
    priority: int
    level: str
    due_date: str
    day: date | None
    clock: str
    is_late: bool
    lateness: str
    rule: str
    often: str
    steps: list[Step]
    context: str
    updated_at: str
    completed_at: str

    @property
    def steps_done(self) -> int:
        """How many of its steps are ticked."""
        return sum(step.completed for step in self.steps)


def todo_of(record: Any) -> Todo:
    """Return a todo of an answer."""
    return msgspec.json.decode(encode(record), type=Todo)


def todos_of(records: Any) -> list[Todo]:
    """Return the todos of an answer, which may come as they were kept in memory."""
    return msgspec.json.decode(encode(records), type=list[Todo])


def view_of(person: Person, todo: Todo) -> TodoView:
    """Return what there is to show of a todo."""
    due = todo.due_date or ""
    day = day_of(person, due)
    rule = todo.recurrence.rule if todo.recurrence else ""
    is_late = not todo.completed and _is_late(person, due, day)
    return TodoView(
        id=todo.id,
        title=todo.title,
        description=todo.description or "",
        completed=todo.completed,
        priority=todo.priority,
        level=level_of(todo.priority),
        due_date=due,
        day=day,
        clock=person.dates.time(due) if len(due) > DAY else "",
        is_late=is_late,
        lateness=_lateness(person, day) if is_late and day else "",
        rule=rule,
        often=rule_words(person.words, rule) if rule else "",
        steps=todo.steps,
        context=_context(todo.description or ""),
        updated_at=todo.updated_at,
        completed_at=todo.completed_at or "",
    )


def day_of(person: Person, due: str) -> date | None:
    """Return the day on which something is due, in the person's zone."""
    if not due:
        return None
    return date.fromisoformat(due) if len(due) == DAY else person.dates.local(due).date()


def level_of(priority: int) -> str:
    """Return the name of a priority: top, high, middle, low or none."""
    if priority >= TOP:
        return "top"
    return ("none", "low", "low", "middle", "high")[priority]


def _is_late(person: Person, due: str, day: date | None) -> bool:
    if day is None:
        return False
    if len(due) > DAY:
        return person.dates.local(due) < person.dates.now
    return day < person.dates.today


def _lateness(person: Person, day: date) -> str:
    days = (person.dates.today - day).days
    return person.words("todos.late_days", n=days) if days else person.words("todos.late_today")


def _context(description: str) -> str:
    found = LINK.search(description)
    return found[1].strip() if found else ""
