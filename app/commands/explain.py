"""`hearth explain`: what a caller would see, and why it is allowed or refused."""

import json
from collections.abc import Iterator
from typing import Any

import click

from app.commands.terminal.command_group import Misused
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import strip_controls
from app.commands.terminal.user_options import user_options
from app.commands.user import ask_about_user
from app.settings import Settings


@click.command()
@click.argument("caller")
@click.argument("operation")
@click.argument("args", metavar="[NAME=VALUE]...", nargs=-1)
@user_options
def explain(
    caller: str,
    operation: str,
    args: tuple[str, ...],
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Explain what a caller may see and why.

    CALLER is me, session, key:ID, agent:HANDLE, contact:USERNAME or guest:LINK (its id or token).
    OPERATION is the name of an operation or tool, or "METHOD /path" as in `hearth routes`. VALUE is
    JSON or plain text. Nothing is changed.
    """
    found = ask_about_user(
        settings,
        user,
        "explain_call",
        caller=caller,
        operation=operation,
        args=dict(map(_parse_field, args)),
    )
    click.echo(format_json(found) if json_ else strip_controls("\n".join(_report_lines(found))))


def _parse_field(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise Misused(f"{text} must be NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value  # plain text, so that nobody needs quotes within quotes in a shell


def _report_lines(found: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{'Allowed' if found['allowed'] else 'Refused'}: "
        f"{found['status']}{' ' + found['error'] if found['error'] else ''}. "
        f"{found['message']}"
    )
    for check in found["checks"]:
        yield f"  {'yes' if check['passed'] else 'no '}  {check['check']}: {check['why']}"
    if found["answer"] is not None:
        yield format_json(found["answer"])
