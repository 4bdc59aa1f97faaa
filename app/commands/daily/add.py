"""`hearth add`: a todo in the words in which one thinks of it."""

import sys
from typing import Any

import click

from app.commands.ask.door import open_door
from app.commands.terminal.colours import paint
from app.commands.terminal.columns import said_day
from app.commands.terminal.command_group import Misused
from app.commands.terminal.local_zone import zone_fields
from app.commands.terminal.standard_input import is_piped, read_text
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_options
from app.settings import Settings

KINDS = ("date", "time", "priority", "recurrence")
LONGEST = 200


@click.command(
    epilog='\b\nExamples:\n  hearth add "buy milk tomorrow"\n  hearth add call mum every friday p1'
)
@click.argument("words", nargs=-1)
@click.option(
    "--ignore",
    type=click.Choice(KINDS),
    multiple=True,
    help="Leave such words in the title; repeatable.",
)
@click.option("-n", "--dry-run", is_flag=True, help="Only say what is recognised.")
@user_options
def add(
    words: tuple[str, ...],
    ignore: tuple[str, ...],
    dry_run: bool,
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Add a todo; its day, time, priority and recurrence are recognised.

    WORDS are one todo. Without them each line of standard input is one.
    """
    lines = [" ".join(words)] if words else _lines_piped()
    made = []
    with open_door(settings) as door:
        username = door.choose_user(user)
        for line in lines:
            made.append(
                door.ask_as(
                    username,
                    "quick_add_todo",
                    text=line,
                    ignore=list(ignore),
                    dryRun=dry_run,
                    **zone_fields(),
                )
            )
            if not json_:
                click.echo(_told(made[-1]))
    if json_:
        click.echo(format_json(made[0] if len(made) == 1 else made))


def _lines_piped() -> list[str]:
    lines = [line.strip() for line in read_text().splitlines()] if is_piped() else []
    if not any(lines):
        raise Misused('Say what there is to do, such as: hearth add "buy milk tomorrow".')
    return [line for line in lines if line]


def _told(answer: dict[str, Any]) -> str:
    """Return what was added and what was recognised; into a pipe the number alone."""
    read, todo = answer["read"], answer["todo"]
    if todo is not None and not sys.stdout.isatty():
        return str(todo["id"])
    said = [paint(on_one_line(read["title"], LONGEST), bold=True)]
    if read["dueDate"]:
        said.append(f"due {said_day(read['dueDate'])}")
    if read["recurrence"]:
        from app.interfaces.home.todos.rule_words import rule_words
        from app.interfaces.languages.words import DEFAULT, words_of

        said.append(rule_words(words_of(DEFAULT), read["recurrence"]["rule"]))
    if read["priority"]:
        said.append(f"priority {read['priority']}")
    head = "Would add:" if todo is None else f"Added todo {todo['id']}:"
    words = ", ".join(f"“{on_one_line(one['text'], LONGEST)}”" for one in read["recognised"])
    note = paint(f"\n  Recognised {words}. --ignore leaves words in the title.", dim=True)
    return f"{head} {', '.join(said)}" + (note if words else "")
