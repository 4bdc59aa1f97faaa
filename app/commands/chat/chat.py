"""`hearth chat`: talking with one's own agent in the terminal, or asking it one thing."""

import contextlib
import sys
from collections.abc import Mapping
from typing import Any

import click

from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.chat.chat_turn import TurnRecord, follow_turn, mark_read
from app.commands.terminal.command_group import INTERRUPTED, Misused, Refused
from app.commands.terminal.local_zone import zone_fields
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.commands.user import choose_username
from app.settings import Settings

HISTORY = ".chat-history-{username}"


@click.command()
@click.option("--user", metavar="NAME", help="Username; optional if there is only one user.")
@click.option(
    "--conversation", metavar="ID", type=click.IntRange(1), help="Continue this conversation."
)
@click.option("--model", metavar="NAME", help="Model to use [default: the default model].")
@click.option(
    "--message", metavar="TEXT", help="Send one message and exit; `-` reads it from standard input."
)
@click.option("--json", "json_", is_flag=True, help="Print the answer to --message as JSON.")
@settings_option
def chat(
    user: str | None,
    conversation: int | None,
    model: str | None,
    message: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Chat with your agent.

    Ctrl-C stops watching a turn, which continues in the background; Ctrl-D quits. With --message
    or piped input, print one answer and exit; if the output is not a terminal, it is Markdown
    with sources. Exits with 1 if the turn failed.
    """
    if message == "-" or (message is None and not sys.stdin.isatty()):
        message = sys.stdin.read().strip()
    if message is None and (json_ or not sys.stdout.isatty()):
        raise Misused("Chatting needs a terminal. Use --message to send a single message.")
    username = choose_username(settings, user)
    client = LocalClient(settings, username)
    if model is not None:
        client.require_model(model)
    if message is not None and (json_ or not sys.stdout.isatty()):
        params = {"message": message, "conversationId": conversation, "model": model}
        params |= zone_fields()
        ask_once(client, "chat", params, json_=json_)
        return
    # rich and prompt_toolkit, which nothing else needs
    from app.commands.chat.chat_session import Session

    kept = data_directory(settings) / HISTORY.format(username=username.strip().lower())
    session = Session(client, username, kept, conversation=conversation, model=model)
    if message is None:
        session.talk()
    elif (record := session.answer(message)) is None:
        raise SystemExit(INTERRUPTED)
    elif record.error is not None:
        raise SystemExit(Refused.exit_code)


class _Plain:
    """Writes the answer as it comes, without anything else."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent

    def text(self, piece: str) -> None:
        if not self._silent:
            click.echo(strip_controls(piece), nl=False)
            sys.stdout.flush()

    def begun(self, call: str, tool: str) -> None:
        pass

    def ended(self, call: str, *, ok: bool, summary: str) -> None:
        pass


def ask_once(
    client: LocalClient, operation: str, params: Mapping[str, Any], *, json_: bool
) -> None:
    """Ask one thing and write the answer: as it comes, its sources below it, or as one record."""
    record = TurnRecord()
    try:
        with contextlib.closing(
            client.lines(
                operation, **{name: value for name, value in params.items() if value is not None}
            )
        ) as lines:
            follow_turn(lines, record, _Plain(silent=json_))
    except KeyboardInterrupt:
        click.echo("\nNo longer watching; the turn goes on, and its answer is kept.", err=True)
        raise SystemExit(INTERRUPTED) from None
    if json_:
        click.echo(format_json(record.as_answer()))
    else:
        click.echo()
        _print_sources(record)
    for line in record.waiting:
        click.echo(
            f"Escalation {line['escalationId']} waits for your yes or no: "
            f"{on_one_line(line['summary'], 200)}",
            err=True,
        )
    mark_read(client, record)
    if record.error is not None:
        raise Refused(strip_controls(record.error))


def _print_sources(record: TurnRecord) -> None:
    for number, one in enumerate(record.citations, 1):
        lead = "\n" if number == 1 else ""
        click.echo(
            f"{lead}[{number}] {on_one_line(one['title'], 80)} (note {one['noteId']}): "
            f"{on_one_line(one['quote'], 160)}"
        )
