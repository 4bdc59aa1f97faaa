"""Todos that are added, and overdue ones that get new days."""

import re
from collections.abc import Mapping
from typing import Any

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.answers import list_answers, todo_changes
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers, Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Trace, call_tool

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
LONGEST_TODO = 500
LONGEST_DESCRIPTION = 20_000


def add_todo(asked: Asked, route: Route) -> Step:
    """Add the todo that quick add reads."""
    if not asked.results:
        read = _read_task(asked, route)
        if read.no_such_day:
            return Step(route.phrase("no_such_day", day=read.no_such_day))
        return call_tool("create_todo", **_new_todo(asked, route, read))
    made = asked.of("create_todo")
    if not made:
        return list_answers.tell_refusal(asked, route)
    todo = made[0].content["todo"]
    trace = Trace(
        about=list_answers.things("todo", [todo]), undo=(("delete_todo", {"id": todo["id"]}),)
    )
    return Step(_tell_added(asked, route, todo), trace=trace)


def _tell_added(asked: Asked, route: Route, todo: Mapping[str, Any]) -> str:
    """Return what was stored: the title, the day, how often, and how important it is."""
    due = (
        route.phrase("due", due=todo_changes.shown_due(todo, asked.now)) if todo["dueDate"] else ""
    )
    if rule := todo.get("recurrence"):
        due += route.phrase("repeats", rule=recurrence_text(route, rule["rule"]))
    if todo["priority"]:
        due += route.phrase("of_priority", priority=todo["priority"])
    return route.phrase("added", title=todo["title"], due=due)


def recurrence_text(route: Route, rule: str) -> str:
    """Return how often a todo comes again, as people say it."""
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    every = int(parts.get("INTERVAL", "1"))
    unit = route.phrase(f"every_{parts['FREQ'].lower()}" if every == 1 else parts["FREQ"].lower())
    text = unit if every == 1 else route.phrase("every", count=every, unit=unit)
    days = [day for day in parts.get("BYDAY", "").split(",") if day in WEEKDAYS]
    names = route.phrase("weekdays").split()
    on = ", ".join(names[WEEKDAYS.index(day)] for day in days)
    return f"{text} ({on})" if on else text


def replan(asked: Asked, route: Route) -> Step:
    """Give the overdue todos new days."""
    if not asked.results:
        return call_tool("replan_todos", **list_answers.zone_argument(asked))
    done = asked.of("replan_todos")
    if not done:
        return list_answers.tell_refusal(asked, route)
    moved = done[0].content["replanned"]
    lines = [f"- {row['title']}: {row['to'][:10]}" for row in moved[: list_answers.TODOS]]
    return Step(
        "\n".join([route.phrase("replanned", count=done[0].content["count"]), *lines])
        if moved
        else route.phrase("no_todos")
    )


def _read_task(asked: Asked, route: Route) -> QuickAdd:
    # The answer may be in another language than the message.
    written = _message_language(route)
    return quickadd.read_line(
        route.get("task"), now=asked.now, locale=None if written == "en" else written
    )


def _message_language(route: Route) -> Language:
    """Return the language that was written, which is not always that of the answer."""
    return route.get("written") or route.language


def _new_todo(asked: Asked, route: Route, read: QuickAdd) -> dict[str, Any]:
    """Return a todo's fields; what is too long for a title is its description."""
    title = _line(_unquoted(read.title))
    reminder = language_data.load_table(_message_language(route), Answers).reminder
    if reminder and re.match(
        rf"\W*{language_data.join_pattern(reminder.asked)}", asked.message, re.I
    ):
        title = re.sub(language_data.join_pattern(reminder.verb), r"\1", title)
    fields: dict[str, Any] = {
        "title": title[:LONGEST_TODO].strip() or "Todo",
        **list_answers.zone_argument(asked),
    }
    if len(title) > LONGEST_TODO:
        fields["description"] = read.title[:LONGEST_DESCRIPTION]
    if read.due_date:
        fields["dueDate"] = read.due_date
    if read.priority:
        fields["priority"] = read.priority
    # A rule needs a first day to count from.
    if read.recurrence and read.due_date:
        fields["recurrence"] = {"rule": read.recurrence.rule}
    return fields


def _line(text: str) -> str:
    """Return a text as the one line that a title is."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _unquoted(text: str) -> str:
    text = text.strip()
    inner = text[1:-1]
    quoted = len(text) > 2 and text[0] in '"“„«「' and text[-1] in '"”“»」'
    return inner if quoted and not set(inner) & set('"“”„«»') else text
