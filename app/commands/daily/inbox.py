"""`hearth inbox`: what waits for a decision, who asks to be a contact, and unread messages."""

from collections.abc import Iterator
from typing import Any

import click

from app.commands.ask.door import open_door
from app.commands.terminal.colours import paint
from app.commands.terminal.columns import local_moment
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_options
from app.settings import Settings

LIMIT = 100
LONGEST = 110


@click.command(epilog="\b\nExample:\n  hearth inbox")
@user_options
def inbox(user: str | None, json_: bool, settings: Settings) -> None:
    """Show what waits for you: approvals, contact requests and unread messages."""
    with open_door(settings) as door:
        username = door.choose_user(user)
        waiting = door.ask_as(username, "list_escalations", status="pending", limit=LIMIT)
        asking = door.ask_as(username, "list_requests")
        talks = door.ask_as(username, "list_conversations", limit=LIMIT, messageLimit=1)
    found = {
        "escalations": waiting["escalations"],
        "requests": asking["incoming"],
        "conversations": [one for one in talks["conversations"] if one["unreadCount"]],
    }
    if json_:
        click.echo(format_json(found))
        return
    shown = [
        "\n".join([paint(title, bold=True), *lines])
        for title, lines in (
            ("Approvals", list(_approval_lines(found["escalations"]))),
            ("Contact requests", list(_request_lines(found["requests"]))),
            ("Unread", list(_unread_lines(found["conversations"]))),
        )
        if lines
    ]
    click.echo("\n\n".join(shown) or "Nothing waits for you.")


def _approval_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for one in rows:
        yield f"  {on_one_line(one['summary'], LONGEST)}"
        yield paint(f"      hearth escalation show {one['id']}, then continue or stop", dim=True)


def _request_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for one in rows:
        note = f": {on_one_line(one['note'], LONGEST)}" if one["note"] else ""
        yield f"  @{on_one_line(one['from']['username'], LONGEST)} ({one['type']}){note}"
        yield paint(
            f"      hearth request answer {one['requestId']} {one['type']} accept", dim=True
        )


def _unread_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for one in rows:
        when = local_moment(one["updatedAt"])
        said = one["messages"][-1]["content"] if one["messages"] else ""
        yield f"  {on_one_line(one['title'], LONGEST)}  {paint(when, dim=True)}"
        yield f"      {on_one_line(said, LONGEST)}"
        yield paint(
            f"      {one['unreadCount']} unread: hearth conversation show {one['conversationId']}",
            dim=True,
        )
