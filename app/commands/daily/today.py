"""`hearth today`: what is overdue, what is due, what is in the calendar, and who waits."""

from collections.abc import Iterable
from typing import Any

import click

from app.commands.ask.door import Door, open_door
from app.commands.terminal.colours import paint
from app.commands.terminal.columns import local_moment
from app.commands.terminal.local_zone import zone_fields
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_options
from app.settings import Settings

LIMIT = 200
LONGEST = 120
DAY_LENGTH = len("2026-11-22")


@click.command(epilog="\b\nExample:\n  hearth today")
@user_options
def today(user: str | None, json_: bool, settings: Settings) -> None:
    """Show what is overdue and due today, today's calendar, and what waits for you."""
    with open_door(settings) as door:
        found = _look(door, door.choose_user(user))
    if json_:
        click.echo(format_json(found))
        return
    sections = [
        ("Overdue", [_todo_line(one, day=True) for one in found["overdue"]]),
        ("Today", [_todo_line(one) for one in found["today"]]),
        ("Calendar", [_event_line(one) for one in found["events"]]),
        ("Waiting for you", list(_waiting_lines(found))),
    ]
    shown = [
        "\n".join([paint(title, bold=True), *(f"  {line}" for line in lines)])
        for title, lines in sections
        if lines
    ]
    click.echo("\n\n".join(shown) or "Nothing is due today.")


def _look(door: Door, username: str) -> dict[str, Any]:
    zone = zone_fields()

    def todos(date: str) -> list[dict[str, Any]]:
        listed = door.ask_as(
            username,
            "search_todos",
            date=date,
            completed=False,
            sort="dueDate",
            limit=LIMIT,
            **zone,
        )
        found: list[dict[str, Any]] = listed["todos"]
        return found

    overdue = todos("overdue")
    late = {one["id"] for one in overdue}
    calendar = door.ask_as(username, "search_calendar_events", timeRange="today", **zone)
    escalations = door.ask_as(username, "list_escalations", status="pending", limit=LIMIT)
    requests = door.ask_as(username, "list_requests")
    return {
        "overdue": overdue,
        "today": [one for one in todos("today") if one["id"] not in late],
        "events": [one for one in calendar["events"] if one["source"] == "calendar"],
        "escalations": escalations["escalations"],
        "requests": requests["incoming"],
    }


def _todo_line(todo: dict[str, Any], *, day: bool = False) -> str:
    due = todo["dueDate"]
    when = local_moment(due) if len(due) > DAY_LENGTH else due
    shown = when if day else when[DAY_LENGTH + 1 :]
    marks = [f"p{todo['priority']}"] if todo["priority"] else []
    number = paint(f"{todo['id']:>4}", dim=True)
    words = [number, on_one_line(todo["title"], LONGEST), *marks]
    return "  ".join([*words, paint(shown, fg="red" if day else None)] if shown else words)


def _event_line(event: dict[str, Any]) -> str:
    start = local_moment(event["start"]) if len(event["start"]) > DAY_LENGTH else "all day"
    return f"{start[-5:] if len(start) > DAY_LENGTH else start}  " + on_one_line(
        event["title"], LONGEST
    )


def _waiting_lines(found: dict[str, Any]) -> Iterable[str]:
    for one in found["escalations"]:
        yield (
            f"{on_one_line(one['summary'], LONGEST)}  (hearth escalation show {one['id']}, "
            "continue or stop)"
        )
    for one in found["requests"]:
        yield f"@{one['from']['username']} asks to be a contact  (hearth inbox)"
